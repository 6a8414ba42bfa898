//! An allocator that counts, for each thread by itself: whoever includes this module is watched.
#![allow(dead_code)] // each test program uses some of it
#![allow(unsafe_code)] // GlobalAlloc is an unsafe trait; the implementation only forwards and counts

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::thread::LocalKey;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static DEALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count(calls: &'static LocalKey<Cell<usize>>) {
    // Threads that are being torn down have no counter any more; nothing is measured there.
    let _ = calls.try_with(|counter| counter.set(counter.get() + 1));
}

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(&ALLOCATIONS);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(&DEALLOCATIONS);
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(&ALLOCATIONS);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread so far.
pub fn allocations() -> usize {
    ALLOCATIONS.with(Cell::get)
}

/// Allocations and deallocations of this thread so far.
pub fn calls() -> usize {
    allocations() + DEALLOCATIONS.with(Cell::get)
}
