//! The Newton matrix of a step of backward Euler.

use crate::linalg::{KktError, KktSolver, Pattern};
use crate::system::{Layout, RatesJacobian};

/// How the rates of a step depend on an unknown.
#[derive(Clone, Copy, PartialEq)]
enum Slope {
    /// δv = h δa and δq = h² δa.
    Acceleration,
    /// δx = h δx'.
    Rate,
    /// z is an unknown itself.
    Value,
}

/// Derivatives of the rates, one after the other in their list as well as in the upper left block.
#[derive(Clone, Copy)]
struct Run {
    target: u32,
    length: u32,
    slope: Slope,
    /// Whether these are rows of a, which stand in the matrix as they are: the others are M a - f and E x' - d.
    algebraic: bool,
}

/// The matrix in the unknowns (v', x', z, λ). Constraint rows are divided by h² and h, so that their block is G.
pub(super) struct NewtonMatrix {
    pub kkt: KktSolver,
    /// Derivatives of the rates at the point of the matrix.
    pub rates: RatesJacobian,
    jacobian: Vec<f64>,
    /// Whether the Jacobian evaluated last has changed places with that of the solver.
    jacobian_is_factored: bool,
    upper_left: Vec<f64>,
    constraint: Pattern,
    /// Values beside multipliers and of rows, which differ by the derivatives of algebraic equations: none without such equations.
    beside_algebraic: Option<[Vec<f64>; 2]>,
    /// Where the entries of each source matrix stand; those of M where it is not all of the block.
    mass_places: Option<Vec<u32>>,
    rates_runs: Vec<Run>,
    descriptor_places: Vec<u32>,
    jacobian_places: Vec<u32>,
}

fn places(target: &Pattern, entries: impl Iterator<Item = (usize, usize)>) -> Vec<u32> {
    entries
        .filter_map(|(row, column)| target.position(row, column))
        .map(|position| position as u32)
        .collect()
}

fn runs(target: &Pattern, layout: &Layout) -> Vec<Run> {
    let (dimension, first_algebraic) =
        (layout.dimension(), layout.dimension() + layout.differential);
    let mut runs: Vec<Run> = Vec::new();
    for (row, column) in layout.rates.entries() {
        let own = Run {
            // Every entry of the rates has a place.
            target: target.position(row, column).unwrap_or_default() as u32,
            length: 1,
            slope: match column {
                column if column < dimension => Slope::Acceleration,
                column if column < first_algebraic => Slope::Rate,
                _ => Slope::Value,
            },
            algebraic: row >= first_algebraic,
        };
        match runs.last_mut() {
            Some(run)
                if (run.slope, run.algebraic) == (own.slope, own.algebraic)
                    && run.target + run.length == own.target =>
            {
                run.length += 1;
            }
            _ => runs.push(own),
        }
    }
    runs.shrink_to_fit();
    runs
}

impl NewtonMatrix {
    /// For systems of this layout, and E of this pattern.
    pub fn new(layout: &Layout, descriptor: &Pattern) -> Result<Self, KktError> {
        let (dimension, rows, differential) =
            (layout.dimension(), layout.rows(), layout.differential);
        let total = layout.rate_count();
        // E stands in the rows and columns of x', behind those of the accelerations.
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
                .chain(layout.rates.entries())
                .chain(shifted()),
        )?;
        // ∂a/∂λ: algebraic equations may contain every multiplier, so these columns are full.
        let beside = (0..rows)
            .flat_map(|row| (dimension + differential..total).map(move |column| (row, column)));
        let constraint =
            Pattern::from_entries(rows, total, layout.jacobian.entries().chain(beside))?;
        // x' and z are blocks of their own behind those of the bodies.
        let blocks = (layout.blocks).followed_by([differential, layout.algebraic]);
        let has_algebraic = layout.algebraic > 0;
        let jacobian_places = if has_algebraic {
            places(&constraint, layout.jacobian.entries())
        } else {
            Vec::new()
        };
        Ok(Self {
            kkt: KktSolver::new(&upper_left, &constraint, &constraint, &blocks)?,
            rates: RatesJacobian::new(layout),
            jacobian: vec![0.0; layout.jacobian.nnz()],
            jacobian_is_factored: false,
            mass_places: (layout.mass != upper_left)
                .then(|| places(&upper_left, layout.mass.entries())),
            rates_runs: runs(&upper_left, layout),
            descriptor_places: places(&upper_left, shifted()),
            jacobian_places,
            upper_left: vec![0.0; upper_left.nnz()],
            beside_algebraic: has_algebraic.then(|| [(); 2].map(|()| vec![0.0; constraint.nnz()])),
            constraint,
        })
    }

    /// Where G is to be evaluated next.
    pub fn next_jacobian(&mut self) -> &mut [f64] {
        self.jacobian_is_factored = false;
        &mut self.jacobian
    }

    /// G as evaluated last.
    pub fn jacobian(&self) -> &[f64] {
        if self.jacobian_is_factored {
            self.kkt.jacobian()
        } else {
            &self.jacobian
        }
    }

    /// Factorizes the matrix of step `h` with the derivatives evaluated last, M and E.
    pub fn factor(
        &mut self,
        layout: &Layout,
        [mass, descriptor]: [&[f64]; 2],
        h: f64,
    ) -> Result<(), KktError> {
        self.load_upper_left(mass, descriptor, h);
        let Some([left, right]) = &mut self.beside_algebraic else {
            // No copy of a long list: the Jacobian changes places with the one before.
            let (a, g) = (&mut self.upper_left, &mut self.jacobian);
            self.kkt.factor_symmetric_exchanging(a, g)?;
            self.jacobian_is_factored = true;
            return Ok(());
        };
        for (&place, &value) in self.jacobian_places.iter().zip(&self.jacobian) {
            left[place as usize] = value;
            right[place as usize] = value;
        }
        let (rows, first) = (layout.rows(), layout.dimension() + layout.differential);
        for index in 0..layout.algebraic {
            for row in 0..rows {
                if let Some(place) = self.constraint.position(row, first + index) {
                    // The solver puts -leftᵀ into the upper right block, and ∂a/∂λ belongs there.
                    left[place] = -self.rates.by_multiplier[index * rows + row];
                }
            }
        }
        // Entries that are not written here, of algebraic variables, are zero in all lists.
        (self.kkt).factor_exchanging([&mut self.upper_left, left, right])
    }

    /// Rows of the forces and differential rates are M a - f and E x' - d, those of the algebraic rows are a.
    fn load_upper_left(&mut self, mass: &[f64], descriptor: &[f64], h: f64) {
        if let Some(places) = &self.mass_places {
            self.upper_left.fill(0.0);
            for (&place, &value) in places.iter().zip(mass) {
                self.upper_left[place as usize] = value;
            }
        }
        for (&place, &value) in self.descriptor_places.iter().zip(descriptor) {
            self.upper_left[place as usize] += value;
        }
        let (mut first, mut copied) = (0, 0);
        for run in &self.rates_runs {
            let (sources, targets) = (
                first..first + run.length as usize,
                run.target as usize..(run.target + run.length) as usize,
            );
            first = sources.end;
            // Where M is all of the block it is copied as far as it is reached: both run through it once.
            if self.mass_places.is_none() {
                self.upper_left[copied..targets.end].copy_from_slice(&mass[copied..targets.end]);
                copied = targets.end;
            }
            let by_position = &self.rates.by_position[sources.clone()];
            let by_velocity = &self.rates.by_velocity[sources];
            let sign = if run.algebraic { 1.0 } else { -1.0 };
            let derivatives = by_position.iter().zip(by_velocity);
            for (entry, (by_position, by_velocity)) in
                self.upper_left[targets].iter_mut().zip(derivatives)
            {
                *entry += sign
                    * match run.slope {
                        Slope::Acceleration => h * (h * by_position + by_velocity),
                        Slope::Rate => h * by_position,
                        Slope::Value => *by_position,
                    };
            }
        }
        if self.mass_places.is_none() {
            self.upper_left[copied..].copy_from_slice(&mass[copied..]);
        }
    }
}
