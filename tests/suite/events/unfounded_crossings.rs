//! Crossings that dense output shows and no step finds.

use liedae::integrator::{
    DenseOutput, Integrator, Method, MethodOptions, StepError, StepSizes, Stepper, StepperWrapper,
    WrappedStepper,
};
use liedae::prelude::*;
use liedae::system::Evaluator;
use std::error::Error;

/// A method that says of the acceleration at the ends of its steps that it is 100 m/s² less than it is: dense output swings by a
/// hundredth of that times the step size squared.
struct Mistaken(Box<dyn Integrator>);

struct MistakenStepper(Box<dyn Stepper>);

impl StepperWrapper for MistakenStepper {
    fn inner(&self) -> &dyn Stepper {
        self.0.as_ref()
    }
    fn inner_mut(&mut self) -> &mut dyn Stepper {
        self.0.as_mut()
    }
    fn complete(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), StepError> {
        self.0.complete(system, state)?;
        state.acceleration[0] -= 100.0;
        Ok(())
    }
    fn ends_consistent(&self) -> bool {
        false
    }
}

impl Integrator for Mistaken {
    fn method(&self) -> &'static Method {
        self.0.method()
    }
    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let stepper = MistakenStepper(self.0.start(system, state, sizes)?);
        Ok(Box::new(WrappedStepper(stepper)))
    }
}

/// A mass that flies at 1 m/s, and how often it has come to the mark at 0.5 m from below.
#[test]
fn a_crossing_of_dense_output_alone_is_no_event() -> Result<(), Box<dyn Error>> {
    for name in ["hem5", "extrapolation"] {
        let method = crate::known_methods().build(name, &MethodOptions::default())?;
        assert_eq!(method.method().dense_output, DenseOutput::Quintic);
        let mark = EventDescription::new("reach", "mark", Direction::Rising);
        let mut mass = liedae::model([0.0], [1.0])
            .mass(1.0)
            .force(|_t, _q, [v]| [v * 0.0])
            .event(mark, |at| at.q[0] - 0.5, |_| EventAction::Restart)
            .build()?;
        let options = Options::adaptive(50.0, 1e-6, 1e-6);
        let solution = solve(&mut mass, &Mistaken(method), &options)?;
        assert!((solution.state.q[0] - 50.0).abs() < 1e-9, "{name}");
        let times: Vec<f64> = solution.events.iter().map(|event| event.t).collect();
        assert_eq!(times.len(), 1, "{name}: {times:?}");
        assert!((times[0] - 0.5).abs() < 1e-9, "{name}: {times:?}");
    }
    Ok(())
}
