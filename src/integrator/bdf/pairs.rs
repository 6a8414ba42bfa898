//! Numbers that are handled two at a time, side by side in a vector register.

/// Two numbers of a list.
pub(super) type Pair = [f64; 2];

/// So many pairs hold this many numbers; behind the last there may be one more, which stays zero.
pub(super) fn pairs(length: usize) -> usize {
    length.div_ceil(2)
}

#[inline(always)]
pub(super) fn add(a: Pair, b: Pair) -> Pair {
    [a[0] + b[0], a[1] + b[1]]
}

#[inline(always)]
pub(super) fn subtract(a: Pair, b: Pair) -> Pair {
    [a[0] - b[0], a[1] - b[1]]
}
