//! The script of a round, determined before it starts: the chain, and the disturbances of each
//! session.

use std::fmt;

use super::disturbance::Disturbance;
use super::random::Random;
use super::random_chain::{MAX_ITERATIONS, RandomChain};

/// Everything about a round that a seed determines.
#[derive(Debug)]
pub(in crate::chaos) struct RoundScript {
    pub(in crate::chaos) chain: RandomChain,
    /// The disturbed sessions.
    pub(in crate::chaos) lives: Vec<SessionPlan>,
    /// The first undisturbed session.
    pub(in crate::chaos) last: SessionPlan,
}

/// The plan of one session.
#[derive(Debug, Clone)]
pub(in crate::chaos) struct SessionPlan {
    pub(in crate::chaos) way: RunReference,
    pub(in crate::chaos) format: PrintFormat,
    pub(in crate::chaos) without_lock: bool,
    pub(in crate::chaos) durability: &'static str,
    pub(in crate::chaos) changes: ResumeOptions,
    pub(in crate::chaos) disturbances: Vec<Disturbance>,
    /// The delay between the last disturbance and the release of waiting agents, in milliseconds.
    pub(in crate::chaos) release: u64,
}

/// How a resumed run is named.
#[derive(Debug, Clone, Copy)]
pub(in crate::chaos) enum RunReference {
    ById,
    ByPrefix,
    ByJournal,
    ByDirectory,
    Unnamed,
}

/// The output format of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::chaos) enum PrintFormat {
    Human,
    Verbose,
    Quiet,
    Json,
}

/// Limits that a resume changes; an inner `None` means off.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::chaos) struct ResumeOptions {
    pub(in crate::chaos) iterations: Option<u64>,
    pub(in crate::chaos) run_time: Option<Option<u64>>,
    pub(in crate::chaos) stagnation: Option<Option<u64>>,
}

impl RoundScript {
    pub(in crate::chaos) fn random(random: &mut Random) -> Self {
        let chain = RandomChain::random(random);
        let many = random.weighted(&[(3, 1), (4, 2), (3, 3), (1, 5)]);
        let lives = (0..many).map(|_| SessionPlan::disturbed(random)).collect();
        let last = SessionPlan { disturbances: Vec::new(), ..SessionPlan::disturbed(random) };
        Self { chain, lives, last: SessionPlan { changes: ResumeOptions::default(), ..last } }
    }
}

impl SessionPlan {
    pub(in crate::chaos) fn disturbed(random: &mut Random) -> Self {
        let ways = [
            RunReference::ById,
            RunReference::ByPrefix,
            RunReference::ByJournal,
            RunReference::ByDirectory,
            RunReference::Unnamed,
        ];
        let formats = [
            (5, PrintFormat::Human),
            (1, PrintFormat::Verbose),
            (2, PrintFormat::Quiet),
            (3, PrintFormat::Json),
        ];
        let changes = ResumeOptions {
            iterations: random.percent(25).then(|| random.between(1, MAX_ITERATIONS)),
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
    pub(in crate::chaos) fn options(&self) -> Vec<String> {
        let mut options = vec!["--durability", self.durability];
        match self.format {
            PrintFormat::Human => {}
            PrintFormat::Verbose => options.push("-v"),
            PrintFormat::Quiet => options.push("--quiet"),
            PrintFormat::Json => options.extend(["--output", "json"]),
        }
        if self.without_lock {
            options.push("--no-lock");
        }
        options.into_iter().map(str::to_owned).collect()
    }
}

impl ResumeOptions {
    /// Adds the changes of another set that are not in this one.
    pub(in crate::chaos) fn add(&mut self, other: Self) {
        self.iterations = self.iterations.max(other.iterations);
        self.run_time = self.run_time.or(other.run_time);
        self.stagnation = self.stagnation.or(other.stagnation);
    }

    pub(in crate::chaos) const fn is_nothing(self) -> bool {
        self.iterations.is_none() && self.run_time.is_none() && self.stagnation.is_none()
    }

    pub(in crate::chaos) fn options(self) -> Vec<String> {
        let limit = |limit: Option<u64>, unit: &str| {
            limit.map_or_else(|| "off".to_owned(), |limit| format!("{limit}{unit}"))
        };
        let mut options = Vec::new();
        let mut add = |option: &str, value: Option<String>| {
            if let Some(value) = value {
                options.extend([option.to_owned(), value]);
            }
        };
        add("--max-iterations", self.iterations.map(|limit| limit.to_string()));
        add("--max-time", self.run_time.map(|time| limit(time, "s")));
        add("--stagnation", self.stagnation.map(|count| limit(count, "")));
        options
    }
}

impl fmt::Display for RoundScript {
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
