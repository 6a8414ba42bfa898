//! The tree of a robot's links.

use super::UrdfError;
use nalgebra::{Matrix3, Rotation3, Vector3};
use std::collections::HashMap;
use urdf_rs::{Joint, JointType, Link, Pose};

/// Where a frame is and how it lies, in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub position: Vector3<f64>,
    pub rotation: Matrix3<f64>,
}

impl Placed {
    /// A frame that is stated in this one.
    pub fn moved(&self, pose: &Pose) -> Self {
        Self {
            position: self.position + self.rotation * Vector3::from(pose.xyz.0),
            rotation: self.rotation * rotation(pose),
        }
    }
}

/// Of roll, pitch and yaw about fixed axes.
pub(super) fn rotation(pose: &Pose) -> Matrix3<f64> {
    let [roll, pitch, yaw] = pose.rpy.0;
    Rotation3::from_euler_angles(roll, pitch, yaw).into_inner()
}

/// Whether a link weighs nothing: URDF then states no inertia.
pub(super) fn is_frame(link: &Link) -> bool {
    let inertia = &link.inertial.inertia;
    let moments = [
        inertia.ixx,
        inertia.ixy,
        inertia.ixz,
        inertia.iyy,
        inertia.iyz,
        inertia.izz,
    ];
    link.inertial.mass.value == 0.0 && moments.iter().all(|&moment| moment == 0.0)
}

/// A link in the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'a> {
    pub link: &'a Link,
    /// The node that it hangs on, and its joint.
    pub parent: Option<(usize, &'a Joint)>,
    pub place: Placed,
    /// Whether it or what hangs on it weighs anything.
    pub weighs: bool,
    /// The node with an inertia that it moves with, itself or one that is fixed below it.
    pub carrier: Option<usize>,
}

/// Links from the root on, each behind what it hangs on.
#[derive(Clone, Debug)]
pub(super) struct Tree<'a> {
    pub nodes: Vec<Node<'a>>,
}

impl<'a> Tree<'a> {
    pub fn of(links: &'a [Link], joints: &'a [Joint]) -> Result<Self, UrdfError> {
        if links.is_empty() {
            return Err(UrdfError::NoLinks);
        }
        let mut numbers = HashMap::new();
        for (number, link) in links.iter().enumerate() {
            if numbers.insert(link.name.as_str(), number).is_some() {
                return Err(UrdfError::Duplicate {
                    kind: "link",
                    name: link.name.clone(),
                });
            }
        }
        let (mut parents, children) = hang(links, joints, &numbers)?;
        let mut roots = (0..links.len()).filter(|&link| parents[link].is_none());
        let root = match (roots.next(), roots.count()) {
            (Some(root), 0) => root,
            (None, _) => return Err(UrdfError::Loop(links[0].name.clone())),
            (Some(_), more) => return Err(UrdfError::Roots(more + 1)),
        };
        let start = Placed {
            position: Vector3::zeros(),
            rotation: Matrix3::identity(),
        };
        let mut nodes: Vec<Node> = Vec::with_capacity(links.len());
        let mut waiting = vec![(root, None, start)];
        while let Some((number, parent, place)) = waiting.pop() {
            parents[number] = None;
            let node = nodes.len();
            nodes.push(Node {
                link: &links[number],
                parent,
                place,
                weighs: false,
                carrier: None,
            });
            for &(child, joint) in children[number].iter().rev() {
                waiting.push((child, Some((node, joint)), place.moved(&joint.origin)));
            }
        }
        // A link that still has no parent is part of a cycle.
        if let Some(link) = parents.iter().position(Option::is_some) {
            return Err(UrdfError::Loop(links[link].name.clone()));
        }
        let mut tree = Self { nodes };
        tree.carry();
        Ok(tree)
    }

    /// Which links weigh anything, and with which of them others move; children are behind their parents.
    fn carry(&mut self) {
        for index in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[index];
            if !is_frame(node.link) {
                node.weighs = true;
                node.carrier = Some(index);
            }
            let node = *node;
            if let Some((parent, joint)) = node.parent {
                let parent = &mut self.nodes[parent];
                parent.weighs |= node.weighs;
                // Of several the first one in the file, which comes last here.
                if joint.joint_type == JointType::Fixed && node.carrier.is_some() {
                    parent.carrier = node.carrier;
                }
            }
        }
    }
}

type Parents<'a> = Vec<Option<&'a Joint>>;
type Children<'a> = Vec<Vec<(usize, &'a Joint)>>;

/// The joint above each link, and links and joints below each.
fn hang<'a>(
    links: &[Link],
    joints: &'a [Joint],
    numbers: &HashMap<&str, usize>,
) -> Result<(Parents<'a>, Children<'a>), UrdfError> {
    let mut names = HashMap::new();
    let mut parents: Parents = vec![None; links.len()];
    let mut children: Children = vec![Vec::new(); links.len()];
    for joint in joints {
        if names.insert(joint.name.as_str(), ()).is_some() {
            return Err(UrdfError::Duplicate {
                kind: "joint",
                name: joint.name.clone(),
            });
        }
        let number = |link: &str| {
            let unknown = || UrdfError::UnknownLink {
                joint: joint.name.clone(),
                link: link.to_owned(),
            };
            numbers.get(link).copied().ok_or_else(unknown)
        };
        let (parent, child) = (number(&joint.parent.link)?, number(&joint.child.link)?);
        if let Some(first) = parents[child].replace(joint) {
            return Err(UrdfError::TwoParents {
                link: joint.child.link.clone(),
                first: first.name.clone(),
                second: joint.name.clone(),
            });
        }
        children[parent].push((child, joint));
    }
    Ok((parents, children))
}
