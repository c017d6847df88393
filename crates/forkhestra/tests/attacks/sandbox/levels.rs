//! Which level is used, and what is said about it.

use super::sandboxed_run::{TestedLevel, bubblewrap_works, doctor_says, run_at, victim};
use crate::support::{config, events_of, forkhestra};

#[test]
fn the_first_lines_of_a_run_name_level_and_mechanism() {
    for (level, expected) in [
        (TestedLevel::Workspace, "workspace (bubblewrap)"),
        (TestedLevel::Guard, "guard (Landlock)"),
    ] {
        if !level.works() {
            continue;
        }
        let env = victim();
        env.agent("attacker", "true");
        let output = run_at(&env, level.word(), &["--chain", "c"]);
        assert_eq!(output.code, Some(0), "{output}");
        let first = output.stdout.lines().next().unwrap_or_default();
        assert_eq!(first, format!("[forkhestra] Sandbox: {expected}"), "{output}");
        let dry = run_at(&env, level.word(), &["--chain", "c", "--dry-run"]);
        assert!(dry.stdout.contains(&format!("sandbox: {expected}")), "{dry}");
        let started = &events_of(&env, "run_started")[0];
        let sandbox = &started["plan"]["steps"][0]["sandbox"];
        assert_eq!(sandbox["value"]["level"], level.word(), "{started}");
        assert_eq!(sandbox["source"], "FORKHESTRA_SANDBOX", "{started}");
    }
}

#[test]
fn auto_is_the_default_and_takes_bubblewrap_where_it_works() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    env.agent("attacker", "true");
    let mut command = env.command(crate::FORKHESTRA);
    let output = env.output_of(command.env_remove("FORKHESTRA_SANDBOX").args(["--chain", "c"]));
    assert!(
        output.stdout.starts_with("[forkhestra] Sandbox: workspace (bubblewrap)\n"),
        "{output}"
    );
    assert!(doctor_says(&env, "`workspace` is possible (bubblewrap), which `auto` takes"));
    assert!(bubblewrap_works());
}

#[test]
fn a_project_cannot_turn_the_sandbox_off() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    config(
        &env,
        r#"{"sandbox": {"level": "off", "writable": ["~"]},
            "agents": {"attacker": {"sandbox": "off"}},
            "chains": {"c": {"steps": [{"agent": "attacker"}]}}}"#,
    );
    env.agent("attacker", "echo evil >> $HOME/.bashrc");
    let output = run_at(&env, "auto", &["--chain", "c"]);
    assert!(output.stdout.contains("Sandbox: workspace"), "{output}");
    assert!(output.stderr.contains("`sandbox.writable` of the project is ignored"), "{output}");
    assert!(
        output.stderr.contains("the sandbox level `off` of the project is ignored"),
        "{output}"
    );
    let bashrc = std::fs::read_to_string(env.home().join(".bashrc")).expect("it is there");
    assert_eq!(bashrc, "# mine\n");
}

#[test]
fn a_project_can_tighten_what_the_user_turned_off() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "attacker", "sandbox": "workspace"}]}}}"#,
    );
    env.agent("attacker", "echo evil >> $HOME/.bashrc");
    let output = run_at(&env, "off", &["--chain", "c"]);
    assert!(output.stdout.contains("Sandbox: workspace"), "{output}");
}

#[test]
fn an_impossible_level_is_refused() {
    let env = victim();
    env.agent("attacker", "touch ran");
    let output = forkhestra(&env, &["--chain", "c", "--sandbox", "everything"]);
    assert_eq!(output.code, Some(2), "{output}");
    let output = run_at(&env, "everything", &["--chain", "c"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(
        output.stderr.contains("FORKHESTRA_SANDBOX=`everything` is not a sandbox level"),
        "{output}"
    );
    assert!(!env.has("ran"));
}

#[test]
fn a_resumed_run_keeps_its_level() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    config(&env, r#"{"chains": {"c": {"steps": [{"agent": "attacker"}, {"agent": "second"}]}}}"#);
    env.agent("attacker", "true");
    env.agent("second", "test -e ready && echo evil >> $HOME/.bashrc; test -e ready");
    let output = run_at(&env, "workspace", &["--chain", "c"]);
    assert_eq!(output.code, Some(1), "{output}");
    env.write("ready", "");
    // The variable of a later shell does not weaken the run.
    let output = run_at(&env, "off", &["resume"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("[forkhestra] Sandbox: workspace (bubblewrap)"), "{output}");
    let bashrc = std::fs::read_to_string(env.home().join(".bashrc")).expect("it is there");
    assert_eq!(bashrc, "# mine\n");
}

#[test]
fn a_denial_is_reported_with_the_option_that_allows_it() {
    for level in [TestedLevel::Workspace, TestedLevel::Guard] {
        if !level.works() {
            continue;
        }
        let env = victim();
        env.agent("attacker", "echo evil >> $HOME/.bashrc");
        let output = run_at(&env, level.word(), &["--chain", "c"]);
        let expected = format!("the sandbox ({}) may have denied this", level.word());
        assert!(output.stderr.contains(&expected), "{output}");
        assert!(output.stderr.contains("--writable PATH"), "{output}");
    }
}
