//! Joint frames: where a joint sits on a body and how its axes lie.

use super::error::AssemblyError;
use super::kinematics::{Kinematics, rotate};
use liedae::scalar::Scalar;
use nalgebra::{Matrix3, Vector3};

/// How far the length of a direction may be from one.
const UNIT_TOLERANCE: f64 = 1e-6;

/// Where a frame's numbers are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placement {
    /// In the world, with the bodies in their initial positions.
    World,
    /// In the body frame, from its centre of mass.
    Body,
}

/// A joint frame on one body as the user states it: a point, the z-axis (the joint's axis) and the x-axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    placement: Placement,
    point: Vector3<f64>,
    axes: Option<Axes>,
}

/// The axes of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Axes {
    /// z, and x where it is known.
    Directions(Vector3<f64>, Option<Vector3<f64>>),
    /// All of them as columns, to the last bit.
    Columns(Matrix3<f64>),
}

impl Axes {
    fn z(&self) -> Vector3<f64> {
        match self {
            Self::Directions(z, _) => *z,
            Self::Columns(axes) => axes.column(2).into_owned(),
        }
    }
}

impl Frame {
    /// A point in the world at assembly; the axes are those of the world.
    pub fn world_point(point: impl Into<Vector3<f64>>) -> Self {
        Self {
            placement: Placement::World,
            point: point.into(),
            axes: None,
        }
    }

    /// A point and the unit z-axis in the world at assembly; the x-axis is some perpendicular one, the same for equal z.
    pub fn world(point: impl Into<Vector3<f64>>, z: impl Into<Vector3<f64>>) -> Self {
        Self {
            placement: Placement::World,
            point: point.into(),
            axes: Some(Axes::Directions(z.into(), None)),
        }
    }

    /// A point in the body frame; the axes are those of the body.
    pub fn local_point(point: impl Into<Vector3<f64>>) -> Self {
        Self {
            placement: Placement::Body,
            point: point.into(),
            axes: None,
        }
    }

    /// A point, the unit z-axis and the x-axis in the body frame.
    pub fn local(
        point: impl Into<Vector3<f64>>,
        z: impl Into<Vector3<f64>>,
        x: impl Into<Vector3<f64>>,
    ) -> Self {
        Self {
            placement: Placement::Body,
            point: point.into(),
            axes: Some(Axes::Directions(z.into(), Some(x.into()))),
        }
    }

    /// A point and the unit z-axis in the body frame; the x-axis is some perpendicular one, the same for equal z.
    pub fn local_axis(point: impl Into<Vector3<f64>>, z: impl Into<Vector3<f64>>) -> Self {
        Self {
            placement: Placement::Body,
            point: point.into(),
            axes: Some(Axes::Directions(z.into(), None)),
        }
    }

    /// The same frame with this unit x-axis, read as the frame's other numbers; its part along z is removed.
    pub fn with_x(mut self, x: impl Into<Vector3<f64>>) -> Self {
        let z = self.axes.map_or_else(Vector3::z, |axes| axes.z());
        self.axes = Some(Axes::Directions(z, Some(x.into())));
        self
    }

    /// The same frame with these orthonormal axes as columns, read as the frame's other numbers.
    pub fn with_axes(mut self, axes: Matrix3<f64>) -> Self {
        self.axes = Some(Axes::Columns(axes));
        self
    }

    /// The frame in the coordinates of a body that stands at `body`.
    pub(crate) fn resolve(&self, joint: &str, body: &Kinematics) -> Result<Marker, AssemblyError> {
        let axes = match self.axes {
            None => Matrix3::identity(),
            Some(Axes::Directions(z, x)) => triad(joint, &z, x.as_ref())?,
            Some(Axes::Columns(axes)) => orthonormal(joint, axes)?,
        };
        let marker = match self.placement {
            Placement::Body => Marker {
                point: self.point,
                axes,
            },
            Placement::World => Marker {
                // Into the body: Aᵀ (p - r).
                point: body.rotation.tr_mul(&(self.point - body.position)),
                axes: body.rotation.tr_mul(&axes),
            },
        };
        // The difference of two huge numbers may overflow.
        if marker.point.iter().all(|number| number.is_finite()) {
            Ok(marker)
        } else {
            Err(AssemblyError::NotFinite {
                what: format!("a point of '{joint}' in its body"),
                element: Some(joint.to_owned()),
            })
        }
    }

    /// The z-axis in the world with a body that stands at `body`.
    pub(crate) fn world_axis(&self, body: &Kinematics) -> Vector3<f64> {
        let z = self.axes.map_or_else(Vector3::z, |axes| axes.z());
        match self.placement {
            Placement::World => z,
            Placement::Body => body.rotation * z,
        }
    }
}

/// Axes that are orthonormal and right-handed as they are, or the error that names the joint.
pub(crate) fn orthonormal(joint: &str, axes: Matrix3<f64>) -> Result<Matrix3<f64>, AssemblyError> {
    let [x, y, z] = [0, 1, 2].map(|column| axes.column(column).into_owned());
    for axis in [x, y, z] {
        unit(joint, &axis)?;
    }
    let right = x.cross(&y) - z;
    if right.amax() <= UNIT_TOLERANCE {
        Ok(axes)
    } else {
        Err(AssemblyError::ParallelAxes {
            joint: joint.to_owned(),
        })
    }
}

/// A unit vector, or the error that names the joint.
pub(crate) fn unit(joint: &str, direction: &Vector3<f64>) -> Result<Vector3<f64>, AssemblyError> {
    let norm = direction.norm();
    if (norm - 1.0).abs() <= UNIT_TOLERANCE {
        Ok(direction / norm)
    } else {
        Err(AssemblyError::Axis {
            joint: joint.to_owned(),
            norm,
        })
    }
}

/// A unit vector that is not divided by its length again where that is 1 but for round-off: what is written in a file is read alike.
pub(crate) fn unit_as_stated(
    joint: &str,
    direction: &Vector3<f64>,
) -> Result<Vector3<f64>, AssemblyError> {
    let exact = (direction.norm() - 1.0).abs() <= 4.0 * f64::EPSILON;
    let unit = unit(joint, direction)?;
    Ok(if exact { *direction } else { unit })
}

/// The right-handed orthonormal triad (columns x, y, z) with this z and, if given, this x in the plane of x and z.
fn triad(
    joint: &str,
    z: &Vector3<f64>,
    x: Option<&Vector3<f64>>,
) -> Result<Matrix3<f64>, AssemblyError> {
    let z = unit(joint, z)?;
    let x = match x {
        Some(x) => {
            let x = unit(joint, x)?;
            // Gram and Schmidt: the part of x across z.
            let across = x - z * z.dot(&x);
            if across.norm() < 1e-3 {
                return Err(AssemblyError::ParallelAxes {
                    joint: joint.to_owned(),
                });
            }
            across.normalize()
        }
        None => {
            // The world axis that z leans to least.
            let helper = match z.iamin() {
                0 => Vector3::x(),
                1 => Vector3::y(),
                _ => Vector3::z(),
            };
            (helper - z * z.dot(&helper)).normalize()
        }
    };
    // Right-handed: y = z × x.
    Ok(Matrix3::from_columns(&[x, z.cross(&x), z]))
}

/// A joint frame fixed to a body: a point and three orthonormal axes (columns), both in the body frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Marker {
    /// The point, from the centre of mass, body frame, in m.
    pub point: Vector3<f64>,
    /// The axes x, y, z as columns, body frame.
    pub axes: Matrix3<f64>,
}

impl Marker {
    /// The marker in the world with its body at `body`; the axes are only computed on demand.
    pub(crate) fn side<S: Scalar>(&self, body: &Kinematics<S>, with_axes: bool) -> Side<S> {
        let axes = if with_axes {
            let column =
                |index: usize| rotate(&body.rotation, &self.axes.column(index).into_owned());
            Matrix3::from_columns(&[column(0), column(1), column(2)])
        } else {
            Matrix3::zeros()
        };
        Side {
            origin: body.position,
            arm: rotate(&body.rotation, &self.point),
            axes,
        }
    }
}

/// One side of a joint in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<S: Scalar = f64> {
    /// Centre of mass of the body.
    pub origin: Vector3<S>,
    /// From the centre of mass to the joint's point.
    pub arm: Vector3<S>,
    /// Axes of the joint frame as columns.
    pub axes: Matrix3<S>,
}

/// A joint frame in the world, as rows see it.
pub(crate) trait JointFrame<S: Scalar> {
    /// Centre of mass of the body.
    fn origin(&self) -> Vector3<S>;

    /// From the centre of mass to the joint's point.
    fn arm(&self) -> Vector3<S>;

    /// One axis.
    fn axis(&self, axis: Axis) -> Vector3<S>;

    /// The joint's point.
    #[inline]
    fn point(&self) -> Vector3<S> {
        self.origin() + self.arm()
    }
}

impl<S: Scalar> JointFrame<S> for Side<S> {
    #[inline]
    fn origin(&self) -> Vector3<S> {
        self.origin
    }

    #[inline]
    fn arm(&self) -> Vector3<S> {
        self.arm
    }

    #[inline]
    fn axis(&self, axis: Axis) -> Vector3<S> {
        self.axes.column(axis as usize).into_owned()
    }
}

/// An axis of a joint frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// First axis.
    X = 0,
    /// Second axis.
    Y = 1,
    /// Third axis: that of revolute, cylindrical and translational joints.
    Z = 2,
}

impl Axis {
    /// Its letter.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        }
    }
}
