//! The chain under test, and its undisturbed result.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::super::format::ChainFormat;
use super::super::point::{CallSite, Point};
use super::super::trace::{self, TraceResult};
use super::super::view::ViewStatuses;
use super::chain_subject::ChainSubject;
use super::run_outcomes::RunOutcomes;
use crate::survival::journal::ProofJournal;
use crate::survival::world::ProofWorld;
use devkit::command;
use devkit::error::{Error, Result};
use devkit::files;

/// The number of calls at each site.
pub(crate) type Counts = BTreeMap<CallSite, usize>;

/// The chain and its undisturbed result.
pub(crate) struct ReferenceChain {
    pub(crate) subject: ChainSubject,
    program: PathBuf,
    /// The number of its calls, for each format.
    counts: [Counts; 2],
    /// The expected outcomes.
    pub(crate) outcomes: RunOutcomes,
    /// The expected view.
    pub(crate) view: ViewStatuses,
}

impl ReferenceChain {
    /// Runs the chain undisturbed.
    pub(crate) fn new(subject: ChainSubject, program: &Path) -> Result<Self> {
        let (counts, outcomes, view) = Default::default();
        let mut chain = Self { subject, program: program.to_owned(), counts, outcomes, view };
        for (at, format) in ChainFormat::ALL.into_iter().enumerate() {
            for _ in 0..subject.executions() {
                let world = chain.world()?;
                let seen = chain.watched(&world, format, None)?;
                if !seen.end.success() {
                    return Err(Error::Unmet(format!("left alone, it ended with {}", seen.end)));
                }
                let journal = journal_of(&world)?;
                chain.outcomes = RunOutcomes::of(&journal, subject.last_certain_iteration());
                chain.view = ViewStatuses::of(&world.project(), journal.run().unwrap_or_default());
                for (place, count) in seen.counts {
                    let most = chain.counts[at].entry(place).or_default();
                    *most = count.max(*most);
                }
            }
        }
        Ok(chain)
    }

    /// The number of its calls.
    pub(crate) fn counts(&self, format: ChainFormat) -> &Counts {
        match format {
            ChainFormat::Human => &self.counts[0],
            ChainFormat::Json => &self.counts[1],
        }
    }

    /// A project for one run.
    pub(crate) fn world(&self) -> Result<ProofWorld> {
        let world = ProofWorld::new()?;
        let config = self.subject.config(&self.program);
        files::write(&world.project().join("forge/orch/chains.json"), &config)?;
        for (name, script) in self.subject.agents() {
            world.agent(name, &script);
        }
        world.commit_all("Configure")?;
        Ok(world)
    }

    /// Starts and traces the run, and kills it at a point.
    pub(crate) fn watched(
        &self,
        world: &ProofWorld,
        format: ChainFormat,
        point: Option<Point>,
    ) -> Result<TraceResult> {
        let mut command = world.surrounded("/bin/sh");
        command.args(trace::HELD).arg(&self.program).args(self.arguments(format));
        match format {
            ChainFormat::Human => {
                command.stdout(Stdio::piped()).stderr(Stdio::piped());
            }
            ChainFormat::Json => {
                let create = |name| {
                    let path = world.shared_file(name);
                    std::fs::File::create(&path).map_err(files::failing("create", &path))
                };
                command.stdout(create("stdout")?).stderr(create("stderr")?);
            }
        }
        trace::watch(&mut command, point)
            .map_err(|source| Error::Start { command: command::shown(&command), source })
    }

    /// The command that starts the run.
    pub(crate) fn afresh(&self, world: &ProofWorld, format: ChainFormat) -> Command {
        world.command(&self.program, &self.arguments(format))
    }

    /// The command that resumes a run, with the answer to its question if it is to bring one.
    pub(crate) fn resume(
        &self,
        world: &ProofWorld,
        format: ChainFormat,
        run: &str,
        answers: bool,
    ) -> Command {
        let words = ["resume", run, "--output", format.word()];
        let answer = answers.then_some(["--approve", ChainSubject::COMMENT]);
        let words: Vec<String> =
            words.into_iter().chain(answer.into_iter().flatten()).map(str::to_owned).collect();
        world.command(&self.program, &words)
    }

    fn arguments(&self, format: ChainFormat) -> Vec<String> {
        let words = [self.subject.arguments(), &["--output", format.word()]].concat();
        words.into_iter().map(str::to_owned).collect()
    }
}

fn journal_of(world: &ProofWorld) -> Result<ProofJournal> {
    let runs = world.runs();
    let [run] = &runs[..] else {
        return Err(Error::Unmet(format!("one run was made, but {} are there", runs.len())));
    };
    ProofJournal::read(&run.join("journal.jsonl")).map_err(Error::Unmet)
}
