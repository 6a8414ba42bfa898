//! How long the arrows of forces are.

use crate::experiment::Film;

/// The length of an arrow in proportion to the picture.
const LENGTH: f64 = 0.22;

/// Forces beyond this share of all that act are cut: peaks would leave nothing of the others.
const SHARE: f64 = 0.95;

/// No arrow is longer than this times the usual one.
const LONGEST: f64 = 1.6;

/// From newtons to metres of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The force in N whose arrow has the usual length.
    pub usual: f64,
    /// Newtons per metre.
    pub newtons: f64,
}

fn size(force: [f64; 3]) -> f64 {
    force.iter().map(|part| part * part).sum::<f64>().sqrt()
}

/// The next of 1, 2, 5 times a power of ten.
fn round(value: f64) -> f64 {
    let power = 10.0_f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|step| step * power);
    let next = steps.into_iter().find(|step| *step >= value * (1.0 - 1e-9));
    next.unwrap_or(10.0 * power)
}

impl Scale {
    /// For a film that is shown `extent` metres high or wide.
    pub fn new(film: &Film, extent: f64) -> Self {
        let arrows = film.arrows.iter().flatten();
        let mut sizes: Vec<f64> = arrows.map(|arrow| size(arrow.force)).collect();
        sizes.retain(|size| size.is_finite() && *size > 0.0);
        sizes.sort_by(f64::total_cmp);
        let place = (SHARE * sizes.len() as f64) as usize;
        let usual = sizes.get(place.min(sizes.len().saturating_sub(1)));
        let usual = round(usual.copied().unwrap_or(1.0));
        Self {
            usual,
            newtons: usual / (LENGTH * extent),
        }
    }

    /// The longest arrow in m.
    pub fn longest(&self) -> f64 {
        LONGEST * self.usual / self.newtons
    }

    /// The length of a force's arrow in m.
    pub fn metres(&self, force: [f64; 3]) -> f64 {
        size(force).min(LONGEST * self.usual) / self.newtons
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Arrow;

    #[test]
    fn forces_are_rounded_and_peaks_are_cut() {
        assert_eq!([0.55, 1.0, 3.0, 70.0].map(round), [1.0, 1.0, 5.0, 100.0]);
        let arrow = |size: f64| Arrow {
            contact: 0,
            point: [0.0; 3],
            force: [0.0, size, 0.0],
        };
        let mut forces = vec![vec![arrow(3.0)]; 99];
        forces.push(vec![arrow(1e6)]);
        let film = Film {
            arrows: forces,
            ..Film::default()
        };
        let scale = Scale::new(&film, 1.0);
        assert_eq!(scale.usual, 5.0);
        assert!(scale.metres([0.0, 5.0, 0.0]) - LENGTH < 1e-12);
        assert_eq!(scale.metres([1e6, 0.0, 0.0]), scale.longest());
    }
}
