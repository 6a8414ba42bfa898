//! Outputs as charts: over time, or one against another.

use crate::error::CommandError;
use crate::experiment::Film;
use crate::report::{Axis, Chart, LineStyle, Series};
use crate::suggest::unknown;
use std::path::PathBuf;

/// What a chart shows, and the file it goes to; written `y,x=out.svg`, or `y:x=out.svg` for y against x.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Outputs, each with that on the horizontal axis, which is the time where there is none.
    curves: Vec<(usize, Option<usize>)>,
    /// The file.
    pub file: PathBuf,
}

impl Plot {
    /// Reads what was asked for; outputs have these names.
    pub fn parse(text: &str, names: &[String]) -> Result<Self, CommandError> {
        let refuse = |expected: &str| CommandError::Value {
            option: "--plot",
            value: text.to_owned(),
            expected: expected.to_owned(),
        };
        let usage = "it is OUTPUTS=FILE, as in x,y=out.svg, or y:x=out.svg for y against x";
        let (outputs, file) = text.rsplit_once('=').ok_or_else(|| refuse(usage))?;
        let file = PathBuf::from(file.trim());
        let known = ["svg", "html"];
        let extension = file.extension().and_then(|extension| extension.to_str());
        if !extension.is_some_and(|extension| known.contains(&extension)) {
            return Err(refuse("the file ends with .svg or .html"));
        }
        let output = |name: &str| {
            let place = names.iter().position(|known| known == name.trim());
            place.ok_or_else(|| unknown("output", name.trim(), names.iter().map(String::as_str)))
        };
        let mut curves = Vec::new();
        for curve in outputs.split(',') {
            curves.push(match curve.split_once(':') {
                Some((y, x)) => (output(y)?, Some(output(x)?)),
                None => (output(curve)?, None),
            });
        }
        let horizontal = curves.first().map(|(_, x)| *x);
        if curves.iter().any(|(_, x)| Some(*x) != horizontal) {
            return Err(refuse(
                "all curves of a chart have the same horizontal axis",
            ));
        }
        Ok(Self { curves, file })
    }

    fn is_page(&self) -> bool {
        self.file
            .extension()
            .is_some_and(|extension| extension == "html")
    }
}

/// The chart's file; `title` says what ran.
pub fn plot(
    plot: &Plot,
    title: &str,
    names: &[String],
    film: &Film,
) -> Result<String, CommandError> {
    let series = plot.curves.iter().enumerate().map(|(look, &(y, x))| {
        let rows = film.times.iter().zip(&film.outputs);
        let value = |row: &Vec<f64>, index: usize| row.get(index).copied().unwrap_or(f64::NAN);
        let points = rows.map(|(&t, row)| (x.map_or(t, |x| value(row, x)), value(row, y)));
        Series {
            name: names[y].clone(),
            points: points.collect(),
            style: LineStyle::Plain,
            look,
        }
    });
    let horizontal = plot.curves.first().and_then(|(_, x)| *x);
    let vertical: Vec<&str> = plot
        .curves
        .iter()
        .map(|&(y, _)| names[y].as_str())
        .collect();
    let chart = Chart {
        title: title.to_owned(),
        x: Axis::linear(horizontal.map_or("t / s", |x| names[x].as_str())),
        y: Axis::linear(vertical.join(", ")),
        series: series.collect(),
    };
    let svg = chart.svg()?;
    if plot.is_page() {
        let title = super::stills::escaped(title);
        return Ok(format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
             <style>:root{{color-scheme:light dark}}body{{margin:1rem auto;max-width:75rem}}svg{{width:100%;height:auto}}</style>\
             </head><body>\n{svg}\n</body></html>\n"
        ));
    }
    // A file of its own needs the namespace.
    Ok(svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["x", "y", "lower sleeve.force"].map(str::to_owned).into()
    }

    #[test]
    fn outputs_and_files() {
        let parse = |text: &str| Plot::parse(text, &names());
        let plot = parse("x, lower sleeve.force=a.svg").expect("a plot");
        assert_eq!(plot.curves, [(0, None), (2, None)]);
        assert_eq!(parse("y:x=b.html").expect("a plot").curves, [(1, Some(0))]);
        for (wrong, words) in [
            ("x,y", "OUTPUTS=FILE"),
            ("x=a.png", ".svg or .html"),
            ("z=a.svg", "no output `z`"),
            ("y:x,x=a.svg", "same horizontal axis"),
            ("=a.svg", "no output"),
        ] {
            let error = parse(wrong).expect_err(wrong).to_string();
            assert!(error.contains(words), "{wrong}: {error}");
        }
    }
}
