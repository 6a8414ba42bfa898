//! Loops over the components of vectors, a few at a time.
//!
//! What is read is copied first, so that the compiler need not fear that vectors overlap, and takes as many at once as the processor can.

/// What is done with each component of vectors.
pub(in crate::integrator) trait Sweep {
    /// The components from `at` on.
    fn group<const L: usize>(&mut self, at: usize);
}

/// Four components at a time, then two, then one.
#[inline(always)]
pub(in crate::integrator) fn sweep(start: usize, end: usize, mut job: impl Sweep) {
    let mut at = start;
    while at + 4 <= end {
        job.group::<4>(at);
        at += 4;
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
    read(vectors.each_ref().map(|vector| &**vector), at)
}

/// Components from `at` on.
#[inline(always)]
pub(in crate::integrator) fn write<const L: usize, const N: usize>(
    group: &Group<L, N>,
    vectors: &mut [&mut [f64]; N],
    at: usize,
) {
    for (group, vector) in group.iter().zip(vectors) {
        vector[at..at + L].copy_from_slice(group);
    }
}
