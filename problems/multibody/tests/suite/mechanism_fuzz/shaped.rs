//! Random files with the shape that the schema gives them.

use super::tree::{Tree, text};
use liedae_multibody::file::MechanismFile;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;
use serde_json::Value;
use std::cell::RefCell;

/// Texts of such files.
pub fn texts() -> impl Strategy<Value = String> {
    let schema: Value = serde_json::from_str(&MechanismFile::schema()).expect("JSON");
    let shapes = Shapes {
        root: &schema,
        within: RefCell::default(),
    };
    shapes.keys(&schema, "").prop_map(|keys| text(&keys))
}

/// Numbers as TOML has them, most of them such as mechanisms have.
fn numbers() -> BoxedStrategy<Tree> {
    prop_oneof![
        8 => (-2.0..2.0_f64).prop_map(|number| format!("{number:?}")),
        4 => select(vec!["0.0", "1.0", "-1.0", "2", "-3", "0.5"]).prop_map(str::to_owned),
        1 => odd_numbers(),
    ]
    .prop_map(Tree::Written)
    .boxed()
}

/// Numbers that nobody expects.
pub fn odd_numbers() -> BoxedStrategy<String> {
    prop_oneof![
        select(vec![
            "nan",
            "-nan",
            "inf",
            "-inf",
            "-0.0",
            "0",
            "1e308",
            "-1e308",
            "1e200",
            "-1e160",
            "5e-324",
            "1e-300",
            "9223372036854775807",
            "-9223372036854775808",
            "18446744073709551616",
            "1e400",
            "0xffffffff",
            "1_000",
            "2147483648",
            "1979-05-27",
            "1e15",
            "1e-15",
            "12:00:00",
        ])
        .prop_map(str::to_owned),
        any::<f64>().prop_map(|number| format!("{number:e}")),
        any::<i64>().prop_map(|number| number.to_string()),
    ]
    .boxed()
}

/// Words that nobody expects.
pub fn odd_words() -> BoxedStrategy<String> {
    let words = select(vec![
        "",
        "ground",
        "a.b",
        "\\u0000",
        "\\n",
        "ä",
        "nan",
        "x\\\"y",
        "bodies 0",
        "joints 0",
        "[[bodies]]",
        "a = 1",
        "contacts 0.1",
        "  ",
        "\\U0010FFFF",
        "z",
    ]);
    prop_oneof![
        4 => words.prop_map(str::to_owned),
        1 => (1_usize..5000).prop_map(|length| "w".repeat(length)),
    ]
    .prop_map(|word| format!("\"{word}\""))
    .boxed()
}

/// A value of any kind where another is expected.
fn wild() -> BoxedStrategy<Tree> {
    let leaf = prop_oneof![
        odd_numbers(),
        odd_words(),
        select(vec!["true", "false"]).prop_map(str::to_owned),
    ];
    leaf.prop_map(Tree::Written)
        .prop_recursive(6, 40, 5, |inner| {
            let keys = select(vec![
                "name", "point", "x", "constant", "sphere", "\"\"", "a.b",
            ]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Tree::List),
                prop::collection::vec((keys.prop_map(str::to_owned), inner), 0..4)
                    .prop_map(Tree::Table),
            ]
        })
        .boxed()
}

fn written(texts: &[&'static str]) -> BoxedStrategy<Tree> {
    select(texts.to_vec())
        .prop_map(|text| Tree::Written(text.to_owned()))
        .boxed()
}

fn between(low: f64, high: f64) -> BoxedStrategy<Tree> {
    (low..high)
        .prop_map(|number| Tree::Written(format!("{number:?}")))
        .boxed()
}

/// Values that make sense for a key of a table, where any of the type hardly ever would.
fn sensible(table: &str, key: &str) -> Option<BoxedStrategy<Tree>> {
    const AXES: &[&str] = &[
        "[1.0, 0.0, 0.0]",
        "[0.0, 1.0, 0.0]",
        "[0.0, 0.0, 1.0]",
        "[0.0, 0.0, -1.0]",
        "[0.6, 0.0, 0.8]",
    ];
    Some(match (table, key) {
        ("", "t_end") => between(0.1, 3.0),
        ("", "t_start") => between(-1.0, 0.1),
        ("", "step") => between(1e-4, 1e-1),
        (_, "name") if !table.is_empty() => Just(Tree::Name).boxed(),
        (_, "body") => (0_usize..8).prop_map(Tree::Body).boxed(),
        (_, "section") => (0_usize..4).prop_map(Tree::Section).boxed(),
        (_, "joint") => (0_usize..8).prop_map(Tree::Joint).boxed(),
        ("joints" | "springs" | "forces", "bodies") => (0_usize..8, 0_usize..8)
            .prop_map(|(first, second)| Tree::Pair(first, second))
            .boxed(),
        ("joints", "kind") => written(&[
            "\"revolute\"",
            "\"revolute\"",
            "\"cylindrical\"",
            "\"translational\"",
            "\"spherical\"",
            "\"fixed\"",
        ]),
        ("bodies", "mass") => between(0.1, 10.0),
        ("bodies", "inertia") => written(&[
            "[1.0, 1.0, 1.0]",
            "[0.1, 0.2, 0.25]",
            "[[1.0, 0.1, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 1.0]]",
        ]),
        ("bodies", "rotation") => written(&[
            "[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]",
            "[[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]",
        ]),
        ("bodies", "quaternion") => written(&["[1.0, 0.0, 0.0, 0.0]", "[0.6, 0.0, 0.8, 0.0]"]),
        ("bodies", "velocity" | "angular_velocity") => written(&[
            "[0.0, 0.0, 0.0]",
            "[0, 0, 0]",
            "[0.0, 0.0, 0.0]",
            "[0.0, 0.0, 1.0]",
        ]),
        (_, "axis" | "second_axis" | "x" | "z" | "direction") => written(AXES),
        ("frames" | "frame" | "surfaces", "axes") => written(&[
            "[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]",
            "[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]",
        ]),
        ("frictions", "normal") => written(&["[1.0, 0.0]", "[0.6, 0.8]"]),
        ("frictions", "initial_direction") => written(&["1", "-1"]),
        (_, "restitution" | "friction" | "coefficient") => between(0.0, 1.0),
        ("springs", "free_length") => between(0.0, 2.0),
        _ => return None,
    })
}

/// Tables of which any keys hardly ever fit together.
fn sensible_tables(list: &str) -> Option<BoxedStrategy<Tree>> {
    let table = |forms: &[&str]| {
        let forms: Vec<String> = forms.iter().map(|form| (*form).to_owned()).collect();
        (select(forms), 0_usize..4).prop_map(|(form, section)| {
            let mut keys = vec![("name".to_owned(), Tree::Name)];
            for line in form.split(';') {
                let (key, value) = line.split_once('=').expect("a key");
                let value = match value.trim() {
                    "S" => Tree::Section(section),
                    value => Tree::Written(value.to_owned()),
                };
                keys.push((key.trim().to_owned(), value));
            }
            Tree::Table(keys)
        })
    };
    Some(match list {
        "sections" => prop::collection::vec(
            table(&[
                "rectangle = [0.1, 0.05]; material = { young = 1e6, poisson = 0.3, density = 1000.0 }",
                "tube = [0.1, 0.05]; material = { young = 1e6, poisson = 0.0, density = 1000.0 }; retardation = 0.01",
                "circle = 0.1; material = { young = 1e9, poisson = 0.5, density = 1.0 }; mass = 1.0; rotary = [0.1, 0.1, 0.1]",
                "stiffness = [1e4, inf, inf, 10.0, 10.0, 10.0]; mass = 1.0; rotary = [0.1, 0.1, 0.1]; outline = { round = 0.1 }",
                "stiffness = [1e4, 1e4, 1e4, 10.0, 10.0, 10.0]; mass = 1.0; rotary = [0.1, 0.1, 0.1]; viscosity = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]",
            ]),
            1..3,
        )
        .prop_map(Tree::List)
        .boxed(),
        "beams" => prop::collection::vec(
            table(&[
                "section = S; line = { from = [0.0, 0.0, 0.0], to = [1.0, 0.0, 0.0], elements = 3 }",
                "section = S; line = { from = [0.0, 0.0, 0.0], to = [0.0, 0.0, 1.0], elements = 1 }; velocity = [0.0, 1.0, 0.0]",
                "section = S; curve = { point = [0.0, 0.0, 0.0], x = [1.0, 0.0, 0.0], y = [0.0, 1.0, 0.0], curvature = [0.1, 0.5, -0.3], length = 1.0, elements = 2 }; constant_strain_energy = true",
                "sections = [\"sections 0\", \"sections 0\"]; line = { from = [0.0, 0.0, 0.0], to = [1.0, 0.0, 0.0], elements = 2 }; after_bodies = 0",
            ]),
            0..3,
        )
        .prop_map(Tree::List)
        .boxed(),
        "modal_beams" => prop::collection::vec(
            table(&[
                "section = S; length = 1.0; elements = 4; ends = \"clamped\"; markers = [4]",
                "section = S; length = 0.5; elements = 3; ends = \"pinned\"; bending = [2, 0]; foreshortening = \"none\"; position = [0.0, 1.0, 0.0]",
                "section = S; length = 2.0; elements = 5; ends = \"free\"; stretching = 1; twisting = 1; foreshortening = \"plain-field\"; after_bodies = 0",
                "section = S; length = 1.0; elements = 2; ends = \"clamped\"; coordinates = [0.01, 0.0]; rates = [0.0, 0.1]; retardation = 0.01; after_beams = 0",
            ]),
            0..3,
        )
        .prop_map(Tree::List)
        .boxed(),
        _ => return None,
    })
}

/// Of a hundred tables, how many have a key that may be missing.
fn share(table: &str, key: &str) -> u32 {
    match (table, key) {
        ("", "joints") => 80,
        ("", "gravity" | "outputs" | "springs") => 30,
        ("", "bodies") => 95,
        ("", "sections" | "beams" | "modal_beams") => 25,
        ("", "thresholds" | "impact_law") => 2,
        ("bodies", "position") => 50,
        ("bodies", "unphysical_inertia") => 2,
        ("joints", "point" | "axis") => 97,
        ("joints", "x") => 8,
        ("joints", _) => 3,
        ("springs", "points") => 95,
        ("springs", "frames") => 5,
        ("rotational_springs", _) => 50,
        ("initial", "angle" | "angle_rate") => 60,
        ("outputs", "body") => 92,
        ("outputs", "joint") => 8,
        ("frame" | "frames", "axes") => 5,
        _ => 12,
    }
}

struct Shapes<'a> {
    root: &'a Value,
    /// The definitions that a value stands in.
    within: RefCell<Vec<String>>,
}

impl Shapes<'_> {
    /// The keys of an object; `table` is what holds it.
    fn keys(&self, schema: &Value, table: &str) -> BoxedStrategy<Vec<(String, Tree)>> {
        let required = |key: &str| {
            let list = schema["required"].as_array();
            list.is_some_and(|list| list.iter().any(|other| other == key))
        };
        let Some(properties) = schema["properties"].as_object() else {
            return Just(Vec::new()).boxed();
        };
        let keys: Vec<BoxedStrategy<Option<(String, Tree)>>> = properties
            .iter()
            .map(|(key, schema)| {
                let share = if required(key) {
                    997
                } else {
                    10 * share(table, key)
                };
                let name = key.clone();
                let value = self.value(schema, table, key);
                let pair = value.prop_map(move |value| (name.clone(), value));
                prop::option::weighted(f64::from(share) / 1000.0, pair).boxed()
            })
            .collect();
        let odd = (
            select(vec!["nmae", "mass", "Name", "kind", "\"a b\"", "bodies"]),
            wild(),
        );
        let extra =
            prop::option::weighted(0.003, odd.prop_map(|(key, value)| (key.to_owned(), value)));
        (keys, extra)
            .prop_map(|(keys, extra)| keys.into_iter().chain([extra]).flatten().collect())
            .boxed()
    }

    fn value(&self, schema: &Value, table: &str, key: &str) -> BoxedStrategy<Tree> {
        let tame = self.tame(schema, table, key);
        let whole = if table.is_empty() {
            sensible_tables(key)
        } else {
            None
        };
        if let Some(whole) = whole {
            return Union::new_weighted(vec![(6, whole), (1, tame)]).boxed();
        }
        let by_type = match sensible(table, key) {
            Some(sensible) => Union::new_weighted(vec![(30, sensible), (1, tame)]).boxed(),
            None => tame,
        };
        Union::new_weighted(vec![(2000, by_type), (1, wild())]).boxed()
    }

    /// A value of the type that the schema says.
    fn tame(&self, schema: &Value, table: &str, key: &str) -> BoxedStrategy<Tree> {
        if let Some(reference) = schema["$ref"].as_str() {
            if self.within.borrow().iter().any(|other| other == reference) {
                // Functions of time consist of such.
                return written(&["{ constant = 0.5 }", "{ polynomial = [0.0, 1.0] }"]);
            }
            self.within.borrow_mut().push(reference.to_owned());
            let target = self.root.pointer(reference.trim_start_matches('#'));
            let tame = self.tame(target.expect("a definition"), table, key);
            self.within.borrow_mut().pop();
            return tame;
        }
        for choice in ["anyOf", "oneOf"] {
            if let Some(choices) = schema[choice].as_array() {
                let stated = choices.iter().filter(|choice| choice["type"] != "null");
                let stated = stated.map(|choice| self.tame(choice, table, key));
                return Union::new(stated).boxed();
            }
        }
        if let Some(word) = schema["const"].as_str() {
            return Just(Tree::Written(format!("\"{word}\""))).boxed();
        }
        if let Some(words) = schema["enum"].as_array() {
            let words: Vec<String> = words.iter().map(Value::to_string).collect();
            return select(words).prop_map(Tree::Written).boxed();
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null"),
            kind => Some(kind),
        };
        match kind.and_then(Value::as_str) {
            Some("object") => {
                // Tables within tables have rules of their own.
                let table = if table.is_empty() || key == "frames" || key == "frame" {
                    key
                } else {
                    table
                };
                self.keys(schema, table).prop_map(Tree::Table).boxed()
            }
            Some("array") => {
                let items = self.tame(&schema["items"], table, key);
                let items = Union::new_weighted(vec![(2000, items), (1, wild())]).boxed();
                let bound = |name: &str| schema[name].as_u64().map(|count| count as usize);
                let (low, high) = (
                    bound("minItems").unwrap_or(0),
                    bound("maxItems").unwrap_or(4),
                );
                prop_oneof![
                    300 => prop::collection::vec(items.clone(), low..=high.max(low)),
                    1 => prop::collection::vec(items, 0..6),
                ]
                .prop_map(Tree::List)
                .boxed()
            }
            Some("number") => numbers(),
            Some("integer") => prop_oneof![
                9 => (-3_i64..5).prop_map(|number| number.to_string()),
                1 => odd_numbers(),
            ]
            .prop_map(Tree::Written)
            .boxed(),
            Some("boolean") => written(&["true", "false"]),
            _ => odd_words().prop_map(Tree::Written).boxed(),
        }
    }
}
