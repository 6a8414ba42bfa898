//! The Newton matrix of a generalized-alpha step.

use super::ConstraintLevel;
use crate::integrator::shared::pull_back::PullBack;
use crate::linalg::{KktError, KktSolver, Pattern};
use crate::manifold::{Factor, Manifold};
use crate::system::{EvaluationError, Evaluator, Layout, Point, RatesJacobian, State};

/// How position and velocity follow the acceleration within a step.
#[derive(Clone, Copy)]
pub(super) struct Slopes {
    /// ∂u/∂v'_{n+1} = h² β c with c = ∂a_{n+1}/∂v'_{n+1}.
    pub position: f64,
    /// ∂v_{n+1}/∂v'_{n+1} = h γ c.
    pub velocity: f64,
}

/// Where a matrix is evaluated.
pub(super) struct Place {
    state: State,
    /// The displacement from the start of the step.
    u: Vec<f64>,
    slopes: Slopes,
}

impl Place {
    /// Memory for states of this shape.
    pub fn new(state: &State) -> Self {
        Self {
            state: state.clone(),
            u: vec![0.0; state.v.len()],
            slopes: Slopes {
                position: 0.0,
                velocity: 0.0,
            },
        }
    }

    /// As the arguments of functions.
    pub fn point(&self) -> Point<'_> {
        self.state.point()
    }

    /// Takes a place over.
    pub fn set(&mut self, state: &State, u: &[f64], slopes: Slopes) {
        self.state.copy_from(state);
        self.u.copy_from_slice(u);
        self.slopes = slopes;
    }
}

/// An entry of a source matrix and where it goes.
#[derive(Clone, Copy)]
struct EntryPlace {
    source: usize,
    target: usize,
    sign: f64,
}

/// Haddouni et al. 2017, eqs. 19 and 22, in the unknowns (v', x', z, λ): their matrix divided by β', with the tangent
/// operator of the exponential behind every derivative by the configuration.
///
/// Rows of forces and differential rates are M v' - f - Gᵀ λ and E x' - d, those of the algebraic rows are a. Constraint
/// rows are divided by the factor that makes their block G up to terms of order h.
pub(super) struct NewtonMatrix {
    formulation: ConstraintLevel,
    pub kkt: KktSolver,
    dimension: usize,
    position_rows: usize,
    upper_left: Vec<f64>,
    left: Vec<f64>,
    right: Vec<f64>,
    /// Derivatives by the configuration, rates x dimension; rows hold whole factors of the group.
    tangent: Pattern,
    tangent_values: Vec<f64>,
    /// Constraint rows by the configuration or velocity, rows x (rates), whole factors of the group.
    constraint: Pattern,
    by_configuration: Vec<f64>,
    pull_back: PullBack,
    stiffness: Vec<f64>,
    stiffness_places: Vec<usize>,
    tangent_of_rates: Vec<EntryPlace>,
    /// By v in the columns of v; by x and z in theirs.
    rates_by_velocity: Vec<EntryPlace>,
    rates_by_differential: Vec<EntryPlace>,
    rates_by_algebraic: Vec<EntryPlace>,
    mass_places: Vec<usize>,
    tangent_places: Vec<usize>,
    descriptor_places: Vec<usize>,
    jacobian_left_places: Vec<usize>,
    jacobian_right_places: Vec<usize>,
    multiplier_places: Vec<EntryPlace>,
    /// G at the point of the matrix.
    pub jacobian: Vec<f64>,
    velocity_by_position: Vec<f64>,
    pub rates: RatesJacobian,
}

fn places(target: &Pattern, entries: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    entries
        .filter_map(|(row, column)| target.position(row, column))
        .collect()
}

/// All columns of the group's factors that a column belongs to: the tangent operator mixes them.
fn whole_factors(space: &Manifold) -> Vec<std::ops::Range<usize>> {
    let mut owners = Vec::with_capacity(space.dimension());
    for (factor, _, first) in space.factor_ranges() {
        for column in first..first + factor.dimension() {
            owners.push(match factor {
                Factor::Euclidean(_) => column..column + 1,
                _ => first..first + factor.dimension(),
            });
        }
    }
    owners
}

impl NewtonMatrix {
    pub fn new(
        layout: &Layout,
        descriptor: &Pattern,
        formulation: ConstraintLevel,
    ) -> Result<Self, KktError> {
        let (dimension, rows, differential) =
            (layout.dimension(), layout.rows(), layout.differential);
        let first_algebraic = dimension + differential;
        let total = layout.rate_count();
        let owners = whole_factors(&layout.space);
        let widened =
            |(row, column): (usize, usize)| owners[column].clone().map(move |column| (row, column));

        let stiffness = layout.stiffness_pattern()?;
        let by_configuration = layout
            .rates
            .entries()
            .filter(|&(_, column)| column < dimension);
        let tangent = Pattern::from_entries(
            total,
            dimension,
            stiffness
                .entries()
                .chain(by_configuration)
                .flat_map(widened),
        )?;
        let shifted = || {
            descriptor
                .entries()
                .map(|(row, column)| (row + dimension, column + dimension))
        };
        let upper_left = Pattern::from_entries(
            total,
            total,
            layout
                .mass
                .entries()
                .chain(tangent.entries())
                .chain(layout.rates.entries())
                .chain(shifted()),
        )?;
        // ∂a/∂λ may be anywhere beside the joints.
        let beside =
            (0..rows).flat_map(|row| (first_algebraic..total).map(move |column| (row, column)));
        let left = Pattern::from_entries(rows, total, layout.jacobian.entries().chain(beside))?;
        let constraint =
            Pattern::from_entries(rows, total, layout.jacobian.entries().flat_map(widened))?;

        let blocks = (layout.blocks).followed_by([differential, layout.algebraic]);
        // Residuals of forces and differential rates contain their negatives, those of algebraic rows themselves.
        let sign = |row: usize| if row < first_algebraic { -1.0 } else { 1.0 };
        let rates_places = |target: &Pattern, columns: std::ops::Range<usize>| -> Vec<EntryPlace> {
            layout
                .rates
                .iter()
                .filter(|(_, column, _)| columns.contains(column))
                .filter_map(|(row, column, source)| {
                    target.position(row, column).map(|target| EntryPlace {
                        source,
                        target,
                        sign: sign(row),
                    })
                })
                .collect()
        };
        let multiplier_places = (0..layout.algebraic)
            .flat_map(|index| (0..rows).map(move |row| (index, row)))
            .filter_map(|(index, row)| {
                left.position(row, first_algebraic + index)
                    .map(|target| EntryPlace {
                        source: index * rows + row,
                        target,
                        sign: -1.0,
                    })
            })
            .collect();
        Ok(Self {
            formulation,
            kkt: KktSolver::new(&upper_left, &left, &constraint, &blocks)?,
            dimension,
            position_rows: layout.position_rows,
            stiffness_places: places(&tangent, stiffness.entries()),
            tangent_of_rates: rates_places(&tangent, 0..dimension),
            rates_by_velocity: rates_places(&upper_left, 0..dimension),
            rates_by_differential: rates_places(&upper_left, dimension..first_algebraic),
            rates_by_algebraic: rates_places(&upper_left, first_algebraic..total),
            mass_places: places(&upper_left, layout.mass.entries()),
            tangent_places: places(&upper_left, tangent.entries()),
            descriptor_places: places(&upper_left, shifted()),
            jacobian_left_places: places(&left, layout.jacobian.entries()),
            jacobian_right_places: places(&constraint, layout.jacobian.entries()),
            multiplier_places,
            stiffness: vec![0.0; stiffness.nnz()],
            upper_left: vec![0.0; upper_left.nnz()],
            left: vec![0.0; left.nnz()],
            right: vec![0.0; constraint.nnz()],
            tangent_values: vec![0.0; tangent.nnz()],
            by_configuration: vec![0.0; constraint.nnz()],
            pull_back: PullBack::new(&layout.space),
            jacobian: vec![0.0; layout.jacobian.nnz()],
            velocity_by_position: vec![0.0; layout.jacobian.nnz()],
            rates: RatesJacobian::new(layout),
            tangent,
            constraint,
        })
    }

    /// Evaluates the derivatives at a place, and factorizes. M and G are those of the place; E is constant.
    pub fn load(
        &mut self,
        system: &mut Evaluator,
        place: &Place,
        [mass, jacobian, descriptor]: [&[f64]; 3],
    ) -> Result<Result<(), KktError>, EvaluationError> {
        let Place { state, u, slopes } = place;
        let (at, slopes) = (&state.point(), *slopes);
        system.rates_jacobian_or_secants(at, &mut self.rates)?;
        if self.dimension > 0 {
            system.geometric_stiffness(at, &state.acceleration, &mut self.stiffness)?;
        }
        self.jacobian.copy_from_slice(jacobian);
        let needs_velocity_rows = self.constraint.rows() > self.rows_at_position_level();
        if needs_velocity_rows {
            system.velocity_constraint_jacobian(at, &mut self.velocity_by_position)?;
        }
        self.load_upper_left(u, mass, descriptor, slopes);
        self.load_constraints(slopes);
        let values = [&mut self.upper_left, &mut self.left, &mut self.right];
        Ok(self.kkt.factor_exchanging(values))
    }

    fn rows_at_position_level(&self) -> usize {
        match self.formulation {
            ConstraintLevel::Position => self.position_rows,
            ConstraintLevel::Velocity | ConstraintLevel::Stabilized => 0,
        }
    }

    // K - f_q, d_q, a_q: all that is differentiated by the configuration, in one matrix.
    fn load_upper_left(&mut self, u: &[f64], mass: &[f64], descriptor: &[f64], slopes: Slopes) {
        self.tangent_values.fill(0.0);
        for (&target, value) in self.stiffness_places.iter().zip(&self.stiffness) {
            self.tangent_values[target] += value;
        }
        for place in &self.tangent_of_rates {
            self.tangent_values[place.target] += place.sign * self.rates.by_position[place.source];
        }
        let rows = self.tangent.rows();
        // q_{n+1} = q_n · exp(u): derivatives by u are those by q_{n+1} times dexp(u).
        self.pull_back.load(u);
        self.pull_back
            .apply_loaded(&self.tangent, rows, &mut self.tangent_values);

        self.upper_left.fill(0.0);
        // ∂/∂v' = h² β c ∂/∂u.
        for (&target, value) in self.tangent_places.iter().zip(&self.tangent_values) {
            self.upper_left[target] += slopes.position * value;
        }
        for (&target, value) in self.mass_places.iter().zip(mass) {
            self.upper_left[target] += value;
        }
        for (&target, value) in self.descriptor_places.iter().zip(descriptor) {
            self.upper_left[target] += value;
        }
        // By v and x: h γ c; z is an unknown itself.
        let parts = [
            (
                &self.rates_by_velocity,
                &self.rates.by_velocity,
                slopes.velocity,
            ),
            (
                &self.rates_by_differential,
                &self.rates.by_position,
                slopes.velocity,
            ),
            (&self.rates_by_algebraic, &self.rates.by_position, 1.0),
        ];
        for (places, values, factor) in parts {
            for place in places {
                self.upper_left[place.target] += place.sign * factor * values[place.source];
            }
        }
    }

    /// After the upper left block, with the same displacement.
    fn load_constraints(&mut self, slopes: Slopes) {
        // ∂(M v' - f - Gᵀ λ)/∂λ = -Gᵀ: the solver transposes and subtracts.
        for (&target, value) in self.jacobian_left_places.iter().zip(&self.jacobian) {
            self.left[target] = *value;
        }
        for place in &self.multiplier_places {
            self.left[place.target] = place.sign * self.rates.by_multiplier[place.source];
        }
        let at_position_level = self.rows_at_position_level();
        let first_velocity = if at_position_level < self.constraint.rows() {
            self.constraint.row_range(at_position_level).start
        } else {
            self.constraint.nnz()
        };
        // (h γ c G + h² β c ∂b/∂u) / (h γ c) for b; h² β c G dexp(u) / (h² β c) for g.
        let ratio = slopes.position / slopes.velocity;
        self.by_configuration.fill(0.0);
        self.right.fill(0.0);
        for (index, &target) in self.jacobian_right_places.iter().enumerate() {
            if target < first_velocity {
                self.by_configuration[target] = self.jacobian[index];
            } else {
                self.by_configuration[target] = ratio * self.velocity_by_position[index];
                self.right[target] = self.jacobian[index];
            }
        }
        let rows = self.constraint.rows();
        self.pull_back
            .apply_loaded(&self.constraint, rows, &mut self.by_configuration);
        for (right, value) in self.right.iter_mut().zip(&self.by_configuration) {
            *right += value;
        }
    }
}
