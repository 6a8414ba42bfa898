//! Derivatives of gaps and sliding velocities.

use super::*;
use liedae::scalar::{Dual, Taylor2};

/// The derivative of a function at zero by central differences of sixth order.
fn difference(function: impl Fn(f64) -> f64) -> f64 {
    difference_over(2e-3, function)
}

fn difference_over(h: f64, function: impl Fn(f64) -> f64) -> f64 {
    let pair = |k: f64| function(k * h) - function(-k * h);
    (45.0 * pair(1.0) - 9.0 * pair(2.0) + pair(3.0)) / (60.0 * h)
}

fn assert_close(name: &str, what: &str, found: f64, wanted: f64, tolerance: f64) {
    assert!(
        (found - wanted).abs() < tolerance * (1.0 + wanted.abs()),
        "{name}, {what}: {found} {wanted}"
    );
}

/// Coordinates and velocities moved along the motion, q + s v.
fn moved(q: &[f64; 6], v: &[f64; 6], s: f64) -> [f64; 6] {
    std::array::from_fn(|index| q[index] + s * v[index])
}

/// q along the motion, as numbers with derivatives, and v as constants.
fn along(q: &[f64; 6], v: &[f64; 6]) -> [PlaneBody<Taylor2>; 2] {
    let curve: [Taylor2; 6] = std::array::from_fn(|i| Taylor2::new(q[i], v[i], 0.0));
    bodies(&curve, &v.map(Taylor2::constant))
}

struct Gradients;

impl Visitor for Gradients {
    fn visit(&mut self, name: &str, contact: &impl PlaneContact, _distance: bool) {
        let mut random = Random::new(7);
        let mut rough = 0;
        for _ in 0..10 {
            let (q, v) = random_pair(&mut random);
            let dual: [Dual<6>; 6] = std::array::from_fn(|i| Dual::variable(q[i], i));
            let gap = contact.gap(&bodies(&dual, &[]));
            let sliding = contact.sliding_velocity(&bodies(&dual, &v.map(Dual::constant)));
            for index in 0..6 {
                let at = |s: f64| {
                    let mut q = q;
                    q[index] += s;
                    q
                };
                let gap_at = |s: f64| contact.gap(&bodies(&at(s), &[]));
                let sliding_at = |s: f64| contact.sliding_velocity(&bodies(&at(s), &v));
                // Where arcs meet within the stencil, the curvature jumps and differences mean nothing.
                let (coarse, wanted) = (difference(gap_at), difference_over(5e-4, gap_at));
                if (coarse - wanted).abs() > 1e-9 * (1.0 + wanted.abs()) {
                    rough += 1;
                    continue;
                }
                assert_close(name, "gap by q", gap.gradient[index], wanted, 1e-9);
                assert_close(
                    name,
                    "sliding by q",
                    sliding.gradient[index],
                    difference(sliding_at),
                    1e-8,
                );
            }
        }
        assert!(rough <= 6, "{name}: {rough} of 60 stencils are rough");
    }
}

#[test]
fn first_derivatives_agree_with_differences() {
    every_contact(&mut Gradients).expect("shapes exist");
}

struct Bias;

impl Visitor for Bias {
    fn visit(&mut self, name: &str, contact: &impl PlaneContact, _distance: bool) {
        let mut random = Random::new(8);
        for _ in 0..10 {
            let (q, v) = random_pair(&mut random);
            let gap = contact.gap(&along(&q, &v));
            let rate = |s: f64| contact.gap(&along(&moved(&q, &v, s), &v)).first;
            assert_close(name, "gap'' on a line", gap.second, difference(rate), 1e-8);
            let sliding = contact.sliding_velocity(&along(&q, &v));
            let rate = |s: f64| {
                let there = along(&moved(&q, &v, s), &v);
                contact.sliding_velocity(&there).first
            };
            assert_close(name, "sliding''", sliding.second, difference(rate), 1e-7);
        }
    }
}

#[test]
fn second_derivatives_agree_with_differences() {
    every_contact(&mut Bias).expect("shapes exist");
}

struct Nested;

impl Visitor for Nested {
    fn visit(&mut self, name: &str, contact: &impl PlaneContact, _distance: bool) {
        let mut random = Random::new(12);
        let (q, v) = random_pair(&mut random);
        let nested: [Dual<6, Taylor2>; 6] = std::array::from_fn(|i| {
            let mut number = Dual::constant(0.0);
            number.value = Taylor2::new(q[i], v[i], 0.0);
            number.gradient[i] = Taylor2::constant(1.0);
            number
        });
        let gap = contact.gap(&bodies(&nested, &[]));
        for index in 0..6 {
            let second = |s: f64| {
                let mut q = q;
                q[index] += s;
                contact.gap(&along(&q, &v)).second
            };
            let found = gap.gradient[index].second;
            assert_close(name, "gap''' ", found, difference(second), 1e-7);
        }
    }
}

#[test]
fn third_derivatives_by_nested_duals_agree_with_differences() {
    every_contact(&mut Nested).expect("shapes exist");
}

struct MaterialPoints;

impl Visitor for MaterialPoints {
    fn visit(&mut self, name: &str, contact: &impl PlaneContact, distance: bool) {
        let mut random = Random::new(9);
        for _ in 0..10 {
            let (q, v) = random_pair(&mut random);
            let standing = bodies(&q, &v);
            let touch = contact.touch(&standing);
            // The velocities of the body-fixed points that lie there now, by differences of their paths.
            let mut relative = [0.0; 2];
            for (axis, slot) in relative.iter_mut().enumerate() {
                for (body, sign) in [(0, -1.0), (1, 1.0)] {
                    let local = standing[body].local_point(&touch.points[body]);
                    let path = |s: f64| bodies(&moved(&q, &v, s), &[])[body].point(local.into());
                    *slot += sign * difference(|s| path(s)[axis]);
                }
            }
            let sliding = touch.normal.y * relative[0] - touch.normal.x * relative[1];
            let found = contact.sliding_velocity(&standing);
            assert_close(name, "sliding velocity", found, sliding, 1e-9);
            assert_close(name, "|n|", touch.normal.norm(), 1.0, 1e-14);
            let across = touch.points[1] - touch.points[0] - touch.normal * touch.gap;
            assert_close(name, "p_B - p_A - g n", across.norm(), 0.0, 1e-13);
            if distance {
                let rate = touch.normal.x * relative[0] + touch.normal.y * relative[1];
                let found = contact.gap(&along(&q, &v)).first;
                assert_close(name, "gap'", found, rate, 1e-9);
            }
        }
    }
}

#[test]
fn velocities_are_those_of_material_points() {
    every_contact(&mut MaterialPoints).expect("shapes exist");
}

struct Exchange;

impl Visitor for Exchange {
    fn visit(&mut self, name: &str, contact: &impl PlaneContact, _distance: bool) {
        struct Borrowed<'a, C>(&'a C);
        impl<C: PlaneContact> PlaneContact for Borrowed<'_, C> {
            fn touch<S: Scalar>(&self, bodies: &[PlaneBody<S>; 2]) -> PlaneTouch<S> {
                self.0.touch(bodies)
            }
        }
        let mut random = Random::new(10);
        let (q, v) = random_pair(&mut random);
        let [a, b] = bodies(&q, &v);
        let other = Exchanged(Borrowed(contact));
        assert_eq!(contact.gap(&[a, b]), other.gap(&[b, a]), "{name}");
        let (found, wanted) = (
            other.sliding_velocity(&[b, a]),
            contact.sliding_velocity(&[a, b]),
        );
        assert_close(name, "sliding", found, wanted, 1e-15);
    }
}

#[test]
fn exchanging_the_bodies_changes_nothing() {
    every_contact(&mut Exchange).expect("shapes exist");
}

struct Frame;

impl Visitor for Frame {
    fn visit(&mut self, name: &str, contact: &impl PlaneContact, _distance: bool) {
        let mut random = Random::new(11);
        let (q, v) = random_pair(&mut random);
        let [dx, dy, turn] = [0.7, -1.3, 0.9];
        let (sine, cosine) = f64::sin_cos(turn);
        let (mut q_moved, mut v_moved) = (q, v);
        for body in 0..2 {
            let [x, y] = [q[3 * body], q[3 * body + 1]];
            q_moved[3 * body] = cosine * x - sine * y + dx;
            q_moved[3 * body + 1] = sine * x + cosine * y + dy;
            q_moved[3 * body + 2] += turn;
            let [x, y] = [v[3 * body], v[3 * body + 1]];
            v_moved[3 * body] = cosine * x - sine * y;
            v_moved[3 * body + 1] = sine * x + cosine * y;
        }
        let (here, there) = (bodies(&q, &v), bodies(&q_moved, &v_moved));
        assert_close(name, "gap", contact.gap(&there), contact.gap(&here), 1e-12);
        let (found, wanted) = (
            contact.sliding_velocity(&there),
            contact.sliding_velocity(&here),
        );
        assert_close(name, "sliding", found, wanted, 1e-12);
    }
}

#[test]
fn gaps_do_not_depend_on_the_frame() {
    every_contact(&mut Frame).expect("shapes exist");
}

struct Ground;

impl Visitor for Ground {
    fn visit(&mut self, name: &str, contact: &impl PlaneContact, _distance: bool) {
        let mut random = Random::new(13);
        for _ in 0..10 {
            let (q, v) = random_pair(&mut random);
            let [_, body] = along(&q, &v);
            let found = contact.gap_from_ground(body);
            let wanted = contact.gap(&[PlaneBody::ground(), body]);
            let pairs = [
                ("gap", found.value, wanted.value),
                ("rate", found.first, wanted.first),
                ("bias", found.second, wanted.second),
            ];
            for (what, found, wanted) in pairs {
                // The very same: nobody is to see which of the two has been asked for.
                assert!(found == wanted, "{name}, {what}: {found} {wanted}");
            }
        }
    }
}

#[test]
fn gaps_from_the_ground_are_those_with_it() {
    every_contact(&mut Ground).expect("shapes exist");
}
