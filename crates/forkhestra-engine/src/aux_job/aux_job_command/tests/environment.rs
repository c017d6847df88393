//! Tests of the environment of checks and set-ups.

use std::ffi::OsStr;
use std::fs;

use forkhestra_core::event::AuxJob;
use forkhestra_core::limit::Limit;
use forkhestra_core::plan::{CleanRoom, EnvVars, Sourced, ValueOrigin};
use serde_json::json;

use super::AuxJobCase;

#[test]
fn a_check_gets_its_place_in_two_sets_of_variables() {
    let mut case = AuxJobCase::check("command:true", 3).printed("said\n");
    case.environment.push(("FORKHESTRA_RUN_IDS".into(), "outer000".into()));
    let process = case.process(AuxJobCase::the_check());
    let variables = process.variables();
    let value = |name: &str| variables.get(OsStr::new(name)).and_then(|value| value.to_str());
    let project = case.project();
    for (name, expected) in [
        ("AGENT", "a"),
        ("ITERATION", "1"),
        ("MAX_ITERATIONS", "3"),
        ("EXIT_CODE", "3"),
        ("STATUS", "running"),
        ("WORK_DIR", project.to_str().expect("it is plain")),
    ] {
        for dialect in ["RALPH", "FORKHESTRA"] {
            assert_eq!(value(&format!("{dialect}_{name}")), Some(expected), "{name}");
        }
    }
    assert_eq!(value("FORKHESTRA_RUN_ID"), Some("abcd1234"));
    assert_eq!(value("FORKHESTRA_RUN_IDS"), Some("outer000:abcd1234"), "it can be found");
    assert_eq!(value("FORKHESTRA_STEP"), Some("1"));
    assert_eq!(value("FORKHESTRA_ATTEMPT"), Some("1"));
    assert_eq!(value("FORKHESTRA_PROJECT_DIR"), project.to_str());
    assert_eq!(value("FORKHESTRA_LOG"), Some("/logs/1.1.1-stdout"));
    assert_eq!(value("PWD"), project.to_str());
    for unset in ["CLEAN_ROOM", "HOOK", "REASON", "FEEDBACK"] {
        assert_eq!(value(&format!("FORKHESTRA_{unset}")), None, "{unset}");
    }
}

#[test]
fn a_check_reads_the_context_of_its_iteration() {
    let case = AuxJobCase::check("command:true", 0).printed("\x1b[1mall done\x1b[0m\n");
    let project = case.project();
    let context = json!({
        "workDir": project,
        "projectDir": project,
        "cleanRoom": false,
        "runId": "abcd1234",
        "agent": "a",
        "step": 1,
        "iteration": 1,
        "attempt": 1,
        "maxIterations": 3,
        "exitCode": 0,
        "agentOutput": "all done\n",
        "agentOutputTruncated": false,
        "agentOutputLog": "/logs/1.1.1-stdout",
    });
    assert_eq!(case.process(AuxJobCase::the_check()).reads(), context);
}

#[test]
fn a_check_inherits_no_agent_variables() {
    let mut case = AuxJobCase::check("command:env", 0);
    let secret = EnvVars([("API_KEY".to_owned(), "sk-0123456789".to_owned())].into());
    *case.state.plan.steps[0].agent.kind.env_mut().expect("it is a program") = secret;
    assert!(!case.run(AuxJobCase::the_check()).stdout.contains("sk-0123456789"));
}

#[test]
fn variables_of_an_outer_run_are_not_ours() {
    let mut case = AuxJobCase::check("command:true", 0);
    for name in ["CLEAN_ROOM", "HOOK", "REASON", "FEEDBACK", "LOG", "ITERATION"] {
        case.environment.push((format!("FORKHESTRA_{name}").into(), "outer".into()));
    }
    let process = case.process(AuxJobCase::the_check());
    assert!(process.variables().values().all(|value| *value != "outer"));
}

#[test]
fn in_a_clean_room_a_check_knows_both_places() {
    let mut case = AuxJobCase::check("command:true", 0).with_room();
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_AUTHOR_NAME"] {
        case.environment.push((name.into(), "x".into()));
    }
    let room = case.room.as_ref().expect("there is one").path.clone();
    let process = case.process(AuxJobCase::the_check());
    assert_eq!(process.directory, room);
    let variables = process.variables();
    let value = |name: &str| variables.get(OsStr::new(name)).copied();
    assert_eq!(value("PWD"), Some(room.as_os_str()));
    assert_eq!(value("RALPH_WORK_DIR"), Some(room.as_os_str()));
    assert_eq!(value("FORKHESTRA_WORK_DIR"), Some(room.as_os_str()));
    assert_eq!(value("FORKHESTRA_PROJECT_DIR"), Some(case.project().as_os_str()));
    assert_eq!(value("FORKHESTRA_CLEAN_ROOM"), Some("1".as_ref()));
    assert_eq!(value("GIT_DIR"), None, "git would leave the room");
    assert_eq!(value("GIT_INDEX_FILE"), None);
    assert_eq!(value("GIT_AUTHOR_NAME"), Some("x".as_ref()));
    let context = process.reads();
    assert_eq!(context["workDir"], json!(room));
    assert_eq!(context["projectDir"], json!(case.project()));
    assert_eq!(context["cleanRoom"], json!(true));
}

#[test]
fn a_setup_runs_in_its_room() {
    let mut case = AuxJobCase::check("command:true", 0).with_room();
    let setup = Some("echo ready > $FORKHESTRA_WORK_DIR/made; pwd -P; exit 4".to_owned());
    let room = CleanRoom { setup, timeout: Limit::Off, keep: Vec::new() };
    case.state.plan.steps[0].clean_room = Some(Sourced::new(room, ValueOrigin::Default));
    let ran = case.run(AuxJob::Setup { unit: AuxJobCase::unit() });
    let room = case.room.as_ref().expect("there is one").path.clone();
    assert_eq!(ran.code, Some(4));
    assert_eq!(fs::read_to_string(room.join("made")).expect("it was made"), "ready\n");
    let real = room.canonicalize().expect("it is there");
    assert_eq!(ran.stdout.trim_end(), real.to_str().expect("it is plain"));
}

#[test]
fn the_files_of_an_aux_job_are_removed_with_it() {
    let case = AuxJobCase::check("command:true", 0);
    let process = case.process(AuxJobCase::the_check());
    assert!(case.scratch().join("errand/check-1-1-1-1/stdin").exists());
    drop(process);
    assert!(!case.scratch().join("errand/check-1-1-1-1").exists());
}
