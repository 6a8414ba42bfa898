//! Contacts with a cone of friction between located events: closed forms, and the event-capturing scheme at small steps.

mod derivatives;
mod plate;
mod puck;
mod random;
mod run;
