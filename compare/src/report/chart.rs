//! Line charts as SVG, with the legend beside the plot.

use super::Axis;
use super::axis::TickedRange;
use super::marker::{color, shape};
use crate::error::CommandError;
use plotters::prelude::*;
use plotters::series::DashedLineSeries;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// How the points of a series are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    /// A solid line with a marker at every point.
    Marked,
    /// A solid line.
    Plain,
    /// A dashed line.
    Dashed,
    /// A dashed line with a marker at every point.
    MarkedDashed,
    /// Markers only.
    Points,
}

impl LineStyle {
    fn has_markers(self) -> bool {
        matches!(self, Self::Marked | Self::MarkedDashed | Self::Points)
    }

    fn is_dashed(self) -> bool {
        matches!(self, Self::Dashed | Self::MarkedDashed)
    }

    fn is_solid(self) -> bool {
        matches!(self, Self::Marked | Self::Plain)
    }
}

/// A line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points; those that an axis cannot show are left out and interrupt nothing.
    pub points: Vec<(f64, f64)>,
    /// How they are joined.
    pub style: LineStyle,
    /// Colour and marker; series of the same thing share a number.
    pub look: usize,
}

/// A line chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Title above the plot.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Lines, the first at the bottom.
    pub series: Vec<Series>,
}

/// Size of the plot in pixels.
const PLOT: (u32, u32) = (870, 640);
/// Least width of the legend; long names need more.
const LEGEND: u32 = 330;
/// Where the first entry of the legend is, where names begin, the size of their font and of a letter, on average.
const FIRST_ENTRY: i32 = 66;
const NAMES: i32 = 68;
const FONT: u32 = 21;
const LETTER: f64 = 0.54;
/// Points of a line beyond which the eye sees no difference.
const MOST_POINTS: usize = 1500;

impl Chart {
    /// Distance of entries of the legend; many stand closer.
    fn spacing(&self) -> i32 {
        if self.series.len() > 15 { 26 } else { 36 }
    }

    /// Width and height: the legend's when it needs more than the plot.
    fn size(&self) -> (u32, u32) {
        let names = self.series.iter().map(|series| series.name.chars().count());
        let longest = names.max().unwrap_or(0) as f64 * LETTER * f64::from(FONT);
        let legend = LEGEND.max(NAMES as u32 + longest.ceil() as u32);
        let entries = FIRST_ENTRY + self.spacing() * self.series.len() as i32;
        (PLOT.0 + legend, PLOT.1.max(entries.unsigned_abs()))
    }

    /// The chart as an SVG element that scales with the page.
    pub fn svg(&self) -> Result<String, CommandError> {
        let mut text = String::new();
        let (width, height) = self.size();
        self.draw(&mut text).map_err(|reason| CommandError::Chart {
            chart: self.title.clone(),
            reason: reason.to_string(),
        })?;
        // Without fixed sizes the viewBox rules; in HTML an SVG element needs no namespace.
        let fixed = format!("<svg width=\"{width}\" height=\"{height}\"");
        Ok(text.replacen(&fixed, "<svg role=\"img\"", 1).replacen(
            " xmlns=\"http://www.w3.org/2000/svg\"",
            "",
            1,
        ))
    }

    fn placed(&self, series: &Series) -> Vec<(f64, f64)> {
        let every = (series.points.len() / MOST_POINTS).max(1);
        let last = series.points.len().saturating_sub(1);
        let kept = series
            .points
            .iter()
            .enumerate()
            .filter(|(index, _)| index % every == 0 || *index == last);
        kept.filter_map(|(_, &(x, y))| Some((self.x.place(x)?, self.y.place(y)?)))
            .collect()
    }

    fn draw(&self, text: &mut String) -> Result<(), Box<dyn std::error::Error + '_>> {
        let placed: Vec<Vec<(f64, f64)>> = self
            .series
            .iter()
            .map(|series| self.placed(series))
            .collect();
        let range_x: TickedRange = self.x.range(placed.iter().flatten().map(|point| point.0));
        let range_y: TickedRange = self.y.range(placed.iter().flatten().map(|point| point.1));

        let root = SVGBackend::with_string(text, self.size()).into_drawing_area();
        root.fill(&WHITE)?;
        let (left, legend) = root.split_horizontally(PLOT.0);
        let (plot, _) = left.split_vertically(PLOT.1);
        let mut chart = ChartBuilder::on(&plot)
            .caption(&self.title, ("sans-serif", 28))
            .margin(12)
            .margin_right(24)
            .x_label_area_size(70)
            .y_label_area_size(110)
            .build_cartesian_2d(range_x, range_y)?;
        chart
            .configure_mesh()
            .bold_line_style(RGBColor(222, 222, 222))
            .light_line_style(TRANSPARENT)
            .axis_style(RGBColor(90, 90, 90))
            .label_style(("sans-serif", 22))
            .axis_desc_style(("sans-serif", 24))
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .draw()?;
        for (series, points) in self.series.iter().zip(&placed) {
            let line = color(series.look).stroke_width(3);
            if series.style.is_dashed() {
                chart.draw_series(DashedLineSeries::new(points.iter().copied(), 12, 8, line))?;
            } else if series.style.is_solid() {
                chart.draw_series(LineSeries::new(points.iter().copied(), line))?;
            }
            if series.style.has_markers() {
                chart.draw_series(points.iter().map(|&point| {
                    let (inside, outline) = marker(series, (0, 0));
                    EmptyElement::at(point) + inside + outline
                }))?;
            }
        }
        for (index, series) in self.series.iter().enumerate() {
            let y = FIRST_ENTRY + self.spacing() * i32::try_from(index)?;
            let line = color(series.look).stroke_width(3);
            if series.style.is_dashed() {
                for start in [4, 24, 44] {
                    legend.draw(&PathElement::new(vec![(start, y), (start + 12, y)], line))?;
                }
            } else if series.style.is_solid() {
                legend.draw(&PathElement::new(vec![(4, y), (56, y)], line))?;
            }
            if series.style.has_markers() {
                let (inside, outline) = marker(series, (30, y));
                legend.draw(&inside)?;
                legend.draw(&outline)?;
            }
            let style =
                TextStyle::from(("sans-serif", FONT)).pos(Pos::new(HPos::Left, VPos::Center));
            legend.draw(&Text::new(series.name.clone(), (NAMES, y), style))?;
        }
        root.present()?;
        drop(chart);
        drop(plot);
        drop(left);
        drop(legend);
        drop(root);
        Ok(())
    }
}

/// A place in pixels.
type Pixel = (i32, i32);

/// A marker around a place in pixels: filled, or of a dashed series only outlined, so that what lies below shows.
fn marker(series: &Series, (x, y): Pixel) -> (Polygon<Pixel>, PathElement<Pixel>) {
    let corners: Vec<(i32, i32)> = shape(series.look)
        .iter()
        .map(|(dx, dy)| (x + dx, y + dy))
        .collect();
    let closed = corners
        .iter()
        .chain(corners.first())
        .copied()
        .collect::<Vec<_>>();
    let color = color(series.look);
    let opacity = if series.style.is_dashed() { 0.0 } else { 1.0 };
    (
        Polygon::new(corners, color.mix(opacity).filled()),
        PathElement::new(closed, color.stroke_width(3)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, f64)>) -> Chart {
        let series = Series {
            name: "a <b>".to_owned(),
            points,
            style: LineStyle::Marked,
            look: 0,
        };
        Chart {
            title: "errors & costs".to_owned(),
            x: Axis::logarithmic("h / s"),
            y: Axis::logarithmic("error / m"),
            series: vec![series],
        }
    }

    #[test]
    fn svg_scales_and_loads_nothing() -> Result<(), CommandError> {
        let svg = chart(vec![(1e-3, 1e-3), (1e-2, 1e-2)]).svg()?;
        assert!(
            svg.starts_with("<svg role=\"img\" viewBox=\"0 0 1200 640\""),
            "{}",
            &svg[..80]
        );
        assert!(!svg.contains("http"));
        assert!(svg.contains("error / m") && svg.contains("10⁻³"));
        assert!(svg.contains("a &lt;b&gt;") && svg.contains("errors &amp; costs"));
        Ok(())
    }

    #[test]
    fn legends_have_room_for_many_and_long_names() -> Result<(), CommandError> {
        let mut chart = chart(vec![(1.0, 1.0)]);
        assert_eq!(chart.size(), (1200, 640));
        let series = Series {
            name: "generalized-alpha-stabilized, fixed steps".to_owned(),
            ..chart.series[0].clone()
        };
        chart.series = vec![series; 40];
        let (width, height) = chart.size();
        assert!(width > 1300 && height > 1000, "{width} {height}");
        let svg = chart.svg()?;
        assert!(svg.contains(&format!("viewBox=\"0 0 {width} {height}\"")));
        Ok(())
    }

    #[test]
    fn nothing_to_show_is_an_empty_chart() -> Result<(), CommandError> {
        for points in [vec![], vec![(0.0, f64::NAN)], vec![(1.0, 1.0)]] {
            assert!(chart(points).svg()?.contains("</svg>"));
        }
        Ok(())
    }
}
