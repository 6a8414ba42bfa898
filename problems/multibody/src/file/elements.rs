//! Springs, friction, bearings, contacts, initial coordinates and outputs of a file.

use super::build::Building;
use super::entries::{
    BearingEntry, ContactEntry, FrictionEntry, InitialEntry, OutputEntry, RotationalSpringEntry,
    SpringEntry, SurfaceEntry,
};
use super::error::FileError;
use crate::{
    BearingFriction, Frame, Friction, JointCoordinate, NormalForce, RotationalSpring, Shape,
    Surface, SurfaceContact, TranslationalSpring,
};
use toml::Spanned;

impl Building<'_> {
    pub fn spring(&mut self, entry: &Spanned<SpringEntry>) -> Result<(), FileError> {
        let stated = entry.get_ref();
        let bodies = [
            self.find_body(&stated.bodies[0])?,
            self.find_body(&stated.bodies[1])?,
        ];
        let ends = match (stated.points, stated.frames) {
            (Some(points), None) => points.map(Frame::world_point),
            (None, Some(frames)) => self.frames(entry, frames)?,
            _ => {
                return Err(self.bad(entry, "points", "expected one of `points` and `frames`"));
            }
        };
        let (stiffness, free) = (stated.stiffness, stated.free_length);
        let spring = TranslationalSpring::new(&stated.name, bodies, ends, stiffness, free);
        self.builder.add_spring(spring.with_damping(stated.damping));
        Ok(())
    }

    pub fn rotational_spring(
        &mut self,
        entry: &Spanned<RotationalSpringEntry>,
    ) -> Result<(), FileError> {
        let stated = entry.get_ref();
        let joint = self.find_joint(&stated.joint)?;
        let (stiffness, free) = (stated.stiffness, stated.free_angle);
        let mut spring = RotationalSpring::new(&stated.name, joint, stiffness, free);
        spring = spring.with_damping(stated.damping);
        if let Some(motion) = &stated.follows {
            if free != 0.0 {
                let reason = "the spring `follows` a motion: expected no `free_angle`";
                return Err(self.bad(entry, "free_angle", reason));
            }
            spring = spring.following(motion.into());
        }
        if !stated.counts_turns {
            spring = spring.wrapping();
        }
        self.builder.add_rotational_spring(spring);
        Ok(())
    }

    pub fn friction(&mut self, stated: &FrictionEntry) -> Result<(), FileError> {
        let joint = self.find_joint(&stated.joint)?;
        let normal = stated
            .normal
            .map_or(NormalForce::Full, NormalForce::Component);
        let mut friction = Friction::new(&stated.name, joint, stated.coefficient, normal);
        friction.initial_direction = stated.initial_direction;
        friction.sticks = stated.sticks;
        self.builder.add_friction(friction);
        Ok(())
    }

    pub fn bearing(&mut self, stated: &BearingEntry) -> Result<(), FileError> {
        let joint = self.find_joint(&stated.joint)?;
        let (coefficient, radius) = (stated.coefficient, stated.radius);
        let mut bearing = BearingFriction::new(&stated.name, joint, coefficient, radius);
        bearing.span = stated.span;
        bearing.collar = stated.collar;
        self.builder.add_bearing_friction(bearing);
        Ok(())
    }

    pub fn contact(&mut self, entry: &Spanned<ContactEntry>) -> Result<(), FileError> {
        let stated = entry.get_ref();
        let [one, two] = &stated.surfaces;
        let mut contact = SurfaceContact::new(
            &stated.name,
            self.surface(entry, one)?,
            self.surface(entry, two)?,
        );
        contact.restitution = stated.restitution;
        contact.friction = stated.friction;
        self.builder.add_contact(contact);
        Ok(())
    }

    fn surface(
        &self,
        entry: &Spanned<ContactEntry>,
        stated: &SurfaceEntry,
    ) -> Result<Surface, FileError> {
        let shape = Shape::from(&stated.shape);
        Ok(Surface::new(
            self.find_body(&stated.body)?,
            self.frame(entry, "surfaces", stated.frame)?,
            shape,
        ))
    }

    pub fn initial(&mut self, entry: &Spanned<InitialEntry>) -> Result<(), FileError> {
        let stated = entry.get_ref();
        let joint = self.find_joint(&stated.joint)?;
        let values = [
            stated.angle,
            stated.translation,
            stated.angle_rate,
            stated.translation_rate,
        ];
        if values.iter().all(Option::is_none) {
            let reason =
                "expected one of `angle`, `translation`, `angle_rate` and `translation_rate`";
            return Err(self.bad(entry, "joint", reason));
        }
        if let Some(angle) = stated.angle {
            self.builder
                .joint_position(joint, JointCoordinate::Angle(angle));
        }
        if let Some(way) = stated.translation {
            self.builder
                .joint_position(joint, JointCoordinate::Translation(way));
        }
        if let Some(rate) = stated.angle_rate {
            self.builder.joint_rate(joint, JointCoordinate::Angle(rate));
        }
        if let Some(rate) = stated.translation_rate {
            self.builder
                .joint_rate(joint, JointCoordinate::Translation(rate));
        }
        Ok(())
    }

    pub fn output(&mut self, entry: &Spanned<OutputEntry>) -> Result<(), FileError> {
        let stated = entry.get_ref();
        let is_of_point = stated.quantity.is_of_point();
        if stated.point.is_some() && (!is_of_point || stated.joint.is_some()) {
            let reason =
                "only positions, velocities and accelerations of a body are those of a point";
            return Err(self.bad(entry, "point", reason));
        }
        let output = match (&stated.body, &stated.joint) {
            (Some(body), None) => {
                let body = self.find_body(body)?;
                let output = stated
                    .quantity
                    .of_body(body, stated.point.unwrap_or_default());
                output
                    .ok_or("a body has no reaction: expected x, y, z, vx, .., ax, .., omega-x, ..")
            }
            (None, Some(joint)) => {
                let output = stated.quantity.of_joint(self.find_joint(joint)?);
                output.ok_or("expected of a joint: force-x, .., torque-x, .. or effort")
            }
            _ => return Err(self.bad(entry, "body", "expected one of `body` and `joint`")),
        };
        let output = output.map_err(|reason| self.bad(entry, "quantity", reason))?;
        self.builder.output(&stated.name, output);
        Ok(())
    }
}
