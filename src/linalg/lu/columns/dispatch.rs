//! Which code runs for how many unknowns: with vectors or without, and for sizes that the compiler knows.

use pulp::{Arch, Scalar, Simd, WithSimd};

/// Fewest unknowns that vectors pay for.
pub(super) const FEWEST: usize = 4;

/// How many numbers a column of so many rows takes, so that it consists of whole vectors.
pub(crate) fn column_length(rows: usize) -> usize {
    struct Lanes;
    impl WithSimd for Lanes {
        type Output = usize;
        #[inline(always)]
        fn with_simd<S: Simd>(self, _simd: S) -> usize {
            S::F64_LANES
        }
    }
    if rows < FEWEST {
        rows.max(1)
    } else {
        rows.next_multiple_of(Arch::new().dispatch(Lanes))
    }
}

/// Does it in vectors as wide as the processor's, where there are enough unknowns.
#[inline(always)]
pub(super) fn run<J: WithSimd>(arch: Arch, size: usize, job: J) -> J::Output {
    if size < FEWEST {
        job.with_simd(Scalar::new())
    } else {
        arch.dispatch(job)
    }
}

/// Calls with the size of a matrix, which the compiler knows up to three unknowns, or with it and the stride of its columns, which the
/// compiler knows where they are short.
macro_rules! by_size {
    ($factors:expr, |$few:ident| $call_few:expr, |$size:ident, $stride:ident| $call:expr) => {
        match ($factors.size, $factors.stride) {
            (1, _) => {
                const $few: usize = 1;
                $call_few
            }
            (2, _) => {
                const $few: usize = 2;
                $call_few
            }
            (3, _) => {
                const $few: usize = 3;
                $call_few
            }
            ($size, 4) => {
                let $stride = 4;
                $call
            }
            ($size, 8) => {
                let $stride = 8;
                $call
            }
            ($size, 12) => {
                let $stride = 12;
                $call
            }
            ($size, 16) => {
                let $stride = 16;
                $call
            }
            ($size, $stride) => $call,
        }
    };
}
pub(super) use by_size;
