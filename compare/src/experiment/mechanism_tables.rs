//! The tables of a mechanism: what a file states of it, with the meaning of every key.

use super::{Case, Stated};
use crate::output::Named;
use liedae_contact::{ImpactLaw, NonsmoothOptions, NonsmoothSystem, Thresholds};
use liedae_multibody::file::{MechanismFile, NotExported, PlaneMechanismFile};
use liedae_multibody::plane::PlaneMechanism;
use liedae_multibody::{ModalDescription, MultibodySystem};
use serde::Serialize;
use serde_json::Value;
use std::any::{Any, TypeId};

/// A mechanism as a file.
pub enum MechanismTables {
    /// In space.
    Space(Box<MechanismFile>),
    /// In the plane.
    Plane(Box<PlaneMechanismFile>),
}

/// A mechanism as a file, and what files do not state of it.
pub struct Written {
    /// What they state.
    pub tables: MechanismTables,
    /// Parts that they do not state.
    pub left_out: Vec<NotExported>,
    /// Outputs that are functions of a program.
    pub unwritten: Vec<String>,
    /// How impacts are resolved, where there are contacts or friction.
    options: Option<NonsmoothOptions>,
}

/// The tables for readers: data, and the meaning of every key in them.
#[derive(Serialize)]
pub struct ReadableTables {
    /// As in a mechanism file.
    pub model: Value,
    /// Bodies with modes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modal_bodies: Vec<ModalDescription>,
    /// What happens in contacts and where joints rub.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub laws: Vec<String>,
    /// Keys of the tables, such as `bodies.mass`, with meaning and unit.
    pub keys: Named<String>,
    /// What the tables do not say.
    pub not_stated: Vec<String>,
}

impl Written {
    /// The mechanism of a case; `None` if it is none of bodies in the plane or with rotation matrices in space.
    pub fn of(case: &mut Case, read: Option<&Stated>) -> Option<Self> {
        let options = part::<NonsmoothSystem>(case).map(|system| *system.options());
        if let Some(Stated::Plane(read)) = read {
            // Names and outputs stay as they stand in the file.
            let file = PlaneMechanismFile {
                t_end: case.t_end,
                ..read.clone()
            };
            return Some(Self {
                tables: MechanismTables::Plane(Box::new(file)),
                left_out: Vec::new(),
                unwritten: Vec::new(),
                options,
            });
        }
        let (t_end, title, step) = (case.t_end, case.label(), case.problem.default_step);
        let scale = Some(case.problem.absolute_scale);
        if let Some(mechanism) = part::<PlaneMechanism>(case) {
            let (mut file, mut left_out) = mechanism.tables(t_end);
            let unwritten = mechanism.unwritten_outputs().map(str::to_owned).collect();
            (file.title, file.step, file.absolute_scale) = (title, Some(step), scale);
            left_out.extend(options.and_then(|options| file.set_nonsmooth_options(&options).err()));
            return Some(Self {
                tables: MechanismTables::Plane(Box::new(file)),
                left_out,
                unwritten,
                options,
            });
        }
        let system = part::<MultibodySystem>(case)?;
        let (mut file, mut left_out) = system.tables(t_end);
        let unwritten = system.unwritten_outputs().map(str::to_owned).collect();
        left_out.extend(options.and_then(|options| file.set_nonsmooth_options(&options).err()));
        match read {
            // What it says to people stays as it stands in the file.
            Some(Stated::Space(read)) => {
                (file.name, file.title) = (read.name.clone(), read.title.clone());
                (file.step, file.absolute_scale) = (read.step, read.absolute_scale);
            }
            _ => (file.title, file.step, file.absolute_scale) = (title, Some(step), scale),
        }
        Some(Self {
            tables: MechanismTables::Space(Box::new(file)),
            left_out,
            unwritten,
            options,
        })
    }
}

impl MechanismTables {
    /// As TOML.
    pub fn toml(&self) -> Result<String, String> {
        match self {
            Self::Space(file) => file.text(),
            Self::Plane(file) => file.text(),
        }
    }

    /// As JSON, with the same keys.
    pub fn json(&self) -> Result<Value, String> {
        let value = match self {
            Self::Space(file) => serde_json::to_value(file),
            Self::Plane(file) => serde_json::to_value(file),
        };
        value.map_err(|error| error.to_string())
    }

    fn schema(&self) -> Result<Value, String> {
        let schema = match self {
            Self::Space(_) => MechanismFile::schema(),
            Self::Plane(_) => PlaneMechanismFile::schema(),
        };
        serde_json::from_str(&schema).map_err(|error| error.to_string())
    }
}

impl ReadableTables {
    /// The tables of a case, and what each key in them means.
    pub fn of(case: &mut Case, read: Option<&Stated>) -> Result<Option<Self>, String> {
        let Some(written) = Written::of(case, read) else {
            return Ok(None);
        };
        let model = written.tables.json()?;
        let schema = written.tables.schema()?;
        let mut keys = Named::default();
        explain(&model, &[&schema], &schema, "", &mut keys);
        let modal_bodies = part::<MultibodySystem>(case).map(MultibodySystem::modal_bodies);
        let modal_bodies = modal_bodies.unwrap_or_default();
        let words = |error: serde_json::Error| error.to_string();
        let schema = serde_json::from_str(&ModalDescription::schema()).map_err(words)?;
        for body in &modal_bodies {
            let body = serde_json::to_value(body).map_err(words)?;
            explain(&body, &[&schema], &schema, "modal_bodies", &mut keys);
        }
        // Those are told whole.
        let left_out = written.left_out.iter();
        let left_out = left_out.filter(|reason| !matches!(reason, NotExported::Modes(_)));
        let not_stated = left_out.map(ToString::to_string);
        Ok(Some(Self {
            laws: written.options.iter().flat_map(laws).collect(),
            model,
            modal_bodies,
            keys,
            not_stated: not_stated.collect(),
        }))
    }
}

/// The system itself, or one that it wraps.
fn part<T: Any>(case: &mut Case) -> Option<&T> {
    case.system().extension(TypeId::of::<T>())?.downcast_ref()
}

/// The laws of contacts and friction, in words.
fn laws(options: &NonsmoothOptions) -> [String; 4] {
    let Thresholds { gap, velocity, .. } = options.thresholds;
    let impact = match options.law {
        ImpactLaw::Moreau => {
            "impacts (Moreau): in all closed contacts together 0 <= U+ + e U- _|_ P >= 0, with the normal velocities U- before and U+ after and the impulses P; \
             a closed contact at rest has U- = 0"
        }
        ImpactLaw::Poisson => {
            "impacts (Poisson): in all closed contacts together compression as with e = 0, then expansion by at least e times the impulse of compression"
        }
        ImpactLaw::Sequential => {
            "impacts (sequential): one contact after the other by U+ = -e U-, the fastest approach first, until none approaches"
        }
    };
    [
        impact.to_owned(),
        "friction (Coulomb): against the sliding with mu times the normal force, or as large as it takes to stick, at most mu times the normal force; \
         in impacts the same with impulses, and no sliding velocity is given back"
            .to_owned(),
        format!("closed: a gap of at most {gap:e} m that opens by at most {velocity:e} m/s"),
        format!(
            "bounces slower than {:e} m/s, or shorter than the tolerance of events, and impacts whose limit is near, end at rest (accumulation)",
            10.0 * velocity
        ),
    ]
}

/// All that a schema may stand for: references and alternatives resolved.
fn alternatives<'a>(schema: &'a Value, root: &'a Value, found: &mut Vec<&'a Value>) {
    found.push(schema);
    let reference = schema.get("$ref").and_then(Value::as_str);
    let referred = reference
        .and_then(|path| path.strip_prefix('#'))
        .and_then(|path| root.pointer(path));
    if let Some(referred) = referred {
        alternatives(referred, root, found);
    }
    for of in ["anyOf", "oneOf", "allOf"] {
        for one in schema
            .get(of)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            alternatives(one, root, found);
        }
    }
}

/// Collects what the schemas say of every key of a value, and of every word that is one of several.
fn explain(value: &Value, schemas: &[&Value], root: &Value, path: &str, keys: &mut Named<String>) {
    let mut all = Vec::new();
    for schema in schemas {
        alternatives(schema, root, &mut all);
    }
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let of_key = all
                    .iter()
                    .filter_map(|schema| schema.get("properties")?.get(key));
                let of_key: Vec<&Value> = of_key.collect();
                let path = match path {
                    "" => key.clone(),
                    path => format!("{path}.{key}"),
                };
                let said = of_key.iter().find_map(|schema| schema.get("description"));
                note(keys, &path, said);
                explain(value, &of_key, root, &path, keys);
            }
        }
        Value::Array(entries) => {
            let items = all.iter().filter_map(|schema| schema.get("items"));
            let places = all
                .iter()
                .filter_map(|schema| schema.get("prefixItems")?.get(0));
            let items: Vec<&Value> = items
                .chain(places)
                .filter(|items| items.is_object())
                .collect();
            for entry in entries {
                explain(entry, &items, root, path, keys);
            }
        }
        Value::String(word) => {
            let is_word =
                |schema: &&&Value| schema.get("const").and_then(Value::as_str) == Some(word);
            let said = all.iter().find(is_word);
            let said = said.and_then(|schema| schema.get("description"));
            note(keys, &format!("{path} = {word}"), said);
        }
        _ => {}
    }
}

fn note(keys: &mut Named<String>, path: &str, said: Option<&Value>) {
    let known = keys.0.iter().any(|(key, _)| key == path);
    if let (false, Some(said)) = (known, said.and_then(Value::as_str)) {
        keys.0.push((path.to_owned(), said.to_owned()));
    }
}
