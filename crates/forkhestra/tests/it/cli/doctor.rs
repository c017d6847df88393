//! `forkhestra doctor`: findings about the installation and the project, with remedies.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use insta::assert_snapshot;
use serde_json::Value;
use testkit::{CommandOutput, TestEnv};

use crate::{CONFIG, FORKHESTRA, forkhestra};

/// A program that prints its version, and leaves a trace if it is started otherwise.
const AGENT: &str = r#"
case "$*" in
--version) echo "$0 1.2.3" ;;
*) touch "$HOME/started" ;;
esac"#;

/// An environment with git, a home and nothing else.
fn bare_environment() -> TestEnv {
    let env = TestEnv::new();
    env.link_system_program("git")
        .write_home(".gitconfig", "[user]\nname = Ada\nemail = ada@example.org\n");
    env
}

/// An environment without findings.
fn healthy_environment() -> TestEnv {
    let env = bare_environment();
    env.agent("claude", AGENT)
        .write_home(".claude/.credentials.json", "{\"token\": \"s3cret\"}")
        .agent("codex", AGENT)
        .write_home(".codex/auth.json", "{\"token\": \"s3cret\"}")
        .write_home(".codex/config.toml", "model = \"gpt-5.5\"\n")
        .write(CONFIG, r#"{"agents": {"worker": {"command": "codex"}}, "chains": {}}"#);
    let git = env.run("git", &["init", "--quiet"]);
    assert_eq!(git.code, Some(0), "{git}");
    env
}

/// The output of `doctor`, without what differs between machines and days.
fn examined(env: &TestEnv, args: &[&str]) -> CommandOutput {
    let mut output = env.output_of(&mut command(env, args));
    let normalised = |line: &str| match line.split_once(" free)") {
        Some((before, _)) => {
            let kept = before.rsplit_once('(').map_or(before, |(kept, _)| kept);
            format!("{kept}(… free)")
        }
        None if line.contains("git 2.") => "  ok       git …".to_owned(),
        None => line.to_owned(),
    };
    let lines: Vec<String> = output.stdout.lines().map(normalised).collect();
    let directory = Path::new(FORKHESTRA).parent().expect("it is in a directory");
    output.stdout = lines.join("\n") + "\n";
    output.stdout = output.stdout.replace(&*directory.to_string_lossy(), "$BIN");
    output
}

fn command(env: &TestEnv, args: &[&str]) -> Command {
    let mut command = env.command(FORKHESTRA);
    // The tests may run as root.
    command.arg("doctor").args(args).env("IS_SANDBOX", "1");
    command
}

fn findings(env: &TestEnv, args: &[&str]) -> Vec<Value> {
    let output = env.output_of(command(env, args).arg("--json"));
    let object: Value = serde_json::from_str(&output.stdout).expect("it is JSON");
    assert_eq!(object["version"], 1);
    object["findings"].as_array().expect("a list").clone()
}

#[track_caller]
fn assert_finding(findings: &[Value], status: &str, what: &str) {
    let is_it = |finding: &&Value| {
        finding["status"] == status
            && finding["what"].as_str().is_some_and(|text| text.contains(what))
    };
    assert!(findings.iter().any(|finding| is_it(&finding)), "{status}: {what}\n{findings:#?}");
}

#[test]
fn a_healthy_project_has_no_findings() {
    let env = healthy_environment();
    let output = examined(&env, &[]);
    assert_snapshot!(output, @"
    Programs
      note     forkhestra, forge-tasks and ralph-runner 0.1.0 (in $BIN) are not on PATH
               -> add $BIN to PATH

    Agents
      ok       Claude Code 1.2.3 ($TEST/bin/claude), logged in (~/.claude/.credentials.json is there)
      ok       Codex 1.2.3 ($TEST/bin/codex), logged in (~/.codex/auth.json is there), model gpt-5.5
      note     Gemini CLI is not installed
               -> install it with `npm install -g @google/gemini-cli`, or name the program in `GEMINI_PATH`
      note     opencode is not installed
               -> install it with `npm install -g opencode-ai`, or name the program in `OPENCODE_PATH`

    Git
      ok       git …
      ok       the work tree is $TEST/project
      ok       commits are by Ada <ada@example.org>

    Runs
      ok       runs are kept in ~/.local/state/forkhestra (… free)

    Config
      ok       forge/orch/chains.json adds 1 agent to the built-in ones

    no warnings, nothing broken
    ");
}

#[test]
fn an_empty_machine_gets_installation_hints() {
    let output = examined(&TestEnv::new(), &[]);
    assert_snapshot!(output, @"
    Programs
      note     forkhestra, forge-tasks and ralph-runner 0.1.0 (in $BIN) are not on PATH
               -> add $BIN to PATH

    Agents
      warning  Claude Code is not installed, and the built-in agents need it
               -> install it with `npm install -g @anthropic-ai/claude-code`, or name the program in `CLAUDE_PATH`, or let another agent do it with `--backend`
      note     Codex is not installed
               -> install it with `npm install -g @openai/codex`, or name the program in `CODEX_PATH`
      note     Gemini CLI is not installed
               -> install it with `npm install -g @google/gemini-cli`, or name the program in `GEMINI_PATH`
      note     opencode is not installed
               -> install it with `npm install -g opencode-ai`, or name the program in `OPENCODE_PATH`
      broken   there is no agent to run: Claude Code, Codex, Gemini CLI or opencode is needed, or a config with another
               -> install one of them; `forkhestra demo` shows a run without any

    Git
      broken   git is not installed (not found on PATH)
               -> install git with the package manager of your system

    Runs
      ok       runs are kept in ~/.local/state/forkhestra (… free)

    Config
      note     there is no config file: no `forge/orch/chains.json`, `forge/chains.json` or `$TEST/home/.config/forkhestra/chains.json`
               -> `forkhestra init` writes one

    1 warning, 2 broken
    [exit status: 1]
    ");
}

#[test]
fn agents_are_started_only_for_their_version() {
    let env = healthy_environment();
    let output = env.output_of(&mut command(&env, &[]));
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!env.home().join("started").exists(), "an agent was started");
    assert!(!env.home().join(".local").exists(), "nothing is made");
}

#[test]
fn no_secret_is_shown() {
    let env = healthy_environment();
    let mut command = command(&env, &[]);
    let output = env.output_of(command.env("ANTHROPIC_API_KEY", "s3cret").env("LANG", "C"));
    assert!(!output.to_string().contains("s3cret"), "{output}");
}

#[test]
fn every_config_mistake_is_reported_with_its_position() {
    let env = healthy_environment();
    env.write(CONFIG, "{\n  \"agents\": { \"a\": { \"modle\": \"x\" } },\n  \"chains\": 3\n}");
    let output = env.output_of(&mut command(&env, &[]));
    assert_eq!(output.code, Some(1), "{output}");
    let findings = findings(&env, &[]);
    assert_finding(&findings, "broken", "forge/orch/chains.json:3:13: ");
    assert_finding(&findings, "ok", "Codex");
}

#[test]
fn a_missing_agent_of_the_config_is_reported() {
    let env = healthy_environment();
    env.write(
        CONFIG,
        r#"{"agents": {
            "planner": {"systemPromptText": "Plan.", "backend": "gemini"},
            "worker": {"command": "no-such-program"},
        }, "chains": {}}"#,
    );
    let output = env.output_of(&mut command(&env, &[]));
    assert_eq!(output.code, Some(0), "what is missing is a warning: {output}");
    let findings = findings(&env, &[]);
    assert_finding(&findings, "warning", "Gemini CLI is not installed, and `planner` needs it");
    assert_finding(&findings, "warning", "agent `worker` cannot run: ");
    assert_finding(&findings, "note", "opencode is not installed");
}

#[test]
fn a_configured_program_counts_as_an_agent() {
    let env = bare_environment();
    env.agent("tool", "true")
        .write(CONFIG, r#"{"agents": {"a": {"command": "tool"}}, "chains": {}}"#);
    assert_eq!(env.output_of(&mut command(&env, &[])).code, Some(0));
}

#[test]
fn a_check_in_typescript_needs_a_program_that_runs_it() {
    let env = healthy_environment();
    let config = r#"{
        "agents": {"worker": {"command": "codex"}},
        "chains": {"c": {"steps": [{"agent": "worker", "iterations": 2, "checks": ["./check.ts"]}]}}
    }"#;
    env.write(CONFIG, config).write("check.ts", "export function check() {}");
    assert_finding(&findings(&env, &[]), "warning", "chain `c` cannot run: ");
    env.agent("node", "echo v20.19.4");
    assert_finding(&findings(&env, &[]), "warning", "it is node 20.19.4");
    env.agent("node", "echo v24.1.0");
    assert_finding(&findings(&env, &[]), "ok", "checks that are modules are run by ");
}

#[test]
fn a_failing_or_unstartable_agent_is_reported() {
    let env = healthy_environment();
    env.agent("gemini", "echo 'needs a newer node' >&2; exit 3");
    let opencode = env.bin().join("opencode");
    fs::write(&opencode, "").expect("the directory is ours");
    fs::set_permissions(&opencode, fs::Permissions::from_mode(0o644)).expect("it is ours");
    let findings = findings(&env, &[]);
    assert_finding(&findings, "warning", "--version` fails (exit status: 3): needs a newer node");
    assert_finding(&findings, "note", "opencode: `opencode` is not executable");
}

#[test]
fn an_older_forkhestra_program_on_path_is_reported() {
    let env = healthy_environment();
    env.agent("forge-tasks", "echo forge-tasks 0.0.1");
    assert_finding(&findings(&env, &[]), "warning", "is 0.0.1, and this is forkhestra");
}

#[test]
fn an_unusable_state_directory_is_an_error() {
    let env = healthy_environment();
    env.write("file", "");
    let output = env.output_of(&mut command(&env, &["--state-dir", "file/state"]));
    assert_eq!(output.code, Some(1), "{output}");
    let findings = findings(&env, &["--state-dir", "file/state"]);
    assert_finding(&findings, "broken", "is not a directory");
}

#[test]
fn a_state_directory_readable_by_others_is_reported() {
    let env = healthy_environment();
    let state = env.root().join("state");
    fs::create_dir(&state).expect("the directory is ours");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let state = state.to_string_lossy();
    assert_finding(&findings(&env, &["--state-dir", &state]), "warning", "others can look into");
}

/// An environment with a run whose journal was changed afterwards.
fn with_journal(change: impl Fn(&str) -> String) -> TestEnv {
    let env = healthy_environment();
    env.agent("once", "true");
    assert_eq!(forkhestra(&env, &["once"]).code, Some(0));
    let mut find = env.command("/usr/bin/find");
    find.arg(env.home().join(".local/state/forkhestra")).args(["-name", "journal.jsonl"]);
    let found = env.output_of(&mut find).stdout;
    let journal = PathBuf::from(found.trim().replace("$TEST", &env.root().to_string_lossy()));
    let text = fs::read_to_string(&journal).expect("the run has a journal");
    fs::write(&journal, change(&text)).expect("it is ours");
    let _ = fs::remove_file(journal.with_file_name("overview.json"));
    env
}

#[test]
fn a_damaged_run_is_reported_with_its_repair_command() {
    let env = with_journal(|text| text.replacen("step_started", "step_\u{0}", 1));
    let findings = findings(&env, &[]);
    assert_finding(&findings, "warning", "cannot be read");
    let remedies = findings.iter().filter_map(|finding| finding["remedy"].as_str());
    assert!(remedies.into_iter().any(|remedy| remedy.contains("--repair; ")), "{findings:#?}");
}

#[test]
fn an_interrupted_run_is_reported_with_its_resume_command() {
    let first = |text: &str| text.lines().take(3).map(|line| format!("{line}\n")).collect();
    let findings = findings(&with_journal(first), &[]);
    assert_finding(&findings, "note", "(once) was cut off");
    let remedies = findings.iter().filter_map(|finding| finding["remedy"].as_str());
    assert!(remedies.into_iter().any(|r| r.starts_with("forkhestra resume ")), "{findings:#?}");
}

#[test]
fn a_probe_without_agents_is_reported() {
    let env = bare_environment();
    env.agent("tool", "true")
        .write(CONFIG, r#"{"agents": {"a": {"command": "tool"}}, "chains": {}}"#);
    assert_finding(
        &findings(&env, &["--probe"]),
        "note",
        "no agent is installed that could be started",
    );
}

#[test]
fn a_probe_distinguishes_an_unstartable_agent_from_an_unusable_shell() {
    let env = bare_environment();
    env.agent("claude", &fake_claude()).agent("codex", "echo 'no such option' >&2; exit 2");
    let output = env.output_of(command(&env, &["--probe"]).env("ANTHROPIC_API_KEY", "s3cret"));
    assert_eq!(output.code, Some(1), "{output}");
    let findings = findings(&env, &["--probe"]);
    assert_finding(
        &findings,
        "broken",
        "Claude Code answers, but cannot work: its shell ran no command",
    );
    assert_finding(&findings, "broken", "Codex does not work: ");
    assert_finding(&findings, "broken", "it sent no request to the simulated model");
    let kept = fs::read_to_string(env.bin().join("environment")).expect("the stand-in was started");
    assert!(!kept.contains("s3cret"), "the user's own key stays with the user: {kept}");
    assert!(!kept.contains(&*env.home().to_string_lossy()), "the home is another one: {kept}");
}

/// A stand-in for Claude Code that sends four requests to its server, runs no tool, and prints the
/// last answer.
fn fake_claude() -> String {
    r#"
if [ "$1" = --version ]; then echo "1.2.3 (Claude Code)"; exit; fi
env > "${0%/*}/environment"
exec /bin/bash -c '
address=${ANTHROPIC_BASE_URL#http://}
exec 3<>"/dev/tcp/${address%:*}/${address#*:}"
body="{\"tools\":[{\"name\":\"Bash\"}],\"model\":\"m\"}"
for turn in 1 2 3 4; do
printf "POST /v1/messages HTTP/1.1\r\ncontent-length: %s\r\n\r\n%s" "${#body}" "$body" >&3
length=0
while IFS= read -r line <&3; do
  line=${line%$(printf "\r")}
  case "$line" in content-length:*) length=${line#content-length: } ;; "") break ;; esac
done
IFS= read -r -N "$length" answer <&3
done
text=${answer#*\"text\":\"}
text=${text%%\"*}
usage="{\"input_tokens\":100,\"output_tokens\":20}"
echo "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\",\"model\":\"m\",\"apiKeySource\":\"ANTHROPIC_API_KEY\"}"
echo "{\"type\":\"assistant\",\"message\":{\"id\":\"a\",\"model\":\"m\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"$text\"}],\"usage\":$usage},\"parent_tool_use_id\":null}"
echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,\"result\":\"$text\",\"total_cost_usd\":0.001,\"usage\":$usage}"
'
"#
    .to_owned()
}

/// A terminal shows the current check; the lines below it are the same as without a terminal.
#[test]
fn a_terminal_shows_the_current_check() {
    let env = healthy_environment();
    let mut terminal = testkit::PseudoTerminal::open();
    let mut command = command(&env, &[]);
    command.env("TERM", "xterm").stderr(terminal.stdio());
    let reader = {
        let mut source = fs::File::from(terminal.screen());
        std::thread::spawn(move || {
            let (mut shown, mut bytes) = (Vec::new(), [0; 1024]);
            // Reading from a terminal that no program has open is an error.
            while let Ok(length @ 1..) = std::io::Read::read(&mut source, &mut bytes) {
                shown.extend_from_slice(&bytes[..length]);
            }
            String::from_utf8_lossy(&shown).into_owned()
        })
    };
    let output = command.output().expect("it runs");
    drop(command);
    terminal.hand_over();
    let shown = reader.join().expect("it only reads");
    assert!(shown.contains("Waiting for `claude --version` …"), "{shown:?}");
    assert!(shown.ends_with("\r\u{1b}[2K"), "the line is erased: {shown:?}");
    let plain = env.output_of(&mut self::command(&env, &[]));
    let stable = |text: &str| {
        text.lines().filter(|line| !line.contains(" free)")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(stable(&env.normalised(&output.stdout)), stable(&plain.stdout));
    assert_eq!(plain.stderr, "");
}
