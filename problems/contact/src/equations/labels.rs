//! Names of the rows and variables that contacts and joints with friction add.

use crate::equations::Equations;
use crate::equations::rows::{self, Quantity};
use liedae::system::{Labels, System};

impl Labels for Equations {
    fn row(&self, row: usize) -> Option<String> {
        let own = rows::places(&self.structure).find(|(places, _)| places.contains(&row));
        let Some((_, quantity)) = own else {
            let inner = self.structure.inner_rows.iter();
            let row = inner.clone().position(|&place| place == row)?;
            return self.inner.labels()?.row(row);
        };
        Some(match quantity {
            Quantity::Gap(contact) => format!("contact '{}': gap", self.contacts[contact].label),
            Quantity::Sliding(contact) | Quantity::Tangent(contact, _) => {
                format!("contact '{}': sticking", self.contacts[contact].label)
            }
            Quantity::Joint(joint) => format!("friction '{}': sticking", self.joints[joint].label),
        })
    }

    fn velocity(&self, component: usize) -> Option<String> {
        self.inner.labels()?.velocity(component)
    }

    fn differential_state(&self, state: usize) -> Option<String> {
        self.inner.labels()?.differential_state(state)
    }

    fn algebraic_variable(&self, variable: usize) -> Option<String> {
        let Some(own) = variable.checked_sub(self.inner.layout().algebraic) else {
            return self.inner.labels()?.algebraic_variable(variable);
        };
        let pressed = &self.structure.pressed;
        match (
            pressed.get(own),
            self.structure
                .joint_slides
                .get(own.saturating_sub(pressed.len())),
        ) {
            (Some(pressed), _) => Some(format!(
                "contact '{}': normal force",
                self.contacts[pressed.contact].label
            )),
            (None, Some(slide)) => Some(format!(
                "friction '{}': normal force",
                self.joints[slide.joint].label
            )),
            (None, None) => None,
        }
    }
}
