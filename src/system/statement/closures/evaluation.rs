//! One closure, evaluated with any scalar.

use super::Rows;
use crate::scalar::{Call, Scalar, Trace, Traced, uses_lost_numbers};
use crate::system::Point;
use std::any::{Any, TypeId};

/// Memory for evaluations. It grows to the longest record, which is mostly the first.
#[derive(Default)]
pub(super) struct Evaluation {
    /// q, v and x.
    arguments: Vec<Traced>,
    results: Vec<Traced>,
    trace: Trace,
    registers: Registers,
}

impl Evaluation {
    /// Evaluates a function with so many results, and hands each on with its place. Returns whether it has used numbers that it kept from
    /// another call, or took to another thread.
    ///
    /// With `f64` the function is just run. With any other scalar it is run and recorded, and what it did is repeated.
    pub fn run<S: Scalar>(
        &mut self,
        function: &Rows,
        results: usize,
        at: &Point<S>,
        visit: impl FnMut(usize, S),
    ) -> bool {
        uses_lost_numbers(|| self.evaluate(function, results, at, visit))
    }

    fn evaluate<S: Scalar>(
        &mut self,
        function: &Rows,
        results: usize,
        at: &Point<S>,
        mut visit: impl FnMut(usize, S),
    ) {
        let states = [at.q, at.v, at.x];
        self.results.clear();
        self.results.resize(results, Traced::from(0.0));
        self.arguments.clear();
        if TypeId::of::<S>() == TypeId::of::<f64>() {
            let call = Call::begin();
            let values = states.into_iter().flatten();
            let numbers = values.map(|value| call.number(value.value()));
            self.arguments.extend(numbers);
            let point = point(call.number(at.t.value()), &self.arguments, at);
            function(&point, &mut self.results);
            for (index, &result) in self.results.iter().enumerate() {
                visit(index, S::constant(call.value(result)));
            }
            return;
        }

        let mut numbers = self.registers.take::<S>();
        let registers = &mut numbers.0;
        registers.clear();
        registers.extend(states.into_iter().flatten());
        registers.push(at.t);
        self.trace.begin(registers.len());
        for (index, argument) in registers.iter().enumerate() {
            let argument = self.trace.argument(index, argument.value());
            self.arguments.push(argument);
        }
        if let Some((&t, states)) = self.arguments.split_last() {
            let point = point(t, states, at);
            let results = &mut self.results;
            self.trace.record(|| function(&point, results));
        }
        self.trace.repeat(registers);
        for (index, &result) in self.results.iter().enumerate() {
            visit(index, self.trace.look_up(result, registers));
        }
        self.registers.put_back(numbers);
    }
}

/// The point of closures, with the sizes and modes of another.
fn point<'a, S>(t: Traced, states: &'a [Traced], at: &Point<'a, S>) -> Point<'a, Traced> {
    let (q, rest) = states.split_at(at.q.len());
    let (v, x) = rest.split_at(at.v.len());
    Point {
        t,
        q,
        v,
        x,
        z: &[],
        lambda: &[],
        mode: at.mode,
    }
}

/// Numbers of one scalar.
struct Numbers<S>(Vec<S>);

/// Numbers of every scalar that was asked for.
#[derive(Default)]
struct Registers(Vec<Box<dyn Any>>);

impl Registers {
    fn take<S: Scalar>(&mut self) -> Box<Numbers<S>> {
        let place = self.0.iter().position(|numbers| numbers.is::<Numbers<S>>());
        let numbers = place.map(|place| self.0.swap_remove(place));
        numbers
            .and_then(|numbers| numbers.downcast().ok())
            .unwrap_or_else(|| Box::new(Numbers(Vec::new())))
    }

    fn put_back<S: Scalar>(&mut self, numbers: Box<Numbers<S>>) {
        self.0.push(numbers);
    }
}
