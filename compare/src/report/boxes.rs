//! Box plots as SVG: one lying box per method on a logarithmic axis.

use super::axis::TickedRange;
use super::frame::{Frame, Outline, element};
use super::marker::color;
use super::{Axis, escape};
use crate::error::CommandError;
use crate::experiment::Spread;

/// A box: name, its numbers, colour and whether it is dashed.
pub(super) struct LyingBox {
    pub name: String,
    pub spread: Spread,
    pub look: usize,
    pub dashed: bool,
}

/// Height of a box with its name above it, and of the box itself.
const ROW: u32 = 48;
const THICKNESS: f64 = 18.0;
const NAME_FONT: f64 = 17.0;
/// Title, axis and margins.
const AROUND: u32 = 130;

/// The chart of some boxes, the first on top. What lies beyond `end`, infinity above all, ends in an arrow.
pub(super) fn boxes(
    title: &str,
    axis: &Axis,
    end: f64,
    list: &[LyingBox],
) -> Result<String, CommandError> {
    let height = AROUND + ROW * u32::try_from(list.len()).unwrap_or(u32::MAX);
    let nothing = Axis::linear("");
    let frame = Frame::new(Outline {
        title,
        axes: [axis, &nothing],
        ranges: [
            axis.range([1.0, end].iter().filter_map(|&value| axis.place(value))),
            TickedRange::bare(),
        ],
        height,
        left: 12,
        vertical: false,
    })
    .map_err(|reason| CommandError::Chart {
        chart: title.to_owned(),
        reason,
    })?;
    let (left, right) = frame.x.ends();
    let top = frame.y.ends().1;
    let at = |value: f64| match axis.place(value.min(end)) {
        Some(place) => frame.x.at(place),
        None => left,
    };
    let mut body = frame.body.clone();
    for (number, item) in list.iter().enumerate() {
        let y = top + f64::from(ROW) * number as f64 + 34.0;
        let (name, color) = (escape(&item.name), color(item.look));
        let spread = item.spread;
        let [low, quarter, median, three_quarters, high] = [
            spread.low,
            spread.quarter,
            spread.median,
            spread.three_quarters,
            spread.high,
        ]
        .map(at);
        let (up, down) = (y - 0.5 * THICKNESS, y + 0.5 * THICKNESS);
        let dash = if item.dashed {
            " stroke-dasharray=\"6 4\""
        } else {
            ""
        };
        body.push_str(&format!(
            "<g class=\"s b\" data-name=\"{name}\" data-values=\"{} {} {} {} {}\" stroke=\"{color}\" stroke-width=\"2\">\
             <text stroke=\"none\" font-size=\"{NAME_FONT}\" x=\"{}\" y=\"{}\">{name}</text>\
             <path fill=\"none\" d=\"M{low:.1} {y:.1}H{quarter:.1}M{three_quarters:.1} {y:.1}H{high:.1}M{low:.1} {:.1}v8M{high:.1} \
             {:.1}v8\"/><path fill=\"{color}\" fill-opacity=\".25\"{dash} d=\"M{quarter:.1} {up:.1}H{three_quarters:.1}V{down:.1}\
             H{quarter:.1}z\"/><path fill=\"none\" stroke-width=\"5\" d=\"M{median:.1} {up:.1}V{down:.1}\"/>",
            spread.low,
            spread.quarter,
            spread.median,
            spread.three_quarters,
            spread.high,
            left + 6.0,
            y - 14.0,
            y - 4.0,
            y - 4.0,
        ));
        if spread.high > end {
            body.push_str(&format!(
                "<path stroke=\"none\" fill=\"{color}\" d=\"M{} {y}m-2 -7l12 7l-12 7z\"/>",
                right - 10.0
            ));
        }
        body.push_str("</g>");
    }
    Ok(element(
        title,
        [axis, &nothing],
        None,
        f64::from(height),
        &body,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_that_never_ends_has_an_arrow() -> Result<(), CommandError> {
        let item = |name: &str, high| LyingBox {
            name: name.to_owned(),
            spread: Spread {
                low: 1.0,
                quarter: 1.5,
                median: 2.0,
                three_quarters: 3.0,
                high,
            },
            look: 0,
            dashed: false,
        };
        let axis = Axis::logarithmic("cost / best cost");
        let svg = boxes(
            "boxes",
            &axis,
            100.0,
            &[item("a<b", 4.0), item("b", f64::INFINITY)],
        )?;
        assert_eq!(
            (
                svg.matches("class=\"s b\"").count(),
                svg.matches("l12 7l-12 7z").count()
            ),
            (2, 1)
        );
        assert!(
            svg.contains("a&lt;b")
                && !svg.contains("NaN")
                && svg.contains("data-values=\"1 1.5 2 3 inf\"")
        );
        Ok(())
    }
}
