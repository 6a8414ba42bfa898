//! Rows of tables of counts: which problem is solved by which method, and what its answer is held against.
//!
//! Benchmark rows are those of docs/log/beside-other-codes.md. Everyday rows are the mechanism files of `examples/mechanisms`, with the
//! methods that users take.

// Each bench takes its part of this.
#![allow(dead_code)]

use liedae::integrator::{Integrator, MethodOptions, Projection};
use liedae::solve::{Options, Solution, StepControl, solve};
use liedae::system::{Automatic, Formulation, Model, System, named_outputs};
use liedae_contact::{Contacts, NonsmoothSystem, with_contacts};
use liedae_multibody::file::{MechanismFile, PlaneMechanismFile};
use liedae_problems::{ProblemRegistry, Reference};
use std::error::Error;
use std::path::Path;

/// One solution of one problem by one method.
pub struct Row {
    /// Its name on the command line.
    pub name: String,
    problem: Source,
    settings: &'static [&'static str],
    method: &'static str,
    steps: Steps,
    t_end: Option<f64>,
    /// The absolute tolerance as a part of the relative one.
    absolute: f64,
    options: MethodOptions,
    yardstick: Yardstick,
}

/// Where a problem comes from.
#[derive(Clone, Copy)]
enum Source {
    /// The catalogue, by this name.
    Catalogue(&'static str),
    /// A file in `examples/mechanisms` of this name without its ending.
    File(&'static str),
}

#[derive(Clone, Copy)]
enum Steps {
    /// Relative tolerance, with the first step in s where the row fixes it.
    Tolerance(f64, Option<f64>),
    /// Steps of this size in s, so many of them after [`START`].
    Fixed(f64, usize),
}

/// Steps that every run of steps of one size begins with. A run of these alone costs what is done once.
const START: usize = 2;

/// What the error is.
#[derive(Clone, Copy)]
enum Yardstick {
    /// The largest difference of so many first outputs from the reference.
    Absolute(usize),
    /// The largest difference of an output from the reference, as a part of the reference.
    Relative,
    /// Energy in J that came or went.
    Energy,
    /// How far the last impact is from the time in s at which impacts accumulate.
    Accumulation(f64),
    /// Nothing: the error is NaN, and the main output shows whether the answer changes.
    None,
}

/// A row ready to be solved.
pub struct Case {
    problem: Stated,
    integrator: Box<dyn Integrator>,
    yardstick: Yardstick,
    whole: Options,
    start: Option<Options>,
}

/// A problem of either source.
struct Stated {
    system: Box<dyn System>,
    t_end: f64,
    reference: Option<Reference>,
    main_output: String,
}

impl Stated {
    fn build(source: Source, settings: &[&str]) -> Result<Self, Box<dyn Error>> {
        let name = match source {
            Source::Catalogue(name) => {
                let problem = ProblemRegistry::standard()
                    .lookup(name)?
                    .build_with(settings)?;
                return Ok(Self {
                    system: problem.system,
                    t_end: problem.t_end,
                    reference: problem.reference,
                    main_output: problem.main_output,
                });
            }
            Source::File(name) => name,
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mechanisms");
        let text = std::fs::read_to_string(folder.join(name).with_extension("toml"))?;
        let (mut system, t_end, main_output) = if PlaneMechanismFile::is_said(&text) {
            let file = PlaneMechanismFile::read(&text)?;
            let mechanism = file.mechanism(&text)?;
            let system: Box<dyn System> = if mechanism.needs_layer() {
                let system = with_contacts(mechanism);
                Box::new(NonsmoothSystem::new(system, file.nonsmooth_options())?)
            } else {
                Box::new(Automatic::new(mechanism))
            };
            let output = file.outputs.first();
            let name = output.map(|output| output.get_ref().name.clone());
            (system, file.t_end, name)
        } else {
            let file = MechanismFile::read(&text)?;
            let mut inner = file.system(&text)?;
            let needs_layer = inner.unilateral().is_some() || inner.joint_friction().is_some();
            let system: Box<dyn System> = if needs_layer {
                Box::new(NonsmoothSystem::new(inner, file.nonsmooth_options())?)
            } else {
                Box::new(inner)
            };
            let output = file.outputs.first();
            let name = output.map(|output| output.get_ref().name.clone());
            (system, file.t_end, name)
        };
        let main_output = match main_output {
            Some(name) => name,
            None => {
                let start = system.initial_state();
                let outputs = named_outputs(system.as_mut(), &start)?;
                outputs.into_iter().next().ok_or("no output")?.0
            }
        };
        Ok(Self {
            system,
            t_end,
            reference: None,
            main_output,
        })
    }
}

/// What a solution came to.
pub struct Answer {
    /// Counts.
    pub solution: Solution,
    /// By the row's yardstick.
    pub error: f64,
    /// The problem's main output at the end: shows a change that the error hides.
    pub main_output: f64,
}

impl Row {
    /// The same at another tolerance.
    pub fn at_tolerance(mut self, tolerance: f64) -> Self {
        if let Steps::Tolerance(relative, _) = &mut self.steps {
            *relative = tolerance;
        }
        self
    }

    /// The problem built, the method made.
    pub fn prepare(&self) -> Result<Case, Box<dyn Error>> {
        let problem = Stated::build(self.problem, self.settings)?;
        let integrator = liedae_contact::methods().build(self.method, &self.options)?;
        let (whole, start) = match self.steps {
            Steps::Fixed(size, count) => {
                let run = |count: usize| Options::fixed(count as f64 * size, size);
                (run(START + count), Some(run(START)))
            }
            Steps::Tolerance(tolerance, first) => {
                let t_end = self.t_end.unwrap_or(problem.t_end);
                let mut options = Options::adaptive(t_end, tolerance, tolerance * self.absolute);
                if let StepControl::Adaptive { initial_step, .. } = &mut options.control {
                    *initial_step = first;
                }
                (options, None)
            }
        };
        Ok(Case {
            problem,
            integrator,
            yardstick: self.yardstick,
            whole,
            start,
        })
    }
}

impl Case {
    /// The run.
    pub fn solve(&mut self) -> Result<Solution, Box<dyn Error>> {
        let system = self.problem.system.as_mut();
        Ok(solve(system, self.integrator.as_ref(), &self.whole)?)
    }

    /// Its first steps alone, where all steps are of one size.
    pub fn solve_start(&mut self) -> Result<Option<Solution>, Box<dyn Error>> {
        let Some(options) = &self.start else {
            return Ok(None);
        };
        let system = self.problem.system.as_mut();
        Ok(Some(solve(system, self.integrator.as_ref(), options)?))
    }

    /// The run, judged.
    pub fn answer(&mut self) -> Result<Answer, Box<dyn Error>> {
        let before = self.outputs(&self.problem.system.initial_state())?;
        let solution = self.solve()?;
        let after = self.outputs(&solution.state)?;
        let value = |outputs: &[(String, f64)], wanted: &str| {
            let found = outputs.iter().find(|(name, _)| name == wanted);
            found.map_or(f64::NAN, |&(_, value)| value)
        };
        let differences = |count: usize, relative: bool| {
            let compared = after.iter().take(count).filter_map(|(name, value)| {
                let reference = self.problem.reference.as_ref()?;
                let reference = reference.value(name, solution.state.t)?;
                let unit = if relative { reference.abs() } else { 1.0 };
                Some((value - reference).abs() / unit)
            });
            // Not by f64::max, which would take any number for a NaN.
            compared.reduce(|a, b| if a >= b { a } else { b })
        };
        let error = match self.yardstick {
            Yardstick::Absolute(count) => differences(count, false).unwrap_or(f64::NAN),
            Yardstick::Relative => differences(usize::MAX, true).unwrap_or(f64::NAN),
            Yardstick::None => f64::NAN,
            Yardstick::Energy => (value(&after, "energy") - value(&before, "energy")).abs(),
            Yardstick::Accumulation(t) => {
                let last = solution.events.last();
                last.map_or(f64::NAN, |event| (event.t - t).abs())
            }
        };
        Ok(Answer {
            error,
            main_output: value(&after, &self.problem.main_output),
            solution,
        })
    }

    fn outputs(
        &mut self,
        state: &liedae::system::State,
    ) -> Result<Vec<(String, f64)>, Box<dyn Error>> {
        Ok(named_outputs(self.problem.system.as_mut(), state)?)
    }
}

/// The row of this name.
pub fn find(name: &str) -> Result<Row, Box<dyn Error>> {
    let unknown = || format!("there is no row {name}; --bench counts -- --list prints them");
    let found = rows().into_iter().find(|row| row.name == name);
    Ok(found.ok_or_else(unknown)?)
}

/// All rows: those of docs/log/beside-other-codes.md in their order, then everyday ones.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    andrews(&mut rows);
    first_order(&mut rows);
    mechanisms(&mut rows);
    everyday(&mut rows);
    rows
}

/// Mechanisms as users state them, with the method that the command chooses, an implicit one, and one with steps of one size.
fn everyday(rows: &mut Vec<Row>) {
    let files = [
        "slider-crank",
        "plane-slider-crank",
        "double-pendulum",
        "four-bar",
        "scissor-lift",
        "six-axis-robot",
        "car",
        "newtons-cradle",
        "balls",
    ];
    for file in files {
        for (method, steps) in [
            ("dop853", Steps::Tolerance(1e-6, None)),
            ("radau5", Steps::Tolerance(1e-6, None)),
            ("generalized-alpha", Steps::Fixed(1e-3, 500)),
        ] {
            rows.push(Row {
                name: format!("everyday-{file}-{method}"),
                problem: Source::File(file),
                steps,
                ..adaptive("", method, 0.0, Yardstick::None)
            });
        }
    }
}

/// Tolerances as they stand in names of rows.
const TOLERANCES: [(&str, f64); 2] = [("1e-6", 1e-6), ("1e-8", 1e-8)];

/// Andrews' squeezer: small, constrained, not stiff. The seven angles are compared.
fn andrews(rows: &mut Vec<Row>) {
    let never = Some(Projection::Never);
    for (method, projection) in [
        ("hem5", never),
        ("phem56", never),
        ("dopri5", None),
        ("dop853", never),
    ] {
        for (name, tolerance) in TOLERANCES {
            rows.push(Row {
                name: format!("andrews-{method}-{name}"),
                options: MethodOptions {
                    projection,
                    ..MethodOptions::default()
                },
                ..adaptive("andrews", method, tolerance, Yardstick::Absolute(7))
            });
        }
    }
    for (index, formulation) in [
        ("index2", Formulation::Index2),
        ("index3", Formulation::Index3),
        ("index1", Formulation::Index1),
        ("stabilized", Formulation::StabilizedIndex2),
    ] {
        for (name, tolerance) in TOLERANCES {
            rows.push(Row {
                name: format!("andrews-radau5-{index}-{name}"),
                steps: Steps::Tolerance(tolerance, RADAU5_FIRST_STEP),
                options: MethodOptions {
                    formulation: Some(formulation),
                    ..MethodOptions::default()
                },
                ..adaptive("andrews", "radau5", tolerance, Yardstick::Absolute(7))
            });
        }
    }
}

/// With the first step that the Fortran code is given.
const RADAU5_FIRST_STEP: Option<f64> = Some(1e-6);

/// ODEs: stiff ones, and the seven stars of the Pleiades.
fn first_order(rows: &mut Vec<Row>) {
    for problem in ["van-der-pol", "hires", "ring-modulator"] {
        for (method, first) in [("radau5", RADAU5_FIRST_STEP), ("bdf", None)] {
            for (name, tolerance) in [("1e-4", 1e-4), ("1e-6", 1e-6)] {
                rows.push(Row {
                    name: format!("{problem}-{method}-{name}"),
                    steps: Steps::Tolerance(tolerance, first),
                    // Concentrations of HIRES are about 1e-3.
                    absolute: if problem == "hires" { 1e-3 } else { 1.0 },
                    ..adaptive(problem, method, tolerance, Yardstick::Relative)
                });
            }
        }
    }
    for method in ["dop853", "dopri5"] {
        rows.push(Row {
            name: format!("pleiades-{method}-1e-6"),
            ..adaptive("pleiades", method, 1e-6, Yardstick::Absolute(14))
        });
    }
}

/// Rigid bodies with joints at steps of one size, and a ball that comes to rest.
fn mechanisms(rows: &mut Vec<Row>) {
    for method in ["generalized-alpha", "half-implicit"] {
        let options = MethodOptions {
            spectral_radius: (method == "generalized-alpha").then_some(0.9),
            ..MethodOptions::default()
        };
        // The tip has a reference for eight links.
        for (size, settings, count, yardstick) in [
            ("1", &["n=1"], 998, Yardstick::Absolute(3)),
            ("8", &["n=8"], 398, Yardstick::Absolute(3)),
            ("64", &["n=64"], 100, Yardstick::Energy),
            ("128", &["n=128"], 50, Yardstick::Energy),
            ("1024", &["n=1024"], 20, Yardstick::Energy),
        ] {
            rows.push(Row {
                name: format!("chain-{size}-{method}"),
                settings,
                steps: Steps::Fixed(1e-3, count),
                options,
                ..adaptive("chain", method, 0.0, yardstick)
            });
        }
        rows.push(Row {
            name: format!("double-pendulum-{method}"),
            settings: &["theta2=1.5707963267948966"],
            steps: Steps::Fixed(1e-3, 998),
            options,
            ..adaptive("double-pendulum", method, 0.0, Yardstick::Energy)
        });
    }
    // Long chains with explicit and half-explicit methods.
    for method in ["hem5", "mdop5"] {
        rows.push(Row {
            name: format!("chain-64-{method}"),
            settings: &["n=64"],
            steps: Steps::Fixed(1e-4, 20),
            ..adaptive("chain", method, 0.0, Yardstick::Energy)
        });
    }
    // Impacts accumulate at t_1 (1 + e) / (1 - e) with the first at t_1 = sqrt(2 h / g).
    let first = (2.0 / 9.81_f64).sqrt();
    rows.push(Row {
        name: "bouncing-ball-mdop5-1e-6".to_owned(),
        settings: &["e=0.9"],
        t_end: Some(10.0),
        ..adaptive(
            "bouncing-ball",
            "mdop5",
            1e-6,
            Yardstick::Accumulation(19.0 * first),
        )
    });
}

fn adaptive(
    problem: &'static str,
    method: &'static str,
    tolerance: f64,
    yardstick: Yardstick,
) -> Row {
    Row {
        name: String::new(),
        problem: Source::Catalogue(problem),
        settings: &[],
        method,
        steps: Steps::Tolerance(tolerance, None),
        t_end: None,
        absolute: 1.0,
        options: MethodOptions::default(),
        yardstick,
    }
}
