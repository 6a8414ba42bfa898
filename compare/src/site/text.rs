//! Texts with links, numbers that name themselves.

use serde::Serialize;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// What is read.
    pub text: String,
    /// Where it leads, if it leads anywhere.
    pub link: Option<String>,
}

/// What precedes the name of a document in a text, and in its address.
const DOI: &str = "doi:";
const RESOLVER: &str = "https://doi.org/";

/// A text whose DOIs are links.
pub fn with_links(text: &str) -> Vec<Piece> {
    // The address goes into a page as it is.
    let is_safe = |letter: char| letter.is_ascii_alphanumeric() || "./-_()".contains(letter);
    let plain = |text: &str| Piece {
        text: text.to_owned(),
        link: None,
    };
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(DOI) {
        let (before, from) = rest.split_at(start);
        let end = from[DOI.len()..].find(|letter| !is_safe(letter));
        let end = end.map_or(from.len(), |end| end + DOI.len());
        // A sentence or a parenthesis may end behind the name.
        let name = from[..end].trim_end_matches(['.', ')']);
        if !before.is_empty() {
            pieces.push(plain(before));
        }
        pieces.push(Piece {
            text: name.to_owned(),
            link: Some(format!("{RESOLVER}{}", &name[DOI.len()..])),
        });
        rest = &from[name.len()..];
    }
    if !rest.is_empty() {
        pieces.push(plain(rest));
    }
    pieces
}

/// A number of things: `1 body`, `3 bodies`.
pub fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_become_links() {
        let pieces = with_links("Proc. A 463 (doi:10.1098/rspa.2007.1857), 1955; doi:10.1/x.");
        let links: Vec<_> = pieces
            .iter()
            .filter_map(|piece| piece.link.as_deref())
            .collect();
        assert_eq!(
            links,
            [
                "https://doi.org/10.1098/rspa.2007.1857",
                "https://doi.org/10.1/x"
            ]
        );
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert!(text.starts_with("Proc. A 463 (doi:10.1098") && text.ends_with("doi:10.1/x."));
        assert_eq!(with_links("classical").len(), 1);
        assert!(with_links("").is_empty());
    }

    #[test]
    fn one_and_several() {
        assert_eq!(counted(1, "body", "bodies"), "1 body");
        assert_eq!(counted(0, "body", "bodies"), "0 bodies");
    }
}
