//! Corners and faces of convex bodies, and the hull of points in the plane.

use super::Figure;
use nalgebra::Vector3;
use std::f64::consts::TAU;

/// Sides of the polygon that stands for a circle.
const SIDES: usize = 20;

/// More points than this get no faces: all triples are looked at.
const MOST_POINTS: usize = 64;

/// A box.
pub(crate) fn cuboid(centre: [f64; 3], half: [f64; 3]) -> Figure {
    let points = (0..8)
        .map(|corner| {
            let side = |axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
            std::array::from_fn(|axis| centre[axis] + side(axis) * half[axis])
        })
        .collect();
    let faces = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    Figure::Solid {
        points,
        faces: faces.map(Vec::from).into(),
    }
}

/// Two unit vectors that form a right-handed triad with this direction.
pub(crate) fn across(axis: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let axis = axis.try_normalize(0.0).unwrap_or_else(Vector3::z);
    // The world axis that it leans to least.
    let helper = match axis.iamin() {
        0 => Vector3::x(),
        1 => Vector3::y(),
        _ => Vector3::z(),
    };
    let first = axis.cross(&helper).normalize();
    [first, axis.cross(&first)]
}

/// A cylinder with flat ends.
pub(crate) fn cylinder([from, to]: [[f64; 3]; 2], radius: f64) -> Figure {
    let (from, to) = (Vector3::from(from), Vector3::from(to));
    let [u, v] = across(&(to - from));
    let mut points = Vec::with_capacity(2 * SIDES);
    for end in [from, to] {
        for side in 0..SIDES {
            let (sine, cosine) = (TAU * side as f64 / SIDES as f64).sin_cos();
            points.push((end + (u * cosine + v * sine) * radius).into());
        }
    }
    let mut faces: Vec<Vec<usize>> = (0..SIDES)
        .map(|side| {
            let next = (side + 1) % SIDES;
            vec![side, next, SIDES + next, SIDES + side]
        })
        .collect();
    faces.push((0..SIDES).rev().collect());
    faces.push((SIDES..2 * SIDES).collect());
    Figure::Solid { points, faces }
}

/// A circle around an axis, as a line.
pub(crate) fn circle(centre: [f64; 3], axis: Vector3<f64>, radius: f64) -> Figure {
    let [u, v] = across(&axis);
    let points = (0..=2 * SIDES).map(|side| {
        let (sine, cosine) = (TAU * side as f64 / (2 * SIDES) as f64).sin_cos();
        (Vector3::from(centre) + (u * cosine + v * sine) * radius).into()
    });
    Figure::Line(points.collect())
}

/// The convex hull of points in space; without faces where they are too many, and as a polygon where they lie in a plane.
pub(crate) fn solid(points: &[[f64; 3]]) -> Figure {
    let at: Vec<Vector3<f64>> = points.iter().map(|point| Vector3::from(*point)).collect();
    let centre = at.iter().sum::<Vector3<f64>>() / at.len().max(1) as f64;
    let size = at.iter().map(|point| (point - centre).norm());
    let size = size.fold(0.0, f64::max);
    let mut faces: Vec<Vec<usize>> = Vec::new();
    let count = if at.len() > MOST_POINTS { 0 } else { at.len() };
    for i in 0..count {
        for j in i + 1..count {
            for k in j + 1..count {
                let normal = (at[j] - at[i]).cross(&(at[k] - at[i]));
                let Some(normal) = normal.try_normalize(1e-12 * size * size) else {
                    continue;
                };
                let heights = at.iter().map(|point| normal.dot(&(point - at[i])));
                let heights: Vec<f64> = heights.collect();
                let flat = 1e-9 * size;
                let above = heights.iter().any(|&height| height > flat);
                let below = heights.iter().any(|&height| height < -flat);
                if above && below {
                    continue;
                }
                let outward = if above { -normal } else { normal };
                let face = (0..count).filter(|&point| heights[point].abs() <= flat);
                let face = around(&at, face.collect(), &outward);
                if !above && !below {
                    // All points lie in this plane.
                    return Figure::Polygon(face.into_iter().map(|point| points[point]).collect());
                }
                let mut same = face.clone();
                same.sort_unstable();
                let known = faces.iter().any(|face| {
                    let mut other = face.clone();
                    other.sort_unstable();
                    other == same
                });
                if !known {
                    faces.push(face);
                }
            }
        }
    }
    let points = points.to_vec();
    if faces.is_empty() {
        return Figure::Line(points);
    }
    Figure::Solid { points, faces }
}

/// Points of a plane in the order of their angles around their middle, seen against the normal.
fn around(at: &[Vector3<f64>], mut face: Vec<usize>, normal: &Vector3<f64>) -> Vec<usize> {
    let middle = face.iter().map(|&point| at[point]).sum::<Vector3<f64>>() / face.len() as f64;
    let [u, v] = across(normal);
    let angle = |point: usize| {
        let away = at[point] - middle;
        away.dot(&v).atan2(away.dot(&u))
    };
    face.sort_by(|&a, &b| angle(a).total_cmp(&angle(b)));
    face
}

/// The corners of the convex hull of points in the plane, counter-clockwise (Andrew's monotone chain); two points where all lie on
/// a line.
pub(crate) fn plate(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    // The two farthest points: on a line they are its ends, whatever round-off makes of the order of the others.
    let apart = |a: [f64; 2], b: [f64; 2]| (b[0] - a[0]).hypot(b[1] - a[1]);
    let pairs = (0..points.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
    let farthest = pairs.max_by(|&(i, j), &(k, l)| {
        apart(points[i], points[j]).total_cmp(&apart(points[k], points[l]))
    });
    let (from, to) = farthest.map_or(([0.0; 2], [0.0; 2]), |(i, j)| (points[i], points[j]));
    let length = apart(from, to);
    let flat = 1e-9 * length * length;
    let beside = |point: &[f64; 2]| {
        (to[0] - from[0]) * (point[1] - from[1]) - (to[1] - from[1]) * (point[0] - from[0])
    };
    if points.iter().all(|point| beside(point).abs() <= flat) {
        return vec![from, to];
    }
    let chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..] {
                let turn = (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]);
                if turn > flat {
                    break;
                }
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut hull = chain(&mut points.iter().copied());
    hull.extend(chain(&mut points.iter().rev().copied()));
    hull
}
