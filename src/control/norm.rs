//! The weighted norm of an error.

use super::tolerances::{PerComponent, ToleranceError, Tolerances};
use crate::manifold::Factor;
use crate::scalar::larger_or_second;
use crate::system::{Layout, State};

/// The tolerance of algebraic variables where no component has one.
const WITHOUT_COMPONENTS: f64 = 1e-6;

/// The root mean square of an error, each component weighted by 1 / (atol + rtol · size).
///
/// The size of a component is the larger of its values at both ends of the step. A rotation has size 1 (radian), the
/// translation of a rigid motion the length of its position vector.
#[derive(Clone, Debug)]
pub struct ErrorNorm {
    /// As the absolute tolerances and the scales: behind the last component up to a whole pair.
    relative: Vec<f64>,
    absolute: Vec<f64>,
    scale: Vec<f64>,
    components: usize,
    /// As a number, and at least 1: stored, as converting it takes 0.3 % of `bdf` with few unknowns.
    count: f64,
    level: f64,
    sizes: Vec<SizeRule>,
    /// Sizes of q are those of its coordinates, one by one.
    coordinates_only: bool,
    dimension: usize,
    binding: bool,
    /// The characteristic time.
    time: f64,
}

#[derive(Clone, Copy, Debug)]
enum SizeRule {
    Coordinate(usize),
    Unit,
    Length(usize),
}

impl ErrorNorm {
    /// Checks the tolerances against a layout.
    pub fn new(tolerances: &Tolerances, layout: &Layout) -> Result<Self, ToleranceError> {
        let dimension = layout.dimension();
        let expected = 2 * dimension + layout.differential;
        let expand = |which, list: &PerComponent| -> Result<Vec<f64>, ToleranceError> {
            let values = match list {
                PerComponent::Uniform(value) => vec![*value; expected.max(1)],
                // A purely algebraic system has no components; its variables still need one tolerance.
                PerComponent::Each(values) if expected == 0 && values.is_empty() => {
                    vec![WITHOUT_COMPONENTS]
                }
                PerComponent::Each(values) if values.len() == expected => values.clone(),
                PerComponent::Each(values) => {
                    return Err(ToleranceError::Length {
                        which,
                        found: values.len(),
                        expected,
                    });
                }
            };
            match values
                .iter()
                .find(|value| !(value.is_finite() && **value >= 0.0))
            {
                Some(&value) => Err(ToleranceError::Invalid { which, value }),
                None => Ok(values),
            }
        };
        let relative = expand("relative", &tolerances.relative)?;
        let absolute = expand("absolute", &tolerances.absolute)?;
        if let Some(component) = relative
            .iter()
            .zip(&absolute)
            .position(|(r, a)| r + a == 0.0)
        {
            return Err(ToleranceError::Zero { component });
        }
        let level = level(&relative, &absolute);
        let mut sizes = Vec::with_capacity(dimension);
        let mut coordinate = 0;
        for factor in layout.space.factors() {
            match factor {
                Factor::Euclidean(count) => {
                    sizes.extend((coordinate..coordinate + count).map(SizeRule::Coordinate));
                    coordinate += count;
                }
                Factor::Rotation => {
                    sizes.extend([SizeRule::Unit; 3]);
                    coordinate += 9;
                }
                Factor::UnitQuaternion => {
                    sizes.extend([SizeRule::Unit; 3]);
                    coordinate += 4;
                }
                Factor::RigidMotion => {
                    sizes.extend([SizeRule::Length(coordinate); 3]);
                    sizes.extend([SizeRule::Unit; 3]);
                    coordinate += 12;
                }
            }
        }
        let in_pairs = |mut list: Vec<f64>, rest| {
            list.resize(list.len().next_multiple_of(2), rest);
            list
        };
        let is_coordinate = |factor: &Factor| matches!(factor, Factor::Euclidean(_));
        Ok(Self {
            relative: in_pairs(relative, 0.0),
            absolute: in_pairs(absolute, 1.0),
            scale: in_pairs(vec![1.0; expected], 1.0),
            components: expected,
            count: expected.max(1) as f64,
            level,
            coordinates_only: layout.space.factors().iter().all(is_coordinate),
            sizes,
            dimension,
            binding: true,
            time: 1.0,
        })
    }

    /// The same norm of errors in these units of the components, which were 1 before: q and v alike.
    pub(crate) fn in_units(mut self, of_velocities: &[f64]) -> Self {
        let units = of_velocities.iter().chain(of_velocities);
        for (absolute, unit) in self.absolute.iter_mut().zip(units) {
            *absolute /= unit;
        }
        let count = self.components.max(1);
        self.level = level(&self.relative[..count], &self.absolute[..count]);
        self
    }

    /// The same norm for a run with constant steps, which no error changes.
    pub fn for_constant_steps(mut self) -> Self {
        self.binding = false;
        self
    }

    /// Whether steps are judged by this norm; methods that choose their order by the error have nothing to go by
    /// otherwise.
    pub fn is_binding(&self) -> bool {
        self.binding
    }

    /// The same norm with this characteristic time, which is 1 otherwise: see [`share_of_time`](Self::share_of_time).
    pub fn with_characteristic_time(mut self, time: f64) -> Self {
        self.time = time;
        self
    }

    /// The step size over the characteristic time: methods multiply errors of variables of index i by its power i - 1.
    ///
    /// Such errors grow like h^(1 - i) as the step becomes smaller: unweighted, smaller steps would not pass the error test. Hairer and
    /// Wanner (Solving Ordinary Differential Equations II, sec. VII.7) multiply by h^(i - 1) with h in the unit of time of the statement:
    /// in microseconds errors of index 2 would count a million times as much as in seconds. Runs take the
    /// [characteristic time](crate::solve::Options::characteristic_time) as that unit.
    #[inline]
    pub fn share_of_time(&self, h: f64) -> f64 {
        h / self.time
    }

    /// The characteristic time.
    pub(crate) fn characteristic_time(&self) -> f64 {
        self.time
    }

    /// Relative and absolute tolerances of q, v, x in turn.
    pub fn tolerances(&self) -> (&[f64], &[f64]) {
        let count = self.components.max(1);
        (&self.relative[..count], &self.absolute[..count])
    }

    /// Takes the sizes of the components from both ends of a step.
    #[inline]
    pub fn weigh(&mut self, from: &State, to: &State) {
        if self.dimension > 0 {
            self.weigh_motion(from, to);
        }
        let of_x = 2 * self.dimension..self.components;
        weigh_coordinates(
            &mut self.scale[of_x.clone()],
            (&self.absolute[of_x.clone()], &self.relative[of_x]),
            (&from.x, &to.x),
        );
    }

    /// The same of q and v; apart, so that systems without them need not make room for it.
    #[inline(never)]
    fn weigh_motion(&mut self, from: &State, to: &State) {
        let size_of = |state: &State, rule: SizeRule| match rule {
            SizeRule::Coordinate(index) => state.q[index].abs(),
            SizeRule::Unit => 1.0,
            SizeRule::Length(first) => state.q[first..first + 3]
                .iter()
                .map(|p| p * p)
                .sum::<f64>()
                .sqrt(),
        };
        let (of_q, rest) = self.scale.split_at_mut(self.dimension);
        let of_v = &mut rest[..self.dimension];
        let (absolute, of_v_absolute) = self.absolute.split_at(self.dimension);
        let (relative, of_v_relative) = self.relative.split_at(self.dimension);
        if self.coordinates_only {
            weigh_coordinates(of_q, (absolute, relative), (&from.q, &to.q));
        } else {
            let tolerances = absolute.iter().zip(relative);
            for ((scale, &rule), (absolute, relative)) in
                of_q.iter_mut().zip(&self.sizes).zip(tolerances)
            {
                *scale = absolute + relative * size_of(from, rule).max(size_of(to, rule));
            }
        }
        weigh_coordinates(of_v, (of_v_absolute, of_v_relative), (&from.v, &to.v));
    }

    /// The weighted root mean square of an error in q (local coordinates), v and x; NaN stays NaN.
    pub fn root_mean_square(&self, q: &[f64], v: &[f64], x: &[f64]) -> f64 {
        let (of_q, rest) = self.scales().split_at(self.dimension);
        let (of_v, of_x) = rest.split_at(self.dimension);
        let squares = sum_of_squares(q, of_q) + sum_of_squares(v, of_v) + sum_of_squares(x, of_x);
        (squares / self.count).sqrt()
    }

    /// The same of errors in one list: q, v and x in turn.
    #[inline]
    pub fn root_mean_square_of(&self, errors: &[f64]) -> f64 {
        (sum_of_squares(errors, self.scales()) / self.count).sqrt()
    }

    /// The same of as many errors as there are components, weighed by these [`scales`](Self::scales).
    #[inline(always)]
    pub(crate) fn root_mean_square_of_few<const N: usize>(
        errors: &[f64; N],
        scales: &[f64; N],
    ) -> f64 {
        (sum_of_squares(errors, scales) / N as f64).sqrt()
    }

    /// The same of several errors at once, which need not be stored: they are asked for by pairs of components. Where the last component
    /// has no other beside it, the second number of its pair does not count.
    #[inline]
    pub(crate) fn root_mean_squares<const N: usize>(
        &self,
        errors: impl Fn(usize) -> [[f64; 2]; N],
    ) -> [f64; N] {
        let (scales, _) = self.scale.as_chunks::<2>();
        sum_by_pairs((self.components, self.count), |pair| {
            (scales[pair], errors(pair))
        })
    }

    /// Scales and tolerances by pairs of components, of systems without configurations.
    #[inline]
    pub(crate) fn pairs(&mut self) -> Pairs<'_> {
        let (scales, _) = self.scale.as_chunks_mut();
        let count = scales.len();
        let absolute = &self.absolute.as_chunks().0[..count];
        let relative = &self.relative.as_chunks().0[..count];
        Pairs {
            components: self.components,
            count: self.count,
            scales,
            absolute,
            relative,
        }
    }

    /// One number for the tolerances, at most 1: the geometric mean of relative and absolute tolerance together over all
    /// components. Methods whose global error is not proportional to the local one adapt their estimate by it.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// The loosest relative and absolute tolerance of all components: those of variables that have none of their own.
    pub fn loosest(&self) -> [f64; 2] {
        let (relative, absolute) = self.tolerances();
        [relative, absolute].map(|list| list.iter().fold(0.0_f64, |largest, one| largest.max(*one)))
    }

    /// Weights 1 / scale are taken with respect to these: q, v, x in turn.
    pub fn scales(&self) -> &[f64] {
        &self.scale[..self.components]
    }
}

/// The geometric mean of rtol + atol, at most 1.
fn level(relative: &[f64], absolute: &[f64]) -> f64 {
    let logarithms = relative.iter().zip(absolute).map(|(r, a)| (r + a).ln());
    let mean = logarithms.sum::<f64>() / relative.len() as f64;
    mean.exp().min(1.0)
}

/// Scales and tolerances by pairs of components.
pub(crate) struct Pairs<'a> {
    components: usize,
    count: f64,
    scales: &'a mut [[f64; 2]],
    absolute: &'a [[f64; 2]],
    relative: &'a [[f64; 2]],
}

impl Pairs<'_> {
    /// Takes the sizes of a pair from its values at an end of the step.
    #[inline(always)]
    pub fn weigh(&mut self, pair: usize, values: [f64; 2]) -> [f64; 2] {
        let (absolute, relative) = (self.absolute[pair], self.relative[pair]);
        let scale = |lane: usize| absolute[lane] + relative[lane] * values[lane].abs();
        self.scales[pair] = std::array::from_fn(scale);
        self.scales[pair]
    }

    /// Takes the sizes from both ends of the step, the first of which is finite, and gives the norms of errors: each
    /// pair is asked for its ends and its errors.
    #[inline(always)]
    pub fn weigh_and_measure<const N: usize>(
        mut self,
        ends_and_errors: impl Fn(usize) -> ([[f64; 2]; 2], [[f64; 2]; N]),
    ) -> [f64; N] {
        sum_by_pairs((self.components, self.count), |pair| {
            let ([from, to], errors) = ends_and_errors(pair);
            let size = |lane: usize| larger_or_second(to[lane].abs(), from[lane].abs());
            (self.weigh(pair, std::array::from_fn(size)), errors)
        })
    }
}

/// Root mean squares of the errors of so many components, which are asked for with their scales by pairs.
#[inline(always)]
fn sum_by_pairs<const N: usize>(
    (components, count): (usize, f64),
    mut pair: impl FnMut(usize) -> ([f64; 2], [[f64; 2]; N]),
) -> [f64; N] {
    let whole_pairs = components / 2;
    let (mut sums, mut last) = ([[0.0; 2]; N], [0.0; N]);
    for index in 0..components.div_ceil(2) {
        let (scales, errors) = pair(index);
        let squares = errors.map(|errors| -> [f64; 2] {
            std::array::from_fn(|lane| square(errors[lane], scales[lane]))
        });
        if index == whole_pairs {
            last = squares.map(|[square, _]| square);
            break;
        }
        for (sums, squares) in sums.iter_mut().zip(squares) {
            for lane in 0..2 {
                sums[lane] += squares[lane];
            }
        }
    }
    std::array::from_fn(|n| ((sums[n][0] + sums[n][1] + last[n]) / count).sqrt())
}

/// Scales of components whose size is the larger absolute value at both ends.
fn weigh_coordinates(
    scales: &mut [f64],
    (absolute, relative): (&[f64], &[f64]),
    (from, to): (&[f64], &[f64]),
) {
    let count = scales.len();
    // Of one length that the compiler sees.
    let (absolute, relative) = (&absolute[..count], &relative[..count]);
    let (from, to) = (&from[..count], &to[..count]);
    for index in 0..count {
        let size = from[index].abs().max(to[index].abs());
        scales[index] = absolute[index] + relative[index] * size;
    }
}

/// (error / scale)².
fn square(error: f64, scale: f64) -> f64 {
    // 0/0 of a component that neither moves nor has an absolute tolerance is no error.
    let part = if error == 0.0 { 0.0 } else { error / scale };
    part * part
}

/// Σ (error / scale)², in two lanes.
#[inline]
fn sum_of_squares(errors: &[f64], scales: &[f64]) -> f64 {
    let ((errors, last_error), (scales, last_scale)) =
        (errors.as_chunks::<2>(), scales.as_chunks::<2>());
    let mut sums = [0.0; 2];
    for (errors, scales) in errors.iter().zip(scales) {
        for lane in 0..2 {
            sums[lane] += square(errors[lane], scales[lane]);
        }
    }
    let last = last_error.iter().zip(last_scale);
    let last = last.fold(0.0, |_, (error, scale)| square(*error, *scale));
    sums[0] + sums[1] + last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Manifold;

    /// With a last component alone and without.
    #[test]
    fn pairs_weigh_and_measure_as_lists_do() {
        for count in 0..=5 {
            let layout = Layout::dense(Manifold::euclidean(0)).with_differential_states(count);
            let list = |first: f64| (0..count).map(|at| (first + at as f64).sin()).collect();
            let tolerance = |first: f64| {
                PerComponent::Each((0..count).map(|at| first / (at + 1) as f64).collect())
            };
            let tolerances = Tolerances {
                relative: tolerance(1e-3),
                absolute: tolerance(1e-5),
            };
            let Ok(mut norm) = ErrorNorm::new(&tolerances, &layout) else {
                panic!("{count} tolerances")
            };
            let [mut from, mut to] = [layout.state(), layout.state()];
            (from.x, to.x) = (list(0.3), list(2.7));
            let errors: Vec<f64> = list(5.1);
            norm.weigh(&from, &to);
            let expected = (norm.scales().to_vec(), norm.root_mean_square_of(&errors));
            norm.weigh(&to, &to);
            // Numbers behind the last component do not count.
            let pair = |list: &[f64], pair: usize| {
                [0, 1].map(|lane| list.get(2 * pair + lane).copied().unwrap_or(7.0))
            };
            let [size, twice] = norm.pairs().weigh_and_measure(|at| {
                let error = pair(&errors, at);
                let ends = [pair(&from.x, at), pair(&to.x, at)];
                (ends, [error, error.map(|error| 2.0 * error)])
            });
            assert_eq!((norm.scales().to_vec(), size), expected, "{count}");
            assert_eq!(twice, 2.0 * size);
            assert_eq!(norm.tolerances().0.len(), count.max(1));
        }
    }
}
