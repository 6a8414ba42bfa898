//! What a user states once and every integrator runs.
//!
//! Two layers. [`Model`] is what a person writes: functions generic over the [`Scalar`](crate::scalar::Scalar), one
//! statement of mass, force and constraint from which [`Automatic`] derives Jacobians and time derivatives exactly.
//! [`System`] is what an integrator sees: an object-safe trait over `f64` slices with the sparsity in its [`Layout`];
//! whoever has analytic derivatives implements it directly. [`model()`] makes a [`Model`] on R^n of closures, and
//! [`FirstOrderModel`] states M y' = f(t, y).
//!
//! All systems have one form, of which any part may be empty:
//!
//! ```text
//! q' = q · hat(v)                          configuration on a Lie group
//! M(t,q) v' = f(t,q,v,x,z) + G(t,q)ᵀ λ     dynamics
//! 0 = g(t,q)                               position rows, index 3, G = ∂g
//! 0 = b(t,q,v)                             velocity rows, index 2, affine in v, their rows of G are ∂b/∂v
//! E x' = d(t,q,v,x,z)                      differential states
//! 0 = a(t,q,v,x,z,λ)                       algebraic variables, index 1
//! ```
//!
//! Contact, impact and dry friction are a layer above: it turns closed contacts into rows between two events, or hands
//! them to a method that captures events within its steps ([`System::extension`]).

mod automatic;
mod consistency;
pub mod derivatives;
mod dynamics;
mod scaling;
mod state_space;
mod statement;

pub use automatic::model::{Automatic, LayerMissing};
pub use consistency::projector::Projector;
pub(crate) use consistency::states::check_branch;
pub use consistency::states::{
    Consistency, ConsistencyError, ProjectionReport, Violation, check_consistency,
    project_initial_state,
};
pub(crate) use consistency::states::{settle_jump, solve_algebraic_rows};
pub use consistency::structural_index::{IndexError, check_differential_index};
pub use consistency::system_checks::{SystemReport, check_system};
pub use consistency::system_faults::{Stated, SystemCheckError, SystemFault};
pub use dynamics::algebraic::AlgebraicSolver;
pub use dynamics::deadline::{Clock, Deadline};
pub(crate) use dynamics::descriptor::SingularDescriptor;
pub use dynamics::error::DynamicsError;
pub use dynamics::evaluator::{Evaluations, Evaluator, LimitReached};
pub use dynamics::independent_rows::IndependentRows;
pub use dynamics::index_one::{AccelerationSolver, LeftJacobian};
pub(crate) use dynamics::row_check::{RowCheck, Verdict};
pub(crate) use dynamics::singular_values::SingularValues;
pub(crate) use scaling::Scales;
pub use state_space::{Parametrization, StateSpace};
pub(crate) use statement::any_system::property_values;
pub use statement::any_system::{
    acceleration_constraint_jacobian, event_descriptions, geometric_stiffness, is_passive,
    keeps_energy, named_outputs, output_definitions, output_names, output_values, properties,
    time_events, total_energy, velocity_constraint_jacobian,
};
pub use statement::balance::{Balance, BalanceDerivatives, ModelBalance};
pub use statement::closures::{
    ClosureModel, ConstantMass, KeptNumber, Statement, StatementError, model,
};
pub use statement::error::{EvaluationError, ForeignError, Function};
pub use statement::events::{
    Direction, EventAction, EventDescription, EventHandling, EventReport, EventResponse, Events,
    Quantity,
};
pub use statement::first_order::{FirstOrder, FirstOrderError, FirstOrderModel};
pub use statement::fmt_state::Short;
pub use statement::formulation::{Formulation, UnknownFormulation};
pub use statement::forwarding::{Wrapped, Wrapper};
pub use statement::labels::{Labels, Momentum, Spatial};
pub use statement::layout::{Layout, LayoutError};
pub use statement::matrix::MatrixMut;
use statement::matrix::MatrixView;
pub use statement::model::{Derivative, Model, ModelEvents};
pub use statement::parts::{Branches, Energy, Outputs, SecondDerivatives};
pub use statement::point::{Point, State};
pub(crate) use statement::point::{clear, copy_part};
pub use statement::properties::{Properties, Property, PropertyKind};
pub use statement::request::Wanted;
pub use statement::system::{RatesJacobian, System};
