//! Tests that the real agents talk to the scripted model server only.

use std::process::Command;

use testkit::{AgentClient, InstalledAgents, ModelServer, ModelTurn, TestEnv};

/// Makes an agent write a file, and checks its output and its requests.
fn writes_a_file_and_says_so(agent: AgentClient, arguments: &[&str]) {
    let Some(agents) = InstalledAgents::find() else { return };
    let env = TestEnv::new();
    let server = ModelServer::start(vec![
        ModelTurn::text("first").shell(agent, "echo hello > made.txt"),
        ModelTurn::text("It is done.\nFORKHESTRA_COMPLETE"),
    ]);
    let mut command: Command = env.command(agents.program(agent));
    command.args(arguments).envs(agents.environment(agent, &server, &env.home()));
    let output = env.output_of(&mut command);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains("FORKHESTRA_COMPLETE"), "{output:?}");
    assert_eq!(env.read("made.txt"), "hello\n");
    assert_eq!(server.main_requests().len(), 2);
}

#[test]
fn claude_writes_a_file() {
    let arguments = ["--print", "--dangerously-skip-permissions", "--model=sonnet", "--", "go on"];
    writes_a_file_and_says_so(AgentClient::Claude, &arguments);
}

#[test]
fn codex_writes_a_file() {
    let permissions = "--dangerously-bypass-approvals-and-sandbox";
    let arguments = ["exec", "--skip-git-repo-check", permissions, "--", "go on"];
    writes_a_file_and_says_so(AgentClient::Codex, &arguments);
}

#[test]
fn gemini_writes_a_file() {
    let arguments = ["--skip-trust", "-y", "-m", AgentClient::Gemini.model(), "--prompt=go on"];
    writes_a_file_and_says_so(AgentClient::Gemini, &arguments);
}

#[test]
fn opencode_writes_a_file() {
    let arguments = ["run", "--title", "t", "--auto", "--", "go on"];
    writes_a_file_and_says_so(AgentClient::Opencode, &arguments);
}
