//! Substitution along an elimination program.

use super::{Elimination, TINY_UNKNOWN};
use crate::linalg::bodies::RightHandSide;
use crate::linalg::kernels::copy_short;
use crate::linalg::supernode::Supernode;
use crate::linalg::symbolic::{Link, Step, SymbolicFactorization};

/// The factors, and the unknowns in the order of their elimination.
struct Substitution<'a> {
    program: &'a SymbolicFactorization,
    values: &'a [f64],
    work: &'a mut [f64],
    pivot: &'a mut [f64],
    later: &'a mut [f64],
}

impl Elimination {
    /// `(x, y) = K^-1 (f, c)`, and whether they are finite; multipliers without pivot are zero.
    pub fn solve(&mut self, rhs: RightHandSide, x: &mut [f64], y: &mut [f64]) -> bool {
        let variables = x.len();
        let mut substitution = self.substitution();
        substitution.forward(rhs, variables);
        let mut finite = 0.0;
        let end = substitution.program.steps.len();
        substitution.backward(end, |first, own| {
            // Zero times anything that is not finite is no zero.
            finite += own.iter().fold(0.0, |sum, value| sum + 0.0 * value);
            let out = match first.checked_sub(variables) {
                Some(row) => &mut y[row..row + own.len()],
                None => &mut x[first..first + own.len()],
            };
            copy_short(own, out);
        });
        finite == 0.0
    }

    /// Backward substitution in `work` over the steps before `end`.
    pub(super) fn back_substitute(&mut self, end: usize) {
        self.substitution().backward(end, |_, _| {});
    }

    fn substitution(&mut self) -> Substitution<'_> {
        Substitution {
            program: &self.program,
            values: &self.values,
            work: &mut self.work,
            pivot: &mut self.pivot,
            later: &mut self.later,
        }
    }
}

impl<'a> Substitution<'a> {
    /// y = D⁻¹ r, then r_later -= L y, step by step.
    fn forward(&mut self, rhs: RightHandSide, variables: usize) {
        let program = self.program;
        let mut supernodes = program.supernodes.iter().peekable();
        // What is asked of a step is loaded when an earlier one first reaches it.
        let mut waiting = program.steps.iter();
        let mut loaded = 0;
        let mut number = 0;
        while number < program.steps.len() {
            let supernode = supernodes.next_if(|supernode| supernode.steps.start == number);
            let last = supernode.map_or(number, |supernode| supernode.steps.end - 1);
            let reach = program.reach(&program.steps[last]);
            while loaded < reach {
                let Some(next) = waiting.next() else { break };
                let first = next.origin();
                let own = &mut self.work[next.unknowns()];
                match (first.checked_sub(variables), rhs.f) {
                    (Some(row), _) => copy_short(&rhs.c[row..row + own.len()], own),
                    (None, Some(f)) => copy_short(&f[first..first + own.len()], own),
                    (None, None) => own.fill(0.0),
                }
                loaded = next.unknowns().end;
            }
            match supernode {
                Some(supernode) => self.forward_front(supernode),
                None => self.forward_step(&program.steps[number]),
            }
            number = last + 1;
        }
    }

    #[inline]
    fn forward_step(&mut self, step: &Step) {
        let end = step.unknown() + step.size();
        let (head, tail) = self.work.split_at_mut(end);
        let own = &mut head[step.unknown()..];
        let values = &self.values[step.start..step.end()];
        let panels = step.panels();
        panels.solve_pivot(values, own, self.pivot, TINY_UNKNOWN);
        if let Some(run) = step.run() {
            let later = &mut tail[run.start - end..run.end - end];
            panels.pass_on(values, own, later, |later, term| *later -= term);
            return;
        }
        let later = &mut self.later[..step.width()];
        panels.pass_on(values, own, later, |later, term| *later = term);
        for link in self.program.links(step) {
            let targets = tail[link.unknown as usize - end..].iter_mut();
            for (target, term) in targets.zip(&later[link.columns()]) {
                *target -= term;
            }
        }
    }

    /// All later neighbours of a supernode are those of its last step: they are gathered once.
    fn forward_front(&mut self, supernode: &Supernode) {
        let steps = &self.program.steps[supernode.steps.clone()];
        let links = self.gather_front(supernode);
        let all = &mut self.later[..supernode.unknowns()];
        for step in steps {
            let place = supernode.place(step);
            let (own, later) = all[place..].split_at_mut(step.size());
            let values = &self.values[step.start..step.end()];
            let panels = step.panels();
            panels.solve_pivot(values, own, self.pivot, TINY_UNKNOWN);
            panels.pass_on(values, own, later, |later, term| *later -= term);
        }
        let (own, behind) = all.split_at(supernode.order());
        self.work[supernode.first()..][..own.len()].copy_from_slice(own);
        for link in links {
            let known = &behind[link.columns()];
            copy_short(
                known,
                &mut self.work[link.unknown as usize..][..known.len()],
            );
        }
    }

    /// Over the steps before `end`; gives the first unknown of each, in the order of the system, and its values.
    #[inline]
    fn backward(&mut self, end: usize, mut give: impl FnMut(usize, &[f64])) {
        let program = self.program;
        let mut supernodes = program.supernodes.iter().rev().peekable();
        // One that does not end here as a whole is taken step by step.
        while supernodes
            .next_if(|supernode| supernode.steps.end > end)
            .is_some()
        {}
        let mut end = end;
        while let Some(number) = end.checked_sub(1) {
            end = match supernodes.next_if(|supernode| supernode.steps.end == end) {
                Some(supernode) => {
                    self.backward_front(supernode, &mut give);
                    supernode.steps.start
                }
                None => {
                    self.backward_step(&program.steps[number], &mut give);
                    number
                }
            };
        }
    }

    #[inline]
    fn backward_step(&mut self, step: &Step, give: &mut impl FnMut(usize, &[f64])) {
        let end = step.unknown() + step.size();
        let (head, tail) = self.work.split_at_mut(end);
        let own = &mut head[step.unknown()..];
        let upper = &self.values[step.upper..step.upper_end()];
        if let Some(run) = step.run() {
            let later = &tail[run.start - end..run.end - end];
            step.panels().backward(upper, later, own, TINY_UNKNOWN);
        } else {
            let later = &mut self.later[..step.width()];
            gather(self.program.links(step), tail, end, later);
            step.panels().backward(upper, later, own, TINY_UNKNOWN);
        }
        give(step.origin(), own);
    }

    fn backward_front(&mut self, supernode: &Supernode, give: &mut impl FnMut(usize, &[f64])) {
        self.gather_front(supernode);
        let all = &mut self.later[..supernode.unknowns()];
        for step in self.program.steps[supernode.steps.clone()].iter().rev() {
            let (own, later) = all[supernode.place(step)..].split_at_mut(step.size());
            let upper = &self.values[step.upper..step.upper_end()];
            step.panels().backward(upper, later, own, TINY_UNKNOWN);
            give(step.origin(), own);
        }
        let own = &all[..supernode.order()];
        self.work[supernode.first()..][..own.len()].copy_from_slice(own);
    }

    /// The unknowns of a supernode and of its later neighbours, side by side in `later`; these neighbours.
    fn gather_front(&mut self, supernode: &Supernode) -> &'a [Link] {
        let program = self.program;
        let links = program.links(&program.steps[supernode.steps.end - 1]);
        let (own, behind) = self.later.split_at_mut(supernode.order());
        own.copy_from_slice(&self.work[supernode.first()..][..own.len()]);
        gather(links, self.work, 0, behind);
        links
    }
}

/// Copies the unknowns of later neighbours side by side; `known` are those from number `first` on.
#[inline]
fn gather(links: &[Link], known: &[f64], first: usize, later: &mut [f64]) {
    for link in links {
        let later = &mut later[link.columns()];
        copy_short(
            &known[link.unknown as usize - first..][..later.len()],
            later,
        );
    }
}
