//! Line charts as SVG, with the legend below the plot; many methods are spread over panels.

use super::Axis;
use super::frame::{Frame, HEIGHT, LEFT, Outline, element};
use super::marker::LOOKS;
use super::series::{Placed, draw, draw_behind, legend, placed};
use crate::error::CommandError;

/// How the points of a series are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    /// A solid line with a marker at every point.
    Marked,
    /// A solid line; a few markers tell it from others.
    Plain,
    /// A dashed line for orientation, in every panel.
    Dashed,
    /// A dashed line with a marker at every point.
    MarkedDashed,
    /// Markers only.
    Points,
    /// A step function: each point's height holds from there on.
    Steps,
    /// The same, dashed.
    StepsDashed,
}

impl LineStyle {
    pub(super) fn has_markers(self) -> bool {
        matches!(self, Self::Marked | Self::MarkedDashed | Self::Points)
    }

    pub(super) fn has_line(self) -> bool {
        self != Self::Points
    }

    pub(super) fn is_dashed(self) -> bool {
        matches!(self, Self::Dashed | Self::MarkedDashed | Self::StepsDashed)
    }

    pub(super) fn is_stepped(self) -> bool {
        matches!(self, Self::Steps | Self::StepsDashed)
    }

    fn is_guide(self) -> bool {
        self == Self::Dashed
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

/// Lines beyond which a chart falls apart into panels.
const MOST_LINES: usize = 12;

impl Chart {
    /// The chart as an SVG element that scales with the page, or several of them with the same axes if there are more
    /// than twelve lines: each shows some methods, and the others in grey.
    pub fn svg(&self) -> Result<String, CommandError> {
        self.linked(&[])
    }

    /// The same with links from points to rows of tables: for each series the identifiers of the rows of its points.
    pub fn linked(&self, links: &[Vec<String>]) -> Result<String, CommandError> {
        let panels = self.panels();
        if panels.len() == 1 {
            return self.panel(self.title.clone(), &panels[0], links);
        }
        // Four make a square.
        let columns = if panels.len() % 3 == 1 || panels.len() == 2 {
            2
        } else {
            3
        };
        let mut text = format!("<div class=\"panels in{columns}\">");
        for (number, panel) in panels.iter().enumerate() {
            let title = format!("{} ({} of {})", self.title, number + 1, panels.len());
            text.push_str(&self.panel(title, panel, links)?);
        }
        text.push_str("</div>");
        Ok(text)
    }

    /// The numbers of the series of each panel. Variants of one method stay together, and no two methods of a panel have
    /// the same colour.
    fn panels(&self) -> Vec<Vec<usize>> {
        let all = || 0..self.series.len();
        let mut looks: Vec<usize> = self
            .series
            .iter()
            .filter(|series| !series.style.is_guide())
            .map(|series| series.look)
            .collect();
        if looks.len() <= MOST_LINES {
            return vec![all().collect()];
        }
        looks.sort_unstable();
        looks.dedup();
        let count = looks.len().div_ceil(LOOKS - 1);
        let size = looks.len().div_ceil(count);
        looks
            .chunks(size)
            .map(|chunk| {
                let belongs =
                    |series: &Series| series.style.is_guide() || chunk.contains(&series.look);
                all()
                    .filter(|&index| belongs(&self.series[index]))
                    .collect()
            })
            .collect()
    }

    fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.x.place(x)?, self.y.place(y)?))
    }

    /// Whether a line gets a few markers, so that readers without colours tell it from others: not where markers of its
    /// look are data of another series.
    fn is_sparse(&self, series: &Series, shown: &[usize]) -> bool {
        let is_data = |&index: &usize| {
            self.series[index].look == series.look && self.series[index].style.has_markers()
        };
        shown.len() > 1
            && !series.style.has_markers()
            && !series.style.is_guide()
            && !shown.iter().any(is_data)
    }

    fn panel(
        &self,
        title: String,
        shown: &[usize],
        links: &[Vec<String>],
    ) -> Result<String, CommandError> {
        let places = || {
            self.series
                .iter()
                .flat_map(|series| &series.points)
                .filter_map(|&point| self.place(point))
        };
        let frame = Frame::new(Outline {
            title: &title,
            axes: [&self.x, &self.y],
            ranges: [
                self.x.range(places().map(|place| place.0)),
                self.y.range(places().map(|place| place.1)),
            ],
            height: HEIGHT,
            left: LEFT,
            vertical: true,
        })
        .map_err(|reason| CommandError::Chart {
            chart: self.title.clone(),
            reason,
        })?;
        let points: Vec<Vec<Placed>> = self
            .series
            .iter()
            .map(|series| placed(series, |point| self.place(point), &frame))
            .collect();
        let mut body = frame.body.clone();
        let all = self.series.iter().zip(&points).enumerate();
        for (_, (series, points)) in all.clone().filter(|(index, _)| !shown.contains(index)) {
            body.push_str(&draw_behind(series, points));
        }
        for (index, (series, points)) in all.filter(|(index, _)| shown.contains(index)) {
            let links = links.get(index).map_or(&[][..], Vec::as_slice);
            body.push_str(&draw(
                series,
                points,
                &frame,
                links,
                self.is_sparse(series, shown),
            ));
        }
        let named: Vec<(&Series, bool)> = shown
            .iter()
            .map(|&index| {
                (
                    &self.series[index],
                    self.is_sparse(&self.series[index], shown),
                )
            })
            .collect();
        let (key, height) = legend(&named, shown.len() < self.series.len(), f64::from(HEIGHT));
        body.push_str(&key);
        Ok(element(
            &title,
            [&self.x, &self.y],
            Some([&frame.x, &frame.y]),
            height,
            &body,
        ))
    }
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

    /// A chart of this many methods.
    fn of(count: usize) -> Chart {
        let mut chart = chart(vec![(1.0, 1.0), (2.0, 2.0)]);
        let one = chart.series[0].clone();
        chart.series = (0..count)
            .map(|look| Series {
                name: format!("method {look}"),
                look,
                ..one.clone()
            })
            .collect();
        chart
    }

    #[test]
    fn svg_scales_and_loads_nothing() -> Result<(), CommandError> {
        let svg = chart(vec![(1e-3, 1e-3), (1e-2, 1e-2)]).svg()?;
        assert!(
            svg.starts_with(
                "<svg role=\"img\" aria-label=\"errors &amp; costs\" viewBox=\"0 0 760 576\""
            ),
            "{}",
            &svg[..90]
        );
        assert!(!svg.contains("http"));
        assert!(svg.contains("error / m") && svg.contains("10⁻³"));
        assert!(svg.contains("a &lt;b&gt;") && svg.contains("errors &amp; costs"));
        Ok(())
    }

    #[test]
    fn legends_have_room_for_many_and_long_names() -> Result<(), CommandError> {
        let height = |chart: &Chart| -> Result<f64, CommandError> {
            let svg = chart.svg()?;
            let rest = svg.split("viewBox=\"0 0 760 ").nth(1).unwrap_or_default();
            Ok(rest
                .split('"')
                .next()
                .unwrap_or_default()
                .parse()
                .unwrap_or(f64::NAN))
        };
        // Short names stand side by side, long ones below each other.
        assert!(height(&of(12))? < 540.0 + 4.0 * 28.0);
        let mut long = of(12);
        for series in &mut long.series {
            series
                .name
                .push_str(": generalized-alpha-stabilized, fixed steps");
        }
        assert!(height(&long)? > 540.0 + 12.0 * 28.0);
        // One that no line can hold is pressed together.
        long.series[0].name = "x".repeat(200);
        assert!(long.svg()?.contains("textLength"));
        Ok(())
    }

    #[test]
    fn more_than_twelve_methods_are_spread_over_panels_with_the_same_axes()
    -> Result<(), CommandError> {
        assert_eq!(of(12).svg()?.matches("<svg").count(), 1);
        let mut many = of(13);
        many.series.push(Series {
            name: "slope 1".to_owned(),
            style: LineStyle::Dashed,
            ..many.series[0].clone()
        });
        let svg = many.svg()?;
        assert_eq!(svg.matches("<svg").count(), 3);
        // Every method is drawn once in colour and has one entry in a legend; the line for orientation is everywhere.
        for series in &many.series {
            let count = if series.style == LineStyle::Dashed {
                3
            } else {
                1
            };
            let name = format!("data-name=\"{}\"", series.name);
            assert_eq!(
                svg.matches(&format!("<g class=\"s\" {name}")).count(),
                count
            );
            assert_eq!(
                svg.matches(&format!("<g class=\"k\" {name}")).count(),
                count
            );
        }
        let axes: Vec<&str> = svg
            .split("data-x=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert!(
            axes.len() == 3 && axes.iter().all(|axis| axis == &axes[0]),
            "{axes:?}"
        );
        Ok(())
    }

    #[test]
    fn points_are_links_to_their_rows() -> Result<(), CommandError> {
        // The first point cannot be shown: the others keep their rows.
        let svg = chart(vec![(0.0, 1.0), (1.0, 1.0), (2.0, 2.0)])
            .linked(&[["r0", "r1", "r2"].map(str::to_owned).into()])?;
        assert!(
            !svg.contains("#r0")
                && svg.contains("<a href=\"#r1\"><path")
                && svg.contains("<a href=\"#r2\">")
        );
        Ok(())
    }

    #[test]
    fn steps_hold_until_the_next_point() -> Result<(), CommandError> {
        let mut chart = chart(vec![(0.0, 0.0), (1.0, 0.5), (2.0, 1.0)]);
        (chart.x, chart.y) = (Axis::linear("x"), Axis::linear("y"));
        chart.series[0].style = LineStyle::Steps;
        let svg = chart.svg()?;
        let path = svg
            .split("class=\"l\"")
            .nth(1)
            .and_then(|rest| rest.split(" d=\"").nth(1)?.split('"').next());
        let letters: String = path
            .unwrap_or_default()
            .chars()
            .filter(char::is_ascii_alphabetic)
            .collect();
        assert_eq!(letters, "MHVHV");
        Ok(())
    }

    #[test]
    fn lines_without_markers_get_a_few_unless_these_would_be_taken_for_data()
    -> Result<(), CommandError> {
        let mut chart = of(2);
        chart.series[0].style = LineStyle::Plain;
        let few = |chart: &Chart| -> Result<usize, CommandError> {
            let svg = chart.svg()?;
            let line = svg.split("<g class=\"s\"").nth(1).unwrap_or_default();
            Ok(line
                .split("</g>")
                .next()
                .unwrap_or_default()
                .matches("class=\"f\"")
                .count())
        };
        assert!(few(&chart)? > 0);
        // Reference values in the same colour.
        chart.series[1].look = 0;
        assert_eq!(few(&chart)?, 0);
        // Nothing to be told from.
        chart.series.pop();
        assert_eq!(few(&chart)?, 0);
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
