//! Tests of the model with valid and invalid sessions.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;

use rustix::process::Signal;
use serde_json::json;

use super::*;
use crate::chaos::script::agent_script::{AgentScript, FinalAction};
use crate::chaos::script::disturbance::DisturbanceTarget;
use crate::chaos::script::random::Random;
use crate::chaos::script::round_script::{PrintFormat, ResumeOptions, RoundScript};
use crate::chaos::session_facts::{self, SessionFacts};

const ID: &str = "abcd1234";

/// A loop whose agent exits with 0 and then claims completion.
fn chain() -> RandomChain {
    let agent_script = |finale| AgentScript { acts: Vec::new(), finale };
    let marker = FinalAction::Marker { form: "echo FORKHESTRA_COMPLETE", code: 0 };
    RandomChain::of(vec![(Some(2), vec![agent_script(FinalAction::Exit(0)), agent_script(marker)])])
}

/// One hand-written session of a run.
struct SessionFixture {
    world: ProofWorld,
    events: Vec<Value>,
    notes: String,
    code: i32,
    stdout: String,
    facts: SessionFacts,
}

impl SessionFixture {
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
            facts: SessionFacts::default(),
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
        devkit::files::write(&self.world.shared_file("notes"), &self.notes).expect("ours");
        let chain = chain();
        let session = RunSession {
            status: Some(ExitStatus::from_raw(self.code << 8)),
            stdout: self.stdout.clone(),
            stderr: String::new(),
            facts: self.facts.clone(),
            troubles: Vec::new(),
        };
        let plan = RoundScript::random(&mut Random::for_round(1, 1)).last;
        let plan =
            SessionPlan { format: PrintFormat::Human, changes: ResumeOptions::default(), ..plan };
        RunModel::new(&chain).problems_after(&self.world, &session, &plan)
    }
}

#[track_caller]
fn assert_complains(fixture: &SessionFixture, what: &str) {
    let problems = fixture.complaints();
    assert!(problems.iter().any(|problem| problem.contains(what)), "{problems:#?}");
}

#[test]
fn a_correct_session_has_no_problems() {
    assert_eq!(SessionFixture::new().complaints(), [""; 0]);
}

#[test]
fn an_agent_that_was_started_twice_or_in_secret_is_noticed() {
    let mut fixture = SessionFixture::new();
    fixture.notes.push_str(&format!("start 1 2 {ID} 13\n"));
    assert_complains(&fixture, "the journal has only 1 tries of it");
}

#[test]
fn an_outcome_without_its_work_is_noticed() {
    let mut fixture = SessionFixture::new();
    fixture.notes = fixture.notes.replace("end 1 1", "start 2 9");
    assert_complains(&fixture, "its agent 11 did not get that far");
}

#[test]
fn a_marker_that_must_not_count_is_noticed() {
    let mut fixture = SessionFixture::new();
    let complete = json!({"kind": "complete", "by": {"kind": "marker"}});
    fixture.event("iteration_finished", 0)["verdict"] = complete;
    assert_complains(&fixture, "it never said so");
    assert_complains(&fixture, "its work was done");
}

#[test]
fn a_verdict_without_a_cause_is_noticed() {
    let mut fixture = SessionFixture::new();
    fixture.event("iteration_finished", 0)["verdict"] = json!({"kind": "crashed"});
    assert_complains(&fixture, "it was not disturbed");
    fixture.facts.hit.insert((1, 1));
    assert_eq!(fixture.complaints(), [""; 0]);
    fixture.event("iteration_finished", 0)["verdict"] = json!({"kind": "ended", "why": "timeout"});
    assert_complains(&fixture, "that limit was not reached");
    fixture.event("iteration_finished", 0)["verdict"] = json!({"kind": "interrupted"});
    assert_complains(&fixture, "interrupted without a cause");
}

#[test]
fn a_wrong_exit_code_and_wrong_last_lines_are_noticed() {
    let mut fixture = SessionFixture::new();
    fixture.code = 1;
    assert_complains(&fixture, "ended with exit status: 1");
    fixture.code = 0;
    fixture.stdout = "[forkhestra] Chain incomplete (0/1 steps)\n".to_owned();
    assert_complains(&fixture, "the last words should be");
}

#[test]
fn a_kill_explains_an_exit_code_only_if_there_was_one() {
    let mut fixture = SessionFixture::new();
    fixture.events.truncate(7);
    fixture.code = 137;
    assert_complains(&fixture, "the journal has no end");
    fixture.facts.sent.push((DisturbanceTarget::Runner, Signal::KILL, session_facts::now()));
    assert_complains(&fixture, "nothing says that the runner was killed");
}

#[test]
fn leftovers_are_noticed_unless_a_kill_explains_them() {
    let mut fixture = SessionFixture::new();
    devkit::files::write(&fixture.directory().join("scratch"), "").expect("ours");
    assert_complains(&fixture, "a file is left");
    fixture.facts.sent.push((DisturbanceTarget::Runner, Signal::KILL, session_facts::now()));
    assert_eq!(fixture.complaints(), [""; 0]);
    devkit::files::write(&fixture.world.tmp().join("x"), "").expect("ours");
    assert_complains(&fixture, "a file is left");
}

#[test]
fn an_unanswered_request_is_noticed() {
    let mut fixture = SessionFixture::new();
    fixture.facts.sent.push((DisturbanceTarget::Guard, Signal::INT, 0));
    fixture.event("run_finished", 0)["at"] = json!("2026-11-15T00:00:01.000Z");
    assert_eq!(fixture.complaints(), [""; 0], "it came too late to matter");
    fixture.event("run_finished", 0)["at"] = json!("2026-11-15T00:01:00.000Z");
    assert_complains(&fixture, "interrupt was not noticed");
}

/// A session with a question that is asked again after a resume, and then approved.
fn question_problems(events: &[Value]) -> usize {
    let chain = RandomChain::of_question();
    let mut past = RunPast::new(&chain);
    let fixture = SessionFixture::new();
    let session = RunSession {
        status: None,
        stdout: String::new(),
        stderr: String::new(),
        facts: SessionFacts::default(),
        troubles: Vec::new(),
    };
    let plan = RoundScript::random(&mut Random::for_round(1, 1)).last;
    let look = SessionCheck {
        world: &fixture.world,
        life: &session,
        plan: &SessionPlan { changes: ResumeOptions::default(), ..plan },
        journal: &ProofJournal::default(),
        new: events,
        was_complete: false,
        hit: BTreeSet::new(),
    };
    past.take(&look).len()
}

#[test]
fn a_question_is_answered_once_and_by_the_person() {
    let begun = json!({"event": "step_started", "step": 1, "sight": {}});
    let asked = |question: u64| json!({"event": "asked", "step": 1, "question": question});
    let answered = |by: &str| json!({"event": "answered", "step": 1, "question": 1, "approved": true, "by": by});
    let resumed = json!({"event": "run_resumed"});
    let complete = json!({"kind": "complete", "by": {"kind": "approved"}});
    let ended = json!({"event": "step_finished", "step": 1, "reason": "approved", "end": complete});
    let by_person = answered("person");
    let good = [begun.clone(), asked(1), resumed, asked(1), by_person.clone(), ended.clone()];
    assert_eq!(question_problems(&good), 0);
    let twice = [begun.clone(), asked(1), by_person.clone(), by_person.clone()];
    assert_eq!(question_problems(&twice), 1);
    assert_eq!(question_problems(&[begun.clone(), asked(1), answered("timeout")]), 1);
    assert_eq!(question_problems(&[begun.clone(), asked(1), ended]), 1, "without an answer");
    assert_eq!(question_problems(&[begun.clone(), asked(1), by_person, asked(1)]), 1);
    assert_eq!(question_problems(&[begun, asked(2)]), 1);
}
