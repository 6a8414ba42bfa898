//! Prefetching of long lists.
//!
//! The lists of large systems do not fit into caches. A processor prefetches a list by itself if the list is read from one end
//! to the other, and only up to the end of a page. This module requests cache lines ahead, in any order of access, so that they
//! arrive while the processor computes. Lists that are overwritten are requested as well: a cache line is read before it is changed.
//!
//! Prefetching pays where there is work between two requests: factorization of blocks, updates of poses, evaluation of
//! rows. A plain sum of a long list is limited by memory all the same. On processors other than x86-64 the functions do nothing.

/// Bytes that come from memory at a time.
const LINE: usize = 64;

/// One request asks for no more lines: many of them would drive other numbers out of the first cache.
const MOST_LINES: usize = 64;

/// How many bodies or joints ahead to ask: memory answers while so many are worked on.
pub const AHEAD: usize = 8;

/// Asks for `count` values from the first one on, without reading any. Nothing is asked for where the list has no first
/// one. It asks for as many lines of 64 bytes as the values fill, 64 lines at most: where they begin within a line, the
/// end of the last one is left to the request for the values behind them. It is fast where the count is a constant.
///
/// ```
/// use liedae::memory::{AHEAD, fetch};
///
/// // Turns many vectors, from the last to the first.
/// let mut vectors = vec![[1.0, 0.0, 0.0]; 100_000];
/// let (sine, cosine) = 0.5_f64.sin_cos();
/// for index in (0..vectors.len()).rev() {
///     fetch(&vectors, index.wrapping_sub(AHEAD), 1);
///     let [x, y, z] = vectors[index];
///     vectors[index] = [cosine * x - sine * y, sine * x + cosine * y, z];
/// }
/// assert_eq!(vectors[7], [cosine, sine, 0.0]);
/// ```
#[inline(always)]
pub fn fetch<T>(values: &[T], first: usize, count: usize) {
    if let Some(value) = values.get(first) {
        let start = std::ptr::from_ref(value).cast::<i8>();
        for line in 0..lines(size_of::<T>(), count) {
            fetch_line(start.wrapping_add(line * LINE));
        }
    }
}

/// Lines that so many values of this size fill, or as many as one request may ask for.
#[inline(always)]
fn lines(size: usize, count: usize) -> usize {
    (size.saturating_mul(count).div_ceil(LINE)).min(MOST_LINES)
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
    fn any_place_and_any_number_may_be_asked_for() {
        let values = [1.0, 2.0, 3.0];
        for first in [0, 2, 3, usize::MAX, 0_usize.wrapping_sub(AHEAD)] {
            for count in [0, 1, 100, usize::MAX] {
                fetch(&values, first, count);
            }
        }
        fetch::<f64>(&[], 0, 1);
        fetch(&[(), ()], 0, 2);
    }

    #[test]
    fn values_fill_lines() {
        assert_eq!([0, 1, 8, 9].map(|count| lines(8, count)), [0, 1, 1, 2]);
        assert_eq!(lines(96, 1), 2);
        assert_eq!(lines(0, 3), 0);
        assert_eq!(lines(8, usize::MAX), MOST_LINES);
    }
}
