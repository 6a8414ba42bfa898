//! Lines, markers and legends of a chart as SVG elements that scripts and readers can tell apart.
//!
//! Every series is a group `s` with its name in `data-name`, its line a path `l`, its markers paths `m`; every entry of a
//! legend is a group `k` with the same name. Colours stand in attributes, so that a chart is complete outside the page.

use super::chart::{LineStyle, Series};
use super::escape;
use super::frame::{FONT, Frame, WIDTH, width_of};
use super::marker::{color, outline};

/// Points of a line beyond which the eye sees no difference.
const MOST_POINTS: usize = 1500;
/// Markers on a line whose points have none.
const FEW: usize = 6;
/// Distance in the drawing below which two corners of a step function are one.
const SAME: f64 = 0.5;
/// Legend: distance of entries, where names begin, space behind them.
const SPACING: f64 = 28.0;
const NAMES: f64 = 58.0;
const GAP: f64 = 18.0;
const LEGEND_FONT: f64 = FONT - 1.0;

/// A point in the drawing, and the number of its value in the series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    pub x: f64,
    pub y: f64,
    pub index: usize,
}

/// The points of a series in a frame; those that an axis cannot show are left out.
pub(super) fn placed(
    series: &Series,
    place: impl Fn((f64, f64)) -> Option<(f64, f64)>,
    frame: &Frame,
) -> Vec<Placed> {
    let every = (series.points.len() / MOST_POINTS).max(1);
    let last = series.points.len().saturating_sub(1);
    let kept = series.points.iter().enumerate();
    kept.filter(|(index, _)| series.style.is_stepped() || index % every == 0 || *index == last)
        .filter_map(|(index, &point)| {
            let (x, y) = place(point)?;
            Some(Placed {
                x: frame.x.at(x),
                y: frame.y.at(y),
                index,
            })
        })
        .collect()
}

/// A coordinate with as many digits as a value read from it needs.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The line through points: straight pieces, or steps up at every point.
fn line(points: &[Placed], stepped: bool, same: f64, short: fn(f64) -> String) -> String {
    let mut path = String::new();
    let mut before: Option<Placed> = None;
    for (number, &point) in points.iter().enumerate() {
        let Some(last) = before else {
            path.push_str(&format!("M{} {}", short(point.x), short(point.y)));
            before = Some(point);
            continue;
        };
        if !stepped {
            path.push_str(&format!("L{} {}", short(point.x), short(point.y)));
            before = Some(point);
            continue;
        }
        // Corners that coincide in the drawing: what counts is the height after the last of them.
        let next = points.get(number + 1);
        if next.is_some_and(|next| next.x - last.x < same) {
            continue;
        }
        if point.x > last.x {
            path.push_str(&format!("H{}", short(point.x)));
        }
        if point.y != last.y {
            path.push_str(&format!("V{}", short(point.y)));
        }
        before = Some(point);
    }
    path
}

/// Where a line without marked points carries its few markers; lines of different looks have theirs at other places.
fn few(points: &[Placed], series: &Series, ends: (f64, f64)) -> Vec<Placed> {
    let shift = (series.look as f64 * 0.37).fract();
    let at = |number: usize| (number as f64 + 0.15 + 0.7 * shift) / FEW as f64;
    if series.style.is_stepped() {
        let places = (0..FEW).map(|number| ends.0 + at(number) * (ends.1 - ends.0));
        return places
            .filter_map(|x| {
                let after = points.partition_point(|point| point.x <= x);
                let point = points.get(after.checked_sub(1)?)?;
                (after < points.len()).then_some(Placed { x, ..*point })
            })
            .collect();
    }
    let indices = (0..FEW).map(|number| (at(number) * points.len() as f64) as usize);
    let mut list: Vec<Placed> = indices
        .filter_map(|index| points.get(index).copied())
        .collect();
    list.dedup();
    list
}

fn stroke(style: LineStyle) -> &'static str {
    if style.is_dashed() {
        " stroke-dasharray=\"11 7\""
    } else {
        ""
    }
}

/// A marker: filled, or of a dashed series only outlined, so that what lies below shows.
fn marker(series: &Series, class: &str, x: f64, y: f64) -> String {
    let color = color(series.look);
    let fill = if series.style.is_dashed() {
        "none"
    } else {
        color
    };
    format!(
        "<path class=\"{class}\" fill=\"{fill}\" d=\"M{} {}{}\"/>",
        short(x),
        short(y),
        outline(series.look)
    )
}

/// A series. `links` are the identifiers of the table rows of its points, if there are any; `sparse` says whether a line
/// without markers gets a few, for readers without colours.
pub(super) fn draw(
    series: &Series,
    points: &[Placed],
    frame: &Frame,
    links: &[String],
    sparse: bool,
) -> String {
    let mut text = format!(
        "<g class=\"s\" data-name=\"{}\" stroke=\"{}\" stroke-width=\"2.5\">",
        escape(&series.name),
        color(series.look)
    );
    if series.style.has_line() && points.len() > 1 {
        text.push_str(&format!(
            "<path class=\"l\" fill=\"none\"{} d=\"{}\"/>",
            stroke(series.style),
            line(points, series.style.is_stepped(), SAME, short)
        ));
    }
    if series.style.has_markers() {
        for point in points {
            let marker = marker(series, "m", point.x, point.y);
            match links.get(point.index) {
                Some(row) => text.push_str(&format!("<a href=\"#{row}\">{marker}</a>")),
                None => text.push_str(&marker),
            }
        }
    } else if sparse {
        for point in few(points, series, frame.x.ends()) {
            text.push_str(&marker(series, "f", point.x, point.y));
        }
    }
    text.push_str("</g>");
    text
}

/// A series that is shown for orientation only: thin and grey.
pub(super) fn draw_behind(series: &Series, points: &[Placed]) -> String {
    // Four times coarser: nobody reads values from it.
    format!(
        "<path class=\"s\" data-name=\"{}\" fill=\"none\" stroke=\"#C8C8C8\" d=\"{}\"/>",
        escape(&series.name),
        line(
            points,
            series.style.is_stepped(),
            4.0 * SAME,
            |value| format!("{value:.0}")
        )
    )
}

/// What the grey lines are.
const OTHERS: &str = "the methods of the other panels";

/// The legend below a chart whose plot ends at `top`, and the height where it ends; with each series whether its line has
/// a few markers.
pub(super) fn legend(series: &[(&Series, bool)], others: bool, top: f64) -> (String, f64) {
    let names = series.iter().map(|(series, _)| series.name.as_str());
    let longest = names
        .chain(others.then_some(OTHERS))
        .map(|name| width_of(name, LEGEND_FONT))
        .fold(0.0, f64::max);
    let room = f64::from(WIDTH) - 2.0 * GAP;
    let entry = NAMES + longest + GAP;
    let columns = ((room + GAP) / entry).floor().max(1.0) as usize;
    let count = series.len() + usize::from(others);
    let rows = count.div_ceil(columns);
    let width = room / columns as f64;
    // A name that is wider than the chart is pressed together.
    let pressed = if NAMES + longest > width {
        format!(
            " lengthAdjust=\"spacingAndGlyphs\" textLength=\"{}\"",
            short(width - NAMES)
        )
    } else {
        String::new()
    };
    let mut text = format!("<g font-size=\"{LEGEND_FONT}\">");
    for index in 0..count {
        let x = GAP + width * (index / rows) as f64;
        let y = top + SPACING * (index % rows) as f64 + 0.5 * SPACING;
        let baseline = y + 0.35 * LEGEND_FONT;
        let Some(&(series, sparse)) = series.get(index) else {
            text.push_str(&format!(
                "<path fill=\"none\" stroke=\"#C8C8C8\" d=\"M{x} {y}h48\"/><text x=\"{}\" y=\"{baseline}\">{OTHERS}</text>",
                x + NAMES
            ));
            continue;
        };
        let name = escape(&series.name);
        let press = if NAMES + width_of(&series.name, LEGEND_FONT) > width {
            pressed.as_str()
        } else {
            ""
        };
        text.push_str(&format!(
            "<g class=\"k\" data-name=\"{name}\" stroke=\"{}\" stroke-width=\"2.5\">",
            color(series.look)
        ));
        if series.style.has_line() {
            text.push_str(&format!(
                "<path fill=\"none\"{} d=\"M{} {}h48\"/>",
                stroke(series.style),
                short(x),
                short(y)
            ));
        }
        if series.style.has_markers() || sparse {
            text.push_str(&marker(series, "f", x + 24.0, y));
        }
        text.push_str(&format!(
            "<text stroke=\"none\" x=\"{}\" y=\"{}\"{press}>{name}</text></g>",
            short(x + NAMES),
            short(baseline)
        ));
    }
    text.push_str("</g>");
    (text, top + SPACING * rows as f64 + 8.0)
}
