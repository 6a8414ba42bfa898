//! Singular configurations ahead, foreseen from the smallest singular values of the constraint Jacobian.
//!
//! The distance to a singular configuration is an angle: by how much the constraint rows will still turn before a singular value
//! vanishes, if it goes on falling as it does.

use crate::control::ErrorNorm;
use crate::solve::rows::{HeldRows, RankAhead};
use crate::solve::singular::crossing::{Crossing, CrossingError};
use crate::solve::singular::loops::has_loops;
use crate::solve::singular::passage::Passage;
use crate::system::{DynamicsError, Evaluator, Layout, Point, SingularValues, State};

/// Vectors of the singular values are found anew when a row has turned by this much.
const TURNED: f64 = 0.15;

/// The same where a singular value has fallen to this part of what was found: to first order the vectors stay what they were.
/// They are trusted for little: before a flat parallelogram a value that seemed to have fallen from 0.41 to 0.36 was 0.05.
const FALLEN: f64 = 0.92;

/// A change of sign that is predicted over the interval must be at least this part of the full one.
const CHANGES_SIGN: f64 = -0.3;

/// A singular value that is not among those watched is at least as large as the largest of them. Rows that turn by this part of
/// it cannot bring it near zero.
const UNWATCHED: f64 = 0.5;

/// Nothing is foreseen beyond this distance: rows that turn further say nothing about singular values to first order.
const FORESEEN: f64 = 1.0;

/// Where the singular value is predicted to vanish, one must at least have fallen to this part.
const VANISHES: f64 = 0.4;

/// There the rows must depend on each other to this part of their lengths, whatever the masses.
const DEPENDENT: f64 = 0.3;

/// The slope of a singular value is taken over this part of a step.
pub(in crate::solve) const SLOPE: f64 = 0.25;

/// What the driver knows about singular configurations ahead.
pub(in crate::solve) struct Approach {
    pub singular: SingularValues,
    /// Whether the vectors are those of a configuration of this run.
    pub looked: bool,
    /// Values at the start and the end of a step.
    before: Vec<f64>,
    pub after: Vec<f64>,
    slopes: Vec<(f64, f64)>,
    candidates: Vec<Ahead>,
    /// Steps that end before this time are not looked at.
    pub rest_until: f64,
    /// When the last step began that failed in the algebra.
    pub failed_from: f64,
    /// The distance at which the last attempt at a crossing failed, and why.
    pub failed_at: f64,
    pub why: Option<Box<CrossingError>>,
    /// No adaptive step may be larger: it would come too near.
    pub limit: f64,
    pub crossing: Option<Box<Crossing>>,
    /// The crossing that is under way.
    pub passage: Option<Box<Passage>>,
    /// Other rows have been held from this time on, since those held before were going to depend on each other.
    changed_rows_at: f64,
    /// The state that a crossing starts from, complete.
    pub start: Option<Box<State>>,
    displaced: State,
    displacement: Vec<f64>,
}

/// A singular configuration ahead of a state.
#[derive(Clone, Copy, Debug)]
pub(in crate::solve) struct Ahead {
    /// Which singular value vanishes.
    pub index: usize,
    /// Its value at the state.
    pub value: f64,
    /// How far rows turn until then.
    pub distance: f64,
    /// How long that takes in s; negative if it lies behind.
    pub wait: f64,
}

/// What lies ahead of a state.
#[derive(Clone, Copy, Debug)]
pub(in crate::solve) enum Outlook {
    /// Nothing within reach.
    Clear,
    /// A singular configuration that the motion passes.
    Singular(Ahead),
    /// A configuration in which the held rows depend on each other, but not all rows. Others have been chosen.
    OtherRows,
}

impl Outlook {
    /// The singular configuration.
    pub fn singular(self) -> Option<Ahead> {
        match self {
            Self::Singular(ahead) => Some(ahead),
            Self::Clear | Self::OtherRows => None,
        }
    }
}

/// What lies on the way of a step.
pub(in crate::solve) struct Way {
    /// The nearest singular configuration.
    pub ahead: Option<Ahead>,
    /// How far rows turn in the step.
    pub turned: f64,
}

impl Ahead {
    /// Whether it lies within a distance, or within two steps.
    pub fn is_within(&self, distance: f64, h: f64) -> bool {
        self.distance < distance || self.wait < 2.0 * h
    }
}

impl Approach {
    /// `None` where rows cannot come to depend on each other: there are fewer than two, or they form no loop. Systems with a matrix E
    /// or with differential rows of a higher index are not watched either: steps across know neither.
    pub fn new(
        evaluator: &mut Evaluator,
        state: &State,
    ) -> Result<Option<Box<Self>>, DynamicsError> {
        let layout = evaluator.layout();
        let ordinary = layout.descriptor.is_none()
            && layout.differential_index.iter().all(|&index| index == 0);
        if !ordinary || !has_loops(layout) {
            return Ok(None);
        }
        let linear = |source| DynamicsError::Linear { t: state.t, source };
        let singular = SingularValues::new(layout).map_err(linear)?;
        let values = vec![f64::INFINITY; singular.count()];
        Ok(Some(Box::new(Self {
            singular,
            looked: false,
            slopes: Vec::with_capacity(values.len()),
            candidates: Vec::with_capacity(values.len()),
            before: values.clone(),
            after: values,
            rest_until: f64::NEG_INFINITY,
            failed_from: f64::NEG_INFINITY,
            failed_at: f64::INFINITY,
            why: None,
            limit: f64::INFINITY,
            crossing: None,
            passage: None,
            changed_rows_at: f64::NEG_INFINITY,
            start: Some(Box::new(state.clone())),
            displaced: state.clone(),
            displacement: vec![0.0; layout.dimension()],
        })))
    }

    /// The state has jumped, or other rows carry multipliers.
    pub fn restart(&mut self) {
        self.looked = false;
        self.passage = None;
        self.singular.restart();
        self.rest_until = f64::NEG_INFINITY;
        self.pass_by();
    }

    /// No singular configuration is near: what was tried at the last one is over.
    pub fn pass_by(&mut self) {
        self.failed_at = f64::INFINITY;
        self.why = None;
        self.limit = f64::INFINITY;
    }

    pub fn look(&mut self, system: &mut Evaluator, at: &Point) -> Result<(), DynamicsError> {
        let singular = &mut self.singular;
        system.uncounted(|system| singular.look(system, at))?;
        self.looked = true;
        Ok(())
    }

    /// The nearest singular configuration on the way from one state to another, or beyond it. One has been looked at.
    pub fn between(
        &mut self,
        system: &mut Evaluator,
        from: &Point,
        to: &Point,
    ) -> Result<Way, DynamicsError> {
        // How far vectors are out of date decides whether first order can be trusted.
        let since_look = system.uncounted(|system| self.singular.load_step(system, [from, to]))?;
        let trusted = since_look <= TURNED.min(self.unwatched());
        let followed = trusted.then(|| self.follow_step(system));
        let turned = match followed.filter(|_| !self.has_fallen()) {
            Some(turned) => turned,
            None => {
                let singular = &mut self.singular;
                system.uncounted(|system| singular.look_at_start(system, from))?;
                self.looked = true;
                self.follow_step(system)
            }
        };
        let h = to.t - from.t;
        let mut nearest: Option<Ahead> = None;
        // Linear: the part of the step, or multiple of it, after which the value vanishes.
        for (index, (&before, &after)) in self.before.iter().zip(&self.after).enumerate() {
            let share = before / (before - after);
            // Rising values, and equal ones, vanish nowhere ahead.
            if !(before > after && share.is_finite()) {
                continue;
            }
            if nearest.is_none_or(|nearest| share * turned < nearest.distance) {
                nearest = Some(Ahead {
                    index,
                    value: before,
                    distance: share * turned,
                    wait: share * h,
                });
            }
        }
        Ok(Way {
            ahead: nearest,
            turned,
        })
    }

    /// How far rows may turn before a singular value that is not watched can be near zero.
    pub fn unwatched(&self) -> f64 {
        if self.singular.are_all() {
            return f64::INFINITY;
        }
        let values = (0..self.singular.count()).map(|index| self.singular.value(index));
        UNWATCHED * values.fold(0.0, f64::max)
    }

    /// Whether a singular value has fallen so far until the start of the step that its vectors are out of date.
    fn has_fallen(&self) -> bool {
        let mut values = self.before.iter().enumerate();
        values.any(|(index, &before)| before < FALLEN * self.singular.value(index))
    }

    /// The smallest singular value in the step that was looked at.
    pub fn smallest_in_step(&self) -> f64 {
        let values = self.before.iter().chain(&self.after);
        values.fold(f64::INFINITY, |smallest, value| smallest.min(value.abs()))
    }

    /// The values at the start and the end of the step that was loaded, into `before` and `after`, and how far rows turn in it.
    fn follow_step(&mut self, system: &Evaluator) -> f64 {
        self.singular
            .follow_step(system, [&mut self.before, &mut self.after])
    }

    /// The nearest singular configuration ahead of a state that the motion passes: along velocity and acceleration the
    /// singular value changes its sign. Looked for from the slopes over a part of a step of size h; a negative one looks for what
    /// the motion has passed, with a negative wait.
    ///
    /// The singular values are those of the held rows. Where rows are left out, all rows are asked before their zero counts.
    pub fn passes(
        &mut self,
        system: &mut Evaluator,
        held: &mut HeldRows,
        from: &State,
        h: f64,
    ) -> Result<Outlook, DynamicsError> {
        self.look(system, &from.point())?;
        let turned = self.turned_after(system, from, SLOPE * h)?;
        self.slopes.clear();
        let pairs = self.before.iter().zip(&self.after);
        (self.slopes).extend(pairs.map(|(&before, &after)| (before, after)));
        self.candidates.clear();
        for index in 0..self.slopes.len() {
            let (before, after) = self.slopes[index];
            // Slopes over a quarter of a step, extrapolated to zero.
            let share = before / (before - after);
            let wait = share * SLOPE * h;
            if !(before > after && share.is_finite() && share * turned < FORESEEN) {
                continue;
            }
            // Twice the wait: behind the singular configuration the value must have changed its sign.
            let beyond = self.value_after(system, from, 2.0 * wait, index)?;
            if beyond < CHANGES_SIGN * before {
                self.candidates.push(Ahead {
                    index,
                    value: before,
                    distance: share * turned,
                    wait,
                });
            }
        }
        // The nearest first; `look` moves the vectors, so each further one starts from the state again.
        self.candidates
            .sort_by(|a, b| a.distance.total_cmp(&b.distance));
        for number in 0..self.candidates.len() {
            let ahead = self.candidates[number];
            if number > 0 {
                self.look(system, &from.point())?;
            }
            // Rows that turn as a whole change the sign as well, to first order. Vectors found there tell.
            self.singular.keep(ahead.index);
            self.displace(system, from, ahead.wait);
            let (singular, at) = (&mut self.singular, self.displaced.point());
            system.uncounted(|system| singular.look(system, &at))?;
            let smallest = self.smallest_index();
            // It must have vanished there, and the rows must depend on each other without masses, too.
            let vanishes = self.singular.value(smallest) < VANISHES * ahead.value
                && self.singular.dependence(system, smallest) < DEPENDENT;
            if !vanishes {
                continue;
            }
            let (here, there) = (from.point(), self.displaced.point());
            // Once from each state: no choice is tried twice.
            let may_change = self.changed_rows_at != from.t;
            let rank =
                system.uncounted(|system| held.rank_ahead(system, &here, &there, may_change))?;
            match rank {
                RankAhead::Falls => {}
                RankAhead::Stays => continue,
                RankAhead::StaysWithOthers => {
                    self.changed_rows_at = from.t;
                    return Ok(Outlook::OtherRows);
                }
            }
            self.look(system, &from.point())?;
            // Its place among the others may have changed on the way there and back.
            let index = self.singular.kept();
            return Ok(Outlook::Singular(Ahead {
                index,
                value: self.singular.value(index),
                ..ahead
            }));
        }
        if !self.candidates.is_empty() {
            self.look(system, &from.point())?;
        }
        Ok(Outlook::Clear)
    }

    /// By how much rows turn in so much time along velocity and acceleration, from a configuration that has been looked at.
    pub fn turned_after(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        time: f64,
    ) -> Result<f64, DynamicsError> {
        self.displace(system, from, time);
        let to = Point {
            t: from.t + time,
            q: &self.displaced.q,
            ..from.point()
        };
        let ends = [&from.point(), &to];
        system.uncounted(|system| self.singular.load_step(system, ends))?;
        Ok(self.follow_step(system))
    }

    /// The configuration and velocity after so much time along velocity and acceleration; the rest stays.
    pub fn displaced_by(&mut self, system: &Evaluator, from: &State, time: f64, out: &mut State) {
        self.displace(system, from, time);
        out.copy_from(from);
        out.t = self.displaced.t;
        out.q.copy_from_slice(&self.displaced.q);
        for (v, acceleration) in out.v.iter_mut().zip(&from.acceleration) {
            *v += time * acceleration;
        }
    }

    fn smallest_index(&self) -> usize {
        let indices = 0..self.singular.count();
        let smallest =
            indices.min_by(|&a, &b| (self.singular.value(a)).total_cmp(&self.singular.value(b)));
        smallest.unwrap_or(0)
    }

    /// The steps across, to be put back into `crossing`.
    pub fn take_crossing(
        &mut self,
        layout: &Layout,
        state: &State,
        norm: &ErrorNorm,
    ) -> Result<Box<Crossing>, CrossingError> {
        match self.crossing.take() {
            Some(crossing) => Ok(crossing),
            None => Ok(Box::new(Crossing::new(layout, state, norm)?)),
        }
    }

    /// The smallest singular value at the configuration looked at last.
    pub fn smallest(&self) -> f64 {
        self.singular.value(self.smallest_index())
    }

    fn displace(&mut self, system: &Evaluator, from: &State, time: f64) {
        for (index, u) in self.displacement.iter_mut().enumerate() {
            // u = t (v + t/2 v').
            *u = time * (from.v[index] + 0.5 * time * from.acceleration[index]);
        }
        let space = &system.layout().space;
        space.retract(&from.q, &self.displacement, &mut self.displaced.q);
        self.displaced.t = from.t + time;
    }

    /// One singular value after so much time along velocity and acceleration.
    fn value_after(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        time: f64,
        index: usize,
    ) -> Result<f64, DynamicsError> {
        self.displace(system, from, time);
        let (singular, after, at) = (&mut self.singular, &mut self.after, self.displaced.point());
        system.uncounted(|system| singular.follow(system, &at, after))?;
        Ok(self.after[index])
    }
}
