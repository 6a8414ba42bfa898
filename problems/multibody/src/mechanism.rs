//! The assembled mechanism as a system of equations.

use super::ancf::AncfPart;
use super::balance::{clear, fall, gyroscopic_slope};
use super::ball_joint::BallJoint;
use super::beam::{Segment, StatedBeam};
use super::connection::Connection;
use super::contact::Placed;
use super::force::{Force, ForceScalar};
use super::friction::Slide;
use super::guides::Guide;
use super::initial::Placement;
use super::kinematics::{Kinematics, VELOCITIES, Wrench};
use super::layout::{PairPlaces, add_derivatives};
use super::marker::JointFrame;
use super::marker_rows::MarkerRows;
use super::masses::Masses;
use super::modal::Flexible;
use super::output::Measured;
use super::row::Constraint;
use super::row_entries::{POINT_ENTRIES, RowEntries};
use super::state_force::StateElement;
use super::torsion::Torsion;
use liedae::memory::{AHEAD, fetch};
use liedae::system::{
    Balance, Branches, Energy, EvaluationError, EventDescription, EventHandling, EventReport,
    Events, Function, Labels, Layout, Outputs, Point, RatesJacobian, SecondDerivatives, Spatial,
    State, System,
};
use liedae_contact::{FrictionJoint, refuse_unseen};
use nalgebra::{Matrix3, Vector3};
use std::any::{Any, TypeId};

/// Mass properties of an assembled body.
#[derive(Clone, Debug)]
pub(crate) struct Inertial {
    pub name: String,
    pub mass: f64,
    pub inertia: Matrix3<f64>,
    /// Positions of the three masses in the values of the mass matrix.
    pub mass_at: [u32; 3],
    /// Positions of the rows of the inertia tensor in the values of the mass matrix.
    pub inertia_at: [u32; 3],
}

/// Derivatives of the gyroscopic torque of a body.
const GYROSCOPIC: usize = 9;

/// Where the derivatives of one friction element go.
#[derive(Clone, Debug)]
pub(crate) struct SlidePlaces {
    pub pair: PairPlaces,
    /// Force rows of both bodies in the column of z.
    pub by_normal: [[Option<usize>; VELOCITIES]; 2],
    /// The diagonal entry of the residual of z.
    pub residual: usize,
}

/// Where the derivatives of the state that counts revolutions go: the starts of the columns of both bodies.
pub(crate) type CounterPlaces = [Option<usize>; 2];

/// Rigid bodies with joints, drives, forces and friction, in r-A coordinates.
///
/// Per body i the configuration is the centre of mass r (world frame) and the rotation matrix A (row by row, body to
/// world), `q[12 i..12 i + 12]`, and the velocity is r' (world frame) and ω (body frame), `v[6 i..6 i + 6]`:
///
/// ```text
/// m r'' = F + ∂g/∂rᵀ λ,   J ω' = n - ω × J ω + (∂g/∂A)ᵀ λ,   g(t, q) = 0
/// ```
///
/// Modal coordinates of flexible bodies follow those of all bodies, then nodal coordinates of beams.
///
/// (Fang et al. 2022, eqs. 2, doi:10.1115/1.4056183, with the multipliers' sign reversed.) All derivatives are
/// analytic or by duals, and block-sparse; nothing is allocated in an evaluation.
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::{BodyId, Joint, MultibodyBuilder, MultibodySystem, RigidBody};
///
/// // A wheel at (1, 0, 0) that turns about its z-axis with 3 rad/s.
/// let mut mechanism = MultibodyBuilder::new();
/// let wheel = RigidBody::new("wheel", 2.0, [0.1, 0.1, 0.2]).at([1.0, 0.0, 0.0]);
/// let wheel = mechanism.add_body(wheel.moving([0.0; 3], [0.0, 0.0, 3.0]));
/// mechanism.add_joint(Joint::revolute("axle", BodyId::GROUND, wheel, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]));
/// let system: MultibodySystem = mechanism.build()?;
/// let start = system.initial_state();
/// assert_eq!((start.q.len(), &start.q[..3]), (12, &[1.0, 0.0, 0.0][..]));
/// assert_eq!(start.v, [0.0, 0.0, 0.0, 0.0, 0.0, 3.0]);
/// assert_eq!(system.body("wheel"), Some(wheel));
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
pub struct MultibodySystem {
    pub(crate) layout: Layout,
    pub(crate) bodies: Vec<Inertial>,
    pub(crate) masses: Masses,
    /// Positions of the rows of each body's gyroscopic block in the values of the rates' pattern.
    pub(crate) gyroscopic_at: Vec<[u32; 3]>,
    /// In the order of their rows.
    pub(crate) connections: Vec<Connection>,
    /// The ball joints among them, and the indices of the others: how sweeps over all joints read them.
    pub(crate) balls: Vec<BallJoint>,
    pub(crate) others: Vec<usize>,
    /// Which entries the rows of all joints have for each body.
    pub(crate) row_entries: RowEntries,
    /// Indices of connections that measure a distance.
    pub(crate) measuring: Vec<usize>,
    /// Indices of joints of one's own.
    pub(crate) own: Vec<usize>,
    /// Index into `connections` of every joint, in order of addition.
    pub(crate) joint_order: Vec<usize>,
    pub(crate) gravity: Vector3<f64>,
    pub(crate) keeps_energy: bool,
    pub(crate) forces: Vec<(Force, PairPlaces)>,
    pub(crate) beams: Vec<Segment>,
    #[cfg_attr(not(feature = "files"), allow(dead_code))]
    pub(crate) stated_beams: Vec<StatedBeam>,
    pub(crate) flexible: Vec<Flexible>,
    /// The rows of all markers, which come first.
    pub(crate) ties: Vec<Box<dyn MarkerRows>>,
    /// Beams in absolute nodal coordinates.
    pub(crate) ancf: Vec<AncfPart>,
    pub(crate) torsions: Vec<(Torsion, PairPlaces, CounterPlaces)>,
    pub(crate) state_forces: Vec<StateElement>,
    /// Names of the differential states.
    pub(crate) state_names: Vec<String>,
    /// Friction that reverses only; the modes of the state are its directions.
    pub(crate) slides: Vec<(Slide, SlidePlaces)>,
    /// Joints that may stick, and their laws.
    pub(crate) guides: Vec<Guide>,
    pub(crate) guide_laws: Vec<FrictionJoint>,
    pub(crate) contacts: Placed,
    pub(crate) initial: State,
    /// How joint coordinates moved the bodies there.
    pub(crate) placement: Option<Placement>,
    pub(crate) names: Vec<String>,
    pub(crate) probes: Vec<Measured>,
    pub(crate) events: Vec<EventDescription>,
    pub(crate) time_events: Vec<f64>,
}

impl MultibodySystem {
    pub(crate) fn pair(bodies: &[Option<usize>; 2], at: &Point) -> [Kinematics; 2] {
        bodies.map(|body| Kinematics::read(body, at.q, at.v))
    }

    /// A distance without direction has no gradient.
    pub(crate) fn check_distances(
        &self,
        at: &Point,
        function: Function,
    ) -> Result<(), EvaluationError> {
        for &index in &self.measuring {
            let connection = &self.connections[index];
            for row in &connection.rows {
                if row.constraint == Constraint::Distance {
                    let [one, two] = connection.sides(&connection.kinematics(at.q, &[]));
                    // The gradient of a distance is d/|d|: none where both points coincide.
                    if (two.point() - one.point()).norm_squared() == 0.0 {
                        let reason = format!("the two points of '{}' coincide", connection.name);
                        return Err(EvaluationError::Failed {
                            function,
                            t: at.t,
                            reason,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// All ball joints, each with a later one whose numbers are worth asking for when it is read. Later joints themselves
    /// are asked for on the way.
    pub(crate) fn balls_and_ahead(&self) -> impl Iterator<Item = (&BallJoint, Option<&BallJoint>)> {
        self.balls.iter().enumerate().map(|(index, ball)| {
            fetch(&self.balls, index + 2 * AHEAD, 1);
            (ball, self.balls.get(index + AHEAD))
        })
    }

    /// Writes the rows of G of all ball joints, which have so many entries for each body.
    fn write_balls<const N: usize>(&self, q: &[f64], out: &mut [f64]) {
        for (ball, ahead) in self.balls_and_ahead() {
            if let Some(ahead) = ahead {
                ahead.fetch_entries::<N>(out);
                ahead.fetch_motion(q, &[]);
            }
            ball.jacobian::<N>(q, out);
        }
    }

    /// Names the joint of one's own whose rows are not finite.
    pub(crate) fn check_own(
        &self,
        at: &Point,
        function: Function,
        finite: impl Fn(&Connection) -> bool,
    ) -> Result<(), EvaluationError> {
        let mut own = self.own.iter().map(|&index| &self.connections[index]);
        match own.find(|joint| !finite(joint)) {
            Some(joint) => Err(EvaluationError::Failed {
                function,
                t: at.t,
                reason: format!("an equation of '{}' is not finite", joint.name),
            }),
            None => Ok(()),
        }
    }
}

impl System for MultibodySystem {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn initial_state(&self) -> State {
        self.initial.clone()
    }

    fn mass_matrix(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        for body in &self.bodies {
            for axis in 0..3 {
                out[body.mass_at[axis] as usize] = body.mass;
                for other in 0..3 {
                    out[body.inertia_at[axis] as usize + other] = body.inertia[(axis, other)];
                }
            }
        }
        for body in &mut self.flexible {
            body.mass_matrix(at.q, out);
        }
        for beam in &self.ancf {
            beam.mass_matrix(out);
        }
        Ok(())
    }

    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let (forces, rest) = out.split_at_mut(self.layout.dimension());
        let (counters, residuals) = rest.split_at_mut(self.layout.differential);
        // Those of bodies are set, those of modes are sums.
        forces[VELOCITIES * self.bodies.len()..].fill(0.0);
        let moving = at.v.as_chunks::<VELOCITIES>().0.iter();
        let moving = moving.zip(forces.as_chunks_mut::<VELOCITIES>().0);
        for (body, (v, forces)) in self.masses.iter().zip(moving) {
            *forces = fall(body, &self.gravity, v);
        }
        for (force, _) in &self.forces {
            let wrenches = force.law.values(at.t, &Self::pair(&force.bodies, at));
            for (wrench, body) in wrenches.iter().zip(force.bodies) {
                wrench.add_to(body, forces);
            }
        }
        for segment in &self.beams {
            segment.add_forces(at, forces);
        }
        for body in &self.flexible {
            body.add_forces(at, &self.gravity, forces);
        }
        for beam in &self.ancf {
            beam.add_forces(at, &self.gravity, forces);
        }
        for (torsion, ..) in &self.torsions {
            let bodies = Self::pair(&torsion.bodies, at);
            for (wrench, body) in torsion
                .wrenches(at.t, &bodies, at.x, at.mode)
                .iter()
                .zip(torsion.bodies)
            {
                wrench.add_to(body, forces);
            }
            if let Some(slot) = torsion
                .counter
                .and_then(|counter| counters.get_mut(counter))
            {
                // φ' of a counter.
                *slot = torsion.rate(&bodies);
            }
        }
        for force in &self.state_forces {
            force.add_rates(at, forces, counters)?;
        }
        for (index, (slide, _)) in self.slides.iter().enumerate() {
            // -direction · μ N along the axis, N being z.
            let push = -f64::from(at.mode[index]) * slide.coefficient * at.z[index];
            for (unit, body) in slide
                .unit_wrenches(&Self::pair(&slide.bodies, at))
                .iter()
                .zip(slide.bodies)
            {
                Wrench {
                    force: unit.force * push,
                    torque: unit.torque * push,
                }
                .add_to(body, forces);
            }
            // 0 = z - N(λ).
            residuals[index] = at.z[index] - slide.normal(at.lambda).0;
        }
        Ok(())
    }

    fn rates_jacobian(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        clear(&mut out.by_position);
        out.by_multiplier.fill(0.0);
        // Those of bodies are set, others are sums.
        if out.by_velocity.len() > GYROSCOPIC * self.bodies.len() {
            out.by_velocity.fill(0.0);
        }
        let moving = at.v.as_chunks::<VELOCITIES>().0.iter();
        let moving = moving.zip(&self.gyroscopic_at);
        for (body, (v, starts)) in self.masses.iter().zip(moving) {
            let slope = gyroscopic_slope(body, v);
            for (axis, &start) in starts.iter().enumerate() {
                for other in 0..3 {
                    out.by_velocity[start as usize + other] = slope[(axis, other)];
                }
            }
        }
        for (force, places) in &self.forces {
            let [one, two] = Self::pair(&force.bodies, at);
            // By displacements of both bodies at once, then by their velocities.
            let moved = [one.displaced(0), two.displaced(VELOCITIES)];
            add_derivatives(
                places,
                &force.law.derivatives(at.t, &moved),
                &mut out.by_position,
            );
            let faster = [one.accelerated(0), two.accelerated(VELOCITIES)];
            add_derivatives(
                places,
                &force.law.derivatives(at.t, &faster),
                &mut out.by_velocity,
            );
        }
        for segment in &self.beams {
            segment.add_derivatives(at, out);
        }
        for body in &self.flexible {
            body.add_derivatives(at, &self.gravity, out);
        }
        for beam in &self.ancf {
            beam.add_derivatives(at, out);
        }
        for (torsion, places, counter_places) in &self.torsions {
            let [one, two] = Self::pair(&torsion.bodies, at);
            let moved = [one.displaced(0), two.displaced(VELOCITIES)];
            let faster = [one.accelerated(0), two.accelerated(VELOCITIES)];
            for (bodies, values) in [
                (&moved, &mut out.by_position),
                (&faster, &mut out.by_velocity),
            ] {
                add_derivatives(
                    places,
                    &torsion.wrenches(at.t, bodies, at.x, at.mode),
                    values,
                );
                if torsion.counter.is_none() {
                    continue;
                }
                let gradient = torsion.rate(bodies).gradient;
                for (start, part) in counter_places.iter().zip(gradient.chunks(VELOCITIES)) {
                    if let Some(start) = *start {
                        values[start..start + VELOCITIES].copy_from_slice(part);
                    }
                }
            }
        }
        for force in &self.state_forces {
            force.add_derivatives(at, out);
        }
        let rows = self.layout.rows();
        for (index, (slide, places)) in self.slides.iter().enumerate() {
            let factor = -f64::from(at.mode[index]) * slide.coefficient;
            let [one, two] = Self::pair(&slide.bodies, at);
            let moved = [one.displaced(0), two.displaced(VELOCITIES)];
            let units = slide.unit_wrenches(&moved);
            let push = ForceScalar::from_value(factor * at.z[index]);
            // z held: its own derivative follows.
            let wrenches = units.map(|unit| Wrench {
                force: unit.force * push,
                torque: unit.torque * push,
            });
            add_derivatives(&places.pair, &wrenches, &mut out.by_position);
            // ∂f/∂z = -direction · μ · unit wrench.
            for (unit, positions) in units.iter().zip(&places.by_normal) {
                for (component, position) in positions.iter().enumerate() {
                    if let Some(position) = *position {
                        out.by_position[position] += factor * unit.entry(component).value;
                    }
                }
            }
            // ∂(z - N)/∂z = 1, ∂(z - N)/∂λ = -∂N/∂λ.
            out.by_position[places.residual] = 1.0;
            let slope = slide.normal(at.lambda).1;
            out.by_multiplier[index * rows + slide.first_row] = -slope.x;
            out.by_multiplier[index * rows + slide.first_row + 1] = -slope.y;
        }
        Ok(())
    }

    fn position_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        for tie in &self.ties {
            tie.residual(at.q, out);
        }
        for (ball, ahead) in self.balls_and_ahead() {
            if let Some(ahead) = ahead {
                ahead.fetch_motion(at.q, &[]);
            }
            ball.residual(at.q, 1.0, out);
        }
        for &index in &self.others {
            self.connections[index].residual_at(at.t, at.q, out);
        }
        self.check_own(at, Function::PositionConstraint, |joint| {
            joint.is_nonholonomic() || joint.is_finite(out)
        })
    }

    fn velocity_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.check_distances(at, Function::VelocityConstraint)?;
        for tie in &self.ties {
            tie.rate(at.q, at.v, out);
        }
        for (ball, ahead) in self.balls_and_ahead() {
            if let Some(ahead) = ahead {
                ahead.fetch_motion(at.q, at.v);
            }
            ball.rate(at.q, at.v, out);
        }
        for &index in &self.others {
            self.connections[index].rate(at.t, at.q, at.v, out);
        }
        self.check_own(at, Function::VelocityConstraint, |joint| {
            joint.is_finite(out)
        })
    }

    fn constraint_jacobian(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.check_distances(at, Function::ConstraintJacobian)?;
        for tie in &self.ties {
            tie.jacobian(at.q, out);
        }
        match self.row_entries {
            RowEntries::All => self.write_balls::<VELOCITIES>(at.q, out),
            RowEntries::Points => self.write_balls::<POINT_ENTRIES>(at.q, out),
        }
        for &index in &self.others {
            self.connections[index].jacobian(at.t, at.q, out);
        }
        self.check_own(at, Function::ConstraintJacobian, |joint| {
            joint.has_finite_entries(out)
        })
    }

    fn acceleration_bias(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.check_distances(at, Function::AccelerationBias)?;
        for tie in &self.ties {
            tie.bias(at.q, at.v, out);
        }
        for (ball, ahead) in self.balls_and_ahead() {
            if let Some(ahead) = ahead {
                ahead.fetch_motion(at.q, at.v);
            }
            ball.bias(at.q, at.v, out);
        }
        for &index in &self.others {
            self.connections[index].bias(at.t, at.q, at.v, out);
        }
        self.check_own(at, Function::AccelerationBias, |joint| joint.is_finite(out))
    }

    fn balance(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        wanted: &mut Balance,
    ) -> Result<bool, EvaluationError> {
        self.write_balance(at, acceleration, wanted)
    }

    fn prepare(
        &mut self,
        state: &mut State,
        _events: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        refuse_unseen(self)?;
        self.direct_frictions(state, true)?;
        Ok(Vec::new())
    }

    fn second_derivatives(&mut self) -> Option<&mut dyn SecondDerivatives> {
        Some(self)
    }

    fn branches(&mut self) -> Option<&mut dyn Branches> {
        Some(self)
    }

    fn outputs(&mut self) -> Option<&mut dyn Outputs> {
        Some(self)
    }

    fn extension(&mut self, wanted: TypeId) -> Option<&mut dyn Any> {
        (wanted == TypeId::of::<Self>()).then_some(self)
    }

    fn labels(&self) -> Option<&dyn Labels> {
        Some(self)
    }

    fn spatial(&self) -> Option<&dyn Spatial> {
        Some(self)
    }

    fn energy(&mut self) -> Option<&mut dyn Energy> {
        Some(self)
    }

    fn events(&mut self) -> Option<&mut dyn Events> {
        Some(self)
    }
}
