//! Gaps in closed form, their signs, limits and errors.

use super::*;
use liedae::scalar::{Dual, Taylor2};
use std::f64::consts::FRAC_PI_2;

const GROUND_AND_ONE: [Option<usize>; 2] = [None, Some(0)];

fn at(q: [f64; 3], v: [f64; 3]) -> [PlaneBody; 2] {
    PlaneBody::pair(GROUND_AND_ONE, &q, &v)
}

fn close(found: f64, wanted: f64) {
    assert!((found - wanted).abs() < 1e-12, "{found} {wanted}");
}

#[test]
fn a_rolling_disc_does_not_slide() -> Result<(), GeometryError> {
    let floor = HalfPlane::new([0.0, 0.0], [0.0, 3.0])?;
    let disc = DiscOnLine::new(floor, [0.0, 0.0], 0.5)?;
    close(disc.gap(&at([1.0, 0.7, 0.3], [0.0; 3])), 0.2);
    close(disc.gap(&at([1.0, 0.4, 0.3], [0.0; 3])), -0.1);
    // Rolling to the right turns clockwise.
    close(
        disc.sliding_velocity(&at([1.0, 0.5, 0.3], [1.0, 0.0, -2.0])),
        0.0,
    );
    // The tangent of a floor points to the right.
    close(
        disc.sliding_velocity(&at([1.0, 0.5, 0.3], [1.0, 0.0, 0.0])),
        1.0,
    );
    Ok(())
}

#[test]
fn corners_of_a_turned_box() -> Result<(), GeometryError> {
    let floor = HalfPlane::new([0.0, 0.0], [0.0, 1.0])?;
    let corners = box_on_line(floor, [0.0, 0.0], [0.3, 0.1])?;
    let turned = at([0.0, 0.3, FRAC_PI_2], [0.0; 3]);
    let wanted = [0.0, 0.6, 0.6, 0.0];
    for (corner, wanted) in corners.iter().zip(wanted) {
        close(corner.gap(&turned), wanted);
    }
    Ok(())
}

#[test]
fn a_slot_leaves_its_clearance_to_both_sides() -> Result<(), GeometryError> {
    let [upper, lower] = pin_in_slot([0.0, 1.0], [2.0, 0.0], 0.5, [0.0, 0.0], 0.2)?;
    let pin = at([3.0, 1.01, 0.4], [1.0, 0.0, 0.0]);
    close(upper.gap(&pin), 0.06);
    close(lower.gap(&pin), 0.04);
    close(upper.touch(&pin).normal.y, 1.0);
    close(lower.touch(&pin).normal.y, -1.0);
    // The walls' tangents are opposite.
    close(upper.sliding_velocity(&pin), 1.0);
    close(lower.sliding_velocity(&pin), -1.0);
    Ok(())
}

#[test]
fn discs_and_journals() -> Result<(), GeometryError> {
    let discs = DiscOnDisc::new([[0.0; 2], [0.0; 2]], [0.3, 0.4])?;
    close(discs.gap(&at([3.0, 4.0, 0.0], [0.0; 3])), 4.3);
    close(discs.gap(&at([0.3, 0.4, 0.0], [0.0; 3])), -0.2);
    let journal = DiscInCircle::new([[0.0; 2], [0.0; 2]], [1.0, 0.9])?;
    close(journal.clearance(), 0.1);
    close(journal.gap(&at([0.03, 0.04, 0.0], [0.0; 3])), 0.05);
    close(journal.gap(&at([0.3, 0.4, 0.0], [0.0; 3])), -0.4);
    // The bearing pushes the journal back to its centre.
    close(
        journal.touch(&at([0.03, 0.04, 0.0], [0.0; 3])).normal.x,
        -0.6,
    );
    Ok(())
}

#[test]
fn a_concentric_journal_has_finite_derivatives() -> Result<(), GeometryError> {
    let journal = DiscInCircle::new([[0.0; 2], [0.0; 2]], [1.0, 0.9])?;
    let q: [Dual<3>; 3] = std::array::from_fn(|index| Dual::variable(0.0, index));
    let gap = journal.gap(&PlaneBody::pair(GROUND_AND_ONE, &q, &[]));
    close(gap.value, 0.1);
    assert_eq!(gap.gradient, [0.0; 3]);
    let moving = at([0.0; 3], [1.0, 2.0, 3.0]);
    assert_eq!(journal.sliding_velocity(&moving), 0.0);
    Ok(())
}

#[test]
fn ropes_and_stops() -> Result<(), GeometryError> {
    let rope = Rope::new([[1.0, 0.0], [0.0, 0.5]], 2.0)?;
    let hanging = at([1.0, -1.3, std::f64::consts::PI], [0.0; 3]);
    close(rope.gap(&hanging), 0.2);
    let curve = [
        Taylor2::new(2.5, 0.0, 0.0),
        Taylor2::new(-0.5, 1.0, 0.0),
        Taylor2::constant(0.0),
    ];
    // On a circle around the end of the rope with 1 m/s the slack bends by v²/r = 1/1.5.
    let slack = rope.gap(&PlaneBody::pair(GROUND_AND_ONE, &curve, &[]));
    close(slack.value, 0.5);
    close(slack.first, 0.0);
    close(slack.second, -1.0 / 1.5);
    let (least, most) = (AngularStop::at_least(-0.5)?, AngularStop::at_most(0.7)?);
    close(least.gap(&at([0.0, 0.0, 0.1], [0.0; 3])), 0.6);
    close(most.gap(&at([0.0, 0.0, 0.1], [0.0; 3])), 0.6);
    close(most.gap(&at([0.0, 0.0, 0.8], [0.0; 3])), -0.1);
    Ok(())
}

#[test]
fn a_parametric_ellipse_has_its_distance() -> Result<(), GeometryError> {
    let point = DiscOnCurve::point(Ellipse, [0.0, 0.0])?;
    close(point.gap(&at([1.5, 0.0, 0.0], [0.0; 3])), 0.5);
    close(point.gap(&at([0.0, -2.0, 0.0], [0.0; 3])), 1.5);
    close(point.gap(&at([0.0, 0.4, 0.0], [0.0; 3])), -0.1);
    // A point at the distance d along the normal of a point of the curve.
    for (s, d) in [(0.7_f64, 0.3), (2.5, 1.2), (4.0, -0.05)] {
        let normal = Vector2::new(s.cos(), 2.0 * s.sin()).normalize();
        let there = Vector2::new(s.cos(), 0.5 * s.sin()) + normal * d;
        close(point.gap(&at([there.x, there.y, 0.2], [0.0; 3])), d);
    }
    Ok(())
}

#[test]
fn outlines_of_one_ellipse_agree() -> Result<(), GeometryError> {
    let by_points = DiscOnCurve::new(Ellipse, [0.0, 0.0], 0.1)?;
    let by_support = DiscOnCurve::new(SupportCurve(Ellipse), [0.0, 0.0], 0.1)?;
    let mut random = Random::new(3);
    for _ in 0..20 {
        let (q, v) = random_pair(&mut random);
        let pair = bodies(&q, &v);
        close(by_points.gap(&pair), by_support.gap(&pair));
        close(
            by_points.sliding_velocity(&pair),
            by_support.sliding_velocity(&pair),
        );
    }
    // A flat parallel to the long axis.
    let flat = FlatOnProfile::new(Ellipse, [0.0, 0.0], [0.0, -1.0])?;
    close(flat.gap(&at([5.0, 0.8, 0.0], [0.0; 3])), 0.3);
    Ok(())
}

#[test]
fn an_implicit_curve_agrees_with_its_distance_at_contact() -> Result<(), GeometryError> {
    let implicit = PointOnImplicitCurve::new(Ellipse, [0.0, 0.0])?;
    let distance = DiscOnCurve::point(Ellipse, [0.0, 0.0])?;
    let s = 0.7_f64;
    // On the curve, moving along it with the curve's r' and bending with r'': g = g' = g'' = 0.
    let (sine, cosine) = s.sin_cos();
    let on = [
        Taylor2::new(cosine, -sine, -cosine),
        Taylor2::new(0.5 * sine, 0.5 * cosine, -0.5 * sine),
        Taylor2::constant(0.0),
    ];
    let straight = on.map(|x| Taylor2::new(x.value, x.first, 0.0));
    for curve in [on, straight] {
        let pair = PlaneBody::pair(GROUND_AND_ONE, &curve, &[]);
        let (found, wanted) = (implicit.gap(&pair), distance.gap(&pair));
        close(found.value, 0.0);
        close(found.first, wanted.first);
        close(found.second, wanted.second);
    }
    let pair = PlaneBody::pair(GROUND_AND_ONE, &on, &[]);
    close(distance.gap(&pair).second, 0.0);
    // Curvature κ = a b / |r'|³ with |r'|² = sin² + cos²/4: g'' = κ |r'|².
    let pair = PlaneBody::pair(GROUND_AND_ONE, &straight, &[]);
    let wanted = 0.5 / (sine * sine + 0.25 * cosine * cosine).sqrt();
    close(distance.gap(&pair).second, wanted);
    Ok(())
}

#[test]
fn beyond_its_end_an_open_curve_is_a_point() -> Result<(), GeometryError> {
    let point = DiscOnCurve::point(Hills, [0.0, 0.0])?;
    let end = Hills.point(-3.0);
    let found = point.touch(&at([end.x + 0.3, end.y + 0.4, 0.0], [0.0; 3]));
    close(found.gap, 0.5);
    close(found.normal.x, 0.6);
    Ok(())
}

#[test]
fn penetration_is_negative_for_all_outlines() -> Result<(), GeometryError> {
    let inside = at([0.1, 0.3, 0.0], [0.0; 3]);
    assert!(DiscOnCurve::point(Ellipse, [0.0; 2])?.gap(&inside) < -0.1);
    assert!(DiscOnCurve::point(PolarCurve(Lobe), [0.0; 2])?.gap(&inside) < -0.1);
    assert!(DiscOnCurve::point(SupportCurve(Lobe), [0.0; 2])?.gap(&inside) < -0.1);
    assert!(PointOnImplicitCurve::new(Ellipse, [0.0; 2])?.gap(&inside) < -0.1);
    assert!(FlatOnProfile::new(Lobe, [0.0; 2], [0.0, -1.0])?.gap(&inside) < -0.1);
    Ok(())
}

#[test]
fn shapes_that_do_not_exist_are_refused() {
    let line = HalfPlane::new([0.0; 2], [0.0, 1.0]).expect("a floor");
    assert!(matches!(
        HalfPlane::new([0.0; 2], [0.0; 2]),
        Err(GeometryError::Direction { .. })
    ));
    assert!(matches!(
        HalfPlane::new([f64::NAN, 0.0], [0.0, 1.0]),
        Err(GeometryError::NotFinite { .. })
    ));
    assert!(matches!(
        DiscOnLine::new(line, [0.0; 2], -1.0),
        Err(GeometryError::Length { .. })
    ));
    assert!(matches!(
        DiscOnDisc::new([[0.0; 2]; 2], [0.0; 2]),
        Err(GeometryError::Length { .. })
    ));
    assert!(matches!(
        DiscInCircle::new([[0.0; 2]; 2], [1.0, 1.1]),
        Err(GeometryError::Clearance { .. })
    ));
    assert!(matches!(
        pin_in_slot([0.0; 2], [1.0, 0.0], 0.3, [0.0; 2], 0.2),
        Err(GeometryError::Clearance { .. })
    ));
    assert!(matches!(
        box_on_line(line, [0.0; 2], [0.1, f64::NAN]),
        Err(GeometryError::Length { .. })
    ));
    assert!(Rope::new([[0.0; 2]; 2], 0.0).is_err());
    assert!(AngularStop::at_most(f64::INFINITY).is_err());
    assert!(FlatOnProfile::new(Lobe, [0.0; 2], [f64::NAN, 1.0]).is_err());
    assert!(PointOnImplicitCurve::new(Ellipse, [f64::NAN, 0.0]).is_err());
    assert!(DiscOnCurve::new(Ellipse, [0.0; 2], f64::NAN).is_err());
}

/// Gap and sliding velocity.
fn both<C: PlaneContact>(contact: C) -> impl Fn(&[PlaneBody; 2]) -> [f64; 2] {
    move |at| [contact.gap(at), contact.sliding_velocity(at)]
}

/// Without sine and cosine of an angle that is not needed gaps and sliding velocities are the same, to the last bit.
#[test]
fn directions_that_are_not_needed_are_not_missed() -> Result<(), GeometryError> {
    let floor = HalfPlane::new([0.1, 0.0], [0.2, 3.0])?;
    let (q, v) = (
        [0.4, 1.3, 0.7, 1.9, 2.2, -0.4],
        [0.3, -0.2, 1.1, 0.5, 0.1, -2.0],
    );
    let bodies = [Some(0), Some(1)];
    for centre in [[0.0, 0.0], [0.2, -0.1]] {
        let beside = centre != [0.0; 2];
        let line = DiscOnLine::new(floor, centre, 0.1)?;
        let discs = DiscOnDisc::new([[0.0, 0.0], centre], [0.2, 0.3])?;
        let hole = DiscInCircle::new([centre, [0.0, 0.0]], [0.9, 0.3])?;
        let turned = Exchanged(line);
        let found = |contact: &dyn Fn(&[PlaneBody; 2]) -> [f64; 2], needs: [bool; 2]| {
            let whole = contact(&PlaneBody::pair(bodies, &q, &v));
            let spared = contact(&PlaneBody::pair_with_directions(needs, bodies, &q, &v));
            assert_eq!(whole, spared);
            needs
        };
        assert_eq!(found(&both(line), line.needs_directions()), [true, beside]);
        assert_eq!(
            found(&both(discs), discs.needs_directions()),
            [false, beside]
        );
        assert_eq!(found(&both(hole), hole.needs_directions()), [beside, false]);
        assert_eq!(
            found(&both(turned), turned.needs_directions()),
            [beside, true]
        );
        // Who asks for what he has said he does not need gets no number.
        let blind = PlaneBody::pair_with_directions([false; 2], bodies, &q, &v);
        assert!(line.gap(&blind).is_nan());
    }
    Ok(())
}
