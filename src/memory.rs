//! Memory that is asked for before it is needed.
//!
//! Lists of large systems come from memory. A processor recognizes a list that is read from one end to the other, up to
//! the end of a page. What is asked for ahead is there without a pause, in whatever order lists are read. Lists that are
//! written are fetched, too, before their old values are replaced.
//!
//! It pays where work and memory take turns: blocks that are factorized, poses that are moved, rows that are written. A
//! sum of long lists waits for memory all the same.

/// Bytes that come from memory at a time.
const LINE: usize = 64;

/// How many bodies or joints ahead to ask: memory answers while so many are worked on.
pub const AHEAD: usize = 8;

/// Asks for `count` values from the first one on, without reading any. Nothing is asked for where the list has no first
/// one.
///
/// ```
/// use liedae::memory::{AHEAD, fetch};
///
/// let blocks = vec![[1.0; 12]; 100_000];
/// let mut sum = [0.0; 12];
/// for (index, block) in blocks.iter().enumerate().rev() {
///     fetch(&blocks, index.wrapping_sub(AHEAD), 1);
///     for (sum, value) in sum.iter_mut().zip(block) {
///         *sum += value;
///     }
/// }
/// assert_eq!(sum, [1e5; 12]);
/// ```
#[inline(always)]
pub fn fetch<T>(values: &[T], first: usize, count: usize) {
    if let Some(value) = values.get(first) {
        let start = std::ptr::from_ref(value).cast::<i8>();
        for line in 0..(count * size_of::<T>()).div_ceil(LINE) {
            fetch_line(start.wrapping_add(line * LINE));
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn fetch_line(address: *const i8) {
    /// Into all caches (`_MM_HINT_T0`).
    const ALL: i32 = 3;
    if let Some(sse) = pulp::core_arch::x86::Sse::try_new() {
        sse._mm_prefetch::<ALL>(address);
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn fetch_line(_address: *const i8) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_asked_for_beyond_the_end() {
        let values = [1.0, 2.0, 3.0];
        for first in [0, 2, 3, usize::MAX, 0_usize.wrapping_sub(AHEAD)] {
            fetch(&values, first, 100);
        }
        fetch::<f64>(&[], 0, 1);
        fetch(&[(), ()], 0, 2);
        assert_eq!(values, [1.0, 2.0, 3.0]);
    }
}
