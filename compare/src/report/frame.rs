//! The frame of a chart (title, grid, ticks, labels, drawn by plotters) and its coordinate mapping.

use super::axis::TickedRange;
use super::{Axis, escape};
use plotters::prelude::*;

/// Width of every chart in its own units; the page scales it.
pub(super) const WIDTH: u32 = 760;
/// Height of a chart without its legend.
pub(super) const HEIGHT: u32 = 540;
/// Room for ticks and labels of the vertical axis.
pub(super) const LEFT: u32 = 100;
/// Size of letters: readable where a chart fills a phone, and no larger than the text where two stand side by side.
pub(super) const FONT: f64 = 20.0;
const TITLE: f64 = 24.0;
/// plotters writes sizes of letters divided by this.
const PLOTTERS: f64 = 1.24;
/// Width of a letter by the size of the font, on average over names; a little more than what browsers have.
const LETTER: f64 = 0.56;

/// Width of a text.
pub(super) fn width_of(text: &str, font: f64) -> f64 {
    text.chars().count() as f64 * LETTER * font
}

/// The largest size of letters up to `font` with which a text fits, for plotters.
fn fitting(text: &str, font: f64, room: f64) -> f64 {
    let width = width_of(text, font).max(1.0);
    PLOTTERS * (font * (room / width).min(1.0)).floor().max(8.0)
}

/// Where the places of an axis lie in the drawing.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// The coordinate of a place.
    pub(super) fn at(&self, place: f64) -> f64 {
        self.from + (place - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// The coordinates of its ends.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.from, self.to)
    }
}

/// An empty chart.
pub(super) struct Frame {
    /// SVG elements.
    pub body: String,
    /// Horizontal axis.
    pub x: Scale,
    /// Vertical axis.
    pub y: Scale,
}

/// What a frame needs to know.
pub(super) struct Outline<'c> {
    pub title: &'c str,
    pub axes: [&'c Axis; 2],
    pub ranges: [TickedRange; 2],
    pub height: u32,
    /// Room left of the plot.
    pub left: u32,
    /// Whether the vertical axis has ticks and a label.
    pub vertical: bool,
}

impl Frame {
    /// Draws it.
    pub(super) fn new(outline: Outline<'_>) -> Result<Self, String> {
        let [range_x, range_y] = outline.ranges;
        let (ends_x, ends_y) = (range_x.ends(), range_y.ends());
        let mut text = String::new();
        let ((left, right), (top, bottom)) = {
            let root =
                SVGBackend::with_string(&mut text, (WIDTH, outline.height)).into_drawing_area();
            let [label_x, label_y] = outline.axes.map(|axis| axis.label.as_str());
            let room = f64::from(WIDTH) - 40.0;
            let title_font = fitting(outline.title, TITLE, room);
            let x_font = fitting(label_x, FONT, room - f64::from(outline.left));
            let y_font = fitting(label_y, FONT, f64::from(outline.height) - 130.0);
            let mut chart = ChartBuilder::on(&root)
                .caption(outline.title, ("sans-serif", title_font))
                .margin(10)
                .margin_right(20)
                .x_label_area_size(62)
                .y_label_area_size(outline.left)
                .build_cartesian_2d(range_x, range_y)
                .map_err(|error| error.to_string())?;
            let mut mesh = chart.configure_mesh();
            mesh.bold_line_style(RGBColor(222, 222, 222))
                .light_line_style(TRANSPARENT)
                .axis_style(RGBColor(90, 90, 90))
                .label_style(("sans-serif", PLOTTERS * FONT))
                .axis_desc_style(("sans-serif", x_font.min(y_font)))
                .x_desc(label_x);
            if outline.vertical {
                mesh.y_desc(label_y);
            } else {
                mesh.disable_y_mesh().y_labels(0);
            }
            mesh.draw().map_err(|error| error.to_string())?;
            root.present().map_err(|error| error.to_string())?;
            let (across, down) = chart.plotting_area().get_pixel_range();
            ((across.start, across.end), (down.start, down.end))
        };
        let scale = |(low, high): (f64, f64), from: i32, to: i32| Scale {
            low,
            high,
            from: f64::from(from),
            to: f64::from(to),
        };
        Ok(Self {
            body: inside(&text),
            x: scale(ends_x, left, right),
            y: scale(ends_y, bottom, top),
        })
    }
}

/// The elements of a drawing without what plotters writes into each of them by default.
fn inside(svg: &str) -> String {
    let start = svg
        .find("<svg")
        .and_then(|start| Some(start + svg[start..].find('>')? + 1));
    let end = svg.rfind("</svg>").unwrap_or(svg.len());
    let body = svg.get(start.unwrap_or(0)..end).unwrap_or_default();
    body.replace('\n', "")
        .replace(" opacity=\"1\"", "")
        .replace(" font-family=\"sans-serif\"", "")
        .replace(" fill=\"#000000\"", "")
}

/// The SVG element around a drawing. It has no size of its own: the page decides. Its attributes say how to read values
/// from coordinates: kind of the axis, places at its ends, coordinates there. In HTML, SVG needs no namespace.
pub(super) fn element(
    title: &str,
    axes: [&Axis; 2],
    scales: Option<[&Scale; 2]>,
    height: f64,
    body: &str,
) -> String {
    let mut attributes = String::new();
    for ((name, axis), scale) in ["x", "y"]
        .iter()
        .zip(axes)
        .zip(scales.into_iter().flatten())
    {
        attributes.push_str(&format!(
            " data-{name}=\"{} {} {} {} {}\" data-{name}-label=\"{}\"",
            axis.kind(),
            scale.low,
            scale.high,
            scale.from,
            scale.to,
            escape(&axis.label)
        ));
    }
    format!(
        "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\"{attributes}>\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#FFFFFF\"/>{body}</svg>",
        escape(title)
    )
}
