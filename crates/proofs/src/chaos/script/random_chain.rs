//! A random chain of agents, with limits and options.

use std::fmt;

use crate::survival::world::ProofWorld;

use super::agent_script::{AgentScript, DONE_FILE, Possible};
use super::random::Random;
use super::side_effect::Budget;

/// The maximum number of iterations of any loop, also after a resume.
pub(in crate::chaos) const MAX_ITERATIONS: u64 = 8;

/// A step in which a person answers.
const QUESTION: &str = "?";

const NAMES: [&str; 3] = ["one", "two", "three"];

/// A chain with its options.
#[derive(Debug)]
pub(in crate::chaos) struct RandomChain {
    pub(in crate::chaos) steps: Vec<RandomStep>,
    pub(in crate::chaos) limits: RandomLimits,
    pub(in crate::chaos) has_done_file: bool,
    /// Whether the first question is denied. A resume asks another one.
    pub(in crate::chaos) denies_first: bool,
}

/// A step with the scripts of its agent.
#[derive(Debug)]
pub(in crate::chaos) struct RandomStep {
    name: &'static str,
    /// The maximum number of iterations; `None` if it runs once.
    pub(in crate::chaos) max_iterations: Option<u64>,
    /// One for each iteration.
    deeds: Vec<AgentScript>,
}

/// Limits in seconds and in iterations.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::chaos) struct RandomLimits {
    pub(in crate::chaos) timeout: Option<u64>,
    pub(in crate::chaos) idle: Option<u64>,
    pub(in crate::chaos) run_time: Option<u64>,
    pub(in crate::chaos) stagnation: Option<u64>,
}

impl RandomChain {
    pub(in crate::chaos) fn random(random: &mut Random) -> Self {
        let limit = |random: &mut Random, chance, low, high| {
            random.percent(chance).then(|| random.between(low, high))
        };
        let limits = RandomLimits {
            timeout: limit(random, 30, 1, 2),
            idle: limit(random, 20, 1, 2),
            run_time: limit(random, 8, 2, 5),
            stagnation: limit(random, 25, 2, 3),
        };
        let has_done_file = random.percent(20);
        let mut budget = Budget::for_round(random);
        let many = random.weighted(&[(4, 1), (4, 2), (3, 3)]);
        let mut steps: Vec<RandomStep> = NAMES[..many]
            .iter()
            .map(|name| RandomStep::random(name, random, limits, has_done_file, &mut budget))
            .collect();
        if random.percent(30) {
            let place = random.between(0, steps.len() as u64);
            steps.insert(usize::try_from(place).unwrap_or_default(), RandomStep::question());
        }
        Self { steps, limits, has_done_file, denies_first: random.percent(30) }
    }

    /// The chain as it is typed.
    pub(in crate::chaos) fn definition(&self) -> String {
        let steps = self.steps.iter().map(|step| match step.max_iterations {
            Some(most) => format!("{}:{most}", step.name),
            None => step.name.to_owned(),
        });
        steps.collect::<Vec<_>>().join(" -> ")
    }

    /// The arguments that start it.
    pub(in crate::chaos) fn arguments(&self) -> Vec<String> {
        let RandomLimits { timeout, idle, run_time, stagnation } = self.limits;
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

    /// Writes the agents' programs.
    pub(in crate::chaos) fn install(&self, world: &ProofWorld) {
        for step in self.steps.iter().filter(|step| step.name != QUESTION) {
            world.agent(step.name, &step.script());
        }
    }

    /// The script of an agent in an iteration.
    pub(in crate::chaos) fn deed(&self, step: u64, iteration: u64) -> Option<&AgentScript> {
        let step = self.step(step)?;
        // An agent that runs once has one script for all attempts.
        step.deeds.get(usize::try_from(iteration).ok()?.checked_sub(1)?)
    }

    pub(in crate::chaos) fn step(&self, number: u64) -> Option<&RandomStep> {
        self.steps.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }
}

impl RandomStep {
    const fn question() -> Self {
        Self { name: QUESTION, max_iterations: None, deeds: Vec::new() }
    }

    fn random(
        name: &'static str,
        random: &mut Random,
        limits: RandomLimits,
        done_file: bool,
        budget: &mut Budget,
    ) -> Self {
        let max_iterations = random.percent(70).then(|| random.between(1, 6));
        let loops = max_iterations.is_some();
        let hangs_end = limits.timeout.is_some() || limits.idle.is_some();
        let possible = Possible { loops, hangs_end, done_file };
        let many = if loops { MAX_ITERATIONS } else { 1 };
        let mut agent_scripts: Vec<AgentScript> =
            (0..many).map(|_| AgentScript::random(random, possible, budget)).collect();
        if loops && random.percent(70) {
            agent_scripts.pop();
            agent_scripts.push(AgentScript::last(random));
        }
        Self { name, max_iterations, deeds: agent_scripts }
    }

    fn script(&self) -> String {
        let mut script = "case $FORKHESTRA_ITERATION in\n".to_owned();
        for (iteration, agent_script) in (1..).zip(&self.deeds) {
            script.push_str(&format!("{iteration})\n{}\n;;\n", agent_script.script()));
        }
        script.push_str("*) exit 99 ;;\nesac\n");
        script
    }
}

#[cfg(test)]
impl RandomChain {
    /// A chain with a question alone.
    pub(in crate::chaos) fn of_question() -> Self {
        Self { steps: vec![RandomStep::question()], ..Self::of(Vec::new()) }
    }

    /// A chain with these steps and no options.
    pub(in crate::chaos) fn of(steps: Vec<(Option<u64>, Vec<AgentScript>)>) -> Self {
        let steps = steps.into_iter().zip(NAMES);
        let steps = steps
            .map(|((most, agent_scripts), name)| RandomStep {
                name,
                max_iterations: most,
                deeds: agent_scripts,
            })
            .collect();
        let limits = RandomLimits::default();
        Self { steps, limits, has_done_file: false, denies_first: false }
    }
}

impl fmt::Display for RandomChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            for (iteration, agent_script) in (1..).zip(&step.deeds) {
                writeln!(f, "  {} {iteration}: {agent_script}", step.name)?;
            }
        }
        Ok(())
    }
}
