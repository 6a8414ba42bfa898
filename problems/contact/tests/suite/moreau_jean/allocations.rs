//! No step allocates after the first contacts: a counting allocator watches.

use super::bodies::Bodies;
use super::many::{fallen_box, stack};
use crate::counting::allocations;
use liedae::solve::{Observer, Options, StepView, solve_observed};
use liedae_contact::capturing::{ImpulseGauge, MoreauJean};
use liedae_contact::with_contacts;
use std::ops::ControlFlow;

/// Allocations up to each step.
struct Watch(Vec<usize>);

impl Observer for Watch {
    fn observe(&mut self, _step: &mut StepView) -> ControlFlow<()> {
        assert!(self.0.len() < self.0.capacity());
        self.0.push(allocations());
        ControlFlow::Continue(())
    }
}

#[test]
fn steps_with_contacts_allocate_nothing() {
    let before = allocations();
    drop(std::hint::black_box(vec![0_u8; 100]));
    assert!(allocations() > before);

    let cases: [(&str, Bodies, f64); 3] = [
        ("box", fallen_box(0.3, 0.3), 0.5),
        ("smooth box", fallen_box(0.0, 0.3), 0.5),
        ("20 contacts", stack(&[1.0; 5], 0.001, 0.5, 0.2), 0.1),
    ];
    for (name, model, warm_up) in cases {
        let (t_end, h) = (1.0, 1e-3);
        let mut watch = Watch(Vec::with_capacity(1100));
        let mut system = with_contacts(model);
        let options = Options::fixed(t_end, h);
        let gauge = ImpulseGauge::default();
        let method = MoreauJean::default().measuring_impulses(&gauge);
        solve_observed(&mut system, &method, &options, &mut watch).expect("solved");
        let counts = &watch.0;
        let warm = (warm_up / h) as usize;
        let last = counts[counts.len() - 1];
        println!(
            "{name}: {} allocations from the start to {warm_up} s, {} later",
            counts[warm] - counts[0],
            last - counts[warm]
        );
        assert!(gauge.contacts().iter().any(|impulse| impulse.normal > 0.0));
        assert_eq!(last, counts[warm], "{name}");
    }
}
