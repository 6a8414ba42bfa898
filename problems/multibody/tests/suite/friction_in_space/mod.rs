//! Bodies with a cone of friction in their contacts, and bearings that rub, between located events.

mod bearings;
mod boxes;
mod cylinders;
mod dropped;
mod mechanisms;
mod painleve;
mod refusals;
mod run;
mod sphere;
mod wedged;
