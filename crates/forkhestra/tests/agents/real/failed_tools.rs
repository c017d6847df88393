//! Commands that fail are visible without `--verbose`.

use testkit::{AgentClient, ModelTurn};

use super::for_each_agent;
use super::real_agent_project::RealAgentProject;

for_each_agent!(a_failed_command_is_one_line_below_its_call);

fn a_failed_command_is_one_line_below_its_call(agent: AgentClient) {
    // Gemini CLI does not report the failure of a command that printed something.
    let (command, expected) = match agent {
        AgentClient::Gemini => ("exit 3", "✗ Command exited with code: 3"),
        _ => ("cat /no/such/file; exit 3", "✗ Exit code 3: cat: "),
    };
    let Some((text, output)) = display_of_command(agent, command) else { return };
    let lines: Vec<&str> = text.lines().collect();
    let failed: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].contains('✗')).collect();
    assert_eq!(failed.len(), 1, "{output}");
    assert!(lines[failed[0] - 1].contains(command), "{output}");
    assert!(lines[failed[0]].contains(expected), "{output}");
}

#[test]
fn a_command_that_gemini_refuses_to_run_is_visible() {
    let Some((text, output)) = display_of_command(AgentClient::Gemini, "echo $(date)") else {
        return;
    };
    assert!(text.contains('✗') && text.contains("Blocked"), "{output}");
}

/// The output of a run whose model calls a failing command and a successful one, and that output
/// together with the raw log. Asserts that `logs` shows the same failures. Returns none without the
/// real agents.
fn display_of_command(agent: AgentClient, command: &str) -> Option<(String, String)> {
    let turns = vec![
        ModelTurn::text("I try.").shell(agent, command),
        ModelTurn::text("And again.").shell(agent, "echo fine"),
        ModelTurn::text("FORKHESTRA_COMPLETE"),
    ];
    let stage = RealAgentProject::new(agent, turns)?;
    let output = stage.run(&["worker:1"]);
    assert_eq!(output.code, Some(0), "{output}");
    let logs = stage.run(&["logs"]).stdout;
    let failures = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.contains('✗')).map(str::to_owned).collect()
    };
    assert_eq!(failures(&logs), failures(&output.stdout), "{output}");
    let raw = stage.run(&["logs", "--raw"]);
    Some((output.stdout.clone(), format!("{output}\n{raw}")))
}
