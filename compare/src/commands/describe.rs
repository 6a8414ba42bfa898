//! `liedae describe`: a problem's parameters, sizes, outputs and reference, a method's options, or a set's problems.

use super::{deliver, method};
use crate::error::{CommandError, Status};
use crate::experiment::{
    Case, Instance, ProblemSet, ProblemTables, ReadableTables, find_set, is_path, is_set,
    problem_name, set_names,
};
use crate::output::{Named, WIDTH, number, wrapped};
use crate::registry::Registry;
use crate::suggest::unknown;
use liedae::system::named_outputs;
use serde::Serialize;

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
    parameters: Vec<Parameter>,
    outputs: Vec<String>,
    reference: Option<ReferenceLine>,
    /// What two methods have computed at the end.
    computed: Option<ComputedLine>,
    start: Start,
    /// Its equations and numbers.
    #[serde(flatten)]
    tables: ProblemTables,
}

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
    let tables = ProblemTables::of(&mut case, instance.stated());
    let tables = tables.map_err(|expected| CommandError::Value {
        option: "PROBLEM",
        value: name.to_owned(),
        expected,
    })?;
    let start = Start::of(&mut case)?;
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
        sizes,
        parameters,
        outputs,
        reference,
        computed: ComputedLine::of(&case)?,
        start,
        tables,
    };
    let mechanism = (description.tables.mechanism.as_ref()).map(mechanism_text);
    let mechanism = mechanism.transpose()?.unwrap_or_default();
    deliver(&description, as_json, || text(&description) + &mechanism)
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
    rows.extend((value.tables.dynamics).map(|words| ("Dynamics", words.to_owned())));
    if !value.tables.events.is_empty() {
        rows.push(("Events", value.tables.events.join(", ")));
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
    let definitions = &value.tables.definitions.0;
    if !definitions.is_empty() {
        text.push_str("\nOutputs\n");
        let rows = definitions.iter();
        let rows = rows.map(|(name, definition)| (name.as_str(), definition.clone()));
        text.push_str(&wrapped(rows, WIDTH));
    }
    if let Some(formulation) = &value.tables.formulation {
        text.push_str("\nEquations\n");
        text.push_str(&formulation.to_string());
    }
    text
}

/// One entry a line: its name, then its keys with their values; the keys below.
fn mechanism_text(mechanism: &ReadableTables) -> Result<String, CommandError> {
    let mut text = "\nMechanism (keys of a mechanism file)\n".to_owned();
    for law in &mechanism.laws {
        text.push_str(&wrapped([("", law.clone())], WIDTH));
    }
    let shown = mechanism.as_text()?;
    let single = shown.single.iter();
    let single = single.map(|(key, value)| (key.as_str(), value.clone()));
    text.push_str(&wrapped(single, WIDTH));
    for table in &shown.tables {
        text.push_str(&format!("\n{}\n", table.key));
        for row in &table.rows {
            let cells = table.columns.iter().zip(row);
            let cells = cells.filter_map(|(key, cell)| Some((key.as_str(), cell.as_deref()?)));
            let (names, others): (Vec<_>, Vec<_>) = cells.partition(|(key, _)| *key == "name");
            let words: Vec<String> = (others.iter())
                .map(|(key, cell)| format!("{key} {cell}"))
                .collect();
            let name = names.first().map_or("", |(_, name)| name);
            text.push_str(&wrapped([(name, words.join("; "))], WIDTH));
        }
    }
    if !mechanism.not_stated.is_empty() {
        text.push_str(&format!(
            "\nNot in these tables: {}.\n",
            mechanism.not_stated.join("; ")
        ));
    }
    text.push_str("\nKeys\n");
    let keys = shown.keys.iter();
    text.push_str(&wrapped(
        keys.map(|known| (known.key.as_str(), known.meaning.clone())),
        WIDTH,
    ));
    Ok(text)
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
