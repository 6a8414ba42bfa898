//! Loops over the components of vectors, a few at a time.
//!
//! What is read is copied first, so that the compiler need not fear that vectors overlap, and takes as many at once as the processor can.

pub(in crate::integrator) use crate::linalg::slices;
use std::ops::DerefMut;

/// What is done with each component of vectors.
pub(in crate::integrator) trait Sweep {
    /// The components from `at` on.
    fn group<const L: usize>(&mut self, at: usize);
}

/// So many components are handled at a time, as long as there are as many.
pub(in crate::integrator) const GROUP: usize = 4;

/// [`GROUP`] components at a time, then two, then one.
#[inline(always)]
pub(in crate::integrator) fn sweep(start: usize, end: usize, mut job: impl Sweep) {
    let mut at = start;
    while at + GROUP <= end {
        job.group::<GROUP>(at);
        at += GROUP;
    }
    if at + 2 <= end {
        job.group::<2>(at);
        at += 2;
    }
    if at < end {
        job.group::<1>(at);
    }
}

/// The same components of several vectors.
pub(in crate::integrator) type Group<const L: usize, const N: usize> = [[f64; L]; N];

/// Components from `at` on.
#[inline(always)]
pub(in crate::integrator) fn read<const L: usize, const N: usize>(
    vectors: [&[f64]; N],
    at: usize,
) -> Group<L, N> {
    let mut group = [[0.0; L]; N];
    for (group, vector) in group.iter_mut().zip(vectors) {
        group.copy_from_slice(&vector[at..at + L]);
    }
    group
}

/// The same of vectors that are written afterwards.
#[inline(always)]
pub(in crate::integrator) fn read_old<const L: usize, const N: usize>(
    vectors: &[&mut [f64]; N],
    at: usize,
) -> Group<L, N> {
    read(slices(vectors, at..at + L), 0)
}

/// Components from `at` on.
#[inline(always)]
pub(in crate::integrator) fn write<const L: usize, const N: usize>(
    group: &Group<L, N>,
    vectors: &mut [impl DerefMut<Target = [f64]>; N],
    at: usize,
) {
    for (group, vector) in group.iter().zip(vectors) {
        let whole: &mut [f64] = vector;
        whole[at..at + L].copy_from_slice(group);
    }
}

/// Copies a list, which should be short: a call would take longer.
#[inline(always)]
pub(in crate::integrator) fn copy(from: &[f64], to: &mut [f64]) {
    let count = to.len();
    let job = Copy {
        from: &from[..count],
        to,
    };
    sweep(0, count, job);
}

struct Copy<'a> {
    from: &'a [f64],
    to: &'a mut [f64],
}

impl Sweep for Copy<'_> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        write(&read::<L, 1>([self.from], at), &mut [&mut *self.to], at);
    }
}
