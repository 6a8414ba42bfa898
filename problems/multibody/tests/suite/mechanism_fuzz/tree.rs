//! Values of TOML with names that follow from where they stand.

use std::fmt::Write;

/// A value of a file.
#[derive(Clone, Debug)]
pub enum Tree {
    /// A number, a word in quotes or anything else, as it is written.
    Written(String),
    /// The own name of a table: its list and its number in it.
    Name,
    /// One of the bodies, or the ground.
    Body(usize),
    /// Two of them.
    Pair(usize, usize),
    /// One of the joints.
    Joint(usize),
    /// One of the sections.
    Section(usize),
    List(Vec<Tree>),
    Table(Vec<(String, Tree)>),
}

/// The table that a value stands in, and how many others there are.
#[derive(Clone, Copy)]
struct Place<'a> {
    list: &'a str,
    number: usize,
    bodies: usize,
    joints: usize,
    sections: usize,
    beams: usize,
}

impl Place<'_> {
    fn body(&self, number: usize) -> String {
        if number == 7 && self.beams > 0 {
            return "\"beams 0.1\"".to_owned();
        }
        match number % (self.bodies + 1) {
            0 => "\"ground\"".to_owned(),
            other => format!("\"bodies {}\"", other - 1),
        }
    }

    fn write(&self, value: &Tree, out: &mut String) {
        let written = match value {
            Tree::Written(text) => write!(out, "{text}"),
            Tree::Name => write!(out, "\"{} {}\"", self.list, self.number),
            Tree::Body(number) => write!(out, "{}", self.body(*number)),
            Tree::Pair(first, second) => {
                let other = first + 1 + second % self.bodies.max(1);
                write!(out, "[{}, {}]", self.body(*first), self.body(other))
            }
            Tree::Section(number) => {
                write!(out, "\"sections {}\"", number % self.sections.max(1))
            }
            Tree::Joint(number) => write!(out, "\"joints {}\"", number % self.joints.max(1)),
            Tree::List(values) => {
                out.push('[');
                for value in values {
                    self.write(value, out);
                    out.push_str(", ");
                }
                out.push(']');
                Ok(())
            }
            Tree::Table(values) => {
                out.push_str("{ ");
                for (index, (key, value)) in values.iter().enumerate() {
                    let comma = if index > 0 { ", " } else { "" };
                    let _ = write!(out, "{comma}{key} = ");
                    self.write(value, out);
                }
                out.push_str(" }");
                Ok(())
            }
        };
        written.expect("a String takes all");
    }
}

/// The text of a file: lists of tables one after the other, with their keys on lines of their own.
pub fn text(keys: &[(String, Tree)]) -> String {
    let count = |wanted: &str| {
        let list = keys.iter().find(|(key, _)| key == wanted);
        match list {
            Some((_, Tree::List(tables))) => tables.len(),
            _ => 0,
        }
    };
    let mut place = Place {
        list: "",
        number: 0,
        bodies: count("bodies"),
        joints: count("joints"),
        sections: count("sections"),
        beams: count("beams"),
    };
    let is_table = |value: &Tree| matches!(value, Tree::Table(_));
    let is_list = |value: &Tree| matches!(value, Tree::List(tables) if !tables.is_empty() && tables.iter().all(is_table));
    let (lists, plain): (Vec<_>, Vec<_>) = keys.iter().partition(|(_, value)| is_list(value));
    let mut out = String::new();
    for (key, value) in plain {
        let _ = write!(out, "{key} = ");
        place.write(value, &mut out);
        out.push('\n');
    }
    for (list, tables) in lists {
        let Tree::List(tables) = tables else { continue };
        for (number, table) in tables.iter().enumerate() {
            let Tree::Table(keys) = table else { continue };
            place = Place {
                list,
                number,
                ..place
            };
            let _ = writeln!(out, "\n[[{list}]]");
            for (key, value) in keys {
                let _ = write!(out, "{key} = ");
                place.write(value, &mut out);
                out.push('\n');
            }
        }
    }
    out
}
