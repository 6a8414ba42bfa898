//! Texts that a parser of XML should not be given.

use super::UrdfError;

/// Elements of URDF are four deep; parsers that call themselves for each would run out of their stack.
const DEEPEST: usize = 64;

/// Refuses macros and deep nesting.
pub(super) fn check(text: &str) -> Result<(), UrdfError> {
    if text.contains("<xacro:") {
        return Err(UrdfError::Macros);
    }
    let (mut depth, mut rest) = (0_usize, text);
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let sections = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        let section = sections.iter().find(|(open, _)| rest.starts_with(open));
        if let Some((open, close)) = section {
            let inside = &rest[open.len()..];
            let Some(end) = inside.find(close) else {
                return Ok(());
            };
            rest = &inside[end + close.len()..];
            continue;
        }
        let end = end_of_tag(rest);
        let tag = &rest[..end];
        if tag.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if !tag.ends_with("/>") && !tag.starts_with("<!") {
            depth += 1;
            if depth > DEEPEST {
                return Err(UrdfError::Depth(DEEPEST));
            }
        }
        rest = &rest[end..];
    }
    Ok(())
}

/// Where a tag ends, behind its last sign; signs within quotes are not those of tags.
fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (at, sign) in text.char_indices() {
        match (quote, sign) {
            (Some(mark), _) if mark == sign => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(sign),
            (None, '>') => return at + 1,
            (None, _) => {}
        }
    }
    text.len()
}
