//! A tree of joints through all bodies, along which stated coordinates move them.

use super::coordinate::{Freedom, Stated};
use crate::connection::{Connection, Joints};
use crate::joint::JointKind;
use crate::kinematics::Kinematics;
use crate::marker::{Axis, JointFrame};
use nalgebra::{Rotation3, Unit, Vector3};

/// The joint by which a body hangs on the one before it.
struct Branch {
    /// Place among the connections.
    joint: usize,
    parent: Option<usize>,
    body: usize,
    /// Whether `body` is body 2 of the joint.
    outward: bool,
}

/// Bodies in the order from the roots outwards. Roots are the ground, and one body of everything that floats.
pub(super) struct Tree<'a> {
    joints: &'a Joints,
    branches: Vec<Branch>,
}

/// Joints with stated coordinates come into the tree first, joints proper before single constraints.
fn rank(joint: &Connection, stated: bool) -> usize {
    match joint.kind {
        _ if stated => 0,
        JointKind::Distance(_)
        | JointKind::Dot1(..)
        | JointKind::Dot2(..)
        | JointKind::Coordinate(..)
        | JointKind::Angle(_)
        | JointKind::Custom(_) => 2,
        _ => 1,
    }
}

impl<'a> Tree<'a> {
    pub fn new(joints: &'a Joints, stated: &[Stated], bodies: usize) -> Self {
        let is_stated = |place: usize| {
            let mut all = stated.iter();
            all.any(|stated| joints.order.get(stated.joint.0) == Some(&place))
        };
        let mut places = joints.order.clone();
        // Kruskal's spanning tree by rank: a joint is kept if it connects two groups.
        places.sort_by_key(|&place| rank(&joints.connections[place], is_stated(place)));
        // Node 0 is the ground. Groups of nodes that are connected so far, each named by one of its members.
        let node = |body: Option<usize>| body.map_or(0, |body| body + 1);
        let mut group: Vec<usize> = (0..=bodies).collect();
        let mut kept = Vec::new();
        for place in places {
            let [one, two] = joints.connections[place]
                .bodies
                .map(|body| group[node(body)]);
            if one != two {
                for member in &mut group {
                    if *member == two {
                        *member = one;
                    }
                }
                kept.push(place);
            }
        }
        let mut reached = vec![false; bodies + 1];
        // From the ground, then from one body of everything that floats.
        let mut branches = Vec::with_capacity(bodies);
        for root in 0..=bodies {
            if std::mem::replace(&mut reached[root], true) {
                continue;
            }
            let mut front = vec![root];
            // Depth first: parents stand before their children.
            while let Some(from) = front.pop() {
                for &joint in &kept {
                    let ends = joints.connections[joint].bodies;
                    for (parent, body, outward) in
                        [(ends[0], ends[1], true), (ends[1], ends[0], false)]
                    {
                        let Some(index) = body else { continue };
                        if node(parent) == from && !reached[index + 1] {
                            reached[index + 1] = true;
                            front.push(index + 1);
                            branches.push(Branch {
                                joint,
                                parent,
                                body: index,
                                outward,
                            });
                        }
                    }
                }
            }
        }
        Self { joints, branches }
    }

    fn at(bodies: &[Kinematics], body: Option<usize>) -> Kinematics {
        body.map_or_else(Kinematics::ground, |body| bodies[body])
    }

    /// The bodies of a joint.
    pub fn pair(joint: &Connection, bodies: &[Kinematics]) -> [Kinematics; 2] {
        joint.bodies.map(|body| Self::at(bodies, body))
    }

    /// Moves everything that hangs on the joints by these changes of their coordinates. Joints outside the tree are left to
    /// the closing of loops.
    pub fn advance(&self, bodies: &mut [Kinematics], changes: &[(Stated, f64)]) {
        for &(stated, change) in changes {
            let place = self.joints.order[stated.joint.0];
            let Some(branch) = self.branches.iter().find(|branch| branch.joint == place) else {
                continue;
            };
            let joint = &self.joints.connections[place];
            let [frame, _] = joint.sides_with_axes(&Self::pair(joint, bodies));
            let (axis, point) = (frame.axis(Axis::Z), frame.point());
            // Moving body 1 instead turns the coordinate the other way.
            let change = if branch.outward { change } else { -change };
            for body in self.carried_by(branch) {
                let moved = &mut bodies[body];
                match stated.freedom {
                    Freedom::Angle => {
                        let turn = Rotation3::from_axis_angle(&Unit::new_normalize(axis), change);
                        moved.position = point + turn * (moved.position - point);
                        moved.rotation = turn * moved.rotation;
                    }
                    Freedom::Translation => moved.position += axis * change,
                }
            }
        }
    }

    /// A body and all that hang on it.
    fn carried_by(&self, root: &Branch) -> Vec<usize> {
        let mut carried = vec![root.body];
        // From the roots outwards: a parent stands before its children.
        for branch in &self.branches {
            if branch
                .parent
                .is_some_and(|parent| carried.contains(&parent))
                && !carried.contains(&branch.body)
            {
                carried.push(branch.body);
            }
        }
        carried
    }

    /// Both bodies of a joint where they are now: body 1 at rest, body 2 in its motion relative to body 1 as stated.
    pub fn stated_motion(
        joint: &Connection,
        stated: &[Kinematics],
        now: &[Kinematics],
    ) -> [Kinematics; 2] {
        let [one, two] = Self::pair(joint, stated);
        let local = &joint.markers[1].point;
        let motion = relative(&one, &two, local).map(|velocity| one.rotation.tr_mul(&velocity));
        let [mut one, mut two] = Self::pair(joint, now);
        let [slip, spin] = motion.map(|velocity| one.rotation * velocity);
        (one.velocity, one.omega) = (Vector3::zeros(), Vector3::zeros());
        two.omega = two.rotation.tr_mul(&spin);
        two.velocity = slip - spin.cross(&two.direction(local));
        [one, two]
    }

    /// Velocities of the bodies where they are now: each joint moves as it was stated by the velocities of `stated`, or at its
    /// stated rate.
    pub fn velocities(&self, stated: &[Kinematics], now: &mut [Kinematics], rates: &[Stated]) {
        for branch in &self.branches {
            let joint = &self.joints.connections[branch.joint];
            let side = usize::from(branch.outward);
            let local = &joint.markers[side].point;
            // Slip and spin of the joint by the stated velocities, in the parent frame, with which they move.
            let (parent, child) = (Self::at(stated, branch.parent), stated[branch.body]);
            let [mut slip, mut spin] =
                relative(&parent, &child, local).map(|velocity| parent.rotation.tr_mul(&velocity));
            let [frame, _] = joint.sides_with_axes(&Self::pair(joint, now));
            let parent = Self::at(now, branch.parent);
            let axis = parent.rotation.tr_mul(&frame.axis(Axis::Z));
            let sign = if branch.outward { 1.0 } else { -1.0 };
            for rate in rates {
                if self.joints.order[rate.joint.0] == branch.joint {
                    let part = match rate.freedom {
                        Freedom::Angle => &mut spin,
                        Freedom::Translation => &mut slip,
                    };
                    // Replaces the component along the axis by the stated rate; the rest stays.
                    *part += axis * (sign * rate.value - axis.dot(part));
                }
            }
            let child = &mut now[branch.body];
            // Composition: parent, plus what the joint adds.
            let omega = parent.angular_velocity() + parent.rotation * spin;
            let arm = child.direction(local);
            let point = carried(&parent, &(child.position + arm)) + parent.rotation * slip;
            child.omega = child.rotation.tr_mul(&omega);
            child.velocity = point - omega.cross(&arm);
        }
    }
}

/// The velocity of the point of the world that a body carries with it.
fn carried(body: &Kinematics, point: &Vector3<f64>) -> Vector3<f64> {
    body.velocity + body.angular_velocity().cross(&(point - body.position))
}

/// Velocity of a point of the child, and angular velocity of the child, both relative to the parent, in the world.
fn relative(parent: &Kinematics, child: &Kinematics, local: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let slip = child.point_velocity(local) - carried(parent, &child.point(local));
    [slip, child.angular_velocity() - parent.angular_velocity()]
}
