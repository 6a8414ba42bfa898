//! The closed form of a Laval rotor.

use nalgebra::Complex;

/// A disc with an unbalance in the middle of a massless elastic shaft, which turns at a constant rate: with r = y + i z
///
/// ```text
/// m r'' + d r' + k r = U Ω² exp(i Ω t)
/// ```
///
/// ```
/// use liedae_problems::flexible::Laval;
///
/// let rotor = Laval { mass: 1.6, stiffness: 4000.0, damping: 8.0, unbalance: 1.6e-4 };
/// // At resonance the amplitude is the eccentricity over twice the damping ratio of 0.05.
/// assert!((rotor.steady_amplitude(50.0) - 1e-3).abs() < 1e-15);
/// assert_eq!(rotor.from_rest(50.0, 0.0), [0.0, 0.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Laval {
    /// m in kg.
    pub mass: f64,
    /// k in N/m.
    pub stiffness: f64,
    /// d in N s/m.
    pub damping: f64,
    /// U in kg m: the mass of the disc times its eccentricity.
    pub unbalance: f64,
}

impl Laval {
    /// The amplitude in m at which it whirls steadily at this rate in rad/s.
    pub fn steady_amplitude(&self, rate: f64) -> f64 {
        self.response(rate).norm()
    }

    /// Where it is at time `t` in s if it turned at this rate in rad/s but was straight and at rest at 0 s: y and z in
    /// m. Not a number where it is damped critically or more.
    pub fn from_rest(&self, rate: f64, t: f64) -> [f64; 2] {
        let whirl = self.response(rate);
        let decay = 0.5 * self.damping / self.mass;
        let swing = (self.stiffness / self.mass - decay * decay).sqrt();
        // exp(-δ t) (A cos ω t + B sin ω t) that cancels position and velocity of the whirl at the start.
        let sine = whirl * Complex::new(-decay, -rate) / swing;
        let free = sine * (swing * t).sin() - whirl * (swing * t).cos();
        let place = whirl * Complex::cis(rate * t) + free * (-decay * t).exp();
        [place.re, place.im]
    }

    fn response(&self, rate: f64) -> Complex<f64> {
        let square = rate * rate;
        let resistance = Complex::new(self.stiffness - self.mass * square, self.damping * rate);
        Complex::from(self.unbalance * square) / resistance
    }
}
