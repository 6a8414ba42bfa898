//! A few moments of a motion side by side.

use super::arrows::Scale;
use super::filmed::{Filmed, filmed};
use super::svg::{Canvas, STYLE};
use super::view::View;
use crate::error::CommandError;
use crate::experiment::Film;
use crate::registry::Registry;
use liedae_problems::drawing::Drawing;
use std::fmt::Write;

/// Width of one moment in pixels, and the room below it for the time.
const WIDTH: f64 = 200.0;
const LINE: f64 = 20.0;

/// Moments in a row.
const COLUMNS: usize = 3;

/// `count` moments of a film, equidistant in time, as one SVG element; a single one is from within the motion, without its time.
pub fn strip(title: &str, drawing: &Drawing, film: &Film, count: usize) -> String {
    let view = View::new(drawing, film);
    let ([half_width, half_height], _) = view.frame();
    let scale = Scale::new(film, 2.0 * half_width.min(half_height));
    let moments = moments(film, count);
    let [width, height] = Canvas::new(&view, WIDTH).size;
    let columns = moments.len().clamp(1, COLUMNS);
    let rows = moments.len().div_ceil(columns);
    let line = if count == 1 { 0.0 } else { LINE };
    let (total_width, total_height) = (columns as f64 * width, rows as f64 * (height + line));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {total_width:.0} {total_height:.0}\" \
         width=\"{total_width:.0}\" height=\"{total_height:.0}\"><title>{}</title>{STYLE}",
        escaped(title)
    );
    for (place, &index) in moments.iter().enumerate() {
        let (x, y) = (
            (place % columns) as f64 * width,
            (place / columns) as f64 * (height + LINE),
        );
        let canvas = Canvas::new(&view, WIDTH);
        let still = canvas.moment(drawing, &film.poses[index], &film.arrows[index], &scale);
        let _ = write!(
            svg,
            "<svg x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" overflow=\"hidden\">{still}</svg>"
        );
        if count == 1 {
            continue;
        }
        let _ = write!(
            svg,
            "<text class=\"lm-t\" x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">t = {} s</text>",
            x + 0.5 * width,
            y + height + 14.0,
            short(film.times[index])
        );
    }
    svg.push_str("</svg>");
    svg
}

/// The time between two moments, in parts of the time between them if the last one were the end: less than one,
/// since what a motor turns a whole number of times would be seen at the same place in every picture.
const SHORTER: f64 = 0.927;

/// Which frame a single moment is, in hundredths of a film.
const WITHIN: usize = 37;

/// The frames nearest to equidistant times.
fn moments(film: &Film, count: usize) -> Vec<usize> {
    let (Some(first), Some(last)) = (film.times.first(), film.times.last()) else {
        return Vec::new();
    };
    // Mechanisms often start stretched out or folded up: what they are shows in between.
    if count == 1 {
        return vec![WITHIN * film.poses.len() / 100];
    }
    let parts = count.max(2) - 1;
    let every = SHORTER * (last - first) / parts as f64;
    let times = (0..=parts).map(|part| first + every * part as f64);
    let nearest = |t: f64| {
        let distance = |index: &usize| (film.times[*index] - t).abs();
        (0..film.poses.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))
    };
    let mut found: Vec<usize> = times.filter_map(nearest).collect();
    found.dedup();
    found
}

/// A time to three digits.
fn short(t: f64) -> String {
    let digits = if t == 0.0 {
        0
    } else {
        (2.0 - t.abs().log10().floor()).max(0.0) as usize
    };
    format!("{t:.digits$}")
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// A mechanism is small beside its motion below this part of it.
const SMALL: f64 = 0.25;

/// Moments of a picture.
const MOMENTS: usize = 6;

/// A picture of a problem, with parameters as in `newton-cradle:n=5`, as one SVG element: some moments of its motion. `None` where it is no
/// mechanism.
///
/// # Errors
/// There is no such problem, or no method gets anywhere with it.
pub fn picture(registry: &Registry, problem: &str) -> Result<Option<String>, CommandError> {
    let case = registry.case::<&str>(problem, &[], None)?;
    if case.problem.drawing.is_none() {
        return Ok(None);
    }
    Ok(filmed(registry, problem)?.picture())
}

impl Filmed {
    /// Some moments of the motion as one SVG element; `None` where the problem is no mechanism.
    pub fn picture(&self) -> Option<String> {
        let drawing = self.case.problem.drawing.as_ref()?;
        Some(strip(&self.case.label(), drawing, &self.film, MOMENTS))
    }

    /// One moment as one SVG element; `None` where the problem is no mechanism, or no moment of it is known.
    pub fn still(&self) -> Option<String> {
        let drawing = self.case.problem.drawing.as_ref()?;
        let &index = moments(&self.film, 1).first()?;
        let one = Film {
            times: vec![self.film.times[index]],
            poses: vec![self.film.poses[index].clone()],
            arrows: vec![self.film.arrows[index].clone()],
            ..Film::default()
        };
        // What is small beside its own motion, such as a ball that falls, is seen with the room that it moves in.
        let size = |film: &Film| {
            let ([width, height], _) = View::new(drawing, film).frame();
            width.max(height)
        };
        let fills = size(&one) > SMALL * size(&self.film);
        let film = if fills { &one } else { &self.film };
        Some(strip(&self.case.label(), drawing, film, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use liedae_problems::drawing::Pose;

    fn film() -> Film {
        let times: Vec<f64> = (0..=100).map(|index| 0.01 * f64::from(index)).collect();
        Film {
            poses: times
                .iter()
                .map(|&t| vec![Pose::plane([t, 0.0], t)])
                .collect(),
            arrows: vec![Vec::new(); times.len()],
            times,
            ..Film::default()
        }
    }

    #[test]
    fn a_strip_shows_as_many_moments_as_asked_for_and_loads_nothing() {
        let drawing = Drawing::plane(["a & b"], |_, _| {}).bar(Some(0), [0.0, 0.0], [0.5, 0.0]);
        let svg = strip("a <b>", &drawing, &film(), 6);
        assert_eq!(svg.matches("<text").count(), 6);
        assert!(
            svg.contains("a &lt;b&gt;") && svg.contains("t = 0.190 s"),
            "{svg}"
        );
        // The namespace is a name, not an address that is asked.
        assert_eq!(svg.matches("http").count(), 1);
        assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
        // Nothing filmed is an empty picture.
        assert!(strip("", &drawing, &Film::default(), 6).ends_with("</svg>"));
    }

    #[test]
    fn pictures_of_problems() {
        let registry = Registry::standard();
        assert_eq!(picture(&registry, "robertson").expect("no error"), None);
        assert!(picture(&registry, "pendulun").is_err());
        let svg = picture(&registry, "newton-cradle:n=4:t_end=0.5").expect("a run");
        let svg = svg.expect("a mechanism");
        assert!(svg.contains("<title>newton-cradle:n=4</title>"), "{svg}");
        // Four balls in six moments.
        assert_eq!(svg.matches("<circle class=\"lm-f").count(), 24);
    }
}
