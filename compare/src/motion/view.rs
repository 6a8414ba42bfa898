//! The view of a motion: its bounding box and the direction of projection.

use crate::experiment::Film;
use liedae_problems::drawing::{Drawing, Figure, Kind, Pose};

/// Azimuth and elevation of the camera in rad where nothing suggests others: everything is seen, and the up axis points up.
const USUAL: [f64; 2] = [-0.95, 0.42];

/// A motion that is flatter than this share of its size is looked at across.
const FLAT: f64 = 0.02;

/// Room around what moves, in sizes of it.
const MARGIN: f64 = 0.07;

/// Nothing is shown wider or higher than this times the other side.
const LONGEST: f64 = 1.8;

/// A box and a camera.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Whether everything lies in the plane z = 0.
    pub plane: bool,
    /// Corners of the box around everything that moves.
    pub low: [f64; 3],
    /// The other corner.
    pub high: [f64; 3],
    /// Azimuth and elevation in rad.
    pub camera: [f64; 2],
    /// Right-handed triad whose last direction is up.
    pub axes: [[f64; 3]; 3],
    /// Half width and half height of what is seen from there, in m.
    half: [f64; 2],
    /// The middle of it in the world.
    centre: [f64; 3],
    /// The frame that the picture goes along with, and where it is at the start.
    follows: Option<(usize, [f64; 3])>,
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = dot(a, a).sqrt();
    a.map(|part| part / length)
}

/// A point of a part in the world.
pub fn world(poses: &[Pose], frame: Option<usize>, point: [f64; 3]) -> [f64; 3] {
    frame
        .and_then(|frame| poses.get(frame))
        .map_or(point, |pose| pose.point(point))
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

/// How far a frame has gone since the start, but for up and down.
fn offset(follows: Option<(usize, [f64; 3])>, up: [f64; 3], poses: &[Pose]) -> [f64; 3] {
    let Some((pose, start)) = follows.and_then(|(frame, start)| Some((poses.get(frame)?, start)))
    else {
        return [0.0; 3];
    };
    let way = minus(pose.position, start);
    let rise = dot(way, up);
    std::array::from_fn(|i| way[i] - rise * up[i])
}

/// All points that are seen at some time, with the poses of that time. What lies in the world is no measure of what is followed.
fn every_point(drawing: &Drawing, film: &Film, mut see: impl FnMut(&[Pose], [f64; 3])) {
    let travels = drawing.followed().is_some();
    for poses in &film.poses {
        for part in drawing.parts() {
            let bounded = !matches!(part.figure, Figure::Edge { .. } | Figure::Guide { .. });
            let stands = part.frame.is_none() && (part.kind == Kind::Surface || travels);
            if bounded && !stands {
                for point in part.figure.outline() {
                    see(poses, world(poses, part.frame, point));
                }
            }
        }
        for link in drawing.links() {
            for (frame, point) in link.ends {
                see(poses, world(poses, frame, point));
            }
        }
    }
}

impl View {
    /// What is seen of a film.
    pub fn new(drawing: &Drawing, film: &Film) -> Self {
        let start = film.poses.first();
        let follows = drawing.followed().and_then(|frame| {
            let pose = start?.get(frame)?;
            Some((frame, pose.position))
        });
        let up = drawing.up();
        let mut bounds = Bounds::default();
        every_point(drawing, film, |poses, point| {
            bounds.add(minus(point, offset(follows, up, poses)));
        });
        // Floors and walls near by are seen, too.
        let (low, high) = bounds.corners();
        let size = (0..3)
            .map(|axis| high[axis] - low[axis])
            .fold(0.0, f64::max);
        let centre: [f64; 3] = std::array::from_fn(|axis| 0.5 * (low[axis] + high[axis]));
        let mut feet = Vec::new();
        for part in drawing.parts().iter().filter(|part| part.frame.is_none()) {
            if let Figure::Edge { point, normal, .. } = part.figure {
                let distance = dot(
                    normal,
                    std::array::from_fn(|axis| point[axis] - centre[axis]),
                );
                let foot = std::array::from_fn(|axis| centre[axis] + distance * normal[axis]);
                if distance.abs() < size {
                    bounds.add(foot);
                    feet.push(foot);
                }
            }
        }
        let (low, high) = bounds.corners();
        // Right of what is up: the world's x-axis as far as it is across.
        let helper = if up[0].abs() < 0.9 {
            [1.0, 0.0, 0.0]
        } else {
            [0.0, 1.0, 0.0]
        };
        let depth = unit(cross(up, helper));
        let axes = [cross(depth, up), depth, up];
        let mut view = Self {
            plane: drawing.is_plane(),
            low,
            high,
            camera: USUAL,
            axes,
            half: [0.0; 2],
            centre: [0.0; 3],
            follows,
        };
        view.look_across();
        // The shadow of the box would be larger than that of what is in it.
        let screen = view.screen();
        let project = |point: [f64; 3]| screen.map(|axis| dot(axis, point));
        let mut seen = Bounds::default();
        every_point(drawing, film, |poses, point| {
            seen.add(project(minus(point, offset(follows, up, poses))));
        });
        for foot in feet {
            seen.add(project(foot));
        }
        let (low, high) = seen.corners();
        let middle = |axis: usize| 0.5 * (low[axis] + high[axis]);
        view.half = [0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1])];
        view.centre =
            std::array::from_fn(|i| (0..3).map(|axis| middle(axis) * screen[axis][i]).sum());
        view
    }

    /// How far the picture has gone along since the start.
    pub fn offset(&self, poses: &[Pose]) -> [f64; 3] {
        offset(self.follows, self.axes[2], poses)
    }

    /// The frame that the picture goes along with.
    pub fn followed(&self) -> Option<usize> {
        self.follows.map(|(frame, _)| frame)
    }

    /// Looks straight at a motion that is flat.
    fn look_across(&mut self) {
        let extents = self.axes.map(|axis| {
            (0..3)
                .map(|i| (axis[i] * (self.high[i] - self.low[i])).abs())
                .sum::<f64>()
        });
        let size = extents.iter().copied().fold(0.0, f64::max);
        if extents[0] < FLAT * size {
            self.camera = [-std::f64::consts::FRAC_PI_2, 0.0];
        } else if extents[1] < FLAT * size {
            self.camera = [0.0, 0.0];
        }
    }

    /// Directions in the world of the picture's right, its up, and towards the eye.
    pub fn screen(&self) -> [[f64; 3]; 3] {
        if self.plane {
            return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        }
        let [azimuth, elevation] = self.camera;
        let ((sa, ca), (se, ce)) = (azimuth.sin_cos(), elevation.sin_cos());
        let [x, y, up] = self.axes;
        let mix = |a: f64, b: f64, c: f64| std::array::from_fn(|i| a * x[i] + b * y[i] + c * up[i]);
        // At azimuth 0 the eye is on the side of -depth.
        [
            mix(ca, -sa, 0.0),
            mix(se * sa, se * ca, ce),
            mix(-sa * ce, -ca * ce, se),
        ]
    }

    /// Half width and half height of what is seen, and its centre in the world.
    pub fn frame(&self) -> ([f64; 2], [f64; 3]) {
        let [mut width, mut height] = self.half;
        let size = width.max(height);
        // A motion along a line still has a picture around it.
        let (width_least, height_least) = (height / LONGEST, width / LONGEST);
        width = width.max(width_least) + MARGIN * size;
        height = height.max(height_least) + MARGIN * size;
        ([width, height], self.centre)
    }
}

struct Bounds {
    low: [f64; 3],
    high: [f64; 3],
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            low: [f64::INFINITY; 3],
            high: [f64::NEG_INFINITY; 3],
        }
    }
}

impl Bounds {
    fn add(&mut self, point: [f64; 3]) {
        if point.iter().all(|part| part.is_finite()) {
            let corners = self.low.iter_mut().zip(&mut self.high);
            for ((low, high), part) in corners.zip(point) {
                (*low, *high) = (low.min(part), high.max(part));
            }
        }
    }

    /// The corners of a box that is not empty.
    fn corners(&self) -> ([f64; 3], [f64; 3]) {
        let (mut low, mut high) = (self.low, self.high);
        if low[0] > high[0] {
            return ([-1.0; 3], [1.0; 3]);
        }
        let size = (0..3)
            .map(|axis| high[axis] - low[axis])
            .fold(0.0, f64::max);
        if size == 0.0 {
            let around = low.iter().map(|part| part.abs()).fold(1.0, f64::max);
            low = low.map(|part| part - 0.5 * around);
            high = high.map(|part| part + 0.5 * around);
        }
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn film(points: &[[f64; 3]]) -> Film {
        Film {
            times: (0..points.len()).map(|index| index as f64).collect(),
            poses: points.iter().map(|point| vec![Pose::at(*point)]).collect(),
            ..Film::default()
        }
    }

    #[test]
    fn everything_that_moves_is_seen() {
        let drawing = Drawing::plane(["ball"], |_, _| {}).disc(Some(0), [0.0, 0.0], 0.5);
        let view = View::new(&drawing, &film(&[[0.0; 3], [3.0, 1.0, 0.0]]));
        let ([width, height], centre) = view.frame();
        assert_eq!(centre[..2], [1.5, 0.5]);
        assert!(
            width > 2.0 && height > 1.0 && width < 3.0,
            "{width} {height}"
        );
    }

    #[test]
    fn flat_motions_in_space_are_looked_at_across() {
        let drawing =
            Drawing::space(["ball"], |_, _| {}).with(Some(0), Kind::Body, Figure::Dot([0.0; 3]));
        // In the plane of x and z: the eye is on the y-axis.
        let view = View::new(&drawing, &film(&[[0.0; 3], [1.0, 0.0, 1.0]]));
        let [right, up, eye] = view.screen();
        assert!(dot(eye, [0.0, 1.0, 0.0]).abs() > 0.999, "{eye:?}");
        assert!(dot(up, [0.0, 0.0, 1.0]) > 0.999 && dot(right, [1.0, 0.0, 0.0]) > 0.999);
        let view = View::new(&drawing, &film(&[[0.0; 3], [1.0, 1.0, 1.0]]));
        let [right, up, eye] = view.screen();
        // A right-handed triad.
        let found = cross(right, up);
        assert!(
            (0..3).all(|i| (found[i] - eye[i]).abs() < 1e-12),
            "{found:?} {eye:?}"
        );
        assert!(dot(up, [0.0, 0.0, 1.0]) > 0.5);
    }

    #[test]
    fn nothing_and_a_point_have_a_picture() {
        let drawing =
            Drawing::plane(["ball"], |_, _| {}).with(Some(0), Kind::Body, Figure::Dot([0.0; 3]));
        for points in [vec![], vec![[0.0; 3]], vec![[f64::NAN; 3]]] {
            let ([width, height], _) = View::new(&drawing, &film(&points)).frame();
            assert!(width > 0.0 && height > 0.0);
        }
    }
}
