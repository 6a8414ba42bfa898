//! Real and complex numbers by their parts.

/// A number by its parts: itself (`P = 1`), or the real and the imaginary part (`P = 2`).
pub(crate) type Parts<const P: usize> = [f64; P];

/// a b.
#[inline(always)]
pub(crate) fn product<const P: usize>(a: Parts<P>, b: Parts<P>) -> Parts<P> {
    let mut product = [0.0; P];
    match (&mut product[..], &a[..], &b[..]) {
        ([real, imaginary], [ar, ai], [br, bi]) => {
            *real = ar * br - ai * bi;
            *imaginary = ar * bi + ai * br;
        }
        (product, a, b) => product[0] = a[0] * b[0],
    }
    product
}

/// 1 / a.
#[inline(always)]
pub(crate) fn reciprocal<const P: usize>(a: Parts<P>) -> Parts<P> {
    let mut inverse = [0.0; P];
    match (&mut inverse[..], &a[..]) {
        ([real, imaginary], [ar, ai]) => {
            let square = ar * ar + ai * ai;
            *real = ar / square;
            *imaginary = -ai / square;
        }
        (inverse, a) => inverse[0] = 1.0 / a[0],
    }
    inverse
}
