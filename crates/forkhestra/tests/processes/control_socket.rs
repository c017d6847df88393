//! The control socket of a run, and runs without one.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Stdio;

use crate::support::{GuardedRun, ProcessProject, TestProcess, eventually};

/// Waits at a gate.
const WAITING_AGENT: &str = r#"
    echo "agent $$"
    read go < "$PLACE/gate"
    echo FORKHESTRA_COMPLETE
"#;

fn project_at_gate() -> ProcessProject {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    project.gate("gate");
    project
}

/// A path of the socket that is short enough to connect to.
fn socket(project: &ProcessProject) -> PathBuf {
    let link = project.place("run");
    symlink(project.run_directory(), &link).expect("the name is free");
    link.join("control")
}

/// The number of sockets that a process has open.
fn sockets_of(process: TestProcess) -> usize {
    let files = fs::read_dir(format!("/proc/{}/fd", process.0)).expect("it is there");
    let targets = files.flatten().filter_map(|file| fs::read_link(file.path()).ok());
    targets.filter(|target| target.to_string_lossy().starts_with("socket:")).count()
}

#[track_caller]
fn completes(project: &ProcessProject, run: GuardedRun<'_>) {
    project.open_gate("gate");
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn the_socket_is_private_and_not_inherited_by_agents() {
    let project = project_at_gate();
    let run = project.start(&["./agent:2"]);
    let agent = run.agent();
    let socket = project.run_directory().join("control");
    let mode = |path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(socket), 0o600);
    assert_eq!(mode(project.run_directory()), 0o700);
    assert_eq!(sockets_of(agent), 0);
    // The runner shows its files only to root.
    if rustix::process::geteuid().is_root() {
        assert!(sockets_of(run.runner()) > 0, "sockets are visible to the test");
    }
    completes(&project, run);
}

#[test]
fn any_client_of_the_protocol_is_answered() {
    let project = project_at_gate();
    let run = project.start(&["./agent:2"]);
    run.agent();
    let mut client = UnixStream::connect(socket(&project)).expect("the socket accepts connections");
    let mut answers = BufReader::new(client.try_clone().expect("it is ours")).lines();
    for (sent, expected) in [
        ("nonsense", r#"{"version":1,"error":"the line is not a JSON object: "#),
        (
            r#"{"version":2,"request":"stop"}"#,
            r#"{"version":1,"error":"version 2 of the protocol is not understood"#,
        ),
        (r#"{"version":1,"request":"continue"}"#, r#"{"version":1,"refused":"not_paused"}"#),
        (
            r#"{"version":1,"request":"tell","text":"Hi","who":"me"}"#,
            r#"{"version":1,"accepted":{"kind":"queued","number":1}}"#,
        ),
    ] {
        client.write_all(format!("{sent}\n").as_bytes()).expect("the socket accepts connections");
        let answer = answers.next().expect("it is answered").expect("it can be read");
        assert!(answer.starts_with(expected), "{answer}");
    }
    completes(&project, run);
}

#[test]
fn silent_clients_block_nothing_and_their_number_is_limited() {
    let project = project_at_gate();
    let run = project.start(&["./agent:2"]);
    run.agent();
    let socket = socket(&project);
    let silent: Vec<UnixStream> = (0..16)
        .map(|_| UnixStream::connect(&socket).expect("the socket accepts connections"))
        .collect();
    let message = project.run(&["tell", "Hi"]).failure(2);
    assert!(
        message.contains("cannot be steered: it closed the connection without a reply"),
        "{message}"
    );
    drop(silent);
    eventually("a client is served", || {
        (project.run(&["tell", "Hi"]).code == Some(0)).then_some(())
    });
    completes(&project, run);
}

#[test]
fn an_answer_waits_until_the_run_serves_its_client() {
    let project = ProcessProject::with_agent("echo planned");
    let run = project.start(&["./agent -> ? -> ./agent"]);
    run.output().wait_for("planned");
    eventually("it asks", || {
        project.events().iter().any(|event| event["event"] == "asked").then_some(())
    });
    let socket = socket(&project);
    let silent: Vec<UnixStream> = (0..16)
        .map(|_| UnixStream::connect(&socket).expect("the socket accepts connections"))
        .collect();
    let mut command = project.command(&["approve"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let answering = GuardedRun::start(&project, command);
    eventually("it connects, or has given up", || {
        let process = answering.guard();
        (process.is_gone() || sockets_of(process) > 0).then_some(())
    });
    drop(silent);
    let output = answering.ended();
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(run.ended().code, Some(0));
}

#[test]
fn a_run_without_a_socket_warns_and_works() {
    let project = project_at_gate();
    let run = project.start(&["./agent:2"]);
    run.agent();
    project.run(&["stop", "--now", "--wait"]).success();
    assert_eq!(run.ended().code, Some(130));
    let in_the_way = project.run_directory().join("control");
    fs::create_dir(&in_the_way).expect("the name is free");
    let id = project.run_id();
    let run = project.start(&["resume", &id]);
    run.agent();
    let message = project.run(&["stop"]).failure(2);
    assert!(message.contains(&format!("error: run {id} cannot be steered: ")), "{message}");
    project.open_gate("gate");
    let message = run.ended();
    assert_eq!(message.code, Some(0), "{message}");
    let warnings = message.stderr.matches("warning: the run cannot be steered: ");
    assert_eq!(warnings.count(), 1, "{message}");
    fs::remove_dir(&in_the_way).expect("it is ours");
}

#[test]
fn without_a_name_the_active_run_is_meant() {
    let project = project_at_gate();
    let message = project.run(&["stop"]).failure(2);
    let nothing = "error: no run is active in this work tree\n";
    assert!(message.starts_with(nothing), "{message}");
    let first = project.start(&["./agent:2"]);
    first.agent();
    let id = project.run_id();
    let second = project.start(&["./agent:2", "--no-lock"]);
    second.agent();
    let message = project.run(&["pause"]).failure(2);
    assert!(message.starts_with("error: 2 runs are active in this work tree\nhint: name one"));
    assert!(message.contains(&id), "{message}");
    project.run(&["stop", &id, "--now", "--wait"]).success();
    assert_eq!(first.ended().code, Some(130));
    project.run(&["stop", "--now", "--wait"]).success();
    assert_eq!(second.ended().code, Some(130));
    assert!(project.run(&["stop"]).failure(2).starts_with(nothing));
}

#[test]
fn a_message_is_read_from_standard_input_and_must_be_text() {
    let project = project_at_gate();
    let run = project.start(&["./agent:2"]);
    run.agent();
    let id = project.run_id();
    let send_message = |text: &[u8]| {
        let path = project.place("text");
        fs::write(&path, text).expect("the file is ours");
        let mut command = project.command(&["tell", "-"]);
        command.stdin(fs::File::open(&path).expect("it is there"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        GuardedRun::start(&project, command).ended()
    };
    assert!(send_message(b"Take care.\n").success().starts_with("Message 1 waits"));
    assert!(send_message(b" \n").failure(2).contains("error: the message is empty"));
    assert!(send_message(b"\xff").failure(2).contains("not UTF-8: byte 1"));
    assert!(send_message(&[b'x'; 17_000]).failure(2).contains("longer than 16 KiB"));
    let message = project.run(&["tell", &id]).failure(2);
    assert!(message.starts_with(&format!("error: there is no text for run {id}\n")), "{message}");
    assert!(project.run(&["tell", &id, &id]).success().starts_with("Message 2 waits"));
    completes(&project, run);
}

#[test]
fn a_message_with_a_completion_marker_is_refused() {
    let project = project_at_gate();
    let run =
        project.start(&["./agent:2", "--marker", "/ALL DONE/", "--marker", "FORKHESTRA_COMPLETE"]);
    run.agent();
    let message = project.run(&["tell", "Say ALL DONE when it is."]).failure(2);
    assert!(message.starts_with("error: the message contains a completion marker\n"), "{message}");
    completes(&project, run);
}
