//! One round, decided before it begins: what is run, and what is done to each of its lives.

use std::fmt;

use super::chain::{Chain, MOST};
use super::disturbance::Disturbance;
use super::random::Random;

/// Everything about a round that a seed decides.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) chain: Chain,
    /// Lives that are disturbed.
    pub(super) lives: Vec<Plan>,
    /// The first of those that are left alone.
    pub(super) last: Plan,
}

/// One life of a run.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) way: Way,
    pub(super) format: Format,
    pub(super) without_lock: bool,
    pub(super) durability: &'static str,
    pub(super) changes: Changes,
    pub(super) disturbances: Vec<Disturbance>,
    /// How long after the last disturbance agents that wait are let go, in milliseconds.
    pub(super) release: u64,
}

/// How a run is named that goes on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way {
    ById,
    ByPrefix,
    ByJournal,
    ByDirectory,
    Unnamed,
}

/// How a life is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Human,
    Verbose,
    Quiet,
    Json,
}

/// Limits that are different from then on, if the run goes on; none inside means off.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Changes {
    pub(super) iterations: Option<u64>,
    pub(super) run_time: Option<Option<u64>>,
    pub(super) stagnation: Option<Option<u64>>,
}

impl Script {
    pub(super) fn random(random: &mut Random) -> Self {
        let chain = Chain::random(random);
        let many = random.weighted(&[(3, 1), (4, 2), (3, 3), (1, 5)]);
        let lives = (0..many).map(|_| Plan::disturbed(random)).collect();
        let last = Plan { disturbances: Vec::new(), ..Plan::disturbed(random) };
        Self { chain, lives, last: Plan { changes: Changes::default(), ..last } }
    }
}

impl Plan {
    fn disturbed(random: &mut Random) -> Self {
        let ways = [Way::ById, Way::ByPrefix, Way::ByJournal, Way::ByDirectory, Way::Unnamed];
        let formats =
            [(5, Format::Human), (1, Format::Verbose), (2, Format::Quiet), (3, Format::Json)];
        let changes = Changes {
            iterations: random.percent(25).then(|| random.between(1, MOST)),
            run_time: random.percent(10).then_some(None),
            stagnation: None,
        };
        Self {
            way: random.pick(&ways),
            format: random.weighted(&formats),
            without_lock: random.percent(10),
            durability: random.pick(&["os", "fsync"]),
            changes,
            disturbances: Disturbance::some(random),
            release: random.between(0, 400),
        }
    }

    /// The options that a start and a resume have in common.
    pub(super) fn options(&self) -> Vec<String> {
        let mut options = vec!["--durability", self.durability];
        match self.format {
            Format::Human => {}
            Format::Verbose => options.push("-v"),
            Format::Quiet => options.push("--quiet"),
            Format::Json => options.extend(["--output", "json"]),
        }
        if self.without_lock {
            options.push("--no-lock");
        }
        options.into_iter().map(str::to_owned).collect()
    }
}

impl Changes {
    /// Changes what is not changed yet.
    pub(super) fn add(&mut self, other: Self) {
        self.iterations = self.iterations.max(other.iterations);
        self.run_time = self.run_time.or(other.run_time);
        self.stagnation = self.stagnation.or(other.stagnation);
    }

    pub(super) const fn is_nothing(self) -> bool {
        self.iterations.is_none() && self.run_time.is_none() && self.stagnation.is_none()
    }

    pub(super) fn options(self) -> Vec<String> {
        let limit = |limit: Option<u64>, unit: &str| {
            limit.map_or_else(|| "off".to_owned(), |limit| format!("{limit}{unit}"))
        };
        let mut options = Vec::new();
        let mut add = |option: &str, value: Option<String>| {
            if let Some(value) = value {
                options.extend([option.to_owned(), value]);
            }
        };
        add("--max-iterations", self.iterations.map(|most| most.to_string()));
        add("--max-time", self.run_time.map(|time| limit(time, "s")));
        add("--stagnation", self.stagnation.map(|count| limit(count, "")));
        options
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "what the agents do:\n{}", self.chain)?;
        for (number, plan) in (1..).zip(&self.lives) {
            writeln!(f, "what life {number} is meant to see:")?;
            for disturbance in &plan.disturbances {
                writeln!(f, "  {disturbance}")?;
            }
        }
        Ok(())
    }
}
