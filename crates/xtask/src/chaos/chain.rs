//! What is run: a chain of agents, with limits and options.

use std::fmt;

use crate::survival::world::World;

use super::act::Budget;
use super::deed::{DONE_FILE, Deed, Possible};
use super::random::Random;

/// The most iterations that any loop ever gets, also after a resume.
pub(super) const MOST: u64 = 8;

const NAMES: [&str; 3] = ["one", "two", "three"];

/// A chain, as it is started.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) steps: Vec<Step>,
    pub(super) limits: Limits,
    pub(super) has_done_file: bool,
}

/// A step, with what its agent does.
#[derive(Debug)]
pub(super) struct Step {
    name: &'static str,
    /// How often it loops; none if it runs once.
    pub(super) most: Option<u64>,
    /// One for each iteration.
    deeds: Vec<Deed>,
}

/// Limits in seconds, and in iterations.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Limits {
    pub(super) timeout: Option<u64>,
    pub(super) idle: Option<u64>,
    pub(super) run_time: Option<u64>,
    pub(super) stagnation: Option<u64>,
}

impl Chain {
    pub(super) fn random(random: &mut Random) -> Self {
        let limit = |random: &mut Random, chance, low, high| {
            random.percent(chance).then(|| random.between(low, high))
        };
        let limits = Limits {
            timeout: limit(random, 30, 1, 2),
            idle: limit(random, 20, 1, 2),
            run_time: limit(random, 8, 2, 5),
            stagnation: limit(random, 25, 2, 3),
        };
        let has_done_file = random.percent(20);
        let mut budget = Budget::of_round(random);
        let many = random.weighted(&[(4, 1), (4, 2), (3, 3)]);
        let steps = NAMES[..many]
            .iter()
            .map(|name| Step::random(name, random, limits, has_done_file, &mut budget))
            .collect();
        Self { steps, limits, has_done_file }
    }

    /// The chain as it is typed.
    pub(super) fn definition(&self) -> String {
        let steps = self.steps.iter().map(|step| match step.most {
            Some(most) => format!("{}:{most}", step.name),
            None => step.name.to_owned(),
        });
        steps.collect::<Vec<_>>().join(" -> ")
    }

    /// The arguments with which it is started.
    pub(super) fn arguments(&self) -> Vec<String> {
        let Limits { timeout, idle, run_time, stagnation } = self.limits;
        let mut arguments = vec!["run".to_owned(), self.definition()];
        let mut add = |option: &str, value: Option<String>| {
            if let Some(value) = value {
                arguments.extend([option.to_owned(), value]);
            }
        };
        let seconds = |limit: Option<u64>| limit.map(|limit| format!("{limit}s"));
        add("--timeout", seconds(timeout));
        add("--idle-timeout", seconds(idle));
        add("--max-time", seconds(run_time));
        add("--stagnation", stagnation.map(|limit| limit.to_string()));
        add("--done-file", self.has_done_file.then(|| DONE_FILE.to_owned()));
        arguments
    }

    /// Writes the agents.
    pub(super) fn install(&self, world: &World) {
        for step in &self.steps {
            world.agent(step.name, &step.script());
        }
    }

    /// What the agent of a step does in an iteration.
    pub(super) fn deed(&self, step: u64, iteration: u64) -> Option<&Deed> {
        let step = self.step(step)?;
        // An agent that runs once has one deed, whatever it is tried for.
        step.deeds.get(usize::try_from(iteration).ok()?.checked_sub(1)?)
    }

    pub(super) fn step(&self, number: u64) -> Option<&Step> {
        self.steps.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }
}

impl Step {
    fn random(
        name: &'static str,
        random: &mut Random,
        limits: Limits,
        done_file: bool,
        budget: &mut Budget,
    ) -> Self {
        let most = random.percent(70).then(|| random.between(1, 6));
        let loops = most.is_some();
        let hangs_end = limits.timeout.is_some() || limits.idle.is_some();
        let possible = Possible { loops, hangs_end, done_file };
        let many = if loops { MOST } else { 1 };
        let mut deeds: Vec<Deed> =
            (0..many).map(|_| Deed::random(random, possible, budget)).collect();
        if loops && random.percent(70) {
            deeds.pop();
            deeds.push(Deed::last(random));
        }
        Self { name, most, deeds }
    }

    fn script(&self) -> String {
        let mut script = "case $FORKHESTRA_ITERATION in\n".to_owned();
        for (iteration, deed) in (1..).zip(&self.deeds) {
            script.push_str(&format!("{iteration})\n{}\n;;\n", deed.script()));
        }
        script.push_str("*) exit 99 ;;\nesac\n");
        script
    }
}

#[cfg(test)]
impl Chain {
    /// A chain with these steps and nothing else.
    pub(super) fn of(steps: Vec<(Option<u64>, Vec<Deed>)>) -> Self {
        let steps = steps.into_iter().zip(NAMES);
        let steps = steps.map(|((most, deeds), name)| Step { name, most, deeds }).collect();
        Self { steps, limits: Limits::default(), has_done_file: false }
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            for (iteration, deed) in (1..).zip(&step.deeds) {
                writeln!(f, "  {} {iteration}: {deed}", step.name)?;
            }
        }
        Ok(())
    }
}
