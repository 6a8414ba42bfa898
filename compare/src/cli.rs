//! The command line.

use crate::comparison::{SUBCOMMAND, Shard, TimingMode};
use crate::experiment::AUTO;
use crate::parallel::cores;
use clap::{Args, Parser, Subcommand, ValueEnum};
use liedae::integrator::Projection;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

/// Runs and compares integrators of differential-algebraic equations on Lie groups.
#[derive(Debug, Parser)]
#[command(
    name = "liedae",
    version,
    about,
    max_term_width = 100,
    after_help = "Exit codes: 0 done; 1 a run failed (compare: all runs; analyse: a question has no answer); 2 bad input; 3 a result could not be written; 130 interrupted."
)]
pub struct Cli {
    /// One JSON object on stdout instead of text; errors too.
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List what there is by name.
    List {
        /// Of what.
        what: Listing,
        /// Only the problems of this set, with the parameters that they have in it; see `liedae list sets`.
        #[arg(long, value_name = "SET")]
        set: Option<String>,
        /// Write a picture of every mechanism among the problems into this directory, NAME.svg, and a page that shows them, README.md.
        #[arg(long, value_name = "DIR")]
        pictures: Option<PathBuf>,
    },
    /// Describe a problem (parameters, sizes, outputs, reference), a method (orders, options and their defaults) or a set.
    Describe {
        /// Name of the problem, method or set, see `liedae list`, with parameters or options as in `hem5:safety=0.5`.
        problem: String,
        /// Describe the problem with this value of a parameter.
        #[arg(long = "set", value_name = "KEY=VALUE")]
        settings: Vec<String>,
    },
    /// Ask a mechanism what one wants to know before integrating it: freedom, equilibrium, modes, drives, momenta.
    Analyse(AnalyseArgs),
    /// Solve one problem with one method.
    Run(RunArgs),
    /// Measure the order of convergence on a ladder of fixed steps.
    Converge(ConvergeArgs),
    /// Measure the orders of methods in q, v and lambda on four problems.
    Orders(OrdersArgs),
    /// Compare the error that comes out with the tolerance that was asked for.
    Tolerances(TolerancesArgs),
    /// Compare methods: work-precision diagrams and performance profiles.
    Compare(CompareArgs),
    /// Repeat the experiments of a paper and judge its claims.
    Reproduce(ReproduceArgs),
    /// Compute the references of the open test set once more by two methods, and say what has changed.
    VerifyReferences(VerifyReferencesArgs),
    /// Make the report of a comparison from its store.
    Report(ReportArgs),
    /// Put the stores of several parts of a comparison together, and report.
    Merge(MergeArgs),
    /// Ask a store in SQL.
    Query(QueryArgs),
    /// Write the open test set as pages that need no network: pictures, parameters, references, diagrams of methods.
    Site(SiteArgs),
    /// Compare two comparisons: counts that changed, ratios of times.
    Diff(DiffArgs),
    /// Print a mechanism of bodies, joints and drives as a file, from which it runs to the last bit alike; or write all of a set.
    Export(ExportArgs),
    /// Print the JSON schema of mechanism files, by which editors complete and check them.
    Schema {
        /// That of plane mechanisms.
        #[arg(long)]
        plane: bool,
    },
    /// One run in a process of its own; started by `compare --isolate`.
    #[command(name = SUBCOMMAND, hide = true)]
    MeasureOne,
}

impl Command {
    /// Whether it measures what runs take.
    pub fn takes_times(&self) -> bool {
        matches!(
            self,
            Self::Run(_)
                | Self::Converge(_)
                | Self::Orders(_)
                | Self::Tolerances(_)
                | Self::Compare(_)
                | Self::Reproduce(_)
                | Self::VerifyReferences(_)
        )
    }

    /// The problem and the method that the command is about, as given.
    pub fn subject(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Self::List { .. }
            | Self::Reproduce(_)
            | Self::VerifyReferences(_)
            | Self::Site(_)
            | Self::Report(_)
            | Self::Merge(_)
            | Self::Query(_)
            | Self::Diff(_)
            | Self::Schema { .. }
            | Self::MeasureOne => (None, None),
            Self::Describe { problem, .. } => (Some(problem), None),
            Self::Export(arguments) => (Some(&arguments.problem.problem), None),
            Self::Analyse(arguments) => (Some(&arguments.problem.problem), None),
            Self::Run(arguments) => (Some(&arguments.problem.problem), Some(&arguments.method)),
            Self::Converge(arguments) => {
                (Some(&arguments.problem.problem), Some(&arguments.method))
            }
            Self::Orders(arguments) => (None, Some(&arguments.methods)),
            Self::Tolerances(arguments) => (None, Some(&arguments.methods)),
            Self::Compare(arguments) => (Some(&arguments.problems), Some(&arguments.methods)),
        }
    }
}

/// Arguments of `verify-references`. Without a set or problems: all of the open test set.
#[derive(Clone, Debug, Args)]
pub struct VerifyReferencesArgs {
    /// Only the problems of this set, as `set1`.
    #[arg(long, value_name = "SET", conflicts_with = "problems")]
    pub set: Option<String>,
    /// Only these problems, separated by commas, with parameters as in `chain:n=2:t_end=3`.
    #[arg(long, value_name = "LIST")]
    pub problems: Option<String>,
    /// How many at a time; by default as many as there are cores.
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Write the known references, with what came out in the place of what was known, to this file.
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
}

impl VerifyReferencesArgs {
    /// How many problems are computed at a time.
    pub fn jobs(&self) -> usize {
        self.jobs.map_or_else(cores, NonZeroUsize::get)
    }
}

/// Arguments of `site`. Without a set: all of the open test set.
#[derive(Clone, Debug, Args)]
pub struct SiteArgs {
    /// Directory for index.html and the pages of the problems; made if missing.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// A store of runs, or the directory of a comparison, whose work-precision diagrams the pages show; can be repeated.
    #[arg(long, value_name = "FILE|DIR")]
    pub results: Vec<PathBuf>,
    /// Only this set, as `set5`; can be repeated.
    #[arg(long = "set", value_name = "SET")]
    pub sets: Vec<String>,
    /// How many pages at a time; by default as many as there are cores.
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
}

impl SiteArgs {
    /// How many pages are made at a time.
    pub fn jobs(&self) -> usize {
        self.jobs.map_or_else(cores, NonZeroUsize::get)
    }
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listing {
    /// Problems.
    Problems,
    /// Methods.
    Methods,
    /// Sets of problems.
    Sets,
    /// Step-size controllers.
    Controllers,
}

/// Options that every run has.
#[derive(Clone, Debug, Args)]
pub struct MethodArgs {
    /// Projection onto the constraints, for methods that drift off them: every, never, or the largest |g| that is let pass.
    #[arg(long, value_name = "every|constraints|never|BOUND", allow_hyphen_values = true, value_parser = parse_projection)]
    pub projection: Option<Projection>,
    /// Formulation of the constraints, for methods that have a choice: 3, 2, stabilized, 1 or baumgarte.
    #[arg(long, value_name = "1|2|3|stabilized|baumgarte")]
    pub index: Option<String>,
    /// Tolerance of Newton iterations, for methods that have them; the default is the method's.
    #[arg(long, value_name = "TOL", allow_hyphen_values = true)]
    pub newton_tol: Option<f64>,
    /// Accuracy in s to which events are located, 1e-12 if not given; smaller in proportion in runs shorter than 0.01 s and in steps
    /// shorter than 1e-6 s.
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub event_tolerance: Option<f64>,
    /// Steps, accepted and rejected together, after which a run has failed; for `run` 10000000 if not given.
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_steps: Option<u64>,
}

/// Which problem to build.
#[derive(Clone, Debug, Args)]
pub struct ProblemArgs {
    /// Name of the problem, see `liedae list problems`, with parameters as in `newton-cradle:n=5:t_end=2`; or a file: a
    /// mechanism, `model.toml`, or a robot, `robot.urdf`.
    pub problem: String,
    /// Set a parameter of the problem.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// End time in s; the default is the problem's.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub t_end: Option<f64>,
}

/// Arguments of `export`.
#[derive(Clone, Debug, Args)]
pub struct ExportArgs {
    /// The problem, or a set as `set1`.
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// How it is written. Files are read from TOML; JSON has the same keys.
    #[arg(long, value_name = "FORMAT", default_value = "toml")]
    pub format: FileFormat,
    /// Write files into this directory, which is made if missing, instead of printing.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// How a mechanism is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileFormat {
    /// As mechanism files are read.
    Toml,
    /// The same keys for people without TOML.
    Json,
}

/// Arguments of `analyse`. Without a question all of them are asked.
#[derive(Clone, Debug, Args)]
pub struct AnalyseArgs {
    /// The problem.
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Do the loops close?
    #[arg(long)]
    pub assembly: bool,
    /// How many degrees of freedom are there, which rows are redundant, and what do they follow from?
    #[arg(long)]
    pub redundancy: bool,
    /// Where does it rest, starting from its initial state, and is that stable?
    #[arg(long)]
    pub equilibrium: bool,
    /// Frequencies, damping and shapes of small motions: about the start if it is at rest, otherwise about the equilibrium.
    #[arg(long)]
    pub modes: bool,
    /// Efforts and powers of drives that prescribe the whole motion, from the start to the end.
    #[arg(long)]
    pub inverse: bool,
    /// Energy, momentum and angular momentum of the start.
    #[arg(long)]
    pub momentum: bool,
    /// Modes about the start in a frame that turns about the origin with these angular velocities in rad/s, in which it stands still: a top
    /// that precesses, a rotor at its speed.
    #[arg(
        long,
        value_name = "X,Y,Z",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub turning: Option<Vec<f64>>,
    /// At how many times, from the start to the end, drives are looked at.
    #[arg(long, value_name = "N", default_value_t = 11)]
    pub samples: usize,
}

/// Arguments of `run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// The problem.
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Name of the method, see `liedae list methods`, with options as in `hem5:safety=0.3:projection=never`.
    #[arg(long, default_value = AUTO)]
    pub method: String,
    /// Relative tolerance of the step-size control; 1e-6 if neither tolerance is given.
    #[arg(
        long,
        value_name = "R",
        conflicts_with = "step",
        allow_hyphen_values = true
    )]
    pub rtol: Option<f64>,
    /// Absolute tolerance; if not given, the relative one times the problem's absolute scale, which `describe` shows.
    #[arg(
        long,
        value_name = "A",
        conflicts_with = "step",
        allow_hyphen_values = true
    )]
    pub atol: Option<f64>,
    /// Fixed step in s.
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub step: Option<f64>,
    /// Longest adaptive step in s: shorter than the shortest push, bump or gap that must not be stepped over.
    #[arg(
        long,
        value_name = "S",
        conflicts_with = "step",
        allow_hyphen_values = true
    )]
    pub max_step: Option<f64>,
    /// How often a fixed step whose iteration fails is halved before the run ends, 10 times if not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=30))]
    pub max_halvings: Option<u32>,
    /// Step-size controller, see `liedae list controllers`; the default is the method's own.
    #[arg(long, value_name = "NAME", conflicts_with = "step")]
    pub controller: Option<String>,
    /// Options of the method.
    #[command(flatten)]
    pub method_options: MethodArgs,
    /// Rows at N equidistant times (dense output) instead of every accepted step.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub samples: Option<usize>,
    /// Write time and outputs to this file; `-` writes them to stdout and the summary to stderr.
    #[arg(long, value_name = "FILE|-")]
    pub csv: Option<PathBuf>,
    /// The poses of all bodies as further columns of --csv: pose.BODY.x, .y and .angle; in space x, y, z and a quaternion.
    #[arg(long, requires = "csv")]
    pub poses: bool,
    /// Write an animation of the mechanism: one HTML file that needs no network.
    #[arg(long, value_name = "FILE.html")]
    pub animate: Option<PathBuf>,
    /// Write a chart of outputs over time, as in x,y=out.svg, or of one against another, as in y:x=out.html; can be repeated.
    #[arg(long, value_name = "OUTPUTS=FILE")]
    pub plot: Vec<String>,
    /// Wall time in s after which the run is given up: it has failed, at the time that it reached.
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub time_limit: Option<f64>,
    /// Take times: make the run N times unobserved, and report the shortest wall time.
    #[arg(long, value_name = "N")]
    pub repetitions: Option<NonZeroUsize>,
    /// Say how far the end can be trusted: two more runs, from a start changed by a thousandth of the tolerance and with a tenth
    /// of the tolerance or half the step. The exit code stays that of the run.
    #[arg(long)]
    pub check: bool,
}

/// Arguments of `converge`.
#[derive(Clone, Debug, Args)]
pub struct ConvergeArgs {
    /// The problem.
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Name of the method, with options as in `generalized-alpha:rho=0.5`.
    #[arg(long)]
    pub method: String,
    /// Step sizes in s, separated by commas.
    #[arg(
        long,
        value_name = "H1,H2,...",
        value_delimiter = ',',
        required = true,
        allow_hyphen_values = true
    )]
    pub steps: Vec<f64>,
    /// The output whose error is measured; the default is the problem's main output.
    #[arg(long, value_name = "NAME")]
    pub output: Option<String>,
    /// Options of the method.
    #[command(flatten)]
    pub method_options: MethodArgs,
}

/// Arguments of `orders`.
#[derive(Clone, Debug, Args)]
pub struct OrdersArgs {
    /// Names of methods separated by commas, or `all`.
    #[arg(long, value_name = "M1,M2|all", default_value = "all")]
    pub methods: String,
}

/// Arguments of `tolerances`.
#[derive(Clone, Debug, Args)]
pub struct TolerancesArgs {
    /// Names of methods separated by commas, or `all`; methods without an error estimate are left out.
    #[arg(long, value_name = "M1,M2|all", default_value = "all")]
    pub methods: String,
    /// Wall time in s after which a single run is given up.
    #[arg(
        long,
        value_name = "S",
        default_value_t = 2.0,
        allow_hyphen_values = true
    )]
    pub time_limit: f64,
    /// Directory for tolerances.csv and report.html; made if missing.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Arguments of `compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareArgs {
    /// Sets, see `liedae list sets`, files (`model.toml`, `robot.urdf`) and problems, with parameters as in
    /// `newton-cradle:n=5:t_end=2`, separated by commas.
    pub problems: String,
    /// Names of methods and programs separated by commas, with options as in `generalized-alpha:rho=0.5`, or `all`.
    #[arg(long, value_name = "M1,M2|all")]
    pub methods: String,
    /// Tolerances for adaptive runs, separated by commas.
    #[arg(
        long,
        value_name = "T1,T2,...",
        value_delimiter = ',',
        default_value = "1e-3,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9",
        allow_hyphen_values = true
    )]
    pub tols: Vec<f64>,
    /// An executable that solves problems as docs/book/src/comparing/foreign-solvers.md says, and its name in --methods; as often as there are programs.
    #[arg(long = "program", value_name = "NAME=PATH", value_parser = parse_program)]
    pub programs: Vec<(String, PathBuf)>,
    /// Runs by tolerances only, no ladders of fixed steps.
    #[arg(long)]
    pub adaptive: bool,
    /// Step-size controller of the adaptive runs, see `liedae list controllers`; the default is each method's own.
    #[arg(long, value_name = "NAME")]
    pub controller: Option<String>,
    /// Directory for results.sqlite, results.csv and report.html; made if missing. Runs that are in results.sqlite are not made again.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Start over: forget what is in results.sqlite.
    #[arg(long)]
    pub fresh: bool,
    /// Workers at once.
    #[arg(long, value_name = "N", default_value = "1")]
    pub jobs: NonZeroUsize,
    /// With several workers: whether others go on beside runs that are timed.
    #[arg(
        long,
        value_enum,
        value_name = "shared|alone",
        default_value = "shared"
    )]
    pub timing: TimingMode,
    /// How often runs are made for their times at least; those below 40 ms are made up to five times in any case.
    #[arg(long, value_name = "N", default_value = "1")]
    pub repetitions: NonZeroUsize,
    /// Take all times anew, one run after the other.
    #[arg(long)]
    pub retime: bool,
    /// Make only part i of n of the runs; `liedae merge` puts the parts together.
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    pub shard: Shard,
    /// Make every run in a process of its own, and there look at problems and compute references: a method or a problem that hangs,
    /// panics or takes all memory fails alone.
    #[arg(long)]
    pub isolate: bool,
    /// With --isolate: memory in MiB that each of these processes may use.
    #[arg(long, value_name = "MIB", default_value = "4096", requires = "isolate")]
    pub memory_limit: NonZeroU64,
    /// Keep outputs at 40 samples of every run in results.sqlite, too.
    #[arg(long)]
    pub keep_samples: bool,
    /// Store of computed references that comparisons share; by default in the user's folder for caches.
    #[arg(long, value_name = "FILE")]
    pub references: Option<PathBuf>,
    /// CPU time in s after which a single run is given up (a row with that reason).
    #[arg(
        long,
        value_name = "S",
        default_value_t = crate::comparison::Experiment::TIME_LIMIT.as_secs_f64(),
        allow_hyphen_values = true
    )]
    pub time_limit: f64,
    /// Options of the methods.
    #[command(flatten)]
    pub method_options: MethodArgs,
}

/// Arguments of `report`.
#[derive(Clone, Debug, Args)]
pub struct ReportArgs {
    /// A store, or the directory of a comparison.
    pub store: PathBuf,
    /// Directory for results.csv and report.html; made if missing.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Arguments of `merge`.
#[derive(Clone, Debug, Args)]
pub struct MergeArgs {
    /// Stores, or directories of comparisons.
    #[arg(required = true)]
    pub stores: Vec<PathBuf>,
    /// Directory for results.sqlite, results.csv and report.html; made if missing. What is in its store already stays.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Arguments of `query`.
#[derive(Clone, Debug, Args)]
pub struct QueryArgs {
    /// A store, or the directory of a comparison.
    pub store: PathBuf,
    /// A SELECT statement; tables and columns are in docs/book/src/files/store.md.
    pub sql: String,
    /// How the answer is written; --json wins.
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// Columns for people.
    Text,
    /// Comma-separated values.
    Csv,
    /// A LaTeX tabular with the rules of booktabs.
    Latex,
}

/// Arguments of `diff`.
#[derive(Clone, Debug, Args)]
pub struct DiffArgs {
    /// A store, or the directory of a comparison.
    pub first: PathBuf,
    /// Another one.
    pub second: PathBuf,
}

/// Arguments of `reproduce`.
#[derive(Clone, Debug, Args)]
pub struct ReproduceArgs {
    /// The paper.
    pub paper: Paper,
    /// Directory for report.html, claims.json and the data; made if missing.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Coarser and shorter runs, to see whether everything works; claims are not judged on it.
    #[arg(long)]
    pub quick: bool,
}

/// Papers whose experiments can be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Paper {
    /// Fang, Kissel, Zhang, Negrut 2022, half-implicit integration, doi:10.1115/1.4056183.
    Fang2022,
    /// Haug, Negrut, Iancu 1997, state-space implicit integration, doi:10.1080/08905459708905292.
    Haug1997,
    /// Haddouni, Acary, Garreau, Beley, Brogliato 2017, section 4: sets of mechanisms, doi:10.1007/s11044-017-9570-y.
    Haddouni2017,
    /// The same, section 3.4: the academic slider-crank.
    Haddouni2017Academic,
    /// Published runs of RADAU5, CVODE and IDA, and end values of the Test Set for IVP Solvers.
    IvpTestset,
}

fn parse_projection(text: &str) -> Result<Projection, String> {
    match text {
        "every" => Ok(Projection::EveryStep),
        "constraints" => Ok(Projection::Constraints),
        "never" => Ok(Projection::Never),
        _ => match text.parse::<f64>() {
            Ok(bound) if bound > 0.0 && bound.is_finite() => Ok(Projection::Above(bound)),
            _ => Err(
                "expected `every`, `constraints`, `never` or a positive bound on |g|".to_owned(),
            ),
        },
    }
}

fn parse_program(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !path.is_empty() => Ok((name.to_owned(), PathBuf::from(path))),
        _ => Err("expected a name and the path of an executable, as in `ida=./ida`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn projections() {
        assert_eq!(parse_projection("every"), Ok(Projection::EveryStep));
        assert_eq!(parse_projection("1e-6"), Ok(Projection::Above(1e-6)));
        assert!(parse_projection("-1").is_err());
        assert!(parse_projection("nan").is_err());
    }
}
