//! The chain under test: short, with every feature once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::format::ChainFormat;
use super::point::{CallSite, Point};
use super::run_outcomes::RunOutcomes;
use super::trace::{self, TraceResult};
use crate::survival::journal::ProofJournal;
use crate::survival::world::ProofWorld;
use devkit::command;
use devkit::error::{Error, Result};
use devkit::files;

/// Loops that end by a marker and by a done file, and an agent between them that runs once, with
/// checks and a hook. One loop has observations of its work tree, which run git and create
/// temporary files; snapshots would only run git more often.
const CONFIG: &str = r#"{
  "chains": {
    "reference": {
      "snapshots": false,
      "hooks": { "on-complete": "echo told >> told" },
      "steps": [
        {
          "agent": "planner", "iterations": 3, "limits": { "stagnation": 4 },
          "checks": ["command:test -s plan"]
        },
        { "agent": "once", "checks": ["file:once"] },
        { "agent": "builder", "iterations": 5 }
      ]
    }
  }
}
"#;

/// The beginning of all agents. An agent whose runner is gone never ends by itself, not even by
/// `SIGPIPE`: it has to be killed.
const PREAMBLE: &str = r#"
trap '' PIPE
finish() {
    { [ "$PPID" -ne 1 ] && kill -0 "$PPID" 2> /dev/null; } || sleep 1000
    note end
}
"#;

/// All other behaviour of agents depends on the iteration number alone, so that interruptions do
/// not change it.
const AGENTS: [(&str, &str); 3] = [
    (
        "planner",
        r#"
        echo "planning $FORKHESTRA_ITERATION"
        echo "$FORKHESTRA_ITERATION" >> plan
        if [ "$FORKHESTRA_ITERATION" -ge 2 ]; then echo FORKHESTRA_COMPLETE; fi
        finish
        "#,
    ),
    (
        "once",
        r#"
        echo "something to complain about" >&2
        echo once > once
        finish
        "#,
    ),
    (
        "builder",
        r#"
        echo "building $FORKHESTRA_ITERATION"
        echo "and complaining" >&2
        echo "$FORKHESTRA_ITERATION" >> built
        if [ "$FORKHESTRA_ITERATION" -ge 2 ]; then echo > DONE; fi
        finish
        "#,
    ),
];

/// The number of calls at each site.
pub(super) type Counts = BTreeMap<CallSite, usize>;

/// The relative speed of threads varies, so several executions are needed to see all calls.
const EXECUTIONS: usize = 3;

/// The chain and its undisturbed result.
pub(super) struct ReferenceChain {
    program: PathBuf,
    /// The number of its calls, for each format.
    counts: [Counts; 2],
    /// The expected outcomes.
    pub(super) story: RunOutcomes,
}

impl ReferenceChain {
    /// Runs the chain undisturbed.
    pub(super) fn new(program: &Path) -> Result<Self> {
        let (counts, outcomes) = (Default::default(), RunOutcomes::default());
        let mut chain = Self { program: program.to_owned(), counts, story: outcomes };
        for (at, format) in ChainFormat::ALL.into_iter().enumerate() {
            for _ in 0..EXECUTIONS {
                let world = chain.world()?;
                let seen = chain.watched(&world, format, None)?;
                if !seen.end.success() {
                    return Err(Error::Unmet(format!("left alone, it ended with {}", seen.end)));
                }
                chain.story = story_in(&world)?;
                for (place, count) in seen.counts {
                    let most = chain.counts[at].entry(place).or_default();
                    *most = count.max(*most);
                }
            }
        }
        Ok(chain)
    }

    /// The number of its calls.
    pub(super) fn counts(&self, format: ChainFormat) -> &Counts {
        match format {
            ChainFormat::Human => &self.counts[0],
            ChainFormat::Json => &self.counts[1],
        }
    }

    /// A project for one run.
    pub(super) fn world(&self) -> Result<ProofWorld> {
        let world = ProofWorld::new()?;
        files::write(&world.project().join("forge/orch/chains.json"), CONFIG)?;
        for (name, script) in AGENTS {
            world.agent(name, &format!("{PREAMBLE}{script}"));
        }
        Ok(world)
    }

    /// Starts and traces the run, and kills it at a point.
    pub(super) fn watched(
        &self,
        world: &ProofWorld,
        format: ChainFormat,
        point: Option<Point>,
    ) -> Result<TraceResult> {
        let mut command = world.surrounded("/bin/sh");
        command.args(trace::HELD).arg(&self.program).args(arguments(format));
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
    pub(super) fn afresh(&self, world: &ProofWorld, format: ChainFormat) -> Command {
        world.command(&self.program, &arguments(format))
    }

    /// The command that resumes a run.
    pub(super) fn resume(&self, world: &ProofWorld, format: ChainFormat, run: &str) -> Command {
        let words = ["resume", run, "--output", format.word()];
        world.command(&self.program, &words.map(str::to_owned))
    }
}

fn arguments(format: ChainFormat) -> Vec<String> {
    let words = ["--chain", "reference", "--done-file", "DONE", "--output", format.word()];
    words.map(str::to_owned).to_vec()
}

fn story_in(world: &ProofWorld) -> Result<RunOutcomes> {
    let runs = world.runs();
    let [run] = &runs[..] else {
        return Err(Error::Unmet(format!("one run was made, but {} are there", runs.len())));
    };
    let journal = ProofJournal::read(&run.join("journal.jsonl")).map_err(Error::Unmet)?;
    Ok(RunOutcomes::of(&journal))
}
