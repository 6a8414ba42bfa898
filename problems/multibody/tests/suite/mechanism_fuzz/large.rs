//! Files that are deep, long, or mechanisms of many bodies.

use super::shaped::odd_numbers;
use proptest::prelude::*;
use proptest::sample::select;
use std::fmt::Write;

/// Such texts.
pub fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => nested(),
        2 => chains(),
        1 => long_lists(),
    ]
}

/// Brackets within brackets.
fn nested() -> impl Strategy<Value = String> {
    let opening = select(vec![
        ("gravity = ", "[", "]", ""),
        ("gravity = ", "{ a = ", " }", "1"),
        ("bodies = ", "[{ name = ", "}]", "1"),
        ("title = ", "\"\"\"", "", ""),
        ("", "[[bodies]]\n", "", ""),
        ("", "a.", "", "b = 1"),
        ("[", "bodies.", "", "x]"),
        ("[[", "a.", "", "x]]"),
        ("title = \"", "\\u0041", "", "\""),
        ("# ", "[", "]", "\n"),
        ("gravity = [", "0.0, ", "", "]"),
        ("t_end = ", "1", "", ""),
        ("t_end = 1.", "1", "", "e-7"),
    ]);
    let depth = prop_oneof![1_usize..300, 1_usize..200_000];
    (opening, depth, any::<bool>()).prop_map(|((start, open, close, middle), depth, closed)| {
        let close = if closed {
            close.repeat(depth)
        } else {
            String::new()
        };
        format!("{start}{}{middle}{close}\n", open.repeat(depth))
    })
}

/// Bodies in a chain that may be closed to loops, with joints in any order.
fn chains() -> impl Strategy<Value = String> {
    let kinds = select(vec![
        "revolute",
        "spherical",
        "fixed",
        "universal",
        "distance",
    ]);
    let joints = prop::collection::vec((0_usize..400, 0_usize..400), 0..20);
    (1_usize..400, kinds, joints, prop::option::weighted(0.2, (0_usize..9, odd_numbers()))).prop_map(
        |(count, kind, more, odd)| {
            let mut text = "gravity = [0.0, 0.0, -9.81]\nt_end = 1.0\n".to_owned();
            let body = |number: usize| match number {
                0 => "ground".to_owned(),
                other => format!("b{other}"),
            };
            let place = match kind {
                "distance" => "points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]",
                "universal" => {
                    "point = [0.0, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]\nsecond_axis = [1.0, 0.0, 0.0]"
                }
                _ => "point = [0.0, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]",
            };
            for number in 1..=count {
                let _ = writeln!(
                    text,
                    "[[bodies]]\nname = \"b{number}\"\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]"
                );
            }
            let chain = (0..count).map(|number| (number, number + 1));
            let more = more.into_iter().map(|(one, two)| (one % (count + 1), two % (count + 1)));
            for (number, (one, two)) in chain.chain(more).enumerate() {
                let _ = writeln!(
                    text,
                    "[[joints]]\nname = \"j{number}\"\nkind = \"{kind}\"\nbodies = [\"{}\", \"{}\"]\n{place}",
                    body(one),
                    body(two)
                );
            }
            if let Some((at, number)) = odd {
                text = text.replacen("1.0", &number, at + 1);
            }
            text
        },
    )
}

/// Long lists of what should be short.
fn long_lists() -> impl Strategy<Value = String> {
    let kinds = select(vec![
        "time_events = [",
        "[[bodies]]\nname = \"a\"\nmass = 1.0\ninertia = [",
        "[[drives]]\nname = \"d\"\njoint = \"j\"\nangle = { polynomial = [",
    ]);
    (kinds, 0_usize..100_000).prop_map(|(start, count)| {
        let end = if start.contains('{') { "] }" } else { "]" };
        format!("t_end = 1.0\n{start}{}{end}\n", "0.5, ".repeat(count))
    })
}
