//! The elements of an assembled mechanism with their places in its matrices.

use super::ancf::{AncfPart, NodeTie};
use super::assembly::{LaidOut, pose, unique};
use super::ball_joint::BallJoint;
use super::beam::Segment;
use super::bearing::Bearing;
use super::body::RigidBody;
use super::builder::{MultibodyBuilder, NamedForce};
use super::connection::{Connection, Joints};
use super::contact::Placed;
use super::error::AssemblyError;
use super::force::Force;
use super::friction::{Friction, NormalForce, Slide};
use super::guides::Guide;
use super::initial::Start;
use super::kinematics::{COORDINATES, Kinematics, VELOCITIES};
use super::layout::PairPlaces;
use super::marker::unit_as_stated;
use super::marker_rows::MarkerRows;
use super::masses::Masses;
use super::mechanism::{CounterPlaces, Inertial, MultibodySystem, SlidePlaces};
use super::modal::{Flexible, NamedModal, ROWS, Tie};
use super::motion::Motion;
use super::outputs::default_outputs;
use super::spring::{SpringLaw, TranslationalSpring};
use super::state_force::{NamedStateForce, StateElement};
use super::torsion::{RotationalSpring, Torsion};
use liedae::linalg::Pattern;
use liedae::system::{EventDescription, Layout, State};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::{PI, TAU};

/// The position of an entry that the layout was made to have.
fn place(pattern: &Pattern, row: usize, column: usize) -> Result<usize, AssemblyError> {
    let missing = || AssemblyError::Layout(format!("entry ({row}, {column}) is missing"));
    pattern.position(row, column).ok_or_else(missing)
}

/// The same as long lists of places hold it.
fn short_place(pattern: &Pattern, row: usize, column: usize) -> Result<u32, AssemblyError> {
    let too_long = |_| AssemblyError::Layout("a matrix has more than 2^32 entries".to_owned());
    u32::try_from(place(pattern, row, column)?).map_err(too_long)
}

/// Checks a coefficient.
pub(crate) fn number(
    element: &str,
    what: &'static str,
    value: f64,
    fits: bool,
) -> Result<(), AssemblyError> {
    if value.is_finite() && fits {
        return Ok(());
    }
    let element = element.to_owned();
    Err(AssemblyError::Coefficient {
        element,
        what,
        value,
    })
}

impl LaidOut {
    /// Makes the system.
    pub fn fill(
        self,
        builder: MultibodyBuilder,
        start: Option<Start>,
    ) -> Result<MultibodySystem, AssemblyError> {
        let Self {
            joints,
            row_entries,
            layout,
        } = self;
        let mut initial = layout.state();
        initial.t = builder.start;
        let stiffness = layout
            .stiffness_pattern()
            .map_err(|error| AssemblyError::Layout(error.to_string()))?;
        let count = builder.bodies.len();
        let (ancf, node_ties) = nodal(&builder, start.as_ref(), &layout, &stiffness, &mut initial)?;
        let (flexible, own) = flexible(builder.modal, count, &layout, &stiffness, &mut initial)?;
        let own = own
            .into_iter()
            .map(|tie| Box::new(tie) as Box<dyn MarkerRows>);
        let nodal = node_ties
            .into_iter()
            .map(|tie| Box::new(tie) as Box<dyn MarkerRows>);
        let ties = own.chain(nodal).collect();
        let mut bodies = Vec::with_capacity(count);
        for (index, body) in builder.bodies.iter().enumerate() {
            load(&mut initial, index, body);
            let mut inertial = inertial(&layout, index, body)?;
            if flexible.iter().any(|body| body.frame == index) {
                // The frame has the inertia of the flexible body, which adds it itself.
                (inertial.mass, inertial.inertia) = (0.0, Matrix3::zeros());
            }
            bodies.push(inertial);
        }
        // Frames are where the bodies were stated; everything that moves starts where they have been placed.
        let stated = initial.clone();
        for (index, body) in start.iter().flat_map(|start| &start.bodies).enumerate() {
            body.write(index, &mut initial);
        }
        let mut forces = Vec::new();
        for force in builder.forces {
            forces.push(placed(&layout, plain(force)?));
        }
        for spring in builder.springs {
            forces.push(placed(&layout, stretched(spring, &stated)?));
        }
        let segments = builder.elements.into_iter();
        let beams = segments
            .map(|part| Segment::new(part, &layout.rates))
            .collect();
        let (mut torsions, mut state_names) = (Vec::new(), Vec::new());
        // Modes of frictions that slide come first.
        let mut first_wrap = layout.algebraic;
        let mut wraps = Vec::new();
        for spring in builder.torsions {
            let counter = spring.has_revolutions().then_some(state_names.len());
            if counter.is_some() {
                state_names.push(format!("{}.angle", spring.name));
            }
            let wrap = spring.wraps().then_some(first_wrap);
            if wrap.is_some() {
                first_wrap += 1;
                let barrier = EventDescription::barrier("wrap", &spring.name);
                wraps.push(barrier.beyond_its_root());
            }
            // What wraps starts without turns to forget.
            let full = start.as_ref().and_then(|start| start.angle(spring.joint));
            let full = full.filter(|_| wrap.is_none());
            let (mut torsion, columns) = twisted(spring, counter, &joints, &layout, initial.t)?;
            torsion.wrap = wrap;
            if let Some(counter) = counter {
                let standing = torsion
                    .bodies
                    .map(|body| Kinematics::read(body, &initial.q, &[]));
                let principal = torsion.principal_angle(&standing);
                // The start by joint coordinates says how many whole turns the spring has made.
                initial.x[counter] = match full {
                    Some(full) => principal + ((full - principal) / TAU).round() * TAU,
                    None => principal,
                };
                if let Some(wrap) = wrap {
                    let angle = torsion.angle(&standing, &initial.x, &[]);
                    initial.mode[wrap] = torsion.turns_off(angle);
                }
            }
            let places = PairPlaces::new(&layout.rates, &torsion.bodies);
            torsions.push((torsion, places, columns));
        }
        let counters = state_names.len();
        let mut state_forces = Vec::new();
        for force in builder.state_forces {
            state_forces.push(stateful(force, &mut initial, &mut state_names, &layout)?);
        }
        let (mut slides, mut events) = (Vec::new(), Vec::new());
        let (mut guides, mut guide_laws) = (Vec::new(), Vec::new());
        // Contacts and joints that may stick are decided about together.
        let looked_after = !builder.contacts.is_empty()
            || !builder.bearings.is_empty()
            || builder.frictions.iter().any(|friction| friction.sticks);
        for friction in &builder.frictions {
            let label = joints.find(friction.joint, &friction.name)?.name.clone();
            let slide = rubbing(friction, &joints)?;
            if friction.sticks {
                if friction.initial_direction.is_some() {
                    let friction = friction.name.clone();
                    return Err(AssemblyError::StickingDirection { friction });
                }
                guide_laws.push(slide.law(&label));
                guides.push(Guide::Slides(slide));
                continue;
            }
            if looked_after {
                let friction = friction.name.clone();
                return Err(AssemblyError::ReversingBeside { friction });
            }
            let index = slides.len();
            initial.mode[index] = direction(friction, &slide, &initial)?;
            events.push(EventDescription::barrier("reversal", label));
            let places = slide_places(&layout, slide.bodies, index)?;
            slides.push((slide, places));
        }
        events.extend(wraps);
        for friction in builder.bearings {
            let label = joints.find(friction.joint, &friction.name)?.name.clone();
            let bearing = Bearing::resolve(friction, &joints)?;
            guide_laws.push(bearing.law(&label));
            guides.push(Guide::Turns(bearing));
        }
        let mut contacts = Placed::default();
        for contact in &builder.contacts {
            let [first, second] = &contact.surfaces;
            let poses = [
                pose(&builder.bodies, first.body, &contact.name)?,
                pose(&builder.bodies, second.body, &contact.name)?,
            ];
            contacts.add(contact, &poses)?;
        }
        let mut time_events = builder.time_events;
        time_events.extend(moments(&joints, &forces, &torsions));
        time_events.retain(|t| t.is_finite());
        time_events.sort_by(f64::total_cmp);
        time_events.dedup();
        let (mut names, probes) = if builder.probes.is_empty() {
            default_outputs(&bodies, &flexible, &ancf, counters, &state_names)
        } else {
            builder.probes.into_iter().unzip()
        };
        unique(
            "contact",
            contacts.laws.iter().map(|law| law.label.as_str()),
        )?;
        names.extend(contacts.laws.iter().map(|law| format!("gap.{}", law.label)));
        unique("output", names.iter().map(String::as_str))?;
        let Joints {
            mut connections,
            order,
        } = joints;
        for connection in &mut connections {
            connection.locate(row_entries, &layout.jacobian, &stiffness);
        }
        let balls: Vec<BallJoint> = connections.iter().filter_map(BallJoint::new).collect();
        let which = |holds: fn(&Connection) -> bool| -> Vec<usize> {
            let numbered = connections.iter().enumerate();
            numbered
                .filter(|(_, joint)| holds(joint))
                .map(|(index, _)| index)
                .collect()
        };
        let turning = (0..bodies.len()).map(|index| spin_rows(&layout.rates, index));
        Ok(MultibodySystem {
            gyroscopic_at: turning.collect::<Result<_, _>>()?,
            layout,
            others: which(|joint| BallJoint::new(joint).is_none()),
            balls,
            row_entries,
            measuring: which(Connection::measures_distance),
            own: which(|joint| joint.own().is_some()),
            masses: Masses::new(&bodies),
            bodies,
            connections,
            joint_order: order,
            gravity: builder.gravity,
            keeps_energy: builder.keeps_energy,
            forces,
            beams,
            stated_beams: builder.beams,
            flexible,
            ties,
            ancf,
            torsions,
            state_forces,
            state_names,
            slides,
            guides,
            guide_laws,
            contacts,
            initial,
            placement: start.map(|start| start.placement),
            names,
            probes,
            events,
            time_events,
        })
    }
}

/// Flexible bodies and the rows that tie their markers, and where their modes start.
fn flexible(
    modal: Vec<NamedModal>,
    bodies: usize,
    layout: &Layout,
    stiffness: &Pattern,
    initial: &mut State,
) -> Result<(Vec<Flexible>, Vec<Tie>), AssemblyError> {
    let (mut flexible, mut ties) = (Vec::with_capacity(modal.len()), Vec::new());
    let mut places = [COORDINATES * bodies, VELOCITIES * bodies];
    for part in modal {
        for marker in &part.markers {
            let name = format!("{}.{}", part.name, marker.node);
            let mut tie = Tie::new(&part, marker, name, ROWS * ties.len(), places);
            let located = tie.locate(&layout.jacobian, stiffness);
            located.ok_or_else(|| AssemblyError::Layout("an entry of a tie is missing".into()))?;
            ties.push(tie);
        }
        for (state, place, start) in [
            (&mut initial.q, places[0], &part.coordinates),
            (&mut initial.v, places[1], &part.rates),
        ] {
            state[place..place + start.len()].copy_from_slice(start);
        }
        let body = Flexible::new(part, places, layout, stiffness)?;
        places = places.map(|place| place + body.modes());
        flexible.push(body);
    }
    Ok((flexible, ties))
}

/// Beams in absolute nodal coordinates and the rows that tie their markers, and where their nodes start.
fn nodal(
    builder: &MultibodyBuilder,
    start: Option<&Start>,
    layout: &Layout,
    stiffness: &Pattern,
    initial: &mut State,
) -> Result<(Vec<AncfPart>, Vec<NodeTie>), AssemblyError> {
    let modal = builder.modal.iter();
    let modes: usize = modal.clone().map(|body| body.coordinates.len()).sum();
    let markers: usize = modal.map(|body| body.markers.len()).sum();
    let bodies = builder.bodies.len();
    let mut row = ROWS * markers;
    let mut places = [COORDINATES * bodies + modes, VELOCITIES * bodies + modes];
    let (mut beams, mut ties) = (Vec::with_capacity(builder.ancf.len()), Vec::new());
    for part in &builder.ancf {
        for mut tie in part.ties(row, places) {
            let located = tie.locate(&layout.jacobian, stiffness);
            located.ok_or_else(|| AssemblyError::Layout("an entry of a tie is missing".into()))?;
            ties.push(tie);
        }
        row += part.rows();
        let mut part = part.clone();
        if let (Some(start), Some(&(_, marker))) = (start, part.markers.first()) {
            let stated = builder.bodies.get(marker).map(RigidBody::kinematics);
            if let (Some(stated), Some(placed)) = (stated, start.bodies.get(marker)) {
                part.carry(&stated, placed);
            }
        }
        for (state, place, start) in [
            (&mut initial.q, places[0], &part.coordinates),
            (&mut initial.v, places[1], &part.rates),
        ] {
            state[place..place + start.len()].copy_from_slice(start);
        }
        let count = part.coordinates.len();
        beams.push(AncfPart::new(part, places, layout)?);
        places = places.map(|place| place + count);
    }
    Ok((beams, ties))
}

/// Writes the initial position and velocity of a body.
fn load(state: &mut State, index: usize, body: &RigidBody) {
    let q = &mut state.q[COORDINATES * index..];
    let v = &mut state.v[VELOCITIES * index..];
    q[..3].copy_from_slice(body.position.as_slice());
    for row in 0..3 {
        for column in 0..3 {
            q[3 + 3 * row + column] = body.rotation[(row, column)];
        }
    }
    v[..3].copy_from_slice(body.velocity.as_slice());
    v[3..VELOCITIES].copy_from_slice(body.omega.as_slice());
}

/// Positions of the rows of a body's block in the rows and columns of its rotation.
fn spin_rows(pattern: &Pattern, index: usize) -> Result<[u32; 3], AssemblyError> {
    let first = VELOCITIES * index + 3;
    let at = |axis: usize| short_place(pattern, first + axis, first);
    Ok([at(0)?, at(1)?, at(2)?])
}

fn inertial(layout: &Layout, index: usize, body: &RigidBody) -> Result<Inertial, AssemblyError> {
    let first = VELOCITIES * index;
    let diagonal = |axis: usize| short_place(&layout.mass, first + axis, first + axis);
    Ok(Inertial {
        name: body.name.clone(),
        mass: body.mass,
        inertia: body.inertia,
        mass_at: [diagonal(0)?, diagonal(1)?, diagonal(2)?],
        inertia_at: spin_rows(&layout.mass, index)?,
    })
}

fn placed(layout: &Layout, force: Force) -> (Force, PairPlaces) {
    let places = PairPlaces::new(&layout.rates, &force.bodies);
    (force, places)
}

fn plain(force: NamedForce) -> Result<Force, AssemblyError> {
    if let Some((what, value)) = force.law.wrong_number() {
        return Err(AssemblyError::Coefficient {
            element: force.name,
            what,
            value,
        });
    }
    Ok(Force {
        name: force.name,
        bodies: force.bodies.map(|body| body.0),
        law: force.law,
    })
}

/// Moments at which motions of joints, forces and springs go over from one piece to the next.
fn moments(
    joints: &Joints,
    forces: &[(Force, PairPlaces)],
    torsions: &[(Torsion, PairPlaces, CounterPlaces)],
) -> Vec<f64> {
    let rows = joints.connections.iter().flat_map(|joint| &joint.rows);
    let follows = torsions.iter().filter_map(|(law, ..)| law.follows.as_ref());
    let motions = rows.map(|row| &row.motion).chain(follows);
    let own = forces.iter().flat_map(|(force, _)| force.law.moments());
    motions.flat_map(Motion::moments).chain(own).collect()
}

/// The ends of a spring on its bodies.
fn ends(spring: &TranslationalSpring, initial: &State) -> Result<[Vector3<f64>; 2], AssemblyError> {
    let end = |side: usize| {
        let body = spring.bodies[side].0;
        let standing = Kinematics::read(body, &initial.q, &[]);
        let marker = spring.points[side].resolve(&spring.name, &standing)?;
        Ok::<_, AssemblyError>(marker.point)
    };
    Ok([end(0)?, end(1)?])
}

fn stretched(spring: TranslationalSpring, initial: &State) -> Result<Force, AssemblyError> {
    let name = spring.name.as_str();
    number(name, "the stiffness", spring.stiffness, true)?;
    number(name, "the damping", spring.damping, true)?;
    number(
        name,
        "the free length",
        spring.free_length,
        spring.free_length >= 0.0,
    )?;
    let points = ends(&spring, initial)?;
    let bodies = spring.bodies.map(|body| body.0);
    let law = SpringLaw {
        points,
        stiffness: spring.stiffness,
        damping: spring.damping,
        free_length: spring.free_length,
        actuator: spring.actuator,
    };
    Ok(Force {
        name: spring.name,
        bodies,
        law: Box::new(law),
    })
}

fn twisted(
    spring: RotationalSpring,
    counter: Option<usize>,
    joints: &Joints,
    layout: &Layout,
    start: f64,
) -> Result<(Torsion, CounterPlaces), AssemblyError> {
    number(&spring.name, "the stiffness", spring.stiffness, true)?;
    number(&spring.name, "the damping", spring.damping, true)?;
    number(&spring.name, "the free angle", spring.free_angle, true)?;
    // What wraps has no turns by which it could be wound up.
    if spring.wraps() && spring.free_angle.abs() > PI {
        return Err(AssemblyError::FreeAngle {
            spring: spring.name,
            angle: spring.free_angle,
        });
    }
    if let Some(motion) = &spring.follows {
        if spring.wraps() {
            return Err(AssemblyError::FollowsWithoutTurns {
                spring: spring.name,
            });
        }
        if !motion.is_finite(start) {
            return Err(AssemblyError::NotFinite {
                what: format!("the motion that '{}' follows", spring.name),
                element: Some(spring.name),
            });
        }
    }
    let joint = joints.find(spring.joint, &spring.name)?;
    let mut columns = [None; 2];
    if let Some(counter) = counter {
        let row = layout.dimension() + counter;
        let column = |body: usize| layout.rates.position(row, VELOCITIES * body);
        columns = joint.bodies.map(|body| body.and_then(column));
    }
    let torsion = Torsion {
        name: spring.name,
        joint: spring.joint,
        bodies: joint.bodies,
        markers: joint.markers,
        stiffness: spring.stiffness,
        damping: spring.damping,
        free_angle: spring.free_angle,
        follows: spring.follows,
        actuator: spring.actuator,
        counter,
        wrap: None,
    };
    Ok((torsion, columns))
}

/// Resolves a friction element.
fn rubbing(friction: &Friction, joints: &Joints) -> Result<Slide, AssemblyError> {
    let joint = joints.find(friction.joint, &friction.name)?;
    let mu = friction.coefficient;
    number(&friction.name, "the friction coefficient", mu, mu >= 0.0)?;
    let mut normal = friction.normal;
    if let NormalForce::Component([x, y]) = &mut normal {
        let direction = unit_as_stated(&friction.name, &Vector3::new(*x, *y, 0.0))?;
        (*x, *y) = (direction.x, direction.y);
    }
    Ok(Slide {
        name: friction.name.clone(),
        joint: friction.joint,
        bodies: joint.bodies,
        markers: joint.markers,
        coefficient: mu,
        normal,
        first_row: joint.first_row,
        is_directed: friction.initial_direction.is_some(),
    })
}

/// The direction in which a friction element slides in the initial state.
fn direction(friction: &Friction, slide: &Slide, initial: &State) -> Result<i32, AssemblyError> {
    let moving = slide
        .bodies
        .map(|body| Kinematics::read(body, &initial.q, &initial.v));
    let Some(direction) = friction.initial_direction else {
        let back = slide.velocity(&moving) < 0.0;
        return Ok(if back { -1 } else { 1 });
    };
    let sign = f64::from(direction);
    let name = friction.name.as_str();
    number(
        name,
        "the initial direction",
        sign,
        matches!(direction, 1 | -1),
    )?;
    Ok(direction)
}

fn slide_places(
    layout: &Layout,
    bodies: [Option<usize>; 2],
    index: usize,
) -> Result<SlidePlaces, AssemblyError> {
    let column = layout.dimension() + layout.differential + index;
    let mut by_normal = [[None; VELOCITIES]; 2];
    for (positions, body) in by_normal.iter_mut().zip(bodies) {
        let Some(body) = body else { continue };
        for (component, position) in positions.iter_mut().enumerate() {
            *position = layout.rates.position(VELOCITIES * body + component, column);
        }
    }
    Ok(SlidePlaces {
        pair: PairPlaces::new(&layout.rates, &bodies),
        by_normal,
        residual: place(&layout.rates, column, column)?,
    })
}

/// Places a force with states, and writes their initial values and names.
fn stateful(
    force: NamedStateForce,
    initial: &mut State,
    names: &mut Vec<String>,
    layout: &Layout,
) -> Result<StateElement, AssemblyError> {
    let first = names.len();
    for (name, value) in force.check()? {
        initial.x[names.len()] = value;
        names.push(format!("{}.{name}", force.name));
    }
    let bodies = force.bodies.map(|body| body.0);
    let range = first..names.len();
    let element = StateElement::new(force.name, bodies, force.law, range, layout);
    // Evaluated once, so that a law that fails says so before the run.
    let (mut forces, mut rates) = (vec![0.0; layout.dimension()], vec![0.0; initial.x.len()]);
    let evaluated = element.add_rates(&initial.point(), &mut forces, &mut rates);
    evaluated.map_err(|_| AssemblyError::NotFinite {
        what: format!(
            "the force of '{}' or the rate of a state at the start",
            element.name
        ),
        element: Some(element.name.clone()),
    })?;
    Ok(element)
}
