//! Tests of the model with valid and invalid sessions.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;

use rustix::process::Signal;
use serde_json::json;

use super::*;
use crate::chaos::life_facts::{self, LifeFacts};
use crate::chaos::script::agent_script::{AgentScript, Finale};
use crate::chaos::script::disturbance::DisturbanceTarget;
use crate::chaos::script::random::Random;
use crate::chaos::script::round_script::{PrintFormat, ResumeOptions, RoundScript};

const ID: &str = "abcd1234";

/// A loop whose agent exits with 0 and then claims completion.
fn chain() -> RandomChain {
    let deed = |finale| AgentScript { acts: Vec::new(), finale };
    let marker = Finale::Marker { form: "echo FORKHESTRA_COMPLETE", code: 0 };
    RandomChain::of(vec![(Some(2), vec![deed(Finale::Exit(0)), deed(marker)])])
}

/// One hand-written session of a run.
struct LifeFixture {
    world: ProofWorld,
    events: Vec<Value>,
    notes: String,
    code: i32,
    stdout: String,
    facts: LifeFacts,
}

impl LifeFixture {
    /// A valid session.
    fn new() -> Self {
        let unit = |iteration: u64| json!({"step": 1, "iteration": iteration, "attempt": 1});
        let by = json!({"kind": "marker"});
        let exited = json!({"kind": "exited", "code": 0});
        let complete = json!({"kind": "complete", "by": by});
        let plan = json!({"steps": [{"iterations": 2}]});
        let events = vec![
            json!({"event": "run_started", "run": ID, "plan": plan}),
            json!({"event": "step_started", "step": 1, "sight": {}}),
            json!({"event": "iteration_started", "unit": unit(1)}),
            json!({"event": "agent_started", "unit": unit(1), "pid": 11}),
            json!({"event": "iteration_finished", "unit": unit(1), "end": exited,
                "verdict": {"kind": "incomplete"}}),
            json!({"event": "iteration_started", "unit": unit(2)}),
            json!({"event": "agent_started", "unit": unit(2), "pid": 12}),
            json!({"event": "completion_requested", "unit": unit(2), "by": by}),
            json!({"event": "iteration_finished", "unit": unit(2), "end": exited,
                "verdict": complete}),
            json!({"event": "step_finished", "step": 1, "reason": "marker", "end": complete}),
            json!({"event": "run_finished", "end": {"kind": "complete"}}),
        ];
        let note = |moment, iteration: u64| format!("{moment} 1 {iteration} {ID} 1{iteration}\n");
        Self {
            world: ProofWorld::new().expect("there is git"),
            events,
            notes: [note("start", 1), note("end", 1), note("start", 2), note("end", 2)].concat(),
            code: 0,
            stdout: "[forkhestra] Chain complete (1/1 steps)\n".to_owned(),
            facts: LifeFacts::default(),
        }
    }

    fn event(&mut self, kind: &str, nth: usize) -> &mut Value {
        let all = self.events.iter_mut();
        let mut of_kind = all.filter(|event| event["event"] == kind);
        of_kind.nth(nth).expect("it is there")
    }

    fn directory(&self) -> PathBuf {
        self.world.root().join("home/.local/state/forkhestra/project-1/20261115T000000Z-abcd1234")
    }

    /// The problems that the model finds.
    fn complaints(&self) -> Vec<String> {
        let mut journal = String::new();
        for (seq, event) in self.events.iter().enumerate() {
            let mut event = event.clone();
            event["seq"] = json!(seq);
            journal.push_str(&format!("{event}\n"));
        }
        devkit::files::write(&self.directory().join("journal.jsonl"), &journal).expect("ours");
        devkit::files::write(&self.world.place("notes"), &self.notes).expect("ours");
        let chain = chain();
        let life = RunLife {
            status: Some(ExitStatus::from_raw(self.code << 8)),
            stdout: self.stdout.clone(),
            stderr: String::new(),
            facts: self.facts.clone(),
            troubles: Vec::new(),
        };
        let plan = RoundScript::random(&mut Random::of_round(1, 1)).last;
        let plan =
            LifePlan { format: PrintFormat::Human, changes: ResumeOptions::default(), ..plan };
        RunModel::new(&chain).look(&self.world, &life, &plan)
    }
}

#[track_caller]
fn assert_complains(told: &LifeFixture, what: &str) {
    let complaints = told.complaints();
    assert!(complaints.iter().any(|complaint| complaint.contains(what)), "{complaints:#?}");
}

#[test]
fn nothing_is_wrong_with_a_life_in_order() {
    assert_eq!(LifeFixture::new().complaints(), [""; 0]);
}

#[test]
fn an_agent_that_was_started_twice_or_in_secret_is_noticed() {
    let mut told = LifeFixture::new();
    told.notes.push_str(&format!("start 1 2 {ID} 13\n"));
    assert_complains(&told, "the journal has only 1 tries of it");
}

#[test]
fn an_outcome_without_its_work_is_noticed() {
    let mut told = LifeFixture::new();
    told.notes = told.notes.replace("end 1 1", "start 2 9");
    assert_complains(&told, "its agent 11 did not get that far");
}

#[test]
fn a_marker_that_must_not_count_is_noticed() {
    let mut told = LifeFixture::new();
    let complete = json!({"kind": "complete", "by": {"kind": "marker"}});
    told.event("iteration_finished", 0)["verdict"] = complete;
    assert_complains(&told, "it never said so");
    assert_complains(&told, "its work was done");
}

#[test]
fn a_verdict_that_nobody_caused_is_noticed() {
    let mut told = LifeFixture::new();
    told.event("iteration_finished", 0)["verdict"] = json!({"kind": "crashed"});
    assert_complains(&told, "nobody disturbed it");
    told.facts.hit.insert((1, 1));
    assert_eq!(told.complaints(), [""; 0]);
    told.event("iteration_finished", 0)["verdict"] = json!({"kind": "ended", "why": "timeout"});
    assert_complains(&told, "that limit was not reached");
    told.event("iteration_finished", 0)["verdict"] = json!({"kind": "interrupted"});
    assert_complains(&told, "interrupted by nobody");
}

#[test]
fn an_exit_code_and_last_words_that_are_not_true_are_noticed() {
    let mut told = LifeFixture::new();
    told.code = 1;
    assert_complains(&told, "ended with exit status: 1");
    told.code = 0;
    told.stdout = "[forkhestra] Chain incomplete (0/1 steps)\n".to_owned();
    assert_complains(&told, "the last words should be");
}

#[test]
fn a_kill_explains_an_exit_code_only_if_there_was_one() {
    let mut told = LifeFixture::new();
    told.events.truncate(7);
    told.code = 137;
    assert_complains(&told, "the journal has no end");
    told.facts.sent.push((DisturbanceTarget::Runner, Signal::KILL, life_facts::now()));
    assert_complains(&told, "nothing says that the runner was killed");
}

#[test]
fn what_is_left_is_noticed_unless_a_kill_explains_it() {
    let mut told = LifeFixture::new();
    devkit::files::write(&told.directory().join("scratch"), "").expect("ours");
    assert_complains(&told, "a file is left");
    told.facts.sent.push((DisturbanceTarget::Runner, Signal::KILL, life_facts::now()));
    assert_eq!(told.complaints(), [""; 0]);
    devkit::files::write(&told.world.tmp().join("x"), "").expect("ours");
    assert_complains(&told, "a file is left");
}

#[test]
fn a_request_that_nobody_hears_is_noticed() {
    let mut told = LifeFixture::new();
    told.facts.sent.push((DisturbanceTarget::Guard, Signal::INT, 0));
    told.event("run_finished", 0)["at"] = json!("2026-11-15T00:00:01.000Z");
    assert_eq!(told.complaints(), [""; 0], "it came too late to matter");
    told.event("run_finished", 0)["at"] = json!("2026-11-15T00:01:00.000Z");
    assert_complains(&told, "nobody heard interrupt");
}
