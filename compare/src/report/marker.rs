//! Colours that colour-blind readers can tell apart, and markers that differ in shape as well.

/// Okabe and Ito's palette, without the yellow that vanishes on white; black last. The style sheet replaces each by a
/// lighter one on dark ground.
const COLORS: [&str; 7] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
];

/// Outlines around the point: octagon, square, triangle, diamond, triangle upside down, plus, cross.
const SHAPES: [&[(f64, f64)]; 7] = [
    &[
        (-3.0, -7.0),
        (3.0, -7.0),
        (7.0, -3.0),
        (7.0, 3.0),
        (3.0, 7.0),
        (-3.0, 7.0),
        (-7.0, 3.0),
        (-7.0, -3.0),
    ],
    &[(-6.0, -6.0), (6.0, -6.0), (6.0, 6.0), (-6.0, 6.0)],
    &[(0.0, -8.0), (8.0, 6.0), (-8.0, 6.0)],
    &[(0.0, -8.5), (8.5, 0.0), (0.0, 8.5), (-8.5, 0.0)],
    &[(0.0, 8.0), (8.0, -6.0), (-8.0, -6.0)],
    &[
        (-2.5, -8.0),
        (2.5, -8.0),
        (2.5, -2.5),
        (8.0, -2.5),
        (8.0, 2.5),
        (2.5, 2.5),
        (2.5, 8.0),
        (-2.5, 8.0),
        (-2.5, 2.5),
        (-8.0, 2.5),
        (-8.0, -2.5),
        (-2.5, -2.5),
    ],
    &[
        (-8.0, -5.0),
        (-5.0, -8.0),
        (0.0, -3.0),
        (5.0, -8.0),
        (8.0, -5.0),
        (3.0, 0.0),
        (8.0, 5.0),
        (5.0, 8.0),
        (0.0, 3.0),
        (-5.0, 8.0),
        (-8.0, 5.0),
        (-3.0, 0.0),
    ],
];

/// How many looks differ by their colour alone.
pub(super) const LOOKS: usize = COLORS.len();

/// The colour of the series with this index.
pub(super) fn color(index: usize) -> &'static str {
    COLORS[index % COLORS.len()]
}

/// The marker of the series with this index as path commands that follow a move to its place; beyond seven series,
/// colours and shapes combine anew.
pub(super) fn outline(index: usize) -> String {
    let shape = SHAPES[(index + index / COLORS.len()) % SHAPES.len()];
    let (mut path, mut before) = (String::new(), (0.0, 0.0));
    for (number, &(x, y)) in shape.iter().enumerate() {
        path.push(if number == 0 { 'm' } else { 'l' });
        path.push_str(&format!("{} {}", x - before.0, y - before.1));
        before = (x, y);
    }
    path.push('z');
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forty_nine_looks_differ() {
        let mut looks: Vec<(&str, String)> =
            (0..49).map(|look| (color(look), outline(look))).collect();
        looks.sort();
        looks.dedup();
        assert_eq!(looks.len(), 49);
        assert_eq!(outline(1), "m-6 -6l12 0l0 12l-12 0z");
    }
}
