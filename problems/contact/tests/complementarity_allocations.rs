//! `LcpSolver::solve` allocates nothing after a problem of the largest size, with every method, redundant rows included.
#![allow(unsafe_code)] // GlobalAlloc is an unsafe trait; the implementation only forwards and counts

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use liedae_contact::complementarity::{LcpMethod, LcpOptions, LcpSolver, RowKind, Uniqueness};

thread_local! {
    // Of this thread: the one that runs tests allocates when it likes.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // Threads that are being torn down have no counter any more; nothing is measured there.
    let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
}

struct Counting;

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count();
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Contacts of a plate: J has three columns, so that every four rows are dependent.
fn plate(n: usize, bilateral: usize) -> (Vec<f64>, Vec<f64>, Vec<RowKind>) {
    let row = |i: usize| [1.0, (3.0 * i as f64).sin(), (5.0 * i as f64).cos()];
    let product = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let matrix = (0..n * n)
        .map(|k| product(row(k / n), row(k % n)))
        .collect();
    let vector = (0..n).map(|i| product(row(i), [-1.0, 0.7, -0.8])).collect();
    let kind = |i| {
        if i < bilateral {
            RowKind::Bilateral
        } else {
            RowKind::Unilateral
        }
    };
    (matrix, vector, (0..n).map(kind).collect())
}

#[test]
fn solve_allocates_nothing_after_warm_up() {
    for first in LcpMethod::ALL {
        let mut solver = LcpSolver::new(LcpOptions {
            first,
            ..LcpOptions::default()
        });
        let problems = [plate(24, 0), plate(24, 5), plate(10, 0), plate(3, 1)];
        for (matrix, vector, kinds) in &problems {
            solver.solve(matrix, vector, kinds).unwrap();
        }
        let before = CALLS.with(Cell::get);
        for _ in 0..10 {
            for (matrix, vector, kinds) in &problems {
                solver.solve(matrix, vector, kinds).unwrap();
            }
        }
        let calls = CALLS.with(Cell::get) - before;
        assert_eq!(calls, 0, "{first:?}");
        let (matrix, vector, kinds) = &problems[0];
        let solution = solver.solve(matrix, vector, kinds).unwrap();
        assert_eq!(solution.uniqueness, Uniqueness::LeastNorm);
    }
}
