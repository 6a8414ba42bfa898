//! Stills as SVG: figures projected, sorted by depth, and written with classes that follow light and dark.

use super::arrows::Scale;
use super::view::{View, world};
use crate::experiment::Arrow;
use liedae_problems::drawing::{Drawing, Figure, Kind, LinkKind, Pose};
use std::fmt::Write;

/// Colours of bodies, which the colour-blind can tell apart (Okabe and Ito 2008), and lines; `motion.js` has the same.
pub const STYLE: &str = "<style>\
.lm-0{--c:#0072b2}.lm-1{--c:#d55e00}.lm-2{--c:#009e73}.lm-3{--c:#b3479c}.lm-4{--c:#8a6d00}.lm-5{--c:#3a7ca5}.lm-6{--c:#7a4fbf}.lm-7{--c:#5c5c5c}\
.lm-f{fill:var(--c);stroke:var(--c)}.lm-l{fill:none;stroke:var(--c);stroke-linecap:round;stroke-linejoin:round}\
.lm-n{fill:none;stroke:#707070}.lm-d{fill:none;stroke:#303030}.lm-j{fill:#fff;stroke:#303030}.lm-s{fill:#909090;stroke:#707070}\
.lm-a{fill:none;stroke:#c00000}.lm-t{fill:#303030;font:13px sans-serif}\
@media (prefers-color-scheme:dark){\
.lm-0{--c:#56b4e9}.lm-1{--c:#ff8c42}.lm-2{--c:#2fcf9f}.lm-3{--c:#e38fd0}.lm-4{--c:#e6c229}.lm-5{--c:#8ecae6}.lm-6{--c:#b79cf0}.lm-7{--c:#bdbdbd}\
.lm-n{stroke:#9a9a9a}.lm-d{stroke:#d0d0d0}.lm-j{fill:#202020;stroke:#d0d0d0}.lm-s{fill:#707070;stroke:#9a9a9a}\
.lm-a{stroke:#ff6b6b}.lm-t{fill:#d0d0d0}}\
</style>";

/// Number of colours of bodies.
const COLOURS: usize = 8;

/// Strokes between the hatches of an edge, in pixels.
const HATCH: f64 = 9.0;

/// Turns of a spring.
const TURNS: usize = 7;

/// A projected piece: behind are those with smaller depths.
struct Piece {
    layer: u8,
    depth: f64,
    text: String,
}

/// Draws one moment into a picture of a given width.
pub struct Canvas<'a> {
    view: &'a View,
    screen: [[f64; 3]; 3],
    /// Of what is seen at this moment.
    centre: [f64; 3],
    /// Pixels per metre.
    scale: f64,
    /// Width and height in pixels.
    pub size: [f64; 2],
    pieces: Vec<Piece>,
}

impl<'a> Canvas<'a> {
    /// A canvas of this width in pixels.
    pub fn new(view: &'a View, width: f64) -> Self {
        let ([half_width, half_height], centre) = view.frame();
        Self {
            view,
            screen: view.screen(),
            centre,
            scale: 0.5 * width / half_width,
            size: [width, width * half_height / half_width],
            pieces: Vec::new(),
        }
    }

    /// Pixels right, pixels down, depth towards the eye.
    fn project(&self, point: [f64; 3]) -> [f64; 3] {
        let along =
            |axis: [f64; 3]| -> f64 { (0..3).map(|i| axis[i] * (point[i] - self.centre[i])).sum() };
        let [right, up, eye] = self.screen.map(along);
        [
            0.5 * self.size[0] + self.scale * right,
            0.5 * self.size[1] - self.scale * up,
            self.scale * eye,
        ]
    }

    fn push(&mut self, layer: u8, depth: f64, text: String) {
        if depth.is_finite() {
            self.pieces.push(Piece { layer, depth, text });
        }
    }

    /// Draws one moment.
    pub fn moment(
        mut self,
        drawing: &Drawing,
        poses: &[Pose],
        arrows: &[Arrow],
        scale: &Scale,
    ) -> String {
        let offset = self.view.offset(poses);
        for (centre, way) in self.centre.iter_mut().zip(offset) {
            *centre += way;
        }
        for part in drawing.parts() {
            let at = |point: [f64; 3]| world(poses, part.frame, point);
            let colour = part
                .frame
                .map_or(COLOURS - 1, |frame| frame % (COLOURS - 1));
            self.figure(&part.figure, part.kind, colour, &at, poses, part.frame);
        }
        for link in drawing.links() {
            let ends = link.ends.map(|(frame, point)| world(poses, frame, point));
            self.link(link.kind, ends);
        }
        for arrow in arrows {
            self.arrow(arrow, scale);
        }
        self.pieces
            .sort_by(|a, b| a.layer.cmp(&b.layer).then(a.depth.total_cmp(&b.depth)));
        self.pieces.into_iter().map(|piece| piece.text).collect()
    }

    fn figure(
        &mut self,
        figure: &Figure,
        kind: Kind,
        colour: usize,
        at: &dyn Fn([f64; 3]) -> [f64; 3],
        poses: &[Pose],
        frame: Option<usize>,
    ) {
        // In the plane what is stated later is in front; in space what is nearer.
        let layer = |plane: u8| if self.view.plane { plane } else { 2 };
        let (body, front) = (layer(2), layer(4));
        let turned = |direction: [f64; 3]| {
            frame
                .and_then(|frame| poses.get(frame))
                .map_or(direction, |pose| pose.direction(direction))
        };
        match figure {
            Figure::Line(points) => {
                let class = match kind {
                    Kind::Body => format!("lm-l lm-{colour}"),
                    Kind::Joint => "lm-d".to_owned(),
                    _ => "lm-n".to_owned(),
                };
                let width = if kind == Kind::Guide { 1.0 } else { 4.0 };
                let points: Vec<[f64; 3]> = points
                    .iter()
                    .map(|point| self.project(at(*point)))
                    .collect();
                let text = format!(
                    "<path class=\"{class}\" stroke-width=\"{width}\" d=\"{}\"/>",
                    path(&points, false)
                );
                self.push(
                    if kind == Kind::Joint { front } else { body },
                    depth(&points),
                    text,
                );
            }
            Figure::Polygon(points) => {
                let points: Vec<[f64; 3]> = points
                    .iter()
                    .map(|point| self.project(at(*point)))
                    .collect();
                let text = format!(
                    "<path class=\"lm-f lm-{colour}\" fill-opacity=\".4\" stroke-width=\"1.5\" d=\"{}\"/>",
                    path(&points, true)
                );
                self.push(body, depth(&points), text);
            }
            Figure::Disc { centre, radius } => {
                let middle = self.project(at(*centre));
                let pixels = (radius * self.scale).max(2.0);
                let opacity = if self.view.plane { 0.4 } else { 0.85 };
                let mut text = circle("lm-f", colour, middle, pixels, opacity);
                if self.view.plane && frame.is_some() {
                    // A radius shows how far it has turned.
                    let rim = self.project(at([centre[0] + radius, centre[1], centre[2]]));
                    let _ = write!(
                        text,
                        "<path class=\"lm-l lm-{colour}\" stroke-width=\"1\" d=\"{}\"/>",
                        path(&[middle, rim], false)
                    );
                }
                self.push(body, middle[2], text);
            }
            Figure::Ring { centre, radius } => {
                let middle = self.project(at(*centre));
                let pixels = radius * self.scale;
                let class = if kind == Kind::Body {
                    format!("lm-l lm-{colour}")
                } else {
                    "lm-n".to_owned()
                };
                let [x, y, _] = middle;
                let text = format!(
                    "<circle class=\"{class}\" stroke-width=\"1.5\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{pixels:.1}\"/>"
                );
                self.push(layer(1), f64::MIN, text);
            }
            Figure::Dot(point) => {
                let middle = self.project(at(*point));
                let text = match kind {
                    Kind::Joint => {
                        let [x, y, _] = middle;
                        format!(
                            "<circle class=\"lm-j\" stroke-width=\"1.5\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"
                        )
                    }
                    _ => circle("lm-f", colour, middle, 4.0, 1.0),
                };
                self.push(
                    if kind == Kind::Joint { front } else { body },
                    middle[2],
                    text,
                );
            }
            Figure::Capsule { ends, radius } => {
                let points = ends.map(|end| self.project(at(end)));
                let width = (2.0 * radius * self.scale).max(1.0);
                let text = format!(
                    "<path class=\"lm-l lm-{colour}\" stroke-width=\"{width:.1}\" d=\"{}\"/>",
                    path(&points, false)
                );
                self.push(body, depth(&points), text);
            }
            Figure::Solid { points, faces } => {
                let points: Vec<[f64; 3]> = points
                    .iter()
                    .map(|point| self.project(at(*point)))
                    .collect();
                for face in faces {
                    let face: Vec<[f64; 3]> = face
                        .iter()
                        .filter_map(|&index| points.get(index))
                        .copied()
                        .collect();
                    let Some(shade) = facing(&face) else { continue };
                    let text = format!(
                        "<path class=\"lm-f lm-{colour}\" fill-opacity=\"{:.2}\" stroke-width=\".7\" d=\"{}\"/>",
                        0.35 + 0.55 * shade,
                        path(&face, true)
                    );
                    self.push(body, depth(&face), text);
                }
            }
            Figure::Edge {
                point,
                normal,
                half_length,
            } => {
                self.edge(at(*point), turned(*normal), *half_length);
            }
            Figure::Guide {
                point,
                direction,
                half_length,
            } => {
                let (point, direction) = (at(*point), turned(*direction));
                let ends = self
                    .ends(point, direction, *half_length)
                    .map(|end| self.project(end));
                let text = format!(
                    "<path class=\"lm-n\" stroke-dasharray=\"6 4\" d=\"{}\"/>",
                    path(&ends, false)
                );
                self.push(layer(1), f64::MIN, text);
            }
        }
    }

    /// The ends of a line: as far as it is said to reach, or through the whole picture.
    fn ends(
        &self,
        point: [f64; 3],
        direction: [f64; 3],
        half_length: Option<f64>,
    ) -> [[f64; 3]; 2] {
        let length = direction.iter().map(|part| part * part).sum::<f64>().sqrt();
        let unit = direction.map(|part| part / length);
        let reach = (self.size[0] + self.size[1]) / self.scale;
        let (middle, half) = match half_length {
            Some(half) => (point, half),
            None => {
                let along: f64 = (0..3).map(|i| unit[i] * (self.centre[i] - point[i])).sum();
                let reach = if self.view.plane { reach } else { 0.4 * reach };
                (std::array::from_fn(|i| point[i] + along * unit[i]), reach)
            }
        };
        [-half, half].map(|sign| std::array::from_fn(|i| middle[i] + sign * unit[i]))
    }

    fn edge(&mut self, point: [f64; 3], normal: [f64; 3], half_length: Option<f64>) {
        if !self.view.plane {
            return self.face(point, normal, half_length);
        }
        let ends = self.ends(point, [-normal[1], normal[0], 0.0], half_length);
        let [from, to] = ends.map(|end| self.project(end));
        let mut d = path(&[from, to], false);
        let length = (to[0] - from[0]).hypot(to[1] - from[1]);
        let count = (length / HATCH).min(2000.0) as usize;
        // Into the material and aslant.
        let (nx, ny) = (normal[0], -normal[1]);
        let (tx, ty) = ((to[0] - from[0]) / length, (to[1] - from[1]) / length);
        for index in 0..count {
            let along = (index as f64 + 0.5) * HATCH;
            let (x, y) = (from[0] + along * tx, from[1] + along * ty);
            // What is outside of the picture is not written.
            if x < -HATCH || y < -HATCH || x > self.size[0] + HATCH || y > self.size[1] + HATCH {
                continue;
            }
            let _ = write!(
                d,
                "M{x:.1} {y:.1}l{:.1} {:.1}",
                -5.0 * nx - 4.0 * tx,
                -5.0 * ny - 4.0 * ty
            );
        }
        self.push(0, 0.0, format!("<path class=\"lm-n\" d=\"{d}\"/>"));
    }

    /// A square of a plane in space.
    fn face(&mut self, point: [f64; 3], normal: [f64; 3], half_length: Option<f64>) {
        let helper = if normal[0].abs() < 0.9 {
            [1.0, 0.0, 0.0]
        } else {
            [0.0, 1.0, 0.0]
        };
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [
                a[1] * b[2] - a[2] * b[1],
                a[2] * b[0] - a[0] * b[2],
                a[0] * b[1] - a[1] * b[0],
            ]
        };
        let first = cross(normal, helper);
        let length = first.iter().map(|part| part * part).sum::<f64>().sqrt();
        let first = first.map(|part| part / length);
        let second = cross(normal, first);
        let (middle, half) = match half_length {
            Some(half) => (point, half),
            None => {
                let height: f64 = (0..3)
                    .map(|i| normal[i] * (self.centre[i] - point[i]))
                    .sum();
                let reach = 0.55 * self.size[0].max(self.size[1]) / self.scale;
                (
                    std::array::from_fn(|i| self.centre[i] - height * normal[i]),
                    reach,
                )
            }
        };
        let corner = |a: f64, b: f64| -> [f64; 3] {
            std::array::from_fn(|i| middle[i] + half * (a * first[i] + b * second[i]))
        };
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let corners = corners.map(|(a, b)| self.project(corner(a, b)));
        let mut text = format!(
            "<path class=\"lm-s\" fill-opacity=\".12\" stroke-width=\".7\" d=\"{}\"/>",
            path(&corners, true)
        );
        let mut d = String::new();
        for line in [-0.5, 0.0, 0.5] {
            for ends in [[(line, -1.0), (line, 1.0)], [(-1.0, line), (1.0, line)]] {
                d.push_str(&path(&ends.map(|(a, b)| self.project(corner(a, b))), false));
            }
        }
        let _ = write!(text, "<path class=\"lm-n\" stroke-width=\".4\" d=\"{d}\"/>");
        self.push(0, 0.0, text);
    }

    fn link(&mut self, kind: LinkKind, ends: [[f64; 3]; 2]) {
        let [from, to] = ends.map(|end| self.project(end));
        let text = match kind {
            LinkKind::Rod => format!(
                "<path class=\"lm-d\" stroke-width=\"2.5\" stroke-linecap=\"round\" d=\"{}\"/>",
                path(&[from, to], false)
            ),
            LinkKind::Rope(length) => {
                let distance = (0..3)
                    .map(|i| (ends[1][i] - ends[0][i]).powi(2))
                    .sum::<f64>()
                    .sqrt();
                let dashes = if distance < 0.999 * length {
                    " stroke-dasharray=\"3 3\""
                } else {
                    ""
                };
                format!(
                    "<path class=\"lm-d\" stroke-width=\"1.3\"{dashes} d=\"{}\"/>",
                    path(&[from, to], false)
                )
            }
            LinkKind::Spring => {
                let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
                let length = dx.hypot(dy).max(1e-9);
                let (nx, ny) = (-dy / length * 5.0, dx / length * 5.0);
                let mut points = vec![from];
                for turn in 0..2 * TURNS {
                    let share = 0.15 + 0.7 * (turn as f64 + 0.5) / (2 * TURNS) as f64;
                    let side = if turn % 2 == 0 { 1.0 } else { -1.0 };
                    points.push([
                        from[0] + share * dx + side * nx,
                        from[1] + share * dy + side * ny,
                        from[2],
                    ]);
                }
                points.push(to);
                format!(
                    "<path class=\"lm-d\" stroke-width=\"1.2\" d=\"{}\"/>",
                    path(&points, false)
                )
            }
        };
        let layer = if self.view.plane { 3 } else { 2 };
        self.push(layer, 0.5 * (from[2] + to[2]), text);
    }

    fn arrow(&mut self, arrow: &Arrow, scale: &Scale) {
        let from = self.project(arrow.point);
        let reach = scale.metres(arrow.force) * self.scale;
        let end: [f64; 3] =
            std::array::from_fn(|i| arrow.point[i] + arrow.force[i] / scale.newtons);
        let towards = self.project(end);
        let (dx, dy) = (towards[0] - from[0], towards[1] - from[1]);
        let length = dx.hypot(dy);
        if length < 1e-9 || !length.is_finite() {
            return;
        }
        // In space an arrow is as much shorter as it points to the eye.
        let full = (0..3)
            .map(|i| (end[i] - arrow.point[i]).powi(2))
            .sum::<f64>()
            .sqrt()
            * self.scale;
        let reach = (reach * length / full).max(4.0);
        let (ux, uy) = (dx / length, dy / length);
        let tip = [from[0] + reach * ux, from[1] + reach * uy];
        let head = reach.min(6.0);
        let mut d = format!("M{:.1} {:.1}L{:.1} {:.1}", from[0], from[1], tip[0], tip[1]);
        for side in [-0.5, 0.5] {
            let (x, y) = (
                tip[0] - head * (ux + side * uy),
                tip[1] - head * (uy - side * ux),
            );
            let _ = write!(d, "M{:.1} {:.1}L{x:.1} {y:.1}", tip[0], tip[1]);
        }
        self.push(
            5,
            0.0,
            format!("<path class=\"lm-a\" stroke-width=\"1.6\" d=\"{d}\"/>"),
        );
    }
}

fn circle(class: &str, colour: usize, [x, y, _]: [f64; 3], radius: f64, opacity: f64) -> String {
    format!(
        "<circle class=\"{class} lm-{colour}\" fill-opacity=\"{opacity}\" stroke-width=\"1.2\" cx=\"{x:.1}\" cy=\"{y:.1}\" \
         r=\"{radius:.1}\"/>"
    )
}

fn path(points: &[[f64; 3]], closed: bool) -> String {
    let mut text = String::with_capacity(14 * points.len());
    for (index, [x, y, _]) in points.iter().enumerate() {
        let letter = if index == 0 { 'M' } else { 'L' };
        let _ = write!(text, "{letter}{x:.1} {y:.1}");
    }
    if closed {
        text.push('Z');
    }
    text
}

/// The middle depth of points.
fn depth(points: &[[f64; 3]]) -> f64 {
    points.iter().map(|point| point[2]).sum::<f64>() / points.len().max(1) as f64
}

/// Where the light comes from: left, above, in front.
const LIGHT: [f64; 3] = [-0.35, -0.6, 0.72];

/// How much light falls on a face, between 0 and 1; `None` from behind. Pixels go down, so that faces seen from outside run clockwise.
fn facing(face: &[[f64; 3]]) -> Option<f64> {
    let [a, b, c, ..] = face else { return None };
    let (u, v): ([f64; 3], [f64; 3]) = (
        std::array::from_fn(|i| b[i] - a[i]),
        std::array::from_fn(|i| c[i] - b[i]),
    );
    // Towards the eye, since pixels go down.
    let normal = [
        -(u[1] * v[2] - u[2] * v[1]),
        -(u[2] * v[0] - u[0] * v[2]),
        -(u[0] * v[1] - u[1] * v[0]),
    ];
    let length = normal.iter().map(|part| part * part).sum::<f64>().sqrt();
    if normal[2].is_nan() || normal[2] <= 0.0 {
        return None;
    }
    let lit: f64 = (0..3).map(|i| normal[i] * LIGHT[i]).sum();
    Some((lit / length).clamp(0.0, 1.0))
}
