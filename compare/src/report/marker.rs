//! Colours that colour-blind readers can tell apart, and markers that differ in shape as well.

use plotters::style::RGBColor;

/// Okabe and Ito's palette, without the yellow that vanishes on white; black last.
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Outlines in pixels around the point, for a size of 10.
const SHAPES: [&[(i32, i32)]; 7] = [
    &[
        (-4, -9),
        (4, -9),
        (9, -4),
        (9, 4),
        (4, 9),
        (-4, 9),
        (-9, 4),
        (-9, -4),
    ],
    &[(-8, -8), (8, -8), (8, 8), (-8, 8)],
    &[(0, -10), (10, 8), (-10, 8)],
    &[(0, -11), (11, 0), (0, 11), (-11, 0)],
    &[(0, 10), (10, -8), (-10, -8)],
    &[
        (-3, -10),
        (3, -10),
        (3, -3),
        (10, -3),
        (10, 3),
        (3, 3),
        (3, 10),
        (-3, 10),
        (-3, 3),
        (-10, 3),
        (-10, -3),
        (-3, -3),
    ],
    &[
        (-10, -6),
        (-6, -10),
        (0, -4),
        (6, -10),
        (10, -6),
        (4, 0),
        (10, 6),
        (6, 10),
        (0, 4),
        (-6, 10),
        (-10, 6),
        (-4, 0),
    ],
];

/// The colour of the series with this index.
pub(super) fn color(index: usize) -> RGBColor {
    COLORS[index % COLORS.len()]
}

/// The marker's outline of the series with this index; beyond seven series, colours and shapes combine anew.
pub(super) fn shape(index: usize) -> &'static [(i32, i32)] {
    SHAPES[(index + index / COLORS.len()) % SHAPES.len()]
}
