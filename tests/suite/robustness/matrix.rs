//! All methods and all systems that do what they should not, in one table (`--nocapture` prints it): each run ends in the
//! right result, or in an error that names the cause.

use super::bad_input::{Limited, Massless, NanForce, Redundant};
use super::misbehaving_systems::{self, FAULTS, Growing};
use crate::common::{FirstOrderPendulum, Pendulum};
use liedae::integrator::{MethodOptions, MethodRegistry};
use liedae::solve::{Options, Silent, Solution, SolveError, solve_from};
use liedae::system::{Automatic, FirstOrder, FirstOrderModel, Model, State, System};
use std::fmt::Write;

/// How a run ended.
type Ending = Result<Solution, SolveError>;
/// A run by the method of this name, by tolerances or by constant steps.
type Run = Box<dyn Fn(&str, bool) -> Ending>;
/// What speaks against an end; `None` if it is as it should be.
type Objection = Box<dyn Fn(&Ending) -> Option<String>>;

/// A system and what its runs must end in.
pub struct Case {
    name: String,
    run: Run,
    objection: Objection,
}

impl Case {
    /// A system that has no right result: an error must have one of these words.
    pub fn refused(
        name: &str,
        system: impl Fn() -> Box<dyn System> + 'static,
        words: &'static [&'static str],
    ) -> Self {
        Self::new(name, system, |_| {}, words, |_| f64::NAN)
    }

    /// A system whose right result has an error below 0.02 here, or whose runs end in an error with one of the words.
    fn new(
        name: &str,
        system: impl Fn() -> Box<dyn System> + 'static,
        adjust: impl Fn(&mut Options) + 'static,
        words: &'static [&'static str],
        error_of: impl Fn(&State) -> f64 + 'static,
    ) -> Self {
        let run = move |method: &str, adaptive: bool| {
            let method = crate::known_methods()
                .build(method, &MethodOptions::default())
                .expect("a registered method");
            let mut options = if adaptive {
                Options::adaptive(0.5, 1e-6, 1e-6)
            } else {
                Options::fixed(0.5, 1e-3)
            };
            adjust(&mut options);
            let mut system = system();
            let start = system.initial_state();
            solve_from(
                system.as_mut(),
                method.as_ref(),
                start,
                &options,
                &mut Silent,
            )
        };
        let objection = move |ending: &Ending| match ending {
            Ok(solution) => {
                let error = error_of(&solution.state);
                (error.is_nan() || error > 0.02).then(|| format!("done, off by {error:.1e}"))
            }
            Err(error) => {
                let text = error.to_string();
                (!words.iter().any(|word| text.contains(word))).then_some(text)
            }
        };
        Self {
            name: name.into(),
            run: Box::new(run),
            objection: Box::new(objection),
        }
    }
}

fn of_model<M: Model + 'static>(model: impl Fn() -> M + 'static) -> impl Fn() -> Box<dyn System> {
    move || Box::new(Automatic::new(model()))
}

fn of_first_order<M: FirstOrderModel + 'static>(
    model: impl Fn() -> M + 'static,
) -> impl Fn() -> Box<dyn System> {
    of_model(move || FirstOrder::new(model()).expect("well stated"))
}

/// The pendulum of `common` is right if its bob is where the method of highest order sees it.
fn pendulum_error() -> impl Fn(&State) -> f64 {
    let method = crate::known_methods()
        .build("dop853", &MethodOptions::default())
        .expect("a registered method");
    let options = Options::adaptive(0.5, 1e-11, 1e-11);
    let mut system = Automatic::new(Pendulum);
    let start = system.initial_state();
    let solution = solve_from(&mut system, method.as_ref(), start, &options, &mut Silent);
    let expected = solution.expect("solved").state.q;
    move |state| {
        let found = if state.q.is_empty() {
            &state.x
        } else {
            &state.q
        };
        let pairs = found.iter().zip(&expected);
        pairs.fold(0.0, |max, (found, expected)| {
            f64::max(max, (found - expected).abs())
        })
    }
}

/// Systems with a statement, a function or an option that is wrong.
pub fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = FAULTS
        .into_iter()
        .map(|(fault, name)| Case {
            name: name.into(),
            run: Box::new(move |method, adaptive| {
                misbehaving_systems::run(fault, method, adaptive)
            }),
            objection: Box::new(move |ending| misbehaving_systems::objection(fault, ending)),
        })
        .collect();
    let never = |_: &State| f64::NAN;
    let first_order = |index: [u8; 5]| {
        of_first_order(move || FirstOrderPendulum {
            level: 3,
            index: index.to_vec(),
        })
    };
    // Methods for equations of motion name one for first-order DAEs.
    cases.extend([
        Case::refused(
            "the index of a first-order DAE is forgotten",
            first_order([0; 5]),
            &["x[2] has index 2 and is stated with 0", "radau5"],
        ),
        Case::refused(
            "velocities of an index-3 DAE are stated with index 0",
            first_order([0, 0, 0, 0, 3]),
            &["x[2] has index 2 and is stated with 0", "radau5"],
        ),
        Case::new(
            "a first-order DAE of index 3, rightly stated",
            first_order([1, 1, 2, 2, 3]),
            |_| {},
            &["radau5"],
            pendulum_error(),
        ),
        Case::new(
            "20 steps are allowed",
            of_model(|| Pendulum),
            |options| options.max_steps = 20,
            &["20 steps were not enough"],
            pendulum_error(),
        ),
        Case::new(
            "no time is allowed",
            of_model(|| Pendulum),
            |options| options.time_limit = Some(std::time::Duration::ZERO),
            &["time"],
            never,
        ),
        Case::refused(
            "a time event changes the layout",
            || Box::new(Growing::new(true)),
            &["Restructure"],
        ),
        Case::new(
            "an event changes the layout",
            || Box::new(Growing::new(false)),
            |_| {},
            &["Restructure"],
            // A method that captures events does not see this one.
            |state| if state.q.len() == 2 { 0.0 } else { f64::NAN },
        ),
        Case::refused(
            "the largest step is 0",
            of_model(|| Limited(0.0)),
            &["largest_step() is 0"],
        ),
        Case::refused(
            "the largest step is not a number",
            of_model(|| Limited(f64::NAN)),
            &["largest_step() is NaN"],
        ),
        Case::new(
            "the end time is not a number",
            of_model(|| Pendulum),
            |options| options.t_end = f64::NAN,
            &["end time"],
            never,
        ),
        Case::new(
            "the consistency tolerance is not a number",
            of_model(|| Pendulum),
            |options| options.consistency.velocity = f64::NAN,
            &["tolerance"],
            never,
        ),
        Case::refused(
            "the force is NaN from t = 0.2 on",
            of_model(|| NanForce),
            &["force"],
        ),
        Case::refused(
            "a coordinate without mass",
            of_model(|| Massless { constrained: false }),
            &["singular"],
        ),
        Case::new(
            "a coordinate without mass, tied to one with mass",
            of_model(|| Massless { constrained: true }),
            |_| {},
            &[],
            |state| (state.q[1] - 1.5 * 0.25).abs(),
        ),
        Case::new(
            "a constraint stated twice",
            of_model(|| Redundant {
                contradictory: false,
            }),
            |_| {},
            &[],
            pendulum_error(),
        ),
        Case::refused(
            "a constraint stated twice, once with t² added",
            of_model(|| Redundant {
                contradictory: true,
            }),
            &["contradict"],
        ),
    ]);
    cases
}

/// Runs all cases with all methods; asserts that there is nothing to object to, and prints a table.
pub fn judge(cases: &[Case], methods: MethodRegistry) {
    let (mut objections, mut details) = (Vec::new(), String::new());
    let mut table =
        String::from("| system | runs | right | error | the error of the first that says one |\n");
    table += "|---|---|---|---|---|\n";
    for case in cases {
        let (mut runs, mut right, mut refusal) = (0, 0, None);
        for entry in methods.clone() {
            for adaptive in [true, false] {
                if adaptive && !entry.method.is_adaptive() {
                    continue;
                }
                let method = entry.method.name;
                let ending = (case.run)(method, adaptive);
                runs += 1;
                let said = match &ending {
                    Ok(solution) => {
                        right += 1;
                        let steps = solution.statistics.accepted;
                        format!("done, {steps} steps, {} events", solution.events.len())
                    }
                    Err(error) => {
                        let said = error.to_string();
                        refusal.get_or_insert_with(|| format!("{method}: {said}"));
                        said
                    }
                };
                let steps = if adaptive { "adaptive" } else { "fixed" };
                let what = format!("{}, {method}, {steps}:", case.name);
                writeln!(details, "{what} {said}").expect("written to memory");
                objections.extend((case.objection)(&ending).map(|text| format!("{what} {text}")));
            }
        }
        let (errors, refusal) = (runs - right, refusal.unwrap_or_default());
        writeln!(
            table,
            "| {} | {runs} | {right} | {errors} | {refusal} |",
            case.name
        )
        .expect("written to memory");
    }
    println!("{details}\n{table}");
    assert!(objections.is_empty(), "\n{}", objections.join("\n"));
}

#[test]
fn matrix() {
    judge(&cases(), crate::methods());
}
