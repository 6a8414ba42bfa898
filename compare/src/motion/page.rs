//! The animation: one HTML file that needs nothing else.

use super::arrows::Scale;
use super::stills::strip;
use super::view::View;
use crate::error::CommandError;
use crate::experiment::{Film, RunReport};
use liedae::solve::EventRecord;
use liedae_problems::drawing::{Drawing, Figure, Kind, Link, LinkKind, Part};
use minijinja::{AutoEscape, Environment, context};
use serde_json::{Value, json};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("motion.css");
const SCRIPT: &str = include_str!("motion.js");

/// Moments shown without script.
const MOMENTS: usize = 6;

/// The page of a run. `problem` names it with its parameters.
pub fn page(
    problem: &str,
    report: &RunReport,
    drawing: &Drawing,
    film: &Film,
    words: impl Fn(&EventRecord) -> String,
) -> Result<String, CommandError> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let summary = format!(
        "{} steps, {} events{}",
        report.steps.accepted,
        film.events.len(),
        film.failure
            .as_ref()
            .map_or_else(String::new, |reason| format!(
                "; the run ended early: {reason}"
            ))
    );
    let summary = if film.forces_unknown {
        format!(
            "{summary}; contact forces are not shown: this method knows impulses of whole steps"
        )
    } else {
        summary
    };
    let still = strip(problem, drawing, film, MOMENTS);
    // No text of the data can end the script that holds it.
    let data = serde_json::to_string(&data(drawing, film, words))?.replace('<', "\\u003c");
    let html = environment.render_str(
        TEMPLATE,
        context! {
            title => format!("{problem} with {}", report.options.variant),
            problem => problem,
            summary => summary,
            still => still,
            caption => "Moments of the motion, at equal intervals of time.",
            style => STYLE,
            script => SCRIPT,
            film => data,
        },
    )?;
    Ok(html)
}

/// A number to five digits beside the size of what is shown, so that files stay small.
struct Rounded {
    unit: f64,
}

impl Rounded {
    fn value(&self, value: f64) -> Value {
        let rounded = (value / self.unit).round() * self.unit;
        // Again through decimals: multiples of a power of ten are short there.
        let digits = (-self.unit.log10()).round().max(0.0) as usize;
        let text = format!("{rounded:.digits$}");
        text.parse().map_or(Value::Null, |value: f64| json!(value))
    }

    fn list(&self, values: &[f64]) -> Value {
        values.iter().map(|&value| self.value(value)).collect()
    }
}

/// What `motion.js` reads.
fn data(drawing: &Drawing, film: &Film, words: impl Fn(&EventRecord) -> String) -> Value {
    let view = View::new(drawing, film);
    let (half, centre) = view.frame();
    let scale = Scale::new(film, 2.0 * half[0].min(half[1]));
    let size = half[0].max(half[1]);
    let length = Rounded {
        unit: 10.0_f64.powf((size * 1e-5).log10().floor()),
    };
    let turn = Rounded { unit: 1e-5 };
    let poses: Vec<Value> = film
        .poses
        .iter()
        .map(|poses| {
            let mut numbers = Vec::new();
            for pose in poses {
                if drawing.is_plane() {
                    let [x, y, _] = pose.position;
                    numbers.extend([length.value(x), length.value(y), turn.value(pose.angle())]);
                } else {
                    numbers.extend(pose.position.map(|part| length.value(part)));
                    numbers.extend(pose.quaternion().map(|part| turn.value(part)));
                }
            }
            Value::from(numbers)
        })
        .collect();
    let arrows: Vec<Value> = film
        .arrows
        .iter()
        .map(|arrows| {
            let one = |arrow: &crate::experiment::Arrow| {
                let mut numbers = vec![json!(arrow.contact)];
                numbers.extend(arrow.point.map(|part| length.value(part)));
                // Three digits of a force are more than an arrow shows.
                numbers.extend(arrow.force.map(|part| {
                    let text = format!("{part:.3e}");
                    text.parse().map_or(Value::Null, |value: f64| json!(value))
                }));
                Value::from(numbers)
            };
            arrows.iter().map(one).collect()
        })
        .collect();
    let events: Vec<Value> = film
        .events
        .iter()
        .map(|event| {
            json!({"t": event.t, "kind": event.kind, "label": event.label, "words": words(event)})
        })
        .collect();
    json!({
        "plane": drawing.is_plane(),
        "axes": view.axes,
        "camera": view.camera,
        "centre": centre,
        "half": half,
        "follow": view.followed(),
        "frames": drawing.frames(),
        "parts": drawing.parts().iter().map(figure).collect::<Vec<_>>(),
        "links": drawing.links().iter().map(link).collect::<Vec<_>>(),
        "times": film.times,
        "poses": poses,
        "arrows": arrows,
        "contacts": film.contacts,
        "newtons": scale.newtons,
        "usual": scale.usual,
        "longest": scale.longest(),
        "events": events,
        "length": length.list(&[size]),
    })
}

fn figure(part: &Part) -> Value {
    let frame = part.frame.map_or(-1, |frame| frame as i64);
    let kind = match part.kind {
        Kind::Body => "body",
        Kind::Joint => "joint",
        Kind::Surface => "surface",
        Kind::Guide => "guide",
    };
    let mut value = match &part.figure {
        Figure::Line(points) => json!({"t": "line", "p": points}),
        Figure::Polygon(points) => json!({"t": "polygon", "p": points}),
        Figure::Disc { centre, radius } => json!({"t": "disc", "c": centre, "r": radius}),
        Figure::Ring { centre, radius } => json!({"t": "ring", "c": centre, "r": radius}),
        Figure::Dot(point) => json!({"t": "dot", "p": point}),
        Figure::Capsule { ends, radius } => json!({"t": "capsule", "p": ends, "r": radius}),
        Figure::Solid { points, faces } => json!({"t": "solid", "p": points, "s": faces}),
        Figure::Edge {
            point,
            normal,
            half_length,
        } => json!({"t": "edge", "p": point, "n": normal, "h": half_length}),
        Figure::Guide {
            point,
            direction,
            half_length,
        } => json!({"t": "guide", "p": point, "n": direction, "h": half_length}),
    };
    value["f"] = json!(frame);
    value["k"] = json!(kind);
    value
}

fn link(link: &Link) -> Value {
    let [a, b] = link
        .ends
        .map(|(frame, [x, y, z])| json!([frame.map_or(-1, |frame| frame as i64), x, y, z]));
    match link.kind {
        LinkKind::Spring => json!({"k": "spring", "a": a, "b": b}),
        LinkKind::Rod => json!({"k": "rod", "a": a, "b": b}),
        LinkKind::Rope(length) => json!({"k": "rope", "a": a, "b": b, "l": length}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let rounded = Rounded { unit: 1e-5 };
        assert_eq!(rounded.value(0.123_456_789).to_string(), "0.12346");
        assert_eq!(
            Rounded { unit: 10.0 }.value(12_345.6).to_string(),
            "12350.0"
        );
        assert_eq!(rounded.value(f64::NAN), Value::Null);
    }
}
