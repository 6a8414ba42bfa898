//! `liedae describe`: a problem's parameters, sizes, outputs and reference, a method's options, or a set's problems.

use super::{deliver, method};
use crate::error::{CommandError, Status};
use crate::experiment::{
    Case, Instance, ProblemSet, ReadableTables, find_set, is_path, is_set, problem_name, set_names,
};
use crate::output::{Named, WIDTH, number, wrapped};
use crate::registry::Registry;
use crate::suggest::unknown;
use liedae::system::{event_descriptions, named_outputs};
use liedae_problems::Formulation;
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct Description {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    source: &'static str,
    t_start: f64,
    t_end: f64,
    default_step: f64,
    absolute_scale: f64,
    main_output: String,
    sizes: Sizes,
    /// Which sign the multipliers have.
    #[serde(skip_serializing_if = "Option::is_none")]
    dynamics: Option<&'static str>,
    parameters: Vec<Parameter>,
    outputs: Vec<String>,
    events: Vec<String>,
    reference: Option<ReferenceLine>,
    /// What two methods have computed at the end.
    computed: Option<ComputedLine>,
    start: Start,
    /// Its equations and numbers, where it is no mechanism of bodies and joints, or what these do not say.
    formulation: Option<Formulation>,
    /// What a mechanism file states of it, with the meaning of every key.
    mechanism: Option<ReadableTables>,
}

/// The equations of systems with velocities. First-order systems have none.
const DYNAMICS: &str = "M v' = f + G^T lambda: the multipliers lambda of the rows 0 = g are forces along their gradients G";

/// Where it starts.
#[derive(Serialize)]
struct Start {
    /// In s.
    t: f64,
    /// Coordinates: of bodies in space the centre of mass and the rotation matrix by columns, of plane bodies x, y and angle.
    q: Vec<f64>,
    /// Velocities: of bodies in space that of the centre of mass in the world and the angular velocity in the body's frame.
    v: Vec<f64>,
    /// Differential and algebraic variables.
    x: Vec<f64>,
    /// Outputs; none for those of accelerations and multipliers, which follow from the equations.
    outputs: Named<Option<f64>>,
}

impl Start {
    fn of(case: &mut Case) -> Result<Self, CommandError> {
        let mut state = case.system().initial_state();
        // Accelerations and multipliers follow from the equations: nothing is said of them.
        state.lambda.fill(f64::NAN);
        state.acceleration.fill(f64::NAN);
        let outputs = named_outputs(case.system(), &state).unwrap_or_default();
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let outputs = outputs
            .into_iter()
            .map(|(name, value)| (name, finite(value)));
        Ok(Self {
            t: state.t,
            q: state.q.as_slice().to_vec(),
            v: state.v.as_slice().to_vec(),
            x: state.x.as_slice().to_vec(),
            outputs: Named(outputs.collect()),
        })
    }
}

#[derive(Serialize)]
struct Sizes {
    coordinates: usize,
    velocities: usize,
    position_rows: usize,
    velocity_rows: usize,
    differential: usize,
    algebraic: usize,
    modes: usize,
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    value: f64,
    default: f64,
    unit: &'static str,
    range: String,
    description: &'static str,
}

#[derive(Serialize)]
struct ReferenceLine {
    source: String,
    from: f64,
    to: f64,
    periodic: bool,
    outputs: Vec<String>,
}

#[derive(Serialize)]
struct ComputedLine {
    /// The methods with their tolerances.
    by: String,
    /// When, in s.
    t: f64,
    /// Their digits, the fewest of any output.
    fewest_digits: f64,
    /// Those of the main output.
    digits: Option<f64>,
}

impl ComputedLine {
    fn of(case: &Case) -> Result<Option<Self>, CommandError> {
        let known = case.computed_reference()?;
        let main = (known.iter()).find(|value| value.output == case.problem.main_output);
        Ok(known.first().map(|first| Self {
            by: first.by.clone(),
            t: case.t_end,
            fewest_digits: (known.iter())
                .fold(f64::INFINITY, |least, value| least.min(value.digits)),
            digits: main.map(|value| value.digits),
        }))
    }
}

/// Describes a problem with these parameters, the others at their defaults, a method with these options, or a set.
pub fn describe(
    registry: &Registry,
    name: &str,
    settings: &[String],
    as_json: bool,
) -> Result<Status, CommandError> {
    let base = problem_name(name);
    if registry.methods().find(base).is_some() {
        return method::describe(registry.methods(), name, settings, as_json);
    }
    let entry = if is_path(base) {
        Some(*Instance::read(registry.problems(), base)?.entry())
    } else {
        registry.problems().find(base)
    };
    let Some(entry) = entry else {
        if is_set(name.trim()) {
            let set = find_set(registry.problems(), name)?;
            return deliver(&set, as_json, || set_text(&set));
        }
        let problems = registry.problems().names();
        let others = registry.methods().names();
        let known = problems.chain(others).chain(set_names());
        return Err(unknown("problem, method or set", base, known));
    };
    let instance = Instance::read(registry.problems(), name)?.with(settings, None)?;
    let mut case = instance.build()?;
    let tables = ReadableTables::of(&mut case, instance.stated());
    let mechanism = tables.map_err(|expected| CommandError::Value {
        option: "PROBLEM",
        value: name.to_owned(),
        expected,
    })?;
    let start = Start::of(&mut case)?;
    let formulation = case.problem.formulation.clone();
    let layout = case.system().layout();
    let sizes = Sizes {
        coordinates: layout.space.coordinates(),
        velocities: layout.dimension(),
        position_rows: layout.position_rows,
        velocity_rows: layout.velocity_rows,
        differential: layout.differential,
        algebraic: layout.algebraic,
        modes: layout.modes,
    };
    let outputs = case.outputs().to_vec();
    let reference = case
        .problem
        .reference
        .as_ref()
        .map(|reference| ReferenceLine {
            source: reference.source().to_owned(),
            from: reference.range().0,
            to: reference.range().1,
            periodic: reference.is_periodic(),
            outputs: outputs
                .iter()
                .filter(|output| reference.has(output))
                .cloned()
                .collect(),
        });
    let parameters: Vec<Parameter> = case
        .parameters
        .iter()
        .map(|(info, value)| Parameter {
            name: info.name,
            value,
            default: info.default,
            unit: info.unit,
            range: info.range.to_string(),
            description: info.description,
        })
        .collect();
    let description = Description {
        name: entry.name,
        title: entry.title,
        description: entry.description,
        source: entry.source,
        t_start: case.system().initial_state().t,
        t_end: case.t_end,
        default_step: case.problem.default_step,
        absolute_scale: case.problem.absolute_scale,
        main_output: case.problem.main_output.clone(),
        dynamics: (sizes.velocities > 0).then_some(DYNAMICS),
        sizes,
        parameters,
        outputs,
        events: event_descriptions(case.system())
            .iter()
            .map(|event| {
                if event.label.is_empty() {
                    event.kind.clone()
                } else {
                    format!("{} {}", event.kind, event.label)
                }
            })
            .collect(),
        reference,
        computed: ComputedLine::of(&case)?,
        start,
        formulation,
        mechanism,
    };
    deliver(&description, as_json, || text(&description))
}

fn set_text(set: &ProblemSet) -> String {
    let mut text = format!("{}: {}\n\n", set.name, set.title);
    let ids = set.ids.iter().map(|id| format!("{id}  "));
    let ids = ids.chain(std::iter::repeat(String::new()));
    for (problem, id) in set.problems.iter().zip(ids) {
        text.push_str(&format!("{id}{problem}\n"));
    }
    text
}

fn text(value: &Description) -> String {
    let sizes = &value.sizes;
    let mut rows = vec![
        ("Source", value.source.to_owned()),
        (
            "Time span",
            format!(
                "{} .. {} s, step of methods of low order {} s",
                number(value.t_start),
                number(value.t_end),
                number(value.default_step)
            ),
        ),
        (
            "Tolerance",
            match value.absolute_scale {
                1.0 => "absolute tolerance as the relative one, unless --atol is given".to_owned(),
                scale => format!(
                    "absolute tolerance {} times the relative one, unless --atol is given",
                    number(scale)
                ),
            },
        ),
        (
            "Sizes",
            format!(
                "{} coordinates, {} velocities, {} position rows, {} velocity rows, {} differential and {} algebraic \
                 variables, {} modes",
                sizes.coordinates,
                sizes.velocities,
                sizes.position_rows,
                sizes.velocity_rows,
                sizes.differential,
                sizes.algebraic,
                sizes.modes
            ),
        ),
        (
            "Outputs",
            format!("{} (main: {})", value.outputs.join(", "), value.main_output),
        ),
    ];
    rows.extend((value.dynamics).map(|words| ("Dynamics", words.to_owned())));
    if !value.events.is_empty() {
        rows.push(("Events", value.events.join(", ")));
    }
    let published = value.reference.as_ref().map(|reference| {
        format!(
            "{}, for {}, t = {} .. {} s{}",
            reference.source,
            reference.outputs.join(", "),
            number(reference.from),
            number(reference.to),
            if reference.periodic { ", periodic" } else { "" }
        )
    });
    let computed = value.computed.as_ref().map(|computed| {
        format!(
            "end values at t = {} s by {}, to {}{} digits",
            number(computed.t),
            computed.by,
            computed.digits.map_or(String::new(), |digits| format!(
                "{digits:.1} (main output) and at least "
            )),
            computed.fewest_digits,
        )
    });
    let known: Vec<String> = published.into_iter().chain(computed).collect();
    let reference = match known.as_slice() {
        [] => "none".to_owned(),
        known => known.join("; "),
    };
    rows.push(("Reference", reference));
    let mut text = format!("{}: {}\n\n", value.name, value.title);
    text.push_str(&wrapped([("", value.description.to_owned())], WIDTH));
    text.push('\n');
    text.push_str(&wrapped(rows, WIDTH));
    text.push_str(&parameters(value));
    if let Some(formulation) = &value.formulation {
        text.push_str("\nEquations\n");
        text.push_str(&formulation.to_string());
    }
    if let Some(mechanism) = &value.mechanism {
        text.push_str(&tables(mechanism));
    }
    text
}

/// One entry a line: its name, then its keys with their values; the keys below.
fn tables(mechanism: &ReadableTables) -> String {
    let mut text = "\nMechanism (keys of a mechanism file)\n".to_owned();
    let Value::Object(parts) = &mechanism.model else {
        return text;
    };
    let mut parts = parts.clone();
    if let Ok(Value::Array(bodies)) = serde_json::to_value(&mechanism.modal_bodies)
        && !bodies.is_empty()
    {
        parts.insert("modal_bodies".to_owned(), Value::Array(bodies));
    }
    for law in &mechanism.laws {
        text.push_str(&wrapped([("", law.clone())], WIDTH));
    }
    let is_table = |value: &Value| {
        let entries = value.as_array().and_then(|entries| entries.first());
        entries.is_some_and(Value::is_object)
    };
    let plain = parts.iter().filter(|(_, value)| !is_table(value));
    let plain = plain.map(|(key, value)| (key.as_str(), value.to_string()));
    text.push_str(&wrapped(plain, WIDTH));
    for (key, value) in parts.iter().filter(|(_, value)| is_table(value)) {
        text.push_str(&format!("\n{key}\n"));
        for entry in value.as_array().into_iter().flatten() {
            let Value::Object(entry) = entry else {
                continue;
            };
            let name = entry.get("name").and_then(Value::as_str).unwrap_or("");
            let others = entry.iter().filter(|(key, _)| *key != "name");
            let words = others.map(|(key, value)| format!("{key} {}", spaced(value)));
            let words = words.collect::<Vec<_>>().join("; ");
            text.push_str(&wrapped([(name, words)], WIDTH));
        }
    }
    if !mechanism.not_stated.is_empty() {
        text.push_str(&format!(
            "\nNot in these tables: {}.\n",
            mechanism.not_stated.join("; ")
        ));
    }
    text.push_str("\nKeys\n");
    let keys = mechanism.keys.0.iter();
    text.push_str(&wrapped(
        keys.map(|(key, meaning)| (key.as_str(), meaning.clone())),
        WIDTH,
    ));
    text
}

/// JSON with blanks behind commas, where lines may break.
fn spaced(value: &Value) -> String {
    match value {
        Value::Array(entries) => {
            let entries: Vec<String> = entries.iter().map(spaced).collect();
            format!("[{}]", entries.join(", "))
        }
        other => other.to_string(),
    }
}

fn parameters(value: &Description) -> String {
    if value.parameters.is_empty() {
        return "\nNo parameters.\n".to_owned();
    }
    let mut text = String::new();
    text.push_str("\nParameters (--set name=value)\n");
    let rows = value.parameters.iter().map(|info| {
        let unit = if info.unit == "1" {
            String::new()
        } else {
            format!(" {}", info.unit)
        };
        let default = if info.value == info.default {
            String::new()
        } else {
            format!(" (by default {}{unit})", number(info.default))
        };
        let words = format!(
            "{}{unit}{default}: {}; {}",
            number(info.value),
            info.description,
            info.range
        );
        (info.name, words)
    });
    text.push_str(&wrapped(rows, WIDTH));
    text
}
