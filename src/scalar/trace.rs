//! Records of the operations of a function, to be replayed with other scalars.

use super::{Scalar, Traced};
use std::cell::{Cell, RefCell};
use std::mem::swap;
use std::sync::atomic::{AtomicU32, Ordering};

/// More operations than this are not recorded: what depends on them comes out as NaN. A function that gets here has filled
/// 16 GB, and does not end.
const MOST_OPERATIONS: usize = 1 << 30;

/// One operation on registers, which hold the arguments first and then the results of all operations in their order.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    Constant(f64),
    Add(u32, u32),
    Sub(u32, u32),
    Mul(u32, u32),
    Div(u32, u32),
    Rem(u32, u32),
    AddConstant(u32, f64),
    SubConstant(u32, f64),
    MulConstant(u32, f64),
    DivConstant(u32, f64),
    Neg(u32),
    Sqrt(u32),
    Sin(u32),
    Cos(u32),
    Tan(u32),
    Asin(u32),
    Acos(u32),
    Atan(u32),
    Atan2(u32, u32),
    Exp(u32),
    Ln(u32),
    Powi(u32, i32),
    Powf(u32, f64),
    Abs(u32),
    Sinh(u32),
    Cosh(u32),
    Tanh(u32),
    Recip(u32),
    Hypot(u32, u32),
}

impl Operation {
    #[inline]
    fn repeat<S: Scalar>(self, registers: &[S]) -> S {
        let of = |index: u32| value_of(registers, index);
        match self {
            Self::Constant(c) => S::constant(c),
            Self::Add(a, b) => of(a) + of(b),
            Self::Sub(a, b) => of(a) - of(b),
            Self::Mul(a, b) => of(a) * of(b),
            Self::Div(a, b) => of(a) / of(b),
            Self::Rem(a, b) => of(a) % of(b),
            Self::AddConstant(a, c) => of(a) + c,
            Self::SubConstant(a, c) => of(a) - c,
            Self::MulConstant(a, c) => of(a) * c,
            Self::DivConstant(a, c) => of(a) / c,
            Self::Neg(a) => -of(a),
            Self::Sqrt(a) => of(a).sqrt(),
            Self::Sin(a) => of(a).sin(),
            Self::Cos(a) => of(a).cos(),
            Self::Tan(a) => of(a).tan(),
            Self::Asin(a) => of(a).asin(),
            Self::Acos(a) => of(a).acos(),
            Self::Atan(a) => of(a).atan(),
            Self::Atan2(a, b) => of(a).atan2(of(b)),
            Self::Exp(a) => of(a).exp(),
            Self::Ln(a) => of(a).ln(),
            Self::Powi(a, n) => of(a).powi(n),
            Self::Powf(a, p) => of(a).powf(p),
            Self::Abs(a) => of(a).abs(),
            Self::Sinh(a) => of(a).sinh(),
            Self::Cosh(a) => of(a).cosh(),
            Self::Tanh(a) => of(a).tanh(),
            Self::Recip(a) => of(a).recip(),
            Self::Hypot(a, b) => of(a).hypot(of(b)),
        }
    }
}

#[inline]
fn value_of<S: Scalar>(registers: &[S], index: u32) -> S {
    match registers.get(index as usize) {
        Some(&value) => value,
        None => S::constant(f64::NAN),
    }
}

/// Where a number comes from: a register of one recording, or a call that is not recorded. Zero is neither: a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin(u64);

impl Origin {
    pub(super) const NONE: Self = Self(0);

    /// Where a number comes from that was computed with one of another call.
    const LOST: Self = Self(NOT_RECORDED as u64);

    /// Numbers of a call that is not recorded.
    fn of_call(call: u32) -> Self {
        Self::new(call, NOT_RECORDED)
    }

    #[inline]
    fn new(recording: u32, register: u32) -> Self {
        Self(u64::from(recording) << 32 | u64::from(register))
    }

    #[inline]
    pub(super) fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// The register, if it is one of this recording.
    #[inline]
    fn register(self, recording: u32) -> Option<u32> {
        // The upper half numbers the recording, the lower half the register.
        (self.0 >> 32 == u64::from(recording) && recording != 0).then_some(self.0 as u32)
    }

    /// Whether it is a constant, or a number of the call in progress that is not recorded.
    #[inline]
    fn is_plain(self) -> bool {
        self.is_none() || self == CALL.get()
    }

    /// Whether it belongs to a call in progress on this thread.
    #[cold]
    fn is_known(self) -> bool {
        let call = self.0 >> 32;
        self.is_none()
            || AROUND.with_borrow(|around| around.iter().any(|&one| u64::from(one) == call))
    }

    /// The value of a number of another recording: a number of one around this one is a constant here. How one came about that a
    /// function kept from an earlier call, or took to another thread, is not known any more: it is no number.
    #[cold]
    fn as_constant(self, value: f64) -> f64 {
        if self.is_known() {
            return value;
        }
        LOST.set(true);
        f64::NAN
    }

    /// The same as a number.
    #[cold]
    fn constant(self, value: f64) -> Traced {
        let constant = self.as_constant(value);
        let origin = match self.is_known() {
            true => Self::NONE,
            false => Self::LOST,
        };
        Traced::at(constant, origin)
    }

    /// The value for comparisons. Outside of all calls nothing is computed with it.
    #[inline]
    pub(super) fn compared(self, value: f64) -> f64 {
        if self.is_plain() || AROUND.with_borrow(Vec::is_empty) {
            return value;
        }
        self.as_constant(value)
    }
}

/// The register of what has none. No recording is as long.
const NOT_RECORDED: u32 = u32::MAX;

/// A call of a function of [`Traced`] numbers that is not recorded. Its numbers know that they are its own, as those of a recording do.
pub(crate) struct Call {
    origin: Origin,
    /// The call around it.
    outer: Origin,
}

impl Call {
    /// Begins a call on this thread; it ends when it is dropped.
    pub fn begin() -> Self {
        let call = next_recording();
        let origin = Origin::of_call(call);
        AROUND.with_borrow_mut(|around| around.push(call));
        Self {
            origin,
            outer: CALL.replace(origin),
        }
    }

    /// A number of the call.
    #[inline]
    pub fn number(&self, value: f64) -> Traced {
        Traced::at(value, self.origin)
    }

    /// The value of a result.
    #[inline]
    pub fn value(&self, result: Traced) -> f64 {
        if result.origin().is_plain() {
            return result.value();
        }
        result.origin().as_constant(result.value())
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        CALL.set(self.outer);
        AROUND.with_borrow_mut(Vec::pop);
    }
}

/// Whether numbers of other calls are used while something runs on this thread.
pub(crate) fn uses_lost_numbers(run: impl FnOnce()) -> bool {
    let outer = LOST.replace(false);
    run();
    LOST.replace(outer)
}

/// What a function of [`Traced`] numbers did, to be repeated with any scalar.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// The number of the recording; 0 where nothing is recorded.
    recording: u32,
    arguments: usize,
    operations: Vec<Operation>,
}

thread_local! {
    static CURRENT: RefCell<Trace> = const { RefCell::new(Trace::empty()) };
    /// Numbers of the call in progress that is not recorded; none where there is none.
    static CALL: Cell<Origin> = const { Cell::new(Origin::NONE) };
    /// Whether a number of another call has been used.
    static LOST: Cell<bool> = const { Cell::new(false) };
    /// The calls in progress on this thread, recorded or not, the innermost one last.
    static AROUND: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    /// The next number of a recording on this thread, and how many it may take from there on.
    static NUMBERS: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
}

/// A thread reserves this many numbers of recordings at a time.
const NUMBERS_AT_A_TIME: u32 = 1 << 12;

/// A number that no other recording has. They are told apart in all threads, since what was recorded may be sent to another one.
///
/// Threads reserve numbers: a counter that all of them change in every recording travels between their caches, and took a sixth of the
/// time of an ensemble on two cores.
fn next_recording() -> u32 {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    loop {
        let (number, left) = match NUMBERS.get() {
            (_, 0) => {
                let first = TAKEN.fetch_add(NUMBERS_AT_A_TIME, Ordering::Relaxed);
                (first, NUMBERS_AT_A_TIME)
            }
            reserved => reserved,
        };
        NUMBERS.set((number.wrapping_add(1), left - 1));
        // 0 stands for no recording.
        if number != 0 {
            return number;
        }
    }
}

impl Trace {
    const fn empty() -> Self {
        Self {
            recording: 0,
            arguments: 0,
            operations: Vec::new(),
        }
    }

    /// Begins a recording of a function with so many arguments.
    pub fn begin(&mut self, arguments: usize) {
        self.recording = next_recording();
        self.arguments = arguments;
        self.operations.clear();
    }

    /// An argument with its value.
    pub fn argument(&self, index: usize, value: f64) -> Traced {
        match u32::try_from(index) {
            Ok(register) => Traced::at(value, Origin::new(self.recording, register)),
            Err(_) => Traced::at(f64::NAN, Origin::NONE),
        }
    }

    /// Runs a function and records what it does with the arguments. Recordings may be nested.
    pub fn record(&mut self, function: impl FnOnce()) {
        // What was recorded before waits in `self`, and comes back even if the function panics.
        struct Recorded<'a>(&'a mut Trace);
        impl Drop for Recorded<'_> {
            fn drop(&mut self) {
                CURRENT.with_borrow_mut(|current| swap(current, self.0));
                AROUND.with_borrow_mut(Vec::pop);
            }
        }
        AROUND.with_borrow_mut(|around| around.push(self.recording));
        CURRENT.with_borrow_mut(|current| swap(current, self));
        let recorded = Recorded(self);
        function();
        drop(recorded);
    }

    /// Repeats all operations behind the arguments, which stand in `registers` already.
    pub fn repeat<S: Scalar>(&self, registers: &mut Vec<S>) {
        registers.reserve(self.operations.len());
        for operation in &self.operations {
            let value = operation.repeat(registers);
            registers.push(value);
        }
    }

    /// What a number of the recording is among the repeated ones.
    pub fn look_up<S: Scalar>(&self, number: Traced, registers: &[S]) -> S {
        let value = match number.origin().register(self.recording) {
            Some(register) => value_of(registers, register),
            None => S::constant(number.origin().as_constant(number.value())),
        };
        // What is no number has no derivatives either, not even zero.
        match registers.first() {
            Some(&argument) if value.value().is_nan() => value * argument,
            _ => value,
        }
    }

    fn push(&mut self, operation: Operation) -> u32 {
        let register = self.arguments + self.operations.len();
        if self.operations.len() < MOST_OPERATIONS {
            self.operations.push(operation);
        }
        u32::try_from(register).unwrap_or(u32::MAX)
    }
}

/// The result of an operation on one number.
#[inline]
pub(super) fn unary(a: Traced, value: f64, operation: impl FnOnce(u32) -> Operation) -> Traced {
    if a.origin().is_plain() {
        return Traced::at(value, a.origin());
    }
    CURRENT.with_borrow_mut(|trace| match a.origin().register(trace.recording) {
        Some(a) => {
            let origin = Origin::new(trace.recording, trace.push(operation(a)));
            Traced::at(value, origin)
        }
        None => a.origin().constant(value),
    })
}

/// The result of an operation on two numbers. `with_constant` is the same with a constant on one side, where there is a
/// shorter one: the register, the constant, and whether it stands on the right.
#[inline]
pub(super) fn binary(
    a: Traced,
    b: Traced,
    value: f64,
    operation: impl FnOnce(u32, u32) -> Operation,
    with_constant: impl FnOnce(u32, f64, bool) -> Option<Operation>,
) -> Traced {
    if a.origin().is_plain() && b.origin().is_plain() {
        // Both are of the same call, or constants.
        return Traced::at(value, Origin(a.origin().0 | b.origin().0));
    }
    CURRENT.with_borrow_mut(|trace| {
        let registers = [a, b].map(|number| number.origin().register(trace.recording));
        let constant = |number: Traced| number.origin().as_constant(number.value());
        let operation = match registers {
            [None, None] => {
                let unknown = [a, b].into_iter().find(|one| !one.origin().is_known());
                let origin = unknown.map_or(Origin::NONE, Traced::origin);
                return origin.constant(value);
            }
            [Some(a), Some(b)] => operation(a, b),
            [Some(a), None] => match with_constant(a, constant(b), true) {
                Some(operation) => operation,
                None => operation(a, trace.push(Operation::Constant(constant(b)))),
            },
            [None, Some(b)] => match with_constant(b, constant(a), false) {
                Some(operation) => operation,
                None => operation(trace.push(Operation::Constant(constant(a))), b),
            },
        };
        Traced::at(value, Origin::new(trace.recording, trace.push(operation)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::thread;

    #[test]
    fn recordings_of_all_threads_have_numbers_of_their_own() {
        // More than are reserved at a time, and not a multiple of that.
        let count = 3 * NUMBERS_AT_A_TIME as usize / 2;
        let draw = || -> Vec<u32> { (0..count).map(|_| next_recording()).collect() };
        let numbers: Vec<u32> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(draw)).collect();
            let lists = threads.into_iter().map(|thread| thread.join().unwrap());
            lists.flatten().collect()
        });
        let distinct: HashSet<u32> = numbers.iter().copied().collect();
        assert_eq!(distinct.len(), 4 * count);
        assert!(!distinct.contains(&0));
    }
}
