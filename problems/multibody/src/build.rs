//! From the user's statement to the mechanism: assembly, stated joint coordinates, checks.

use super::assembly::lay_out;
use super::builder::MultibodyBuilder;
use super::error::AssemblyError;
use super::initial::place;
use super::mechanism::MultibodySystem;

impl MultibodyBuilder {
    /// Assembles the mechanism and checks that initial positions and velocities satisfy the joints.
    pub fn build(self) -> Result<MultibodySystem, AssemblyError> {
        let system = self.build_unchecked()?;
        system.check_assembly()?;
        Ok(system)
    }

    /// Assembles the mechanism without checking initial positions and velocities against the joints. Meant to be
    /// followed by [`liedae::system::project_initial_state`].
    pub fn build_unchecked(self) -> Result<MultibodySystem, AssemblyError> {
        let laid_out = lay_out(&self)?;
        let start = match self.with_rigid_beams() {
            Some(rigid) => place(&rigid, &lay_out(&rigid)?.joints)?,
            None => place(&self, &laid_out.joints)?,
        };
        laid_out.fill(self, start)
    }
}
