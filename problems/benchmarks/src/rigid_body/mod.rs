//! One rigid body: the heavy top and the free body, on several Lie groups; a disk that rolls.

mod free;
mod heavy_top;
mod heavy_top_reference;
mod orientation;
mod rolling_disk;
mod rolling_disk_motion;

pub(crate) use free::FREE_RIGID_BODY;
pub use free::FreeRigidBody;
pub(crate) use heavy_top::HEAVY_TOP;
pub use heavy_top::{HeavyTop, HeavyTopGroup};
pub use orientation::{ORIENTATION, OrientationGroup};
pub(crate) use orientation::{
    cross, interpolable_orientation, orientation_columns, rotate, rotate_back, write_orientation,
};
pub(crate) use rolling_disk::ROLLING_DISK;
pub use rolling_disk::RollingDisk;
