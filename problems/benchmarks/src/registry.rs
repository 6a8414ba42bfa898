//! The list of problems: one line here makes a problem known to every command.

use crate::suggestion::suggestion;
use crate::{
    Formulation, ParameterInfo, Parameters, ProblemError, Reference, andrews, fang2022, flexible,
    haddouni2017, haug1997, mechanisms, rigid_body, testset, vector_space,
};
use liedae::system::{System, output_names};
use liedae_multibody::Drawing;

/// A problem that can be built by name.
#[derive(Clone, Copy, Debug)]
pub struct ProblemEntry {
    /// Name on the command line.
    pub name: &'static str,
    /// One line for lists.
    pub title: &'static str,
    /// What moves, which outputs are computed, and what is difficult.
    pub description: &'static str,
    /// Where it comes from: paper or test set.
    pub source: &'static str,
    /// Parameters with their defaults.
    pub parameters: &'static [ParameterInfo],
    /// Builds the problem.
    pub build: fn(&Parameters) -> Result<Problem, ProblemError>,
}

impl ProblemEntry {
    /// A problem without parameters; title, description and source may be added.
    pub const fn new(
        name: &'static str,
        build: fn(&Parameters) -> Result<Problem, ProblemError>,
    ) -> Self {
        Self {
            name,
            title: name,
            description: "",
            source: "",
            parameters: &[],
            build,
        }
    }

    /// The same with one line for lists.
    pub const fn with_title(self, title: &'static str) -> Self {
        Self { title, ..self }
    }

    /// The same with what moves, what is asked, what is difficult.
    pub const fn with_description(self, description: &'static str) -> Self {
        Self {
            description,
            ..self
        }
    }

    /// The same with its source: paper or test set.
    pub const fn with_source(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    /// The same with parameters, which `build` is given.
    pub const fn with_parameters(self, parameters: &'static [ParameterInfo]) -> Self {
        Self { parameters, ..self }
    }

    /// Builds the problem with settings such as `["mu=0.2"]`; none means all defaults.
    pub fn build_with(&self, settings: &[&str]) -> Result<Problem, ProblemError> {
        let mut parameters = Parameters::defaults(self);
        for setting in settings {
            parameters.parse(setting)?;
        }
        (self.build)(&parameters)
    }
}

/// A problem ready to run. The initial state is that of the system.
pub struct Problem {
    /// Its registered name.
    pub name: &'static str,
    /// The equations of motion.
    pub system: Box<dyn System>,
    /// End of the time span that the problem is solved for, in s.
    pub t_end: f64,
    /// A step size in s at which methods of order one or two give a useful answer.
    pub default_step: f64,
    /// Reference solution, where one is known for these parameters.
    pub reference: Option<Reference>,
    /// Name of the output that plots and tables show first.
    pub main_output: String,
    /// End of order studies in s, where errors over all of `t_end` are not yet proportional to a power of the step;
    /// `None` is `t_end`.
    pub order_study_end: Option<f64>,
    /// The absolute tolerance that belongs to a relative tolerance of one: smaller components are not resolved.
    pub absolute_scale: f64,
    /// What it looks like, where it is a mechanism.
    pub drawing: Option<Drawing>,
    /// Its equations and numbers, where it is no mechanism of bodies and joints, or what these do not say.
    pub formulation: Option<Formulation>,
}

impl Problem {
    /// A problem without a reference, solved to `t_end` in s. Defaults: the main output is the first one of the system, the step
    /// is `t_end` / 1000, the absolute scale is 1.
    ///
    /// ```
    /// use liedae_problems::{Parameters, Problem, ProblemEntry, ProblemError, ProblemRegistry};
    ///
    /// fn fall(_: &Parameters) -> Result<Problem, ProblemError> {
    ///     let ball = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, _q, _v| [-9.81]).build();
    ///     Ok(Problem::new("fall", ball.map_err(|error| ProblemError::build("fall", error))?, 0.4))
    /// }
    ///
    /// let problems = ProblemRegistry::standard().with(ProblemEntry::new("fall", fall))?;
    /// assert_eq!(problems.lookup("fall")?.build_with(&[])?.main_output, "q1");
    /// # Ok::<(), ProblemError>(())
    /// ```
    pub fn new(name: &'static str, system: impl System + 'static, t_end: f64) -> Self {
        let mut system: Box<dyn System> = Box::new(system);
        let main_output = output_names(&mut system)
            .first()
            .cloned()
            .unwrap_or_default();
        Self {
            name,
            system,
            t_end,
            default_step: t_end / 1000.0,
            reference: None,
            main_output,
            order_study_end: None,
            absolute_scale: 1.0,
            drawing: None,
            formulation: None,
        }
    }

    /// The same with a drawing, which `liedae run --animate` shows. It does not influence runs.
    ///
    /// ```
    /// use liedae_multibody::drawing::{Drawing, Pose};
    /// use liedae_problems::{Parameters, Problem, ProblemError};
    ///
    /// fn fall(_: &Parameters) -> Result<Problem, ProblemError> {
    ///     let ball = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, _q, _v| [-9.81]).build();
    ///     let ball = ball.map_err(|error| ProblemError::build("fall", error))?;
    ///     let drawing = Drawing::plane(["ball"], |state, poses| poses[0] = Pose::plane([0.0, state.q[0]], 0.0));
    ///     Ok(Problem::new("fall", ball, 0.4).with_drawing(drawing.disc(Some(0), [0.0, 0.0], 0.05)))
    /// }
    /// ```
    #[must_use]
    pub fn with_drawing(mut self, drawing: Drawing) -> Self {
        self.drawing = Some(drawing);
        self
    }

    /// The same with its equations and numbers, for readers who state it in another code: `liedae describe` shows them.
    ///
    /// ```
    /// use liedae_problems::{Formulation, Parameters, Problem, ProblemError};
    ///
    /// fn fall(_: &Parameters) -> Result<Problem, ProblemError> {
    ///     let ball = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, _q, _v| [-9.81]).build();
    ///     let ball = ball.map_err(|error| ProblemError::build("fall", error))?;
    ///     Ok(Problem::new("fall", ball, 0.4).with_formulation(Formulation::new(["q1'' = -9.81 m/s^2"])))
    /// }
    /// ```
    #[must_use]
    pub fn with_formulation(mut self, formulation: Formulation) -> Self {
        self.formulation = Some(formulation);
        self
    }

    /// Whether steps of `default_step` serve from the start on. Where order studies end within the first one, transients take less than a
    /// step: only tolerances find steps for the start and for the rest.
    pub fn has_serving_step(&self) -> bool {
        (self.order_study_end).is_none_or(|end| self.default_step < end)
    }
}

/// Whether a name can be written in `newton-cradle:n=5:t_end=2`, in lists of these.
fn is_usable(name: &str) -> bool {
    let separates = |c: char| c.is_whitespace() || ",:=".contains(c);
    !name.is_empty() && !name.contains(separates) && name != "t_end"
}

const STANDARD: &[ProblemEntry] = &[
    vector_space::PENDULUM,
    vector_space::MANUFACTURED,
    andrews::MINIMAL,
    andrews::CARTESIAN,
    rigid_body::HEAVY_TOP,
    rigid_body::FREE_RIGID_BODY,
    fang2022::DOUBLE_PENDULUM,
    fang2022::SLIDER_CRANK,
    fang2022::FOUR_LINK,
    fang2022::CHAIN,
    haug1997::STIFF_DOUBLE_PENDULUM,
    haug1997::TSDA_SLIDER_CRANK,
    andrews::MINIMAL_STIFF,
    andrews::CARTESIAN_STIFF,
    haddouni2017::SLIDER_CRANK,
    rigid_body::ROLLING_DISK,
    mechanisms::space::JOINT_PENDULUM,
    mechanisms::space::UNIVERSAL_CHAIN,
    mechanisms::space::NET,
    mechanisms::space::BRICARD,
    mechanisms::space::BENNETT,
    mechanisms::space::SARRUS,
    mechanisms::space::FOUR_BAR_IN_SPACE,
    mechanisms::space::FLYBALL,
    mechanisms::space::BICYCLE,
    mechanisms::space::FREE_SLIDER_CRANK,
    mechanisms::space::GIMBAL,
    mechanisms::space::STANFORD_ARM,
    mechanisms::space::EXCAVATOR_ARM,
    mechanisms::space::STEWART_PLATFORM,
    mechanisms::space::DELTA_ROBOT,
    mechanisms::space::DOUBLE_WISHBONE,
    mechanisms::space::MCPHERSON,
    mechanisms::space::FULL_CAR,
    mechanisms::space::BRIDGE_CRANE,
    mechanisms::space::FOUCAULT,
    mechanisms::plane::PLANAR_CHAIN,
    mechanisms::plane::N_FOUR_BAR,
    mechanisms::plane::FOUR_BAR,
    mechanisms::plane::PLANE_SLIDER_CRANK,
    mechanisms::plane::PLANAR_3RRR,
    mechanisms::plane::SCISSOR_LIFT,
    mechanisms::plane::SPRING_MASSES,
    mechanisms::plane::PLANETARY_GEAR,
    mechanisms::plane::GEAR_TRAIN,
    mechanisms::plane::CRANE,
    mechanisms::plane::TOGGLE_PRESS,
    mechanisms::plane::PARALLELOGRAM,
    testset::VAN_DER_POL,
    testset::ROBERTSON,
    testset::HIRES,
    testset::OREGONATOR,
    testset::POLLUTION,
    testset::E5,
    testset::RING_MODULATOR,
    testset::TRANSISTOR_AMPLIFIER,
    testset::NAND_GATE,
    testset::CHARGE_PUMP,
    testset::TWO_BIT_ADDER,
    testset::EMEP,
    testset::CAR_AXIS,
    testset::FEKETE,
    testset::FLEXIBLE_SLIDER_CRANK,
    testset::WHEELSET,
    testset::WATER_TUBE,
    testset::PLEIADES,
    testset::BEAM,
    flexible::SPIN_UP_BEAM,
    flexible::RUBBER_PENDULUM,
    flexible::ROTOR,
    flexible::ROTOR_RUN_UP,
    flexible::FLEXIBLE_CRANK,
    flexible::FLEXIBLE_FOUR_BAR,
    flexible::FLEXIBLE_DOUBLE_PENDULUM,
    flexible::BEAM_ON_CYLINDER,
    flexible::FLEXIBLE_MANIPULATOR,
    flexible::FLEXIBLE_QUICK_RETURN,
    flexible::SUBSTRUCTURED_PENDULUM,
    flexible::IMPACTING_FLEXIBLE_PENDULUM,
    flexible::FLEXIBLE_SCISSOR,
    testset::nonsmooth::BOUNCING_BALL,
    testset::nonsmooth::BALL_TWO_CONTACTS,
    testset::nonsmooth::PENDULUM_WALL,
    testset::nonsmooth::DOUBLE_PENDULUM_WALL,
    testset::nonsmooth::ROD_FLOOR,
    testset::nonsmooth::LADDER,
    testset::nonsmooth::PAINLEVE_ROD,
    testset::nonsmooth::NEWTON_CRADLE,
    testset::nonsmooth::ROCKING_BLOCK,
    testset::nonsmooth::SPHERE_TAKEOFF,
    testset::nonsmooth::SHAKER,
    testset::nonsmooth::ROPE_PENDULUM,
    testset::nonsmooth::ROTATING_ROD_BEAD,
    testset::nonsmooth::DISC_BACKSPIN,
    testset::nonsmooth::SLIDING_BLOCK,
    testset::nonsmooth::SLIDER_CRANK_CLEARANCE,
    testset::nonsmooth::PRESS_MACHINE,
    testset::nonsmooth::FOUR_BAR_CLEARANCE,
    testset::nonsmooth::CAM_FOLLOWER,
    testset::nonsmooth::CAM_ROCKER_VALVE,
    testset::nonsmooth::WOODPECKER,
    testset::nonsmooth::RATCHET_PAWL,
    testset::nonsmooth::GENEVA_DRIVE,
    testset::nonsmooth::TRIPLE_PENDULUM_STOPS,
    testset::nonsmooth::CHAIN_FLOOR,
    testset::nonsmooth::SLIDER_TRAIN,
    testset::nonsmooth::ESCAPEMENT,
    testset::nonsmooth::ESCAPEMENT_DOUBLE,
    testset::nonsmooth::ROCKING_TABLE,
    testset::nonsmooth::EXCAVATOR_STOPS,
    testset::nonsmooth::SHAKER_STACK,
    testset::nonsmooth::SHAKER_LEVER,
    testset::nonsmooth::ROPE_PENDULUM_CARTS,
    testset::nonsmooth::TRIP_BREAKER,
    testset::nonsmooth::COMPASS_WALKER,
    testset::nonsmooth::SLIDER_CRANK_CLEARANCE_3D,
    testset::nonsmooth::BOX_DROP,
    testset::nonsmooth::SLIDER_CRANK_FRICTION,
    testset::nonsmooth::BALL_SLOPE,
    testset::nonsmooth::IMPACTING_BAR,
];

/// Problems by name. Registries are values: a user's is the standard one with problems of their own.
///
/// ```
/// use liedae_problems::{ProblemEntry, ProblemRegistry};
///
/// let problems = ProblemRegistry::standard();
/// let error = problems.lookup("heavytop").unwrap_err();
/// assert!(error.to_string().contains("did you mean `heavy-top`"));
///
/// // A problem of one's own; names are unique.
/// let own = ProblemEntry { name: "my-pendulum", ..problems.lookup("pendulum")? };
/// let problems = problems.with(own)?;
/// assert!(problems.find("my-pendulum").is_some());
/// assert!(problems.with(own).is_err());
/// # Ok::<(), liedae_problems::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ProblemRegistry {
    entries: Vec<ProblemEntry>,
}

impl ProblemRegistry {
    /// The problems of this crate.
    pub fn standard() -> Self {
        Self {
            entries: STANDARD.to_vec(),
        }
    }

    /// Adds a problem. An error if its name is taken, or if its name or one of its parameters cannot be written on a command
    /// line.
    pub fn with(mut self, entry: ProblemEntry) -> Result<Self, ProblemError> {
        let parameters = entry.parameters.iter().map(|info| info.name);
        if let Some(name) = parameters.chain([entry.name]).find(|name| !is_usable(name)) {
            return Err(ProblemError::UnusableName(name));
        }
        if self.find(entry.name).is_some() {
            return Err(ProblemError::NameTaken(entry.name));
        }
        self.entries.push(entry);
        Ok(self)
    }

    /// All of them, in the order in which they came.
    pub fn entries(&self) -> &[ProblemEntry] {
        &self.entries
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.entries.iter().map(|entry| entry.name)
    }

    /// The problem of this name, if there is one; [`lookup`](Self::lookup) says what to do if not.
    pub fn find(&self, name: &str) -> Option<ProblemEntry> {
        let mut entries = self.entries.iter();
        entries.find(|entry| entry.name == name).copied()
    }

    /// The problem of this name; the error asks whether one of the nearest names was meant.
    pub fn lookup(&self, name: &str) -> Result<ProblemEntry, ProblemError> {
        self.find(name).ok_or_else(|| ProblemError::UnknownProblem {
            name: name.to_owned(),
            suggestion: suggestion(name, self.names()),
        })
    }
}

impl IntoIterator for ProblemRegistry {
    type Item = ProblemEntry;
    type IntoIter = std::vec::IntoIter<ProblemEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_closest_is_offered() {
        let problems = ProblemRegistry::standard();
        let mut names: Vec<_> = problems.names().collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), problems.entries().len());
        let words = |name| problems.lookup(name).err().map(|error| error.to_string());
        assert!(words("andrew").is_some_and(|words| words.contains("did you mean `andrews`")));
        assert!(words("nope").is_some_and(|words| !words.contains("did you mean")));
    }
}
