//! No step allocates after the first contacts: a counting allocator watches.
#![allow(unsafe_code)] // GlobalAlloc is an unsafe trait; the implementation only forwards and counts

use super::bodies::Bodies;
use super::many::{fallen_box, stack};
use liedae::integrator::MoreauJean;
use liedae::solve::{Observer, Options, StepView, solve_observed};
use liedae::system::Automatic;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::ControlFlow;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // Threads that are being torn down have no counter any more; nothing is measured there.
    let _ = ALLOCATIONS.try_with(|counter| counter.set(counter.get() + 1));
}

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations up to each step.
struct Watch(Vec<usize>);

impl Observer for Watch {
    fn observe(&mut self, _step: &mut StepView) -> ControlFlow<()> {
        assert!(self.0.len() < self.0.capacity());
        self.0.push(ALLOCATIONS.with(Cell::get));
        ControlFlow::Continue(())
    }
}

#[test]
fn steps_with_contacts_allocate_nothing() {
    let before = ALLOCATIONS.with(Cell::get);
    drop(std::hint::black_box(vec![0_u8; 100]));
    assert!(ALLOCATIONS.with(Cell::get) > before);

    let cases: [(&str, Bodies, f64); 3] = [
        ("box", fallen_box(0.3, 0.3), 0.5),
        ("smooth box", fallen_box(0.0, 0.3), 0.5),
        ("20 contacts", stack(&[1.0; 5], 0.001, 0.5, 0.2), 0.1),
    ];
    for (name, model, warm_up) in cases {
        let (t_end, h) = (1.0, 1e-3);
        let mut watch = Watch(Vec::with_capacity(1100));
        let mut system = Automatic::new(model);
        let options = Options::fixed(t_end, h);
        let mut method = MoreauJean::default();
        solve_observed(&mut system, &mut method, &options, &mut watch).expect("solved");
        let counts = &watch.0;
        let warm = (warm_up / h) as usize;
        let last = counts[counts.len() - 1];
        println!(
            "{name}: {} allocations from the start to {warm_up} s, {} later",
            counts[warm] - counts[0],
            last - counts[warm]
        );
        assert!(
            method
                .contact_impulses()
                .iter()
                .any(|impulse| impulse.normal > 0.0)
        );
        assert_eq!(last, counts[warm], "{name}");
    }
}
