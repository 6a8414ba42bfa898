//! Pictures of a row: stills of a mechanism's motion, and charts of outputs.

use crate::error::CommandError;
use crate::motion::Filmed;
use crate::output::number;
use crate::report::{Axis, Chart, Figure, LineStyle, Series};
use serde::Serialize;

/// Outputs of a problem without a picture that have a chart: the main one and those that come first.
const MOST_CHARTS: usize = 8;

/// A small picture, in a file of its own.
#[derive(Clone, Debug, Serialize)]
pub struct Still {
    /// Its file, seen from the index.
    pub file: String,
    /// Its text.
    #[serde(skip)]
    pub svg: String,
}

/// What is seen of a motion.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Look {
    /// Moments of the motion of a mechanism.
    pub moments: Option<Figure>,
    /// Outputs over time.
    pub charts: Vec<Figure>,
    /// How it was made, and what is not shown.
    pub words: Vec<String>,
    /// What happened on the way, with how often.
    pub events: Vec<String>,
    /// Methods that did not reach the end, with the reason.
    pub failed: Vec<String>,
    /// Why there is no picture of the whole motion.
    pub lacking: Option<String>,
}

/// The chart of an output.
fn chart(seen: &Filmed, output: usize) -> Result<Figure, CommandError> {
    let name = &seen.case.outputs()[output];
    let rows = seen.film.times.iter().zip(&seen.film.outputs);
    let points = rows.filter_map(|(&t, row)| Some((t, *row.get(output)?)));
    let x = "t / s";
    let chart = Chart {
        title: format!("{name} over time"),
        x: if seen.by_ratios {
            Axis::logarithmic(x)
        } else {
            Axis::linear(x)
        },
        y: Axis::linear(name.as_str()),
        series: vec![Series {
            name: name.clone(),
            points: points.collect(),
            style: LineStyle::Plain,
            look: 0,
        }],
    };
    Ok(Figure {
        svg: chart.svg()?,
        caption: String::new(),
    })
}

/// A chart as a file: there it needs the name of its language.
fn alone(svg: &str) -> String {
    svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1)
}

/// What moments of a motion show.
fn caption(seen: &Filmed) -> String {
    let mut text = "Moments of the motion, at equal intervals of time".to_owned();
    if !seen.film.contacts.is_empty() {
        text.push_str("; forces of contacts in red");
    }
    let drawing = seen.case.problem.drawing.as_ref();
    let followed = drawing.and_then(|drawing| drawing.frames().get(drawing.followed()?));
    if let Some(frame) = followed {
        text.push_str(&format!("; the picture goes along with the {frame}"));
    }
    text.push('.');
    text
}

/// Kinds of events with how often each happened.
fn counts(seen: &Filmed) -> Vec<String> {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for event in &seen.film.events {
        match kinds.iter_mut().find(|(kind, _)| *kind == event.kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((&event.kind, 1)),
        }
    }
    let words = kinds
        .into_iter()
        .map(|(kind, count)| format!("{count} × {kind}"));
    words.collect()
}

impl Look {
    /// Of a motion; the second is its small picture.
    ///
    /// # Errors
    /// A chart cannot be drawn.
    pub fn of(id: &str, seen: &Filmed) -> Result<(Self, Option<Still>), CommandError> {
        let mut look = Self {
            events: counts(seen),
            failed: (seen.failed.iter())
                .map(|(method, reason)| format!("{method}: {reason}"))
                .collect(),
            lacking: seen.film.failure.clone(),
            ..Self::default()
        };
        let (start, end) = match (seen.film.times.first(), seen.film.times.last()) {
            (Some(&start), Some(&end)) if seen.film.times.len() > 1 => (start, end),
            _ => {
                let reason = look.lacking.take().unwrap_or_default();
                look.lacking = Some(format!("no method takes a step: {reason}"));
                return Ok((look, None));
            }
        };
        let file = format!("pictures/{id}.svg");
        let main = seen.case.output(None);
        let outputs = seen.case.outputs().len();
        let still = if let (Some(svg), Some(small)) = (seen.picture(), seen.still()) {
            look.moments = Some(Figure {
                // Within a page an SVG element needs no name of its language.
                svg: svg.replace(" xmlns=\"http://www.w3.org/2000/svg\"", ""),
                caption: caption(seen),
            });
            if let Ok(main) = main {
                look.charts.push(chart(seen, main)?);
            }
            Some(Still { file, svg: small })
        } else {
            let main = main.unwrap_or_default();
            let others = (0..outputs).filter(|&output| output != main);
            for output in [main]
                .into_iter()
                .chain(others)
                .take(outputs.min(MOST_CHARTS))
            {
                look.charts.push(chart(seen, output)?);
            }
            if outputs > MOST_CHARTS {
                look.words.push(format!(
                    "{} of {outputs} outputs are shown.",
                    look.charts.len()
                ));
            }
            look.charts.first().map(|chart| Still {
                file,
                svg: alone(&chart.svg),
            })
        };
        look.words.push(format!(
            "From t = {} s to {} s, by {} with {}.",
            number(start),
            number(end),
            seen.method,
            seen.steps
        ));
        Ok((look, still))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::filmed;
    use crate::registry::Registry;

    #[test]
    fn mechanisms_have_moments_and_others_have_charts() -> Result<(), CommandError> {
        let registry = Registry::standard();
        let (look, still) = Look::of("x", &filmed(&registry, "newton-cradle:t_end=1")?)?;
        let moments = look.moments.expect("a picture");
        assert!(moments.svg.starts_with("<svg role=") && look.charts.len() == 1);
        assert!(
            look.events.iter().any(|words| words.ends_with("× impact")),
            "{:?}",
            look.events
        );
        assert!(
            still.is_some_and(|still| still.svg.contains("xmlns=") && !still.svg.contains("<text"))
        );
        let (look, still) = Look::of("x", &filmed(&registry, "pollution:t_end=1")?)?;
        assert!(look.moments.is_none() && look.charts.len() == MOST_CHARTS);
        assert_eq!(look.words[0], "8 of 20 outputs are shown.");
        assert!(still.is_some_and(|still| still.svg.starts_with("<svg xmlns=")));
        Ok(())
    }
}
