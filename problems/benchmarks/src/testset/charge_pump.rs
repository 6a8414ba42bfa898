//! A charge pump: two capacitors at a field-effect transistor whose gate is driven.

use super::published::{Statement, names};
use crate::{Cell, Formulation, Parameters, Problem, ProblemEntry, ProblemError, Reference};
use liedae::linalg::{KktError, Pattern};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{
    Direction, EventAction, EventDescription, Layout, MatrixMut, Model, ModelEvents, Point, State,
};

pub(crate) const CHARGE_PUMP: ProblemEntry = ProblemEntry {
    name: "charge-pump",
    title: "charge pump, a field-effect transistor stated by its charges, index 2",
    description: "A source drives the gate of a transistor with pulses of 20 V; capacitors hold its source and its drain. The charges \
                  of gate, source and drain depend on all voltages, and no current flows through the channel. Unknowns: \
                  charges YT1 of the gate, YS and YD of the capacitors, YT2 and YT3 of source and drain, voltages U1 to U3, \
                  current I. The current, of index 2, jumps at each kink of the input and where the transistor's \
                  threshold is passed; runs land on both. Time in ns, charges in pC, voltages in V, currents in mA: the \
                  test set has s, C and A.",
    source: "Test Set for IVP Solvers, `pump`; Guenther, Denk and Feldmann, preprint 1745, TH Darmstadt 1995",
    parameters: &[],
    build,
};

/// Capacitances of the oxide, at the source and at the drain, in pF.
const OXIDE: f64 = 4.0;
const AT_SOURCE: f64 = 1.6;
const AT_DRAIN: f64 = 0.4;
/// The transistor's threshold in V, its body effect in sqrt(V) and its surface potential in V.
const THRESHOLD: f64 = 0.2;
const BODY: f64 = 0.035;
const SURFACE: f64 = 1.01;

/// The input in V: it rises within 10 ns, stays and falls within 10 ns.
const HIGH: f64 = 20.0;
const PERIOD: f64 = 120.0;
const KINKS: [f64; 4] = [50.0, 60.0, 110.0, PERIOD];
const SLOPES: [f64; 4] = [0.0, HIGH / 10.0, 0.0, -HIGH / 10.0];
const PERIODS: u32 = 10;
const T_END: f64 = PERIOD * PERIODS as f64;

const NAMES: [&str; 9] = ["YT1", "YS", "YT2", "YD", "YT3", "U1", "U2", "U3", "I"];

fn input<S: Scalar>(t: S) -> S {
    let time = t - PERIOD * (t.value() / PERIOD).floor();
    let rising = (time - KINKS[0]) * SLOPES[1];
    let falling = (time - KINKS[3]) * SLOPES[3];
    rising
        .min(falling)
        .min(S::constant(HIGH))
        .max(S::constant(0.0))
}

/// The voltage at which the gate begins to work on the channel, its flat band.
fn flat_band() -> f64 {
    THRESHOLD - BODY * SURFACE.sqrt() - SURFACE
}

/// By how much the gate's voltages exceed the threshold at both ends of the channel, source and drain, and the root of the voltage
/// across the depleted layer. The threshold is that of the end with the larger excess. This is the source here: both capacitors
/// hold the same charge, and that of the source is the larger one.
fn excess<S: Scalar>([ground, source, drain]: [S; 3]) -> ([S; 2], S) {
    let root = (ground - source + SURFACE).sqrt();
    let threshold = (root - SURFACE.sqrt()) * BODY + THRESHOLD;
    ([source - threshold, drain - threshold], root)
}

/// The charges of the gate and of either end, which share the channel's, if there is one.
fn charges<S: Scalar>(has_channel: bool, voltages: [S; 3]) -> [S; 2] {
    let above = voltages[0] - flat_band();
    if has_channel {
        let ([near, far], root) = excess(voltages);
        // Without the sign of `near` the charges had a kink where the channel ends, which steps up to there look beyond.
        let whole = if far.value() <= 0.0 || near.value() <= 0.0 {
            near
        } else {
            near + far - near * far / (near + far)
        };
        let free = whole * (OXIDE * 2.0 / 3.0);
        [free + root * (OXIDE * BODY), -free / 2.0]
    } else if above.value() > 0.0 {
        let root = (above + BODY * BODY / 4.0).sqrt() - BODY / 2.0;
        [root * (OXIDE * BODY), S::constant(0.0)]
    } else {
        [above * OXIDE, S::constant(0.0)]
    }
}

/// The unknowns are differential states; the mode says whether there is a channel.
struct ChargePump {
    /// M, whose entries are all 1.
    mass: Pattern,
}

impl ChargePump {
    fn new() -> Result<Self, KktError> {
        let entries = [(0, 0), (1, 1), (1, 2), (2, 3), (2, 4)];
        let mass = Pattern::from_entries(NAMES.len(), NAMES.len(), entries)?;
        Ok(Self { mass })
    }
}

/// The voltages of the gate against ground, source and drain.
fn gate<S: Scalar>(y: &[S]) -> [S; 3] {
    [y[5], y[5] - y[6], y[5] - y[7]]
}

impl Model for ChargePump {
    fn layout(&self) -> Layout {
        let count = NAMES.len();
        let mut layout = Layout::dense(Manifold::euclidean(0)).with_differential_states(count);
        layout.descriptor = Some((self.mass.clone(), vec![1.0; self.mass.nnz()]));
        layout.differential_index = vec![1, 1, 1, 1, 1, 1, 1, 1, 2];
        layout.modes = 1;
        layout
    }

    fn initial_state(&self) -> State {
        let mut state = self.layout().state();
        [state.x[0], state.x[2]] = charges(false, [0.0; 3]);
        state.x[4] = state.x[2];
        state
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, _mass: &mut MatrixMut<S>) {}

    fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}

    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        let y = at.x;
        let [at_gate, at_end] = charges(at.mode[0] == 1, gate(y));
        rate[0] = -y[8];
        rate[3] = input(at.t) - y[5];
        rate[4] = y[0] - at_gate;
        rate[5] = y[1] - y[6] * AT_SOURCE;
        rate[6] = y[2] - at_end;
        rate[7] = y[3] - y[7] * AT_DRAIN;
        rate[8] = y[4] - at_end;
    }

    fn output_names(&self) -> Vec<String> {
        names(&NAMES)
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        out.copy_from_slice(&state.x);
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for ChargePump {
    fn descriptions(&self) -> Vec<EventDescription> {
        [
            ("channel", Direction::Rising),
            ("no channel", Direction::Falling),
        ]
        .map(|(kind, direction)| EventDescription::new(kind, "transistor", direction))
        .to_vec()
    }

    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        let ([near, _], _) = excess(gate(at.x));
        // A channel that is there does not begin, one that is not does not end: the voltages' errors would make it do so again and again.
        out.copy_from_slice(&match at.mode[0] {
            1 => [1.0, near],
            _ => [near, -1.0],
        });
    }

    fn handle_event(&self, event: usize, state: &mut State) -> EventAction {
        state.mode[0] = i32::from(event == 0);
        let [[gate, source], _] = at_input(state.mode[0] == 1, state.x[5]);
        // The moment of an event has an error, by which charges of the other law differ.
        set_charges(&mut state.x, gate, source);
        leave_jump(state);
        EventAction::Restart
    }

    fn handle_time_event(&self, _event: usize, state: &mut State) -> EventAction {
        leave_jump(state);
        EventAction::Restart
    }

    fn time_events(&self) -> Vec<f64> {
        let all =
            (0..PERIODS).flat_map(|period| KINKS.map(|kink| f64::from(period) * PERIOD + kink));
        all.filter(|&kink| kink < T_END).collect()
    }
}

/// Charges, and the voltages of the capacitors, by the charge of the gate and the voltage at the source. U1 stays.
fn set_charges(y: &mut [f64], gate: f64, source: f64) {
    let held = AT_SOURCE * source;
    y[..5].copy_from_slice(&[gate, held, -held, held, -held]);
    y[6..8].copy_from_slice(&[source, held / AT_DRAIN]);
}

/// Sets the current to the one behind an event.
fn leave_jump(state: &mut State) {
    let [_, [by_input, _]] = at_input(state.mode[0] == 1, input(state.t));
    state.x[8] = -by_input * slope(state.t + BESIDE);
}

/// A moment beside a kink, much longer than round-off of t.
const BESIDE: f64 = 1e-9;

/// The slope of the input in V/ns.
fn slope(t: f64) -> f64 {
    let phase = t - PERIOD * (t / PERIOD).floor();
    let mut pieces = KINKS.iter().zip(SLOPES);
    let piece = pieces.find(|&(&kink, _)| phase < kink);
    piece.map_or(0.0, |(_, slope)| slope)
}

/// What an input voltage V determines: the charge of the gate and the voltage U2, and the derivatives of both by V.
///
/// Source and drain hold the same charge, so that U3 = 4 U2; the drain's end of the channel is closed, and so the voltage U2 = w at the
/// source obeys
///
/// ```text
/// w = r (V - w - THRESHOLD - BODY (s - sqrt(SURFACE))),   s = sqrt(SURFACE + w),   r = OXIDE / (3 AT_SOURCE),
/// ```
///
/// which is quadratic in s.
fn at_input(has_channel: bool, v: f64) -> [[f64; 2]; 2] {
    if !has_channel {
        let root = (v - flat_band() + BODY * BODY / 4.0).sqrt();
        let gate = OXIDE * BODY * (root - BODY / 2.0);
        return [[gate, 0.0], [OXIDE * BODY / (2.0 * root), 0.0]];
    }
    let ratio = OXIDE / (3.0 * AT_SOURCE);
    let constant = (1.0 + ratio) * SURFACE + ratio * (BODY * SURFACE.sqrt() + v - THRESHOLD);
    let root = ((ratio * BODY).powi(2) + 4.0 * (1.0 + ratio) * constant).sqrt();
    let s = (root - ratio * BODY) / (2.0 * (1.0 + ratio));
    let (w, s_by_input) = (s * s - SURFACE, ratio / root);
    let w_by_input = 2.0 * s * s_by_input;
    // The free charge is 2/3 OXIDE times the excess w / r.
    let gate = |w: f64, s: f64| OXIDE * (2.0 / 3.0 * w / ratio + BODY * s);
    [[gate(w, s), w], [gate(w_by_input, s_by_input), w_by_input]]
}

/// The motion in closed form: charges and voltages at `t`, the current before it, and at the start the one behind it.
fn exact(t: f64, out: &mut [f64]) {
    let v = input(t);
    let [[gate, source], [by_input, _]] = at_input(v > THRESHOLD, v);
    set_charges(out, gate, source);
    (out[5], out[8]) = (v, -by_input * slope((t - BESIDE).max(0.0)));
}

fn formulation() -> Formulation {
    let pieces = KINKS.iter().zip(SLOPES);
    let pieces = pieces.map(|(&end, slope)| [Cell::from(end), slope.into()]);
    Formulation::new([
        "Charges in pC, voltages in V, current in mA, time in ns. Unknowns YT1, YS, YT2, YD, YT3, U1, U2, U3, I.",
        "YT1' = -I",
        "YS' + YT2' = 0",
        "YD' + YT3' = 0",
        "0 = Vin(t) - U1",
        "0 = YT1 - QG",
        "0 = YS - CS U2",
        "0 = YT2 - QS",
        "0 = YD - CD U3",
        "0 = YT3 - QS",
        "The charges QG of the gate and QS of source and drain depend on the voltages of the gate against ground, source and drain: \
         a = U1, b = U1 - U2, c = U1 - U3. UFB = UT - gamma sqrt(phi) - phi, s = sqrt(a - b + phi), UTE = UT + gamma (s - sqrt(phi)), \
         n = b - UTE, f = c - UTE.",
        "a <= UFB: QG = C0 (a - UFB), QS = 0",
        "a > UFB, n <= 0 (no channel): QG = C0 gamma (sqrt((gamma/2)^2 + a - UFB) - gamma/2), QS = 0",
        "n > 0 (channel): w = n + f - n f / (n + f) if f > 0, w = n if f <= 0; QG = 2/3 C0 w + C0 gamma s, QS = -1/3 C0 w",
        "Vin is continuous, 0 at t = 0 and has the period T; within a period its slope is that of the table until each end.",
        "Events: I jumps at the ends of the pieces of Vin and where n passes 0.",
    ])
    .with_constants([
        ("C0", OXIDE, "pF"),
        ("CS", AT_SOURCE, "pF"),
        ("CD", AT_DRAIN, "pF"),
        ("UT", THRESHOLD, "V"),
        ("gamma", BODY, "sqrt(V)"),
        ("phi", SURFACE, "V"),
        ("T", PERIOD, "ns"),
    ])
    .with_table("Vin", ["until (ns)", "slope (V/ns)"], pieces)
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &CHARGE_PUMP,
        source: None,
        t_end: T_END,
        default_step: 0.1,
        main_output: "U3",
        order_study_end: Some(40.0),
        absolute_scale: 1.0,
        formulation: formulation(),
        unit: "pC for YT1 to YT3, V for U1 to U3, mA for I",
    };
    let model = ChargePump::new().map_err(|error| ProblemError::Build {
        problem: CHARGE_PUMP.name,
        reason: error.to_string(),
    })?;
    let mut problem = statement.model(model)?;
    let reference = Reference::new(
        "closed form, on which the charges leave no freedom",
        0.0,
        T_END,
        false,
    );
    problem.reference = Some(reference.with_closed_form(NAMES, exact).exact_to(13.0));
    Ok(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end values of the test set, in C and A there. The charge agrees in all digits, the current, which is its
    /// derivative, in five.
    #[test]
    fn the_closed_form_is_what_is_published() {
        let mut end = [f64::NAN; 9];
        exact(T_END, &mut end);
        assert!((end[0] - 0.12628004298767593).abs() < 1e-15);
        assert!((end[8] / 0.1522556868155777 - 1.0).abs() < 7e-6);
        assert!(end[1..8].iter().all(|value| value.abs() < 1e-15));
    }

    #[test]
    fn the_closed_form_solves_the_equations() {
        for t in [
            10.0, 50.05, 51.0, 55.0, 60.0, 80.0, 112.0, 119.95, 171.0, 1199.0,
        ] {
            let mut y = [f64::NAN; 9];
            exact(t, &mut y);
            let model = ChargePump::new().unwrap();
            let mut state = model.initial_state();
            (state.t, state.mode[0]) = (t, i32::from(input(t) > THRESHOLD));
            state.x.copy_from_slice(&y);
            let mut rest = [0.0; 9];
            model.differential_rate(&state.point(), &mut rest);
            assert!(
                rest[1..].iter().all(|value| value.abs() < 1e-13),
                "{t} {rest:?}"
            );
            let step = 1e-4;
            let [mut later, mut sooner] = [[f64::NAN; 9]; 2];
            exact(t - step, &mut later);
            exact(t - 2.0 * step, &mut sooner);
            // Backward differences of second order; the charges that belong together stay.
            let gate = (3.0 * y[0] - 4.0 * later[0] + sooner[0]) / (2.0 * step);
            assert!((gate + y[8]).abs() < 1e-6, "{t}: {gate} {}", y[8]);
            assert!((y[1] + y[2]).abs() + (y[3] + y[4]).abs() < 1e-14);
        }
    }
}
