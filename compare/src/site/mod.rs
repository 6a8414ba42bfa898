//! The open test set as pages: an index, and a page for every row.
//!
//! The pages are plain files with relative links. They open from a disk without a network, and without a script but for
//! the field that searches the index. What is said of a row comes from where commands have it: its description and
//! parameters from the registry, tables from what `describe` prints, degrees of freedom from `analyse`, references from their table, pictures from a run,
//! diagrams from a store of runs that somebody else has made.

mod diagrams;
mod difficulty;
mod equations;
mod facts;
mod look;
mod parts;
mod render;
mod row;
mod tables;
mod text;
mod values;

use crate::comparison::Comparison;
use crate::error::CommandError;
use crate::parallel;
use crate::registry::Registry;
use liedae_problems::catalogue::{CatalogueRow, TestSet};
use render::Renderer;
use row::RowPage;
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// What was written.
#[derive(Debug, Serialize)]
pub struct Written {
    /// Pages of rows.
    pub pages: usize,
    /// Size of all files in bytes.
    pub bytes: usize,
    /// Rows whose pages lack something, with the reason that stands there, too.
    pub lacking: Vec<Lacking>,
    /// Rows without work-precision diagrams.
    pub without_diagrams: usize,
    /// Wall time in s.
    pub seconds: f64,
}

/// Something that a page lacks.
#[derive(Debug, Serialize)]
pub struct Lacking {
    /// Identifier of the row.
    pub row: &'static str,
    /// What and why.
    pub reason: String,
}

/// A set and one of its rows, with those before and behind it.
#[derive(Clone, Copy)]
struct Place {
    set: &'static TestSet,
    row: &'static CatalogueRow,
    before: Option<&'static CatalogueRow>,
    behind: Option<&'static CatalogueRow>,
}

/// The rows of some sets in their order.
fn places(sets: &[&'static TestSet]) -> Vec<Place> {
    let rows = sets
        .iter()
        .flat_map(|set| set.rows.iter().map(|row| (*set, row)));
    let rows: Vec<_> = rows.collect();
    let row = |index: usize| rows.get(index).map(|(_, row)| *row);
    let places = rows
        .iter()
        .enumerate()
        .map(|(index, &(set, row_here))| Place {
            set,
            row: row_here,
            before: index.checked_sub(1).and_then(row),
            behind: row(index + 1),
        });
    places.collect()
}

/// Writes the pages of some sets into a folder, which is made if it is missing; `jobs` rows at a time. Diagrams are those of a comparison.
/// `progress` hears of every row that begins.
///
/// # Errors
/// A file cannot be written. What cannot be run or drawn is said on the page and in what is returned.
pub fn write(
    registry: &Registry,
    folder: &Path,
    sets: &[&'static TestSet],
    compared: Option<&Comparison>,
    jobs: usize,
    progress: impl Fn(&str) + Sync,
) -> Result<Written, CommandError> {
    let begin = Instant::now();
    let renderer = Renderer::new()?;
    let pictures = folder.join("pictures");
    std::fs::create_dir_all(&pictures).map_err(|source| CommandError::write(&pictures, source))?;
    let save = |name: &str, text: &str| -> Result<usize, CommandError> {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|source| CommandError::write(&path, source))?;
        Ok(text.len())
    };
    let places = places(sets);
    let made = parallel::map(&places, jobs, |place| -> Result<_, CommandError> {
        progress(place.row.id);
        let page = RowPage::of(registry, place, compared)?;
        let mut bytes = save(&page.file, &renderer.row(&page)?)?;
        if let Some(still) = &page.still {
            bytes += save(&still.file, &still.svg)?;
        }
        Ok((page.in_index(), bytes))
    });
    let mut written = Written {
        pages: places.len(),
        bytes: 0,
        lacking: Vec::new(),
        without_diagrams: 0,
        seconds: 0.0,
    };
    let mut rows = Vec::with_capacity(places.len());
    for (place, made) in places.iter().zip(made) {
        let (row, bytes) = made?;
        written.bytes += bytes;
        written.without_diagrams += usize::from(!row.has_diagrams);
        let reasons = row.lacking.iter().map(|reason| Lacking {
            row: place.row.id,
            reason: reason.clone(),
        });
        written.lacking.extend(reasons);
        rows.push((place.set.name, row));
    }
    written.bytes += save("index.html", &renderer.index(sets, &rows)?)?;
    for (name, text) in render::files() {
        written.bytes += save(name, &text)?;
    }
    written.seconds = begin.elapsed().as_secs_f64();
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use liedae_problems::{ProblemEntry, ProblemError};

    const fn row(id: &'static str, problem: &'static str) -> CatalogueRow {
        CatalogueRow {
            id,
            problem,
            remark: "",
        }
    }

    static SET: TestSet = TestSet {
        name: "own",
        title: "some set: problems of a test",
        rows: &[
            row("o-001", "pendulum:t_end=1"),
            row("o-002", "refused"),
            row("o-003", "panics"),
        ],
    };

    #[test]
    fn what_cannot_be_built_is_said_on_its_page() -> Result<(), Box<dyn std::error::Error>> {
        let refused = ProblemEntry::new("refused", |_| {
            Err(ProblemError::build("refused", "no such <mass>"))
        });
        let panics = ProblemEntry::new("panics", |_| panic!("a mistake of its own"));
        let registry = Registry::standard();
        let registry = registry.with_problem(refused)?.with_problem(panics)?;
        let folder = tempfile::tempdir()?;
        let written = write(&registry, folder.path(), &[&SET], None, 2, |_| ())?;
        assert_eq!((written.pages, written.without_diagrams), (3, 3));
        let lacking = |row: &str| {
            written
                .lacking
                .iter()
                .filter(|lacking| lacking.row == row)
                .count()
        };
        // Picture, state and analysis.
        assert_eq!(
            [lacking("o-001"), lacking("o-002"), lacking("o-003")],
            [0, 3, 3]
        );
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name));
        assert!(!read("o-001.html")?.contains("lacks"));
        let page = read("o-002.html")?;
        assert!(
            page.contains("What this page lacks") && page.contains("no such &lt;mass&gt;"),
            "{page}"
        );
        assert!(read("o-003.html")?.contains("a mistake of its own"));
        // The index says so, too, and all rows are reached from one another.
        let index = read("index.html")?;
        assert!(
            index.contains("no such &lt;mass&gt;")
                && index.contains("<h2 id=\"own\">own: problems of a test")
        );
        assert!(
            page.contains("rel=\"prev\" href=\"o-001.html\"")
                && page.contains("rel=\"next\" href=\"o-003.html\"")
        );
        Ok(())
    }
}
