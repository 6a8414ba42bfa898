//! Methods compared on problems: every run kept in a store, made by workers that may be killed at any time.

mod definition;
mod difference;
mod isolate;
mod plan;
mod results;
mod retime;
mod shard;
mod variant;
mod workers;

pub use definition::{Definition, VariantInfo};
pub use difference::{Difference, difference};
pub use isolate::{Isolation, SUBCOMMAND, answer, is_isolated_child};
pub use plan::{Ladder, Plan};
pub use results::Comparison;
pub use shard::{NoShard, Shard};
pub use variant::{Solver, Variant, rung, variants};

use crate::error::CommandError;
use crate::experiment::{Limits, Repeat, Subject, resolve_set};
use crate::provenance::Provenance;
use crate::registry::Registry;
use crate::store::Store;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use workers::{Means, work};

/// Whether timed runs have the process for themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum TimingMode {
    /// Other workers go on beside them; results say so.
    #[default]
    Shared,
    /// Other workers wait.
    Alone,
}

impl TimingMode {
    fn in_words(self, jobs: usize) -> String {
        match self {
            _ if jobs == 1 => "of runs that were alone in the process".to_owned(),
            Self::Alone => "of runs for which the other workers waited".to_owned(),
            Self::Shared => format!("of runs beside up to {} other workers", jobs - 1),
        }
    }
}

/// Somebody who hears of everything that begins.
type Listener<'l> = dyn Fn(&str) + Sync + 'l;

/// An experiment: which methods on which problems, how far, by how many workers.
///
/// ```
/// use liedae_compare::{Experiment, Registry, Store};
///
/// let registry = Registry::standard();
/// let store = Store::in_memory()?;
/// let comparison = Experiment::new(&registry)
///     .problems("pendulum")?
///     .methods("hem5,radau5:index=2")?
///     .tolerances(&[1e-3, 1e-5])?
///     .run(&store)?;
/// assert_eq!(comparison.runs.len(), 4);
/// let folder = tempfile::tempdir()?;
/// let files = comparison.report(folder.path())?;
/// assert!(files.iter().any(|file| file.ends_with("report.html")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Experiment<'r> {
    registry: &'r Registry,
    plan: Plan,
    jobs: NonZeroUsize,
    timing: TimingMode,
    shard: Shard,
    isolation: Option<Isolation>,
    keep_samples: bool,
    references: Option<PathBuf>,
    progress: Option<Box<Listener<'r>>>,
}

impl<'r> Experiment<'r> {
    /// CPU time after which a run is given up, if nothing else is said.
    pub const TIME_LIMIT: Duration = Duration::from_secs(60);

    /// An experiment with the methods and problems of a registry; as yet without any.
    pub fn new(registry: &'r Registry) -> Self {
        Self {
            registry,
            plan: Plan {
                problems: Vec::new(),
                variants: Vec::new(),
                tolerances: vec![1e-3, 1e-5, 1e-7],
                limits: Limits {
                    time: Self::TIME_LIMIT,
                    max_steps: None,
                },
                repeat: Repeat::SHORT,
            },
            jobs: NonZeroUsize::MIN,
            timing: TimingMode::default(),
            shard: Shard::default(),
            isolation: None,
            keep_samples: false,
            references: None,
            progress: None,
        }
    }

    /// Problems by names as on the command line: `"quick,newton-cradle:n=5:e=0.5"`.
    ///
    /// Each is built and looked at once: in a child where [`isolated`](Self::isolated) was said before. One that panics, hangs or takes all
    /// memory then has failed runs with that reason, and the others have theirs.
    ///
    /// # Errors
    /// Nobody has such a name, or a parameter does not fit.
    pub fn problems(mut self, names: &str) -> Result<Self, CommandError> {
        let (isolation, limits) = (self.isolation.clone(), self.plan.limits);
        if isolation.is_some() {
            isolate::refuse_in_child()?;
        }
        self.plan.problems =
            resolve_set(
                self.registry.problems(),
                names,
                |instance| match &isolation {
                    Some(isolation) => isolation.look(&instance.label, limits),
                    None => Subject::look(instance),
                },
            )?;
        Ok(self)
    }

    /// Methods, and programs of the registry, by names as on the command line: `"hem5,radau5:index=3"`; `"all"` stands for all of them.
    ///
    /// # Errors
    /// Nobody has such a name, or an option does not fit.
    pub fn methods(self, names: &str) -> Result<Self, CommandError> {
        let list = variants(self.registry, names, None, None, None, None, None)?;
        Ok(self.variants(list))
    }

    pub(crate) fn variants(mut self, variants: Vec<Variant>) -> Self {
        self.plan.variants = variants;
        self
    }

    /// Relative tolerances; absolute ones are these times the size that counts in a problem.
    ///
    /// # Errors
    /// One is not a positive number below 1.
    pub fn tolerances(mut self, tolerances: &[f64]) -> Result<Self, CommandError> {
        let fits = |tolerance: f64| tolerance > 0.0 && tolerance < 1.0;
        if let Some(&bad) = tolerances.iter().find(|&&tolerance| !fits(tolerance)) {
            return Err(CommandError::Value {
                option: "--tols",
                value: format!("{bad:e}"),
                expected: "tolerances are positive numbers below 1; usual are 1e-3 to 1e-10"
                    .to_owned(),
            });
        }
        self.plan.tolerances = tolerances.to_vec();
        self.plan.tolerances.sort_by(|a, b| b.total_cmp(a));
        self.plan.tolerances.dedup();
        Ok(self)
    }

    /// CPU time after which a run is given up.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.plan.limits.time = limit;
        self
    }

    /// Steps after which a run is given up.
    pub fn max_steps(mut self, limit: Option<u64>) -> Self {
        self.plan.limits.max_steps = limit;
        self
    }

    /// How often runs are made for their times at least; short ones are made up to five times in any case.
    pub fn repetitions(mut self, count: usize) -> Self {
        self.plan.repeat = Repeat::at_least(count);
        self
    }

    /// Workers at once.
    pub fn jobs(mut self, jobs: NonZeroUsize) -> Self {
        self.jobs = jobs;
        self
    }

    /// Whether timed runs have the process for themselves.
    pub fn timing(mut self, mode: TimingMode) -> Self {
        self.timing = mode;
        self
    }

    /// Only a part of the runs.
    pub fn shard(mut self, shard: Shard) -> Self {
        self.shard = shard;
        self
    }

    /// Every run in a process of its own, with limits, and all other work on problems that follow in [`problems`](Self::problems), too.
    pub fn isolated(mut self, isolation: Isolation) -> Self {
        self.isolation = Some(isolation);
        self
    }

    /// Keeps outputs at the samples of the references, too.
    pub fn keep_samples(mut self, keep: bool) -> Self {
        self.keep_samples = keep;
        self
    }

    /// A store of references that experiments share.
    pub fn shared_references(mut self, path: PathBuf) -> Self {
        self.references = Some(path);
        self
    }

    /// Somebody who hears of everything that begins.
    pub fn progress(mut self, progress: impl Fn(&str) + Sync + 'r) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Names that stand for the same runs as another one, which has them: the name that was asked for, and the other.
    pub fn same_runs(&self) -> Vec<(&str, &str)> {
        let problems = self.plan.problems.iter();
        let problems = problems.map(|subject| (&subject.also, subject.label()));
        let variants = self.plan.variants.iter();
        let variants = variants.map(|variant| (&variant.also, variant.name.as_str()));
        let pairs = |(also, name): (_, _)| {
            let also: &Vec<String> = also;
            also.iter().map(move |other| (other.as_str(), name))
        };
        problems.chain(variants).flat_map(pairs).collect()
    }

    /// How many runs it has, with those that are made already.
    pub fn count(&self) -> usize {
        self.plan.ladders(self.shard).len() * self.plan.tolerances.len()
    }

    /// Makes all runs that are not in the store yet.
    ///
    /// # Errors
    /// The store cannot be written, or no child can be started. A run that fails is a result.
    pub fn run(&self, store: &Store) -> Result<Comparison, CommandError> {
        isolate::refuse_in_child()?;
        let provenance = Provenance::now(self.jobs.get(), &self.timing_in_words())
            .with_programs(self.plan.programs());
        let definition = Definition::of(&self.plan);
        let session = store.begin(
            &serde_json::to_string(&provenance)?,
            &serde_json::to_string(&definition)?,
        )?;
        let cache = self.references.as_deref().map(Store::open).transpose()?;
        let silent = |_: &str| ();
        let progress: &Listener = match &self.progress {
            Some(progress) => progress.as_ref(),
            None => &silent,
        };
        let ladders = self.plan.ladders(self.shard);
        work(
            &self.plan,
            ladders.clone(),
            Means {
                registry: self.registry,
                session: &session,
                cache: cache.as_ref(),
                isolation: self.isolation.as_ref(),
                alone: self.timing == TimingMode::Alone,
                jobs: self.jobs.get(),
                keep_samples: self.keep_samples,
                progress,
            },
        )?;
        session.end(&serde_json::to_string(&provenance.at_end())?)?;
        self.results(store, &ladders)
    }

    /// What times are those of, programs' and others'.
    fn timing_in_words(&self) -> String {
        let words = self.timing.in_words(self.jobs.get());
        let variants = self.plan.variants.iter();
        let programs = variants.filter(|variant| matches!(variant.solver, Solver::Program(_)));
        let names: Vec<&str> = programs.map(|variant| variant.name.as_str()).collect();
        if names.is_empty() {
            return words;
        }
        format!(
            "{words}; of the programs {} both are CPU time, of the program without waiting and pipes and of our evaluations for it",
            names.join(", ")
        )
    }

    /// What the store says about these ladders.
    fn results(&self, store: &Store, ladders: &[Ladder]) -> Result<Comparison, CommandError> {
        let mut runs = Vec::new();
        let mut references = Vec::new();
        for place in 0..self.plan.problems.len() {
            let mine = || ladders.iter().filter(|ladder| ladder.problem == place);
            if mine().next().is_none() {
                continue;
            }
            references.extend(store.source(&self.plan.problem_key(place))?);
            for ladder in mine() {
                for key in self.plan.run_keys(*ladder) {
                    runs.extend(store.find(&key, None)?);
                }
            }
        }
        Ok(Comparison {
            definition: Definition::of(&self.plan),
            runs,
            references,
            provenance: Comparison::provenance(store)?,
        })
    }
}
