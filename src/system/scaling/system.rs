//! A system in the units of a run.

use super::{Scales, multiply};
use crate::system::{
    self, Balance, BalanceDerivatives, Branches, Energy, EvaluationError, EventAction,
    EventDescription, EventHandling, EventReport, EventResponse, Events, Labels, Layout, Outputs,
    Point, Properties, Property, RatesJacobian, SecondDerivatives, Spatial, State, System, Wanted,
};
use std::any::{Any, TypeId};
use std::sync::Arc;

/// A system whose functions take and give numbers in the units of a run.
pub(crate) struct ScaledSystem<'a> {
    inner: &'a mut dyn System,
    scales: Arc<Scales>,
    /// Whether it shows itself in the units of the statement: those who look from outside use these.
    is_bare: bool,
    /// The duration of the run, for scales of a changed structure.
    duration: f64,
    arguments: Arguments,
    acceleration: Vec<f64>,
    state: State,
    output_names: Vec<String>,
}

/// The arguments of a function in the units of the statement.
#[derive(Default)]
struct Arguments {
    q: Vec<f64>,
    v: Vec<f64>,
    lambda: Vec<f64>,
}

impl Arguments {
    fn convert<'p>(&'p mut self, scales: &Scales, at: &Point<'p>) -> Point<'p> {
        let parts = [
            (&mut self.q, at.q, &scales.coordinates),
            (&mut self.v, at.v, &scales.velocities),
            (&mut self.lambda, at.lambda, &scales.multipliers),
        ];
        for (own, given, factors) in parts {
            convert(own, given, factors);
        }
        Point {
            q: &self.q,
            v: &self.v,
            lambda: &self.lambda,
            ..*at
        }
    }
}

fn convert(own: &mut Vec<f64>, given: &[f64], factors: &[f64]) {
    own.clear();
    own.extend(
        given
            .iter()
            .zip(factors)
            .map(|(value, factor)| value * factor),
    );
}

impl<'a> ScaledSystem<'a> {
    /// A system in these units, for a run of this duration.
    pub fn new(inner: &'a mut dyn System, scales: Scales, duration: f64) -> Self {
        let state = inner.layout().state();
        let output_names = system::output_names(inner).to_vec();
        Self {
            inner,
            scales: Arc::new(scales),
            is_bare: false,
            duration,
            arguments: Arguments::default(),
            acceleration: Vec::new(),
            state,
            output_names,
        }
    }

    /// The units.
    pub fn scales(&self) -> &Arc<Scales> {
        &self.scales
    }

    /// Shows the system in the units of the statement, or of the run.
    pub fn show_bare(&mut self, is_bare: bool) {
        self.is_bare = is_bare;
    }

    /// Asks the inner system at a point in its units, and gives the scales by which the answer is to be multiplied, if any.
    fn ask<R>(
        &mut self,
        at: &Point,
        evaluate: impl FnOnce(&mut dyn System, &Point) -> Result<R, EvaluationError>,
    ) -> Result<(R, Option<&Scales>), EvaluationError> {
        if self.is_bare {
            return Ok((evaluate(self.inner, at)?, None));
        }
        let at = self.arguments.convert(&self.scales, at);
        let answer = evaluate(self.inner, &at)?;
        Ok((answer, Some(&self.scales)))
    }

    /// The same with an acceleration.
    fn ask_with<R>(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        evaluate: impl FnOnce(&mut dyn System, &Point, &[f64]) -> Result<R, EvaluationError>,
    ) -> Result<(R, Option<&Scales>), EvaluationError> {
        if self.is_bare {
            return Ok((evaluate(self.inner, at, acceleration)?, None));
        }
        let at = self.arguments.convert(&self.scales, at);
        convert(
            &mut self.acceleration,
            acceleration,
            &self.scales.velocities,
        );
        let answer = evaluate(self.inner, &at, &self.acceleration)?;
        Ok((answer, Some(&self.scales)))
    }

    /// Lets a handler change a state.
    fn handle(
        &mut self,
        state: &mut State,
        handle: impl FnOnce(&mut dyn System, &mut State) -> Result<EventResponse, EvaluationError>,
    ) -> Result<EventResponse, EvaluationError> {
        if self.is_bare {
            return handle(self.inner, state);
        }
        self.scales.leave(state);
        let response = handle(self.inner, state);
        if let Ok(EventResponse {
            action: EventAction::Restructure,
            ..
        }) = response
        {
            let layout = self.inner.layout().clone();
            let scales = Scales::of(self.inner, state, self.duration);
            self.scales = Arc::new(scales.unwrap_or_else(|| Scales::ones(&layout)));
            self.state = layout.state();
            self.output_names = system::output_names(self.inner).to_vec();
        }
        self.scales.enter(state);
        response
    }
}

/// Multiplies an answer, if by anything.
fn scale(out: &mut [f64], factors: Option<&Vec<f64>>) {
    if let Some(factors) = factors {
        multiply(out, factors);
    }
}

/// Multiplies an answer that has been asked for.
fn scale_wanted(out: &mut Option<&mut [f64]>, factors: &[f64]) {
    if let Some(values) = out {
        multiply(values, factors);
    }
}

impl System for ScaledSystem<'_> {
    fn layout(&self) -> &Layout {
        self.inner.layout()
    }

    fn initial_state(&self) -> State {
        let mut state = self.inner.initial_state();
        if !self.is_bare {
            self.scales.enter(&mut state);
        }
        state
    }

    fn mass_matrix(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let ((), scales) = self.ask(at, |inner, at| inner.mass_matrix(at, out))?;
        scale(out, scales.map(|scales| &scales.mass));
        Ok(())
    }

    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let ((), scales) = self.ask(at, |inner, at| inner.rates(at, out))?;
        scale(out, scales.map(|scales| &scales.rates));
        Ok(())
    }

    fn rates_jacobian(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        let ((), scales) = self.ask(at, |inner, at| inner.rates_jacobian(at, out))?;
        if let Some(scales) = scales {
            scales.apply_to_derivatives(out);
        }
        Ok(())
    }

    fn position_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let ((), scales) = self.ask(at, |inner, at| inner.position_constraint(at, out))?;
        scale(out, scales.map(|scales| &scales.rows));
        Ok(())
    }

    fn velocity_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let ((), scales) = self.ask(at, |inner, at| inner.velocity_constraint(at, out))?;
        scale(out, scales.map(|scales| &scales.rows));
        Ok(())
    }

    fn constraint_jacobian(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let ((), scales) = self.ask(at, |inner, at| inner.constraint_jacobian(at, out))?;
        scale(out, scales.map(|scales| &scales.jacobian));
        Ok(())
    }

    fn acceleration_bias(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let ((), scales) = self.ask(at, |inner, at| inner.acceleration_bias(at, out))?;
        scale(out, scales.map(|scales| &scales.rows));
        Ok(())
    }

    fn at_point(&mut self, at: &Point, wanted: &mut Wanted) -> Result<bool, EvaluationError> {
        let (done, scales) = self.ask(at, |inner, at| inner.at_point(at, wanted))?;
        if let Some(scales) = scales.filter(|_| done) {
            scale_wanted(&mut wanted.mass, &scales.mass);
            scale_wanted(&mut wanted.rates, &scales.rates);
            scale_wanted(&mut wanted.jacobian, &scales.jacobian);
            scale_wanted(&mut wanted.velocity_constraint, &scales.rows);
            scale_wanted(&mut wanted.acceleration_bias, &scales.rows);
        }
        Ok(done)
    }

    fn balance(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        wanted: &mut Balance,
    ) -> Result<bool, EvaluationError> {
        let (done, scales) = self.ask_with(at, acceleration, |inner, at, a| {
            inner.balance(at, a, wanted)
        })?;
        if let Some(scales) = scales.filter(|_| done) {
            scale_wanted(&mut wanted.forces, &scales.rates);
            scale_wanted(&mut wanted.sizes, &scales.rates);
            if let Some((values, _)) = &mut wanted.position {
                multiply(values, &scales.rows);
            }
            scale_wanted(&mut wanted.velocity, &scales.rows);
            scale_wanted(&mut wanted.acceleration, &scales.rows);
            scale_wanted(&mut wanted.jacobian, &scales.jacobian);
        }
        Ok(done)
    }

    fn balance_derivatives(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        wanted: &mut BalanceDerivatives,
    ) -> Result<bool, EvaluationError> {
        let (done, scales) = self.ask_with(at, acceleration, |inner, at, a| {
            inner.balance_derivatives(at, a, wanted)
        })?;
        if let Some(scales) = scales.filter(|_| done) {
            scales.apply_to_derivatives(wanted.rates);
            multiply(wanted.stiffness, &scales.stiffness);
            scale_wanted(&mut wanted.velocity_rows, &scales.jacobian);
            for values in wanted.acceleration_rows.iter_mut().flatten() {
                multiply(values, &scales.jacobian);
            }
        }
        Ok(done)
    }

    fn second_derivatives(&mut self) -> Option<&mut dyn SecondDerivatives> {
        // Without, those who ask take differences of this system.
        self.inner.second_derivatives()?;
        Some(self)
    }

    fn outputs(&mut self) -> Option<&mut dyn Outputs> {
        self.inner.outputs()?;
        Some(self)
    }

    fn energy(&mut self) -> Option<&mut dyn Energy> {
        self.inner.energy()?;
        Some(self)
    }

    fn properties(&mut self) -> Option<&mut dyn Properties> {
        self.inner.properties()?;
        Some(self)
    }

    fn branches(&mut self) -> Option<&mut dyn Branches> {
        self.inner.branches()?;
        Some(self)
    }

    fn labels(&self) -> Option<&dyn Labels> {
        self.inner.labels()
    }

    fn spatial(&self) -> Option<&dyn Spatial> {
        self.inner.spatial()
    }

    fn events(&mut self) -> Option<&mut dyn Events> {
        self.inner.events()?;
        Some(self)
    }

    fn extension(&mut self, wanted: TypeId) -> Option<&mut dyn Any> {
        self.inner.extension(wanted)
    }

    fn prepare(
        &mut self,
        state: &mut State,
        events: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        self.inner.prepare(state, events)
    }
}

impl SecondDerivatives for ScaledSystem<'_> {
    fn geometric_stiffness(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let ((), scales) = self.ask_with(at, acceleration, |inner, at, a| {
            system::geometric_stiffness(inner, at, a, out)
        })?;
        scale(out, scales.map(|scales| &scales.stiffness));
        Ok(())
    }

    fn velocity_constraint_jacobian(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let ((), scales) = self.ask(at, |inner, at| {
            system::velocity_constraint_jacobian(inner, at, out)
        })?;
        scale(out, scales.map(|scales| &scales.jacobian));
        Ok(())
    }

    fn acceleration_constraint_jacobian(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let ((), scales) = self.ask_with(at, acceleration, |inner, at, a| {
            system::acceleration_constraint_jacobian(inner, at, a, by_position, by_velocity)
        })?;
        let factors = scales.map(|scales| &scales.jacobian);
        scale(by_position, factors);
        scale(by_velocity, factors);
        Ok(())
    }
}

impl Outputs for ScaledSystem<'_> {
    fn names(&self) -> &[String] {
        &self.output_names
    }

    fn values(&mut self, state: &State, out: &mut [f64]) -> Result<(), EvaluationError> {
        if self.is_bare {
            return system::output_values(self.inner, state, out);
        }
        self.state.clone_from(state);
        self.scales.leave(&mut self.state);
        system::output_values(self.inner, &self.state, out)
    }
}

impl Energy for ScaledSystem<'_> {
    fn total(&mut self, at: &Point) -> Option<f64> {
        let asked = self.ask(at, |inner, at| Ok(system::total_energy(inner, at)));
        let (total, scales) = asked.ok()?;
        let unit = scales.map_or(1.0, |scales| scales.energy);
        total.map(|total| total / unit)
    }

    fn is_kept(&mut self) -> bool {
        system::keeps_energy(self.inner)
    }

    fn is_passive(&mut self) -> bool {
        system::is_passive(self.inner)
    }
}

impl Properties for ScaledSystem<'_> {
    fn descriptions(&mut self) -> &[Property] {
        system::properties(self.inner)
    }

    fn values(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let evaluate = |inner: &mut dyn System, at: &Point| match inner.properties() {
            Some(properties) => properties.values(at, out),
            None => Ok(()),
        };
        self.ask(at, evaluate).map(|_| ())
    }
}

impl Branches for ScaledSystem<'_> {
    fn opposed(&mut self, at: &Point) -> Option<String> {
        let evaluate = |inner: &mut dyn System, at: &Point| {
            Ok(inner.branches().and_then(|branches| branches.opposed(at)))
        };
        self.ask(at, evaluate).ok().and_then(|(opposed, _)| opposed)
    }

    fn rows_from_afar(
        &mut self,
        at: &Point,
        rows: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<bool, EvaluationError> {
        let (done, scales) = self.ask(at, |inner, at| match inner.branches() {
            Some(branches) => branches.rows_from_afar(at, rows, jacobian),
            None => Ok(false),
        })?;
        if let Some(scales) = scales.filter(|_| done) {
            multiply(rows, &scales.rows);
            multiply(jacobian, &scales.jacobian);
        }
        Ok(done)
    }
}

impl Events for ScaledSystem<'_> {
    fn descriptions(&mut self) -> &[EventDescription] {
        system::event_descriptions(self.inner)
    }

    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let evaluate = |inner: &mut dyn System, at: &Point| match inner.events() {
            Some(events) => events.event_functions(at, out),
            None => Ok(()),
        };
        self.ask(at, evaluate).map(|_| ())
    }

    fn event_function(
        &mut self,
        event: usize,
        at: &Point,
        memory: &mut [f64],
    ) -> Result<f64, EvaluationError> {
        let evaluate = |inner: &mut dyn System, at: &Point| match inner.events() {
            Some(events) => events.event_function(event, at, memory),
            None => Ok(0.0),
        };
        self.ask(at, evaluate).map(|(value, _)| value)
    }

    fn handle_events(
        &mut self,
        events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        self.handle(state, |inner, state| match inner.events() {
            Some(own) => own.handle_events(events, state),
            None => Ok(EventAction::Continue.into()),
        })
    }

    fn time_events(&mut self) -> &[f64] {
        system::time_events(self.inner)
    }

    fn handle_time_event(
        &mut self,
        event: usize,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        self.handle(state, |inner, state| match inner.events() {
            Some(own) => own.handle_time_event(event, state),
            None => Ok(EventAction::Restart.into()),
        })
    }

    fn handle_impasse(&mut self, state: &mut State) -> Result<EventResponse, EvaluationError> {
        self.handle(state, |inner, state| match inner.events() {
            Some(own) => own.handle_impasse(state),
            None => Ok(EventAction::Continue.into()),
        })
    }

    fn largest_step(&mut self) -> f64 {
        let events = self.inner.events();
        events.map_or(f64::INFINITY, Events::largest_step)
    }

    fn passing_step(&mut self, at: &Point, acceleration: &[f64]) -> Result<f64, EvaluationError> {
        let longest = self.ask_with(at, acceleration, |inner, at, a| match inner.events() {
            Some(events) => events.passing_step(at, a),
            None => Ok(f64::INFINITY),
        });
        longest.map(|(step, _)| step)
    }

    fn explicit_step(&mut self, at: &Point, acceleration: &[f64]) -> Result<f64, EvaluationError> {
        let longest = self.ask_with(at, acceleration, |inner, at, a| match inner.events() {
            Some(events) => events.explicit_step(at, a),
            None => Ok(f64::INFINITY),
        });
        longest.map(|(step, _)| step)
    }
}
