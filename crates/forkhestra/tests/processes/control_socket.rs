//! The control socket of a run, and runs without one.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Stdio;

use crate::support::{GuardedRun, ProcessProject, TestProcess, eventually};

/// Waits at a gate.
const WAITS: &str = r#"
    echo "agent $$"
    read go < "$PLACE/gate"
    echo FORKHESTRA_COMPLETE
"#;

fn project_at_gate() -> ProcessProject {
    let world = ProcessProject::with_agent(WAITS);
    world.gate("gate");
    world
}

/// A path of the socket that is short enough to connect to.
fn socket(world: &ProcessProject) -> PathBuf {
    let link = world.place("run");
    symlink(world.run_directory(), &link).expect("the name is free");
    link.join("control")
}

/// The number of sockets that a process has open.
fn sockets_of(process: TestProcess) -> usize {
    let files = fs::read_dir(format!("/proc/{}/fd", process.0)).expect("it is there");
    let targets = files.flatten().filter_map(|file| fs::read_link(file.path()).ok());
    targets.filter(|target| target.to_string_lossy().starts_with("socket:")).count()
}

#[track_caller]
fn completes(world: &ProcessProject, run: GuardedRun<'_>) {
    world.open_gate("gate");
    let said = run.ended();
    assert_eq!(said.code, Some(0), "{said}");
}

#[test]
fn the_socket_is_private_and_not_inherited_by_agents() {
    let world = project_at_gate();
    let run = world.start(&["./agent:2"]);
    let agent = run.agent();
    let socket = world.run_directory().join("control");
    let mode = |path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(socket), 0o600);
    assert_eq!(mode(world.run_directory()), 0o700);
    assert_eq!(sockets_of(agent), 0);
    assert!(sockets_of(run.runner()) > 0, "sockets are visible to the test");
    completes(&world, run);
}

#[test]
fn any_client_of_the_protocol_is_answered() {
    let world = project_at_gate();
    let run = world.start(&["./agent:2"]);
    run.agent();
    let mut client = UnixStream::connect(socket(&world)).expect("the socket accepts connections");
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
    completes(&world, run);
}

#[test]
fn silent_clients_block_nothing_and_their_number_is_limited() {
    let world = project_at_gate();
    let run = world.start(&["./agent:2"]);
    run.agent();
    let socket = socket(&world);
    let silent: Vec<UnixStream> = (0..16)
        .map(|_| UnixStream::connect(&socket).expect("the socket accepts connections"))
        .collect();
    let said = world.run(&["tell", "Hi"]).failure(2);
    assert!(said.contains("cannot be steered: it hung up before it answered"), "{said}");
    drop(silent);
    eventually("a client is served", || (world.run(&["tell", "Hi"]).code == Some(0)).then_some(()));
    completes(&world, run);
}

#[test]
fn a_run_without_a_socket_warns_and_works() {
    let world = project_at_gate();
    let run = world.start(&["./agent:2"]);
    run.agent();
    world.run(&["stop", "--now", "--wait"]).success();
    assert_eq!(run.ended().code, Some(130));
    let in_the_way = world.run_directory().join("control");
    fs::create_dir(&in_the_way).expect("the name is free");
    let id = world.run_id();
    let run = world.start(&["resume", &id]);
    run.agent();
    let said = world.run(&["stop"]).failure(2);
    assert!(said.contains(&format!("error: run {id} cannot be steered: ")), "{said}");
    world.open_gate("gate");
    let said = run.ended();
    assert_eq!(said.code, Some(0), "{said}");
    let warnings = said.stderr.matches("warning: the run cannot be steered: ");
    assert_eq!(warnings.count(), 1, "{said}");
    fs::remove_dir(&in_the_way).expect("it is ours");
}

#[test]
fn without_a_name_the_active_run_is_meant() {
    let world = project_at_gate();
    let said = world.run(&["stop"]).failure(2);
    let nothing = "error: no run is going on in this work tree\n";
    assert!(said.starts_with(nothing), "{said}");
    let first = world.start(&["./agent:2"]);
    first.agent();
    let id = world.run_id();
    let second = world.start(&["./agent:2", "--no-lock"]);
    second.agent();
    let said = world.run(&["pause"]).failure(2);
    assert!(said.starts_with("error: 2 runs are going on in this work tree\nhint: name one"));
    assert!(said.contains(&id), "{said}");
    world.run(&["stop", &id, "--now", "--wait"]).success();
    assert_eq!(first.ended().code, Some(130));
    world.run(&["stop", "--now", "--wait"]).success();
    assert_eq!(second.ended().code, Some(130));
    assert!(world.run(&["stop"]).failure(2).starts_with(nothing));
}

#[test]
fn a_message_is_read_from_standard_input_and_must_be_text() {
    let world = project_at_gate();
    let run = world.start(&["./agent:2"]);
    run.agent();
    let id = world.run_id();
    let tell = |text: &[u8]| {
        let path = world.place("text");
        fs::write(&path, text).expect("the file is ours");
        let mut command = world.command(&["tell", "-"]);
        command.stdin(fs::File::open(&path).expect("it is there"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        GuardedRun::start(&world, command).ended()
    };
    assert!(tell(b"Take care.\n").success().starts_with("Message 1 waits"));
    assert!(tell(b" \n").failure(2).contains("error: the message is empty"));
    assert!(tell(b"\xff").failure(2).contains("not UTF-8: byte 1"));
    assert!(tell(&[b'x'; 17_000]).failure(2).contains("longer than 16 KiB"));
    let said = world.run(&["tell", &id]).failure(2);
    assert!(said.starts_with(&format!("error: there is no text for run {id}\n")), "{said}");
    assert!(world.run(&["tell", &id, &id]).success().starts_with("Message 2 waits"));
    completes(&world, run);
}

#[test]
fn a_message_with_a_completion_marker_is_refused() {
    let world = project_at_gate();
    let run =
        world.start(&["./agent:2", "--marker", "/ALL DONE/", "--marker", "FORKHESTRA_COMPLETE"]);
    run.agent();
    let said = world.run(&["tell", "Say ALL DONE when it is."]).failure(2);
    assert!(said.starts_with("error: the message contains a completion marker\n"), "{said}");
    completes(&world, run);
}
