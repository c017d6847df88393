//! Answers that are refused.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use rustix::process::{Resource, Rlimit, Signal, prlimit};

use super::support::{CHAIN, answers, given, project, start_asking};
use crate::FORKHESTRA;
use crate::support::{GuardedRun, ProcessProject, eventually, kill};

#[test]
fn an_agent_cannot_answer_its_own_run() {
    let script = format!(
        r#"
        for words in "approve" "approve $FORKHESTRA_RUN_ID" "resume --approve"; do
            {FORKHESTRA} $words >> "$PLACE/said" 2>&1; echo "$?" >> "$PLACE/codes"
        done
        "#
    );
    let project = ProcessProject::with_agent(&script);
    let run = start_asking(&project, &["./agent -> ?"]);
    let codes = fs::read_to_string(project.place("codes")).expect("the agent wrote it");
    let said = fs::read_to_string(project.place("said")).expect("the agent wrote it");
    assert_eq!(codes, "2\n2\n2\n", "{said}");
    assert!(answers(&project).is_empty());
    project.run(&["approve"]).success();
    assert_eq!(run.ended().code, Some(0));
}

#[test]
fn a_run_that_asks_nothing_says_so() {
    let project = ProcessProject::with_agent(r#"echo "agent $$"; read go < "$PLACE/gate""#);
    project.gate("gate");
    let run = project.start(&["./agent -> ?"]);
    run.agent();
    let id = project.run_id();
    for verb in ["approve", "deny"] {
        let message = project.run(&[verb]).failure(2);
        assert_eq!(message, format!("error: run {id} has no open question\n"));
    }
    project.open_gate("gate");
    project.wait_until_asked(1, 1);
    project.run(&["approve"]).success();
    assert_eq!(run.ended().code, Some(0));
    let message = project.run(&["approve", &id]).failure(2);
    // An id without digits could be a comment, and a hint says so.
    assert!(message.starts_with(&format!("error: run {id} is over: complete\n")), "{message}");
}

#[test]
fn an_answer_to_another_question_is_refused() {
    let project = project();
    let run = start_asking(&project, &["? -> ./agent -> ?"]);
    project.run(&["approve"]).success();
    project.wait_until_asked(2, 1);
    let link = project.place("run");
    symlink(project.run_directory(), &link).expect("the name is free");
    let mut client = UnixStream::connect(link.join("control")).expect("the run listens");
    let mut replies = BufReader::new(client.try_clone().expect("it is ours")).lines();
    for (sent, expected) in [
        (r#"{"version":1,"request":"approve","step":1,"question":1}"#, "answered_already"),
        (r#"{"version":1,"request":"approve","step":3,"question":1}"#, "answered_already"),
        (r#"{"version":1,"request":"approve","step":3,"question":7}"#, "other_question"),
        (r#"{"version":1,"request":"deny","step":1}"#, "other_question"),
    ] {
        client.write_all(format!("{sent}\n").as_bytes()).expect("the run listens");
        let reply = replies.next().expect("there is a reply").expect("it can be read");
        assert_eq!(reply, format!(r#"{{"version":1,"refused":"{expected}"}}"#), "{sent}");
    }
    drop(client);
    assert_eq!(answers(&project).len(), 1);
    project.run(&["approve", "--question", "2"]).success();
    assert_eq!(run.ended().code, Some(0));
}

#[test]
fn a_comment_that_no_agent_can_be_given_is_refused_and_the_question_stays_open() {
    let project = project();
    let run = start_asking(
        &project,
        &["? -> ./agent:2", "--marker", "/ALL DONE/", "--marker", "FORKHESTRA_COMPLETE"],
    );
    let long = "x".repeat(17_000);
    for (text, expected) in [
        (long.as_str(), "error: the message is longer than 16 KiB\n"),
        ("Say ALL DONE.", "error: the message contains a completion marker\n"),
    ] {
        for verb in ["approve", "deny"] {
            let message = project.run(&[verb, text]).failure(2);
            assert!(message.starts_with(expected), "{message}");
        }
    }
    assert!(answers(&project).is_empty());
    project.run(&["approve"]).success();
    assert_eq!(run.ended().code, Some(0));
}

#[test]
fn wrong_words_are_refused_by_one_message() {
    let project = project();
    let run = start_asking(&project, CHAIN);
    let id = project.run_id();
    for (words, expected) in [
        (
            &["approve", "Use", "tabs", "please"][..],
            "error: a run and a text are two words, but there are 3\n",
        ),
        (&["approve", "abcdefgh", "Use tabs."], "error: there is no run `abcdefgh`\n"),
        // As of an empty variable.
        (&["approve", ""], "error: there is no run ``\n"),
        (&["deny", ""], "error: there is no run ``\n"),
        (&["approve", " "], "error: there is no run ` `\n"),
        (&["approve", "", "Use tabs."], "error: there is no run ``\n"),
        (
            &["approve", "abcd2345"],
            "error: `abcd2345` looks like a run, but no run has this id or path\n",
        ),
        (&["resume", "--approve", "--deny"], "error: the argument '--approve"),
        (&["resume", &id, "--rounds", "0"], "error: invalid value '0' for '--rounds"),
        (&["resume", &id, "--rounds", "x"], "error: invalid value 'x' for '--rounds"),
        (&["skip", "--groups"], "error: unknown option `--groups`\n"),
    ] {
        let message = project.run(words).failure(2);
        assert!(message.starts_with(expected), "{words:?}: {message}");
        assert_eq!(message.matches("error: ").count(), 1, "{message}");
    }
    assert!(answers(&project).is_empty());
    project.run(&["approve", &id, ""]).success();
    assert_eq!(run.ended().code, Some(0));
}

/// The answer counts, although its confirmation cannot be printed.
#[test]
fn a_confirmation_that_cannot_be_printed_is_an_error_of_the_client_alone() {
    let project = project();
    let run = start_asking(&project, CHAIN);
    let mut command = project.command(&["approve"]);
    command.stdout(File::options().write(true).open("/dev/full").expect("it is there"));
    command.stderr(Stdio::piped());
    let mut client = GuardedRun::start(&project, command);
    let code = client.wait();
    assert_ne!(code, Some(0));
    assert_eq!(run.ended().code, Some(0));
    assert_eq!(answers(&project), ["1 approved by person"]);
}

/// As that of a message which is kept for a run.
#[test]
fn a_secret_in_the_comment_of_a_resume_is_masked_with_a_warning() {
    let warning = |what: &str| {
        format!(
            "warning: the {what} contains a secret of the environment; it is stored with `*` in its place\n\
             hint: name the variable or the file that holds it\n"
        )
    };
    for (words, expected) in [
        (&["resume", "--approve", "The key is sk-0123456789abcdef."][..], warning("comment")),
        (&["resume", "--deny", "The key is sk-0123456789abcdef."], warning("comment")),
        (&["resume", "--approve", "--tell", "Take sk-0123456789abcdef."], warning("message")),
    ] {
        let project = project();
        let run = start_asking(&project, &["? -> ./agent"]);
        project.run(&["stop", "--wait"]).success();
        assert_eq!(run.ended().code, Some(130));
        let mut command = project.command(words);
        command
            .env("API_TOKEN", "sk-0123456789abcdef")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let output = GuardedRun::start(&project, command).ended();
        assert!(output.stderr.contains(&expected), "{output}");
        let told = fs::read_to_string(project.run_directory().join("journal.jsonl"));
        assert!(!told.expect("it is text").contains("sk-0123456789abcdef"), "{output}");
        assert_eq!(output.stderr.matches("warning: ").count(), 1, "{output}");
    }
}

#[test]
fn a_runner_that_is_stopped_by_a_signal_is_named() {
    let project = project();
    let run = start_asking(&project, CHAIN);
    let (id, runner) = (project.run_id(), run.runner());
    kill(runner, Signal::STOP);
    eventually("it is stopped", || runner.is_stopped().then_some(()));
    let message = project.run(&["approve"]).failure(2);
    let pid = runner.0.as_raw_nonzero();
    let expected = format!(
        "error: run {id} does not answer: process {pid} is stopped by a signal\n\
         hint: to continue it: `fg` in its terminal, or kill -CONT {pid}\n"
    );
    assert_eq!(message, expected);
    kill(runner, Signal::CONT);
    eventually("it takes an answer", || (project.run(&["approve"]).code == Some(0)).then_some(()));
    assert_eq!(run.ended().code, Some(0));
    assert_eq!(answers(&project), ["1 approved by person"]);
}

/// A disk that fills up: there is space for the answer, but not for the message that its comment
/// becomes.
#[test]
fn an_answer_that_was_recorded_before_the_run_was_cut_off_is_not_lost() {
    let project = project();
    let run = start_asking(&project, &["? -> ./agent"]);
    let id = project.run_id();
    let journal = project.run_directory().join("journal.jsonl");
    let size = fs::metadata(&journal).expect("it is there").len();
    let limit = Some(size + 6000);
    prlimit(Some(run.runner().0), Resource::Fsize, Rlimit { current: limit, maximum: limit })
        .expect("it is ours");
    let message = project.run(&["approve", &"x".repeat(4000)]).failure(2);
    assert_eq!(answers(&project), ["1 approved by person"], "{message}");
    let expected = format!(
        "error: run {id} was cut off; its journal has the answer\n\
         hint: to resume: forkhestra resume {id}\n"
    );
    assert_eq!(message, expected);
    assert_ne!(run.ended().code, Some(0));
    assert_eq!(project.run(&["resume"]).code, Some(0));
    assert_eq!(answers(&project), ["1 approved by person"]);
    assert!(given(&project, "message", "2.1").contains("xxxx"));
}
