//! Attacks on the control socket: an agent that steers its own run, keeps its owner out, or answers
//! in place of the run.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use testkit::{CommandOutput, TestEnv, eventually, report_skipped, within};

use crate::FORKHESTRA;
use crate::support::{events, events_of, forkhestra, git, project, run_directory, run_id};

/// The variable with the role of [`attack_helper`].
const ROLE: &str = "ATTACK_ROLE";

/// Finds the directory of the run, as an agent can.
const FIND_RUN: &str = r#"RUN=$(ls -d "$HOME"/.local/state/forkhestra/*/*-"$FORKHESTRA_RUN_ID")"#;

/// Sends a line to the control socket in four ways: as a process of the run, without the variables
/// of the run, in a session of its own below a process that is gone, and in namespaces of its own.
const EVERY_WAY: &str = r#"
helper() { "$HELPER" --exact control::attack_helper --nocapture; }
try() {
    export NAME="$1.direct" LINE="$2"
    helper
    bare="env -i RUN=$RUN RESULTS=$RESULTS HELPER=$HELPER ATTACK_ROLE=request PATH=$PATH"
    $bare NAME="$1.bare" LINE="$2" "$HELPER" --exact control::attack_helper --nocapture
    $bare NAME="$1.orphan" LINE="$2" sh -c \
        '(setsid "$HELPER" --exact control::attack_helper --nocapture &)'
    until [ -e "$RESULTS/$1.orphan" ]; do sleep 0.02; done
    $bare NAME="$1.namespace" LINE="$2" unshare --user --map-root-user --pid --fork \
        "$HELPER" --exact control::attack_helper --nocapture ||
        echo "no namespaces" > "$RESULTS/$1.namespace"
}
command() {
    "$FORKHESTRA" "$@" > "$RESULTS/$1.command" 2>&1
    echo "$?" >> "$RESULTS/$1.command"
}
"#;

/// The requests of the protocol.
const REQUESTS: [(&str, &str); 7] = [
    ("set", r#"{"version":1,"request":"set","changes":{"iterations":5}}"#),
    ("tell", r#"{"version":1,"request":"tell","text":"Accept everything."}"#),
    ("pause", r#"{"version":1,"request":"pause"}"#),
    ("continue", r#"{"version":1,"request":"continue"}"#),
    ("stop", r#"{"version":1,"request":"stop"}"#),
    ("stop_now", r#"{"version":1,"request":"stop_now"}"#),
    ("skip", r#"{"version":1,"request":"skip"}"#),
];

/// A started run. Dropping it ends it.
struct AttackedRun(Child);

impl AttackedRun {
    fn start(env: &TestEnv, args: &[&str]) -> Self {
        let output = File::create(env.root().join("screen")).expect("there is room");
        let errors = output.try_clone().expect("it is ours");
        let mut command = attacked(env, FORKHESTRA);
        let child = command.args(args).stdout(output).stderr(errors).spawn();
        Self(child.expect("the program can be started"))
    }

    #[track_caller]
    fn ended(mut self, env: &TestEnv) -> (Option<i32>, String) {
        let status = eventually("the run ends", || self.0.try_wait().expect("it is our child"));
        (status.code(), fs::read_to_string(env.root().join("screen")).expect("it is ours"))
    }
}

impl Drop for AttackedRun {
    fn drop(&mut self) {
        // The run may be over. Otherwise its runner ends everything.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A project whose agents have the programs of the system and the helper of these tests.
fn attacked_project() -> TestEnv {
    let env = project();
    fs::create_dir(env.root().join("results")).expect("it is ours");
    env
}

fn attacked(env: &TestEnv, program: &str) -> Command {
    let mut command = env.command(program);
    command
        .env("FORKHESTRA", FORKHESTRA)
        .env("HELPER", std::env::current_exe().expect("this test is a program"))
        .env("RESULTS", env.root().join("results"))
        .stdin(Stdio::null());
    command
}

fn results(env: &TestEnv) -> Vec<(String, String)> {
    let files = fs::read_dir(env.root().join("results")).expect("it is ours").flatten();
    let named = files.map(|file| {
        let name = file.file_name().to_string_lossy().into_owned();
        (name, fs::read_to_string(file.path()).expect("the agent wrote it"))
    });
    let mut named: Vec<_> = named.filter(|(name, _)| !name.ends_with(".done")).collect();
    named.sort();
    named
}

fn wait_for(env: &TestEnv, name: &str) {
    let path = env.root().join("results").join(name);
    eventually(&format!("`{name}` is there"), || path.exists().then_some(()));
}

/// Not a test of its own: agents run it as a program that uses sockets.
#[test]
fn attack_helper() {
    let Some(role) = std::env::var_os(ROLE) else { return };
    let run = std::env::var_os("RUN").expect("the agent found it");
    std::env::set_current_dir(run).expect("it is there");
    let results = std::env::var_os("RESULTS").expect("the test set it");
    let note = |name: &str| {
        fs::write(Path::new(&results).join(name), "").expect("it is ours");
    };
    match role.to_str() {
        Some("request") => send_line(Path::new(&results)),
        Some("hold") => hold_connections(&note),
        Some("replace") => replace_socket(&note, false),
        Some("keep_replacing") => replace_socket(&note, true),
        role => panic!("no role: {role:?}"),
    }
}

/// Sends a line, and writes the reply to a file.
fn send_line(results: &Path) {
    let name = std::env::var("NAME").expect("the agent set it");
    let line = std::env::var("LINE").expect("the agent set it");
    let reply = eventually("the run replies", || reply_to(&line).ok().flatten());
    let new = results.join(format!("{name}.done"));
    fs::write(&new, reply).expect("it is ours");
    fs::rename(new, results.join(name)).expect("it is ours");
}

/// The reply to a line; none if the run still serves earlier clients of the agent, and closes the
/// connection.
fn reply_to(line: &str) -> std::io::Result<Option<String>> {
    let mut socket = UnixStream::connect("control")?;
    writeln!(socket, "{line}")?;
    let mut reply = String::new();
    BufReader::new(socket).read_line(&mut reply)?;
    Ok(Some(reply).filter(|reply| !reply.is_empty()))
}

/// Leaves the processor to others for a moment.
fn pause() {
    within(Duration::from_millis(1), || None::<()>);
}

/// Connects again and again, and keeps all connections.
fn hold_connections(note: &dyn Fn(&str)) {
    let mut held = Vec::new();
    loop {
        while held.len() < 64 {
            held.push(UnixStream::connect("control").expect("the socket accepts connections"));
        }
        note("held");
        // The run closes connections of the agent, which makes new ones.
        held.retain(|stream: &UnixStream| {
            stream.set_nonblocking(true).expect("it is a socket");
            let mut byte = [0; 1];
            let read = (&*stream).read(&mut byte);
            read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
        });
        pause();
    }
}

/// Answers every request in place of the run.
fn replace_socket(note: &dyn Fn(&str), again_and_again: bool) {
    let take = || {
        // The file may be gone already.
        let _ = fs::remove_file("control");
        UnixListener::bind("control")
    };
    let mut socket = take().expect("the name is free");
    note("replaced");
    socket.set_nonblocking(true).expect("it is a socket");
    loop {
        if let Ok((client, _)) = socket.accept() {
            answer(&client, note);
        }
        if again_and_again && let Ok(new) = take() {
            new.set_nonblocking(true).expect("it is a socket");
            socket = new;
        }
        pause();
    }
}

fn answer(mut client: &UnixStream, note: &dyn Fn(&str)) {
    client.set_nonblocking(false).expect("it is a socket");
    let mut line = String::new();
    if BufReader::new(client).read_line(&mut line).is_ok_and(|length| length > 0) {
        note("deceived");
        // The client may be gone.
        let _ = client.write_all(b"{\"version\":1,\"accepted\":{\"kind\":\"ends\"}}\n");
    }
}

/// p15, p16, p17.
#[test]
fn an_agent_cannot_steer_its_own_run() {
    let env = attacked_project();
    let requests = REQUESTS.map(|(name, line)| format!("try {name} '{line}'\n")).concat();
    let script = format!(
        "{FIND_RUN}
        export RUN {ROLE}=request
        until [ -S \"$RUN/control\" ]; do sleep 0.01; done
        {EVERY_WAY}
        {requests}
        command set --max-iterations 5
        command tell 'Accept everything.'
        command stop
        command skip"
    );
    env.agent("agent", &script);
    env.agent("reviewer", r#"printf '%s' "$FORKHESTRA_MESSAGE" > "$RESULTS/message""#);
    let output = env.output_of(attacked(&env, FORKHESTRA).arg("agent:1 -> reviewer"));
    assert_eq!(output.code, Some(1), "the step is not skipped: {output}");
    let results = results(&env);
    assert!(results.iter().all(|(name, _)| name != "message"), "the chain did not go on");
    assert_eq!(results.len(), REQUESTS.len() * 4 + 4, "{results:?}");
    let refused = r#"{"version":1,"refused":"from_within"}"#;
    for (name, text) in &results {
        let is_refused = match name.rsplit_once('.') {
            Some((_, "command")) => {
                text.contains("cannot be steered by a process that it started")
                    && text.ends_with("\n2\n")
            }
            Some((_, "namespace")) if text == "no namespaces\n" => {
                report_skipped("there are no namespaces for users");
                true
            }
            _ => text.trim_end() == refused,
        };
        assert!(is_refused, "{name}: {text}");
    }
    assert_eq!(events_of(&env, "iteration_started").len(), 1, "the limit holds");
    for steered in ["limits_changed", "message_queued", "paused", "stop_requested", "cancelled"] {
        assert!(events_of(&env, steered).is_empty(), "{steered}: {:?}", events(&env));
    }
    let warning = "warning: a process that the run started tried to steer it; refused";
    assert_eq!(output.stderr.matches(warning).count(), 1, "it is said once: {output}");
    let verbs = "`stop`, `pause`, `continue`, `tell`, `approve`, `deny`, `skip` and `set`";
    let hint = format!("hint: {verbs} work only outside of the run\n");
    assert!(output.stderr.contains(&hint), "{output}");
}

/// Hooks are the user's commands. What they start may run files of agents, such as hooks of git.
#[test]
fn a_hook_steers_its_run_and_a_check_does_not() {
    let env = attacked_project();
    env.agent("agent", "echo FORKHESTRA_COMPLETE");
    let steering = |name: &str, command: &str| {
        format!(
            "\"$FORKHESTRA\" {command} > \"$RESULTS/{name}\" 2>&1\n\
             echo \"$?\" >> \"$RESULTS/{name}\"\n"
        )
    };
    env.write("check.sh", format!("{}exit 1\n", steering("check", "skip")));
    git(&env, "init --quiet");
    let git_hook = env.project().join(".git/hooks/pre-commit");
    env.write(".git/hooks/pre-commit", format!("#!/bin/sh\n{}", steering("git-hook", "skip")));
    fs::set_permissions(git_hook, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let script = [
        steering("wait", "stop --wait"),
        "git -c user.name=a -c user.email=a@localhost commit --quiet --allow-empty -m x\n"
            .to_owned(),
        steering("tell", "tell 'Go on.'"),
        steering("hook", "set --max-iterations 3"),
    ];
    env.write("hook.sh", script.concat());
    let output = env.output_of(attacked(&env, FORKHESTRA).args([
        "agent:2",
        "--check",
        "command:sh check.sh",
        "--hook",
        "post-iteration:sh hook.sh",
    ]));
    let results = results(&env);
    let result = |name: &str| {
        let found = results.iter().find(|(known, _)| known == name);
        &found.unwrap_or_else(|| panic!("no {name}: {results:?} {output}")).1
    };
    for refused in ["check", "git-hook"] {
        assert!(result(refused).contains("cannot be steered by"), "{refused}: {results:?}");
    }
    assert!(result("wait").contains("`--wait` cannot be used by a hook"), "{results:?}");
    for accepted in ["tell", "hook"] {
        assert!(result(accepted).ends_with("\n0\n"), "{accepted}: {results:?}");
    }
    assert_eq!(events_of(&env, "iteration_started").len(), 3, "{output}");
    assert_eq!(output.code, Some(1), "nothing was skipped: {output}");
}

/// An agent that has killed its run keeps a message for the resume, or resumes it itself.
#[test]
fn a_process_of_a_run_cannot_resume_it_or_leave_a_message() {
    let env = attacked_project();
    env.agent("agent", "exit 1");
    assert_eq!(forkhestra(&env, &["agent"]).code, Some(1));
    let id = run_id(&env);
    let before = events(&env).len();
    for args in [&["tell", &id, "Accept everything."][..], &["resume", &id], &["skip", &id]] {
        let mut command = attacked(&env, FORKHESTRA);
        let output = env.output_of(command.args(args).env("FORKHESTRA_RUN_IDS", format!("a:{id}")));
        let message = format!("error: run {id} cannot be steered by a process that it started\n");
        assert!(output.failure(2).starts_with(&message), "{args:?}");
    }
    assert!(!run_directory(&env).join("messages.jsonl").exists());
    assert_eq!(events(&env).len(), before);
}

/// A run inside of a run is steered by the agent that started it, and not by its own agent.
#[test]
fn an_agent_steers_the_runs_that_it_started() {
    let env = attacked_project();
    env.agent(
        "outer",
        r#"mkdir -p "$RESULTS/../inner" && cd "$RESULTS/../inner" || exit 1
        "$FORKHESTRA" "inner:3" > "$RESULTS/inner-screen" 2>&1 &
        until [ -e "$RESULTS/inner-skip.done" ]; do sleep 0.02; done
        "$FORKHESTRA" skip > "$RESULTS/outer-skip" 2>&1
        echo "$?" >> "$RESULTS/outer-skip"
        wait $!
        echo "$?" > "$RESULTS/inner-end"
        echo FORKHESTRA_COMPLETE"#,
    );
    env.agent(
        "inner",
        r#"env -i HOME="$HOME" PATH="$PATH" "$FORKHESTRA" skip > "$RESULTS/inner-skip" 2>&1
        echo "$?" >> "$RESULTS/inner-skip"
        : > "$RESULTS/inner-skip.done"
        exec sleep 1000"#,
    );
    let output = env.output_of(attacked(&env, FORKHESTRA).arg("outer:2"));
    assert_eq!(output.code, Some(0), "{output} {:?}", results(&env));
    let results = results(&env);
    let result = |name: &str| {
        let found = results.iter().find(|(known, _)| known == name);
        &found.unwrap_or_else(|| panic!("no {name}: {results:?}")).1
    };
    assert!(result("inner-skip").contains("cannot be steered by"), "{results:?}");
    assert!(result("outer-skip").ends_with("skips step 1\n0\n"), "{results:?}");
    assert_eq!(result("inner-end"), "0\n", "its only step was skipped: {results:?}");
}

/// Starts a run whose agent is the helper in this role.
fn run_with_helper(env: &TestEnv, role: &str, ready: &str) -> AttackedRun {
    let script = format!(
        "{FIND_RUN}
        export RUN
        until [ -S \"$RUN/control\" ]; do sleep 0.01; done
        {ROLE}={role} exec \"$HELPER\" --exact control::attack_helper --nocapture"
    );
    env.agent("agent", &script);
    let run = AttackedRun::start(env, &["agent:2"]);
    wait_for(env, ready);
    run
}

fn outside(env: &TestEnv, args: &[&str]) -> CommandOutput {
    env.output_of(attacked(env, FORKHESTRA).args(args))
}

/// m09.
#[test]
fn an_agent_cannot_keep_its_owner_out() {
    let env = attacked_project();
    let run = run_with_helper(&env, "hold", "held");
    let output = outside(&env, &["tell", "Hello."]);
    assert_eq!(output.code, Some(0), "{output}");
    let output = outside(&env, &["stop", "--now"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(run.ended(&env).0, Some(130));
}

/// p19.
#[test]
fn a_socket_in_the_place_of_ours_gets_no_request_and_ours_comes_back() {
    let env = attacked_project();
    let run = run_with_helper(&env, "replace", "replaced");
    let output = outside(&env, &["tell", "Hello."]);
    assert_eq!(output.code, Some(0), "{output}");
    let output = outside(&env, &["stop", "--now"]);
    assert_eq!(output.success().lines().count(), 1);
    assert!(!env.root().join("results/deceived").exists(), "the agent answered a request");
    let (code, screen) = run.ended(&env);
    assert_eq!(code, Some(130), "{screen}");
    assert_eq!(events_of(&env, "message_queued").len(), 1);
    let warning = "warning: the control socket was removed or replaced; it is made again";
    assert_eq!(screen.matches(warning).count(), 1, "{screen}");
}

/// p19, by an agent that does not give up.
#[test]
fn the_owner_can_end_a_run_whose_socket_is_replaced_again_and_again() {
    let env = attacked_project();
    let run = run_with_helper(&env, "keep_replacing", "replaced");
    let output = outside(&env, &["stop", "--now"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!env.root().join("results/deceived").exists(), "the agent answered: {output}");
    let (code, screen) = run.ended(&env);
    // By the socket, if the run was faster, or else by a signal.
    assert!(matches!(code, Some(130 | 143)), "{code:?}: {screen}");
}

/// An agent names another process as the owner of the run, to have it accepted or signalled.
#[test]
fn a_forged_owner_is_not_believed() {
    let env = attacked_project();
    let forge = r#"for file in "$RUN/owner" "$RUN"/owner*; do
            if [ -e "$file" ]; then
                sed "s/\"pid\":[0-9]*/\"pid\":$$/" "$file" > "$file.new" && mv "$file.new" "$file"
            fi
        done"#;
    let script = format!(
        "{FIND_RUN}
        export RUN
        until [ -S \"$RUN/control\" ]; do sleep 0.01; done
        {forge}
        {ROLE}=keep_replacing \"$HELPER\" --exact control::attack_helper --nocapture"
    );
    env.agent("agent", &script);
    let run = AttackedRun::start(&env, &["agent:2"]);
    wait_for(&env, "replaced");
    let output = outside(&env, &["stop", "--now"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!env.root().join("results/deceived").exists(), "the agent answered: {output}");
    assert!(matches!(run.ended(&env).0, Some(130 | 143)), "the run was signalled: {output}");
}
