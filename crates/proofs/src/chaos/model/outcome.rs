//! Compares the outcome of each iteration with the script and with the notes of its agent.

use std::fs;

use serde_json::Value;

use crate::chaos::script::agent_script::{AgentScript, ExpectedOutcome};
use crate::chaos::script::random_chain::RandomChain;
use crate::survival::journal::JournalUnit;

use super::SessionCheck;

/// Longer output is not kept in one piece.
const MAX_KEPT_BYTES: u64 = 8 * 1024 * 1024;

pub(super) fn complaints(chain: &RandomChain, look: &SessionCheck<'_>) -> Vec<String> {
    let notes = match look.world.notes() {
        Ok(notes) => notes,
        Err(why) => return vec![format!("the notes of the agents cannot be read: {why}")],
    };
    let mut found = notes.disagreements(look.journal);
    let run = look.journal.run().unwrap_or_default();
    for event in look.new.iter().filter(|event| event["event"] == "iteration_finished") {
        let Some(unit) = JournalUnit::of(event) else { continue };
        let Some(agent_script) = chain.deed(unit.step, unit.iteration) else {
            found.push(format!("{unit} is more than there can be"));
            continue;
        };
        let judged = JudgedUnit { chain, look, event, unit, deed: agent_script };
        found.extend(judged.verdict());
        found.extend(judged.output());
        let pid = look.journal.agents().into_iter().find(|(one, _)| *one == unit);
        let kind = event["verdict"]["kind"].as_str().unwrap_or_default();
        let came_to_its_end = matches!(kind, "incomplete" | "complete") && !judged.was_ended();
        if let Some((_, pid)) = pid.filter(|_| came_to_its_end && agent_script.comes_to_its_end()) {
            let is_noted = notes.ends(run).any(|note| note.pid == pid);
            // An agent that was hit, or whose marker came first, may not have reached its end.
            if !is_noted && !judged.is_hit() {
                found.push(format!("{unit} is {kind}, but its agent {pid} did not get that far"));
            }
        }
    }
    found
}

/// A finished iteration.
struct JudgedUnit<'a> {
    chain: &'a RandomChain,
    look: &'a SessionCheck<'a>,
    event: &'a Value,
    unit: JournalUnit,
    deed: &'a AgentScript,
}

impl JudgedUnit<'_> {
    fn verdict(&self) -> Option<String> {
        let Self { event, unit, .. } = self;
        let verdict = &event["verdict"];
        let kind = verdict["kind"].as_str().unwrap_or_default();
        let loops = self.chain.step(unit.step).is_some_and(|step| step.max_iterations.is_some());
        let expected = self.deed.expected(loops);
        let complain = |why: &str| {
            Some(format!("{unit} is {verdict}, {}: {why}; expected {expected:?}", event["end"]))
        };
        match kind {
            // Whether an interruption was requested is checked elsewhere.
            "interrupted" => None,
            "complete" => {
                let by = verdict["by"]["kind"].as_str().unwrap_or_default();
                let is_expected = expected.contains(&match by {
                    "marker" => ExpectedOutcome::Complete("marker"),
                    "file" => ExpectedOutcome::Complete("file"),
                    _ => ExpectedOutcome::Complete("exit_code"),
                });
                (!is_expected).then(|| complain("it never said so")).flatten()
            }
            "ended" => self.ended(verdict["why"].as_str().unwrap_or_default()).and_then(complain),
            "incomplete" if expected.contains(&ExpectedOutcome::Incomplete) => None,
            "crashed" if event["end"]["kind"] == "not_started" => complain("it can be started"),
            "crashed" if expected.contains(&ExpectedOutcome::Crashed) => None,
            "incomplete" | "crashed" if self.is_hit() => None,
            _ => complain("it was not disturbed"),
        }
    }

    /// Checks that a limit was really reached. Any agent may be slow on a busy machine.
    fn ended(&self, why: &str) -> Option<&'static str> {
        let limits = self.chain.limits;
        let duration = self.event["durationMs"].as_u64().unwrap_or(0);
        let elapsed = self.event["elapsedMs"].as_u64().unwrap_or(0);
        let is_reached = |limit: Option<u64>, time: u64| limit.is_some_and(|s| time >= s * 1000);
        let is_true = match why {
            "timeout" => is_reached(limits.timeout, duration),
            "idle" => is_reached(limits.idle, duration),
            "run_time" => is_reached(limits.run_time, elapsed),
            _ => false,
        };
        (!is_true).then_some("that limit was not reached")
    }

    /// Checks that the whole output is kept.
    fn output(&self) -> Option<String> {
        let JournalUnit { step, iteration, attempt } = self.unit;
        let journal = super::progress::journal(self.look.world)?;
        let place = journal.with_file_name(format!("output/{step}-{iteration}-{attempt}"));
        ["stdout", "stderr"].into_iter().find_map(|stream| {
            let printed = self.event["output"][stream].as_u64().unwrap_or(0);
            let kept = fs::metadata(place.join(stream)).map_or(0, |file| file.len());
            let is_kept = kept == printed || printed > MAX_KEPT_BYTES;
            let is_known = self.event["verdict"]["kind"] != "interrupted";
            (is_known && !is_kept).then(|| {
                format!("{} printed {printed} bytes to {stream}, and {kept} are kept", self.unit)
            })
        })
    }

    fn is_hit(&self) -> bool {
        self.look.hit.contains(&self.unit.step_and_iteration())
    }

    /// Whether forkhestra had begun to end it.
    fn was_ended(&self) -> bool {
        let unit = &self.event["unit"];
        let mut all = self.look.new.iter();
        all.any(|event| event["event"] == "agent_ending" && event["unit"] == *unit)
    }
}
