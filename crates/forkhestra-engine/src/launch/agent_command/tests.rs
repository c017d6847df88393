//! Tests of the prompt and the variables that agents receive.

use std::time::Duration;

use forkhestra_core::event::{
    CheckOutcome, CheckReport, ClaimRefusal, EventKind, IterationReport, OperatorMessage, Verdict,
};
use forkhestra_core::plan::{Prompt, ReplaySpeed};

use super::*;
use crate::agent::command::tests::plan;
use crate::aux_job::aux_job_command::tests::AuxJobCase;

#[test]
fn outer_run_ids_come_before_our_own() {
    let table = [(None, "own"), (Some(""), "own"), (Some("a:b"), "a:b:own")];
    for (outer, expected) in table {
        let inherited: Vec<(OsString, OsString)> =
            outer.map(|ids| (RUN_TAG.into(), ids.into())).into_iter().collect();
        assert_eq!(run_ids(&inherited, "own"), expected, "{outer:?}");
    }
}

/// A run whose first iteration was refused, with a prompt for the next one.
fn refused(prompt: Prompt) -> AuxJobCase {
    let mut case = AuxJobCase::new("a:3");
    case.state.plan.steps[0].prompt.value = prompt;
    case.agent_has_exited(0);
    let check = CheckReport {
        name: "tests".to_owned(),
        outcome: CheckOutcome::Failed,
        message: Some("3 \0 failed".to_owned()),
        tail: Some("FORKHESTRA_COMPLETE".to_owned()),
        duration: Duration::ZERO,
    };
    let verdict = Verdict::Refused(ClaimRefusal::ChecksFailed);
    let report = IterationReport { verdict, checks: vec![check], ..AuxJobCase::report(0) };
    case.happens(EventKind::IterationFinished { unit: AuxJobCase::unit(), report });
    case
}

fn command(case: &AuxJobCase) -> AgentCommand {
    let unit = UnitId { step: 1, iteration: 2, attempt: 1 };
    let place = case.workplace();
    let recordings = &crate::ports::NoRecordings;
    let context = AgentCommandContext {
        unit,
        state: &case.state,
        place: &place,
        own_program: None,
        recordings,
        host: &HostFacts::default(),
    };
    AgentCommand::at(&context).expect("it can be started")
}

/// The value of the feedback variable.
fn variable(command: &AgentCommand) -> Option<&str> {
    variable_called(FEEDBACK, command)
}

fn variable_called<'a>(called: &str, command: &'a AgentCommand) -> Option<&'a str> {
    let mut values = command.environment.iter().filter(|(name, _)| name == called);
    let value = values.next().and_then(|(_, value)| value.to_str());
    assert_eq!(values.next(), None, "it is there once");
    value
}

#[test]
fn feedback_is_put_before_the_prompt() {
    let case = refused(Prompt::Text("Go on.".to_owned()));
    let command = command(&case);
    let value = variable(&command).expect("it is there");
    assert!(value.contains("Check tests did not pass: 3"), "{value}");
    assert!(!value.contains('\0'), "it could not be handed over");
    let prompt = command.args.last().and_then(|arg| arg.to_str()).expect("there is one");
    assert_eq!(prompt, format!("{}\n\nGo on.", value.trim_end()));
}

#[test]
fn feedback_does_not_count_as_a_changed_prompt() {
    let mut case = refused(Prompt::Text("Go on.".to_owned()));
    let with_prefix = command(&case).prompt;
    case.state.plan.feedback = false;
    let without_prefix = command(&case);
    assert_eq!(without_prefix.args, ["Go on."], "feedback is off");
    assert_eq!(variable(&without_prefix), None);
    assert_eq!(with_prefix, without_prefix.prompt);
}

#[test]
fn an_agent_without_a_prompt_has_only_the_variable() {
    let command = command(&refused(Prompt::None));
    assert!(variable(&command).is_some());
    assert_eq!(command.args, <[OsString; 0]>::default());
    assert_eq!(command.prompt, None);
}

#[test]
fn a_prompt_without_room_for_a_prefix_is_unchanged() {
    let long = "x".repeat(128 * 1024 - 100);
    let command = command(&refused(Prompt::Text(long.clone())));
    assert!(variable(&command).is_some());
    assert_eq!(command.args, [OsString::from(long)]);
}

#[test]
fn messages_of_an_outer_run_are_not_inherited() {
    let mut case = AuxJobCase::new("a:3");
    case.environment.push((FEEDBACK.into(), "outer".into()));
    assert_eq!(variable(&command(&case)), None);
    let mut case = refused(Prompt::None);
    case.environment.push((FEEDBACK.into(), "outer".into()));
    assert_ne!(variable(&command(&case)), Some("outer"));
}

#[test]
fn a_known_agent_gets_feedback_in_its_prompt() {
    let mut case = refused(Prompt::None);
    let (_, direct) = plan(r#"{"systemPromptText": ""}"#, "a:3");
    case.state.plan.steps[0].agent.kind = AgentKind::Direct(direct);
    let given = command(&case);
    let prompt = given.args.last().and_then(|arg| arg.to_str()).expect("there is one");
    assert!(prompt.contains("Check tests did not pass"), "{prompt}");
    assert!(prompt.ends_with("\n\nDo your work as described in your instructions."), "{prompt}");
    let prompt = given.prompt.clone();
    drop(given);
    case.state.plan.feedback = false;
    assert_eq!(command(&case).prompt, prompt);
}

#[test]
fn feedback_is_given_only_where_it_is_read() {
    let mut case = refused(Prompt::Text("x".repeat(10_000_000 - 10)));
    let (_, direct) = plan(r#"{"systemPromptText": ""}"#, "a:3");
    case.state.plan.steps[0].agent.kind = AgentKind::Direct(direct);
    let command = command(&case);
    let stdin = command.files.stdin().expect("it reads its prompt");
    assert_eq!(stdin.metadata().expect("it is open").len(), 10_000_000 - 10);
    assert!(variable(&command).is_some());
}

/// A run in whose second iteration there are messages of the operator.
fn case_with_messages(prompt: Prompt, texts: &[&str]) -> AuxJobCase {
    let mut case = refused(prompt);
    case.state.steps[0].given = (1..)
        .zip(texts)
        .map(|(number, text)| OperatorMessage { number, text: (*text).to_owned(), lane: None })
        .collect();
    case
}

const QUOTED_MESSAGE: &str =
    "A message from the person who supervises this work:\n\n  | Take \n  | care.\n";

#[test]
fn a_message_comes_before_everything_else() {
    let case = case_with_messages(Prompt::Text("Go on.".to_owned()), &["Take \0\ncare."]);
    let command = command(&case);
    let output = variable_called(MESSAGE, &command).expect("it is there");
    assert_eq!(
        output.replace("Take  \n", "Take \n"),
        QUOTED_MESSAGE,
        "what cannot be handed over is a space"
    );
    let feedback = variable(&command).expect("it is there, too");
    let prompt = command.args.last().and_then(|arg| arg.to_str()).expect("there is one");
    let expected = format!("{}\n\n{}\n\nGo on.", output.trim_end(), feedback.trim_end());
    assert_eq!(prompt, expected);
    assert!(command.warnings.is_empty());
}

#[test]
fn without_feedback_messages_are_still_given() {
    let mut case = case_with_messages(Prompt::Text("Go on.".to_owned()), &["Take \ncare."]);
    let with_feedback = command(&case).prompt;
    case.state.plan.feedback = false;
    let command = command(&case);
    assert_eq!(command.args, [OsString::from(format!("{}\n\nGo on.", QUOTED_MESSAGE.trim_end()))]);
    assert_eq!(command.prompt, with_feedback, "the prompt is what it was before");
}

#[test]
fn a_message_for_an_agent_without_a_prompt_is_in_the_variable() {
    let command = command(&case_with_messages(Prompt::None, &["Take \ncare."]));
    assert_eq!(variable_called(MESSAGE, &command), Some(QUOTED_MESSAGE));
    assert_eq!(command.args, <[OsString; 0]>::default());
    assert!(command.warnings.is_empty(), "it is where it has to be");
}

#[test]
fn a_message_too_long_for_the_prompt_is_in_the_variable_with_a_warning() {
    let long = "x".repeat(128 * 1024 - 20);
    let command = command(&case_with_messages(Prompt::Text(long.clone()), &["one", "two"]));
    assert!(variable_called(MESSAGE, &command).is_some());
    assert!(command.args == [OsString::from(long)], "the prompt is as it was");
    let warning = command.warnings.first().expect("there is a warning");
    assert_eq!(
        warning,
        "messages 1, 2 cannot be put in front of the prompt, and are only in FORKHESTRA_MESSAGE"
    );
}

#[test]
fn feedback_gives_way_to_a_message() {
    let message_length = QUOTED_MESSAGE.trim_end().len() + 2;
    let prompt = "x".repeat(128 * 1024 - 1 - message_length);
    let command = command(&case_with_messages(Prompt::Text(prompt.clone()), &["Take \ncare."]));
    assert_eq!(
        command.args,
        [OsString::from(format!("{}\n\n{prompt}", QUOTED_MESSAGE.trim_end()))]
    );
    assert!(command.warnings.is_empty());
}

#[test]
fn a_known_agent_gets_messages_in_its_prompt() {
    let mut case = case_with_messages(Prompt::None, &["Take \ncare."]);
    let (_, direct) = plan(r#"{"systemPromptText": ""}"#, "a:3");
    case.state.plan.steps[0].agent.kind = AgentKind::Direct(direct.clone());
    let short = command(&case);
    let prompt = short.args.last().and_then(|arg| arg.to_str()).expect("there is one");
    assert!(prompt.starts_with(QUOTED_MESSAGE.trim_end()), "{prompt}");
    assert!(short.warnings.is_empty());
    drop(short);
    case.state.plan.steps[0].prompt.value = Prompt::Text("x".repeat(10_000_000 - 10));
    assert!(!command(&case).warnings.is_empty(), "there is no room");
}

#[test]
fn a_message_of_an_outer_run_is_not_for_our_agents() {
    let mut case = AuxJobCase::new("a:3");
    case.environment.push((MESSAGE.into(), "outer".into()));
    assert_eq!(variable_called(MESSAGE, &command(&case)), None);
}

/// A [`Recordings`] with one recording.
struct SingleRecording;

impl Recordings for SingleRecording {
    fn replayed_unit(
        &self,
        replay: &Replay,
        unit: UnitId,
        _: &Path,
    ) -> Result<ReplayedUnit, String> {
        if unit.iteration > 2 {
            return Err("it was not recorded".to_owned());
        }
        let recorded = format!("/{}/1-{}-1", replay.recording, unit.iteration).into();
        Ok(ReplayedUnit { recorded, own_paths: vec!["/state".into()] })
    }
}

/// The command line that replays an iteration.
fn player(iteration: u32, attempt: u32) -> Result<Vec<OsString>, ProcessEnd> {
    let mut case = AuxJobCase::new("a:3");
    let agent = &mut case.state.plan.steps[0].agent;
    agent.replay = Some(Replay { recording: "rec".to_owned(), step: 1, speed: ReplaySpeed::Max });
    let unit = UnitId { step: 1, iteration, attempt };
    let place = case.workplace();
    let context = AgentCommandContext {
        unit,
        state: &case.state,
        place: &place,
        own_program: None,
        recordings: &SingleRecording,
        host: &HostFacts::default(),
    };
    AgentCommand::at(&context).map(|command| command.args)
}

#[test]
fn the_replay_process_gets_its_recording() {
    let usual = ["play-recording", "/rec/1-1-1", "--speed", "max", "--ours", "/state"];
    assert_eq!(player(1, 1).expect("it can be started"), usual);
    let hanging = ["play-recording", "/rec/1-2-1", "--speed", "max", "--ours", "/state"];
    assert_eq!(player(2, 1).expect("it can be started"), hanging);
    let again = ["play-recording", "/rec/1-2-1", "--speed", "max", "--again", "--ours", "/state"];
    assert_eq!(player(2, 2).expect("it can be started"), again);
}

#[test]
fn an_unplayable_recording_is_neither_started_nor_retried() {
    let end = player(3, 1).expect_err("it was not recorded");
    let reason = "it was not recorded".to_owned();
    assert_eq!(end, ProcessEnd::NotStarted { reason, transient: false });
}
