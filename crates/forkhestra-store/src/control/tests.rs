//! Tests of the socket from both sides, with all kinds of clients.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::thread;
use std::time::Duration;
use std::{fs, iter};

use forkhestra_core::control::{
    AcceptedRequest, AnswerRequest, ControlReply, ControlRequest, RefusedRequest,
};
use forkhestra_core::event::LimitChanges;
use forkhestra_core::id::{LaneNumber, RunId, UnitId};
use forkhestra_core::limit::{HumanDuration, Limit};
use forkhestra_core::text::count::Count;
use forkhestra_core::time::Timestamp;
use proptest::prelude::*;
use tempfile::TempDir;

use super::control_lines::MAX_LINE_BYTES;
use super::wire::{
    RequestParseError, WireReply, decode_reply, decode_request, encode_reply, encode_request,
};
use super::*;
use crate::journal::writer::{Durability, Journal};
use crate::runs::lock_owner::LockOwner;
use crate::runs::run_dir::RunDir;
use crate::runs::state_root::StateRoot;
use crate::runs::work_tree_lock::LockProof;

/// An upper bound that no test reaches.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Sends a request to whatever process listens.
fn send_request(run: &RunDir, request: &ControlRequest) -> Result<ControlReply, ControlError> {
    super::send_request(run, request, |_| Ok(()))
}

fn send_request_within(
    run: &RunDir,
    request: &ControlRequest,
    timeout: Duration,
) -> Result<ControlReply, ControlError> {
    super::send_request_within(run, request, timeout, |_| Ok(()))
}

/// A run whose journal the test holds.
struct StartedRun {
    journal: Journal,
    run: RunDir,
    place: TempDir,
}

impl StartedRun {
    fn new() -> Self {
        Self::below("s")
    }

    fn below(name: &str) -> Self {
        let directory = tempfile::tempdir().expect("there is room");
        let tree = StateRoot::new(directory.path().join(name)).work_tree(Path::new("/a"));
        let (id, timestamp) = (RunId::from_random(1), Timestamp::default());
        let run = tree.create_run(&LockProof::Waived, &id, timestamp).expect("there is room");
        let owner = LockOwner { pid: std::process::id(), run: id, since: timestamp };
        let journal = Journal::create(&run, &LockProof::Waived, &owner, Durability::Os)
            .expect("no other process has it");
        Self { journal, run, place: directory }
    }

    fn listen(&self) -> ControlListener {
        ControlListener::open(&self.journal).expect("there is room")
    }

    fn connect(&self) -> UnixStream {
        let stream = socket_address::at(&self.run, |path| UnixStream::connect(path));
        let stream = stream.expect("there is a listener");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a socket has timeouts");
        stream
    }
}

/// Replies to all requests of one client, and returns them.
fn attend(listener: &ControlListener, timeout: Duration) -> Vec<ControlRequest> {
    let connection = listener.accept().expect("a client connects");
    let mut connection = connection.with_timeout(timeout);
    let mut asked = Vec::new();
    while let Ok(Some(request)) = connection.next_request() {
        asked.push(request);
        let answer = WireReply::Reply(ControlReply::Accepted(AcceptedRequest::Paused));
        if connection.reply(answer).is_err() {
            break;
        }
    }
    asked
}

/// The requests and replies of a client that sends these bytes and nothing more.
fn answers_to(bytes: &[u8]) -> (Vec<ControlRequest>, Vec<String>) {
    let begun = StartedRun::new();
    let listener = begun.listen();
    let mut client = begun.connect();
    thread::scope(|scope| {
        let attending = scope.spawn(|| attend(&listener, TIMEOUT));
        // The write fails if the run closes the connection early.
        let _ = client.write_all(bytes);
        let _ = client.shutdown(Shutdown::Write);
        let answers = BufReader::new(&client).lines().map_while(Result::ok).collect();
        (attending.join().expect("it does not panic"), answers)
    })
}

#[test]
fn a_request_is_received_and_answered() {
    let begun = StartedRun::new();
    let listener = begun.listen();
    thread::scope(|scope| {
        let attending = scope.spawn(|| attend(&listener, TIMEOUT));
        let reply = send_request(&begun.run, &ControlRequest::tell("Take care."));
        assert_eq!(reply.expect("it answers"), ControlReply::Accepted(AcceptedRequest::Paused));
        let asked = attending.join().expect("it does not panic");
        assert_eq!(asked, [ControlRequest::tell("Take care.")]);
    });
}

#[test]
fn a_path_too_long_for_a_socket_is_handled() {
    let begun = StartedRun::below(&"long/".repeat(30));
    assert!(begun.run.control().as_os_str().len() > 150);
    if cfg!(not(target_os = "linux")) {
        let error = ControlListener::open(&begun.journal).expect_err("the system does not take it");
        assert!(error.source.to_string().contains("its path has"), "{error}");
        return;
    }
    let listener = begun.listen();
    thread::scope(|scope| {
        scope.spawn(|| attend(&listener, TIMEOUT));
        let reply = send_request(&begun.run, &ControlRequest::Pause);
        assert_eq!(reply.expect("it answers"), ControlReply::Accepted(AcceptedRequest::Paused));
    });
    listener.close().expect("it is ours");
    assert!(matches!(
        send_request(&begun.run, &ControlRequest::Pause),
        Err(ControlError::NoSocket)
    ));
}

#[test]
fn the_socket_is_private() {
    let begun = StartedRun::new();
    fs::set_permissions(begun.run.path(), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let _listener = begun.listen();
    let mode = |path: &Path| fs::metadata(path).expect("it is there").mode() & 0o777;
    assert_eq!(mode(&begun.run.control()), 0o600);
    assert_eq!(mode(begun.run.path()), 0o700);
}

#[test]
fn leftovers_of_a_killed_run_are_recognised_and_replaced() {
    let begun = StartedRun::new();
    assert!(matches!(send_request(&begun.run, &ControlRequest::Stop), Err(ControlError::NoSocket)));
    drop(begun.listen());
    assert!(begun.run.control().exists(), "it was not removed");
    assert!(matches!(send_request(&begun.run, &ControlRequest::Stop), Err(ControlError::Stale)));
    let listener = begun.listen();
    thread::scope(|scope| {
        scope.spawn(|| attend(&listener, TIMEOUT));
        assert!(send_request(&begun.run, &ControlRequest::Stop).is_ok());
    });
    remove(begun.journal.lock()).expect("it is ours");
    assert!(!begun.run.control().exists());
    remove(begun.journal.lock()).expect("what is not there is removed");
}

#[test]
fn a_silent_peer_runs_into_the_timeout() {
    let begun = StartedRun::new();
    let _listener = begun.listen();
    let error = send_request_within(&begun.run, &ControlRequest::Stop, Duration::from_millis(50));
    assert!(matches!(error, Err(ControlError::NoAnswer)), "{error:?}");
}

#[test]
fn a_closed_connection_is_no_reply() {
    let begun = StartedRun::new();
    let listener = begun.listen();
    thread::scope(|scope| {
        scope.spawn(|| drop(listener.accept()));
        let error = send_request(&begun.run, &ControlRequest::Stop);
        assert!(matches!(error, Err(ControlError::ConnectionClosed)), "{error:?}");
    });
}

#[test]
fn a_process_with_another_protocol_is_no_run() {
    let begun = StartedRun::new();
    let stranger =
        socket_address::at(&begun.run, |path| UnixListener::bind(path)).expect("it is ours");
    for (reply, expected) in [
        (&b"HTTP/1.1 200 OK\r\n\r\n"[..], "cannot be parsed"),
        (b"{\"version\":2,\"accepted\":{\"kind\":\"dances\"}}\n", "unknown variant `dances`"),
        (b"{\"version\":1}\n", "cannot be parsed: it has none of `accepted`"),
        (b"{\"version\":1,\"error\":\"what?\"}\n", "it rejected the request as malformed: what?"),
    ] {
        thread::scope(|scope| {
            scope.spawn(|| {
                let (mut client, _) = stranger.accept().expect("a client connects");
                client.read_exact(&mut [0; 10]).expect("it asks");
                client.write_all(reply).expect("it listens");
                client.read_to_end(&mut Vec::new()).expect("it hangs up");
            });
            let error = send_request(&begun.run, &ControlRequest::Stop)
                .expect_err("that is no answer")
                .to_string();
            assert!(error.contains(expected), "{error}");
        });
    }
}

#[test]
fn several_requests_are_answered_in_order_and_invalid_ones_refused() {
    let sent = b"{\"version\":1,\"request\":\"pause\"}\nnonsense\n\n{\"request\":\"skip\",\"version\":1,\"x\":[]}\n";
    let (asked, answers) = answers_to(sent);
    assert_eq!(asked, [ControlRequest::Pause, ControlRequest::Skip]);
    assert_eq!(answers.len(), 4, "{answers:?}");
    for (answer, expected) in iter::zip(&answers, ["accepted", "error", "error", "accepted"]) {
        assert!(answer.contains(expected), "{answer}");
    }
}

#[test]
fn a_truncated_or_too_long_line_is_no_request() {
    let (asked, answers) = answers_to(b"{\"version\":1,\"request\":\"stop\"}");
    assert_eq!(asked, [], "it may have been meant to go on");
    assert_eq!(answers, [r#"{"version":1,"error":"the line does not end"}"#]);
    let huge = vec![b'x'; 4 * MAX_LINE_BYTES];
    let (asked, answers) = answers_to(&huge);
    assert_eq!(asked, []);
    // A client that is still sending when the run closes the connection may not get the reply.
    let reply = r#"{"version":1,"error":"the line is longer than 64 KiB"}"#;
    assert!(answers.is_empty() || answers == [reply], "{answers:?}");
    let longest = format!(r#"{{"version":1,"request":"tell","text":"{}"}}"#, "x".repeat(60_000));
    assert_eq!(answers_to(format!("{longest}\n").as_bytes()).0.len(), 1);
}

#[test]
fn a_silent_or_slow_client_is_dropped() {
    let begun = StartedRun::new();
    let listener = begun.listen();
    for sent in [&b""[..], b"{\"version\":1,"] {
        let mut client = begun.connect();
        client.write_all(sent).expect("there is a listener");
        let asked = attend(&listener, Duration::from_millis(50));
        assert_eq!(asked, []);
        assert_eq!(client.read(&mut [0; 10]).expect("it hangs up"), 0);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_done_for_a_client_that_has_given_up() {
    let begun = StartedRun::new();
    let listener = begun.listen();
    let error = send_request_within(&begun.run, &ControlRequest::Stop, Duration::from_millis(50));
    assert!(matches!(error, Err(ControlError::NoAnswer)), "{error:?}");
    assert_eq!(attend(&listener, TIMEOUT), []);
}

#[test]
fn a_client_that_reads_nothing_is_dropped() {
    let begun = StartedRun::new();
    let listener = begun.listen();
    let mut client = begun.connect();
    thread::scope(|scope| {
        let attending = scope.spawn(|| attend(&listener, Duration::from_millis(50)));
        let line = encode_request(&ControlRequest::Pause);
        // The client never reads replies, so the run stops reading its requests.
        while client.write_all(line.as_bytes()).is_ok() {}
        assert!(!attending.join().expect("it does not panic").is_empty());
    });
}

fn everything() -> Vec<ControlRequest> {
    let changes = LimitChanges {
        iterations: Some(Count::parse("20").expect("it is a number")),
        timeout: Some(Limit::Off),
        run_time: Some(Limit::At(HumanDuration::from_secs(90))),
        ..LimitChanges::default()
    };
    vec![
        ControlRequest::Stop,
        ControlRequest::StopNow,
        ControlRequest::Pause,
        ControlRequest::Continue,
        ControlRequest::Tell { text: "go on".to_owned(), lane: LaneNumber::from_index(1) },
        ControlRequest::tell("\"quoted\"\n\u{1b}[31m\u{0}ä".to_owned()),
        ControlRequest::Skip,
        ControlRequest::SkipGroup,
        answer(None, true, None),
        answer(Some(7), false, Some("\"no\"\n\u{1b}[31m\u{0}ä")),
        ControlRequest::Set(changes),
        ControlRequest::Set(LimitChanges::default()),
    ]
}

fn answer(question: Option<u32>, approves: bool, text: Option<&str>) -> ControlRequest {
    let text = text.map(str::to_owned);
    ControlRequest::Answer(AnswerRequest { step: 2, question, approves, text })
}

#[test]
fn requests_read_back() {
    for request in everything() {
        let line = encode_request(&request);
        let line = line.strip_suffix('\n').expect("a line ends");
        assert!(!line.contains('\n'), "{line}");
        assert_eq!(decode_request(line.as_bytes()), Ok(request), "{line}");
    }
}

#[test]
fn answers_read_back() {
    let unit = UnitId { step: 1, iteration: 3, attempt: 1 };
    let accepted = [
        AcceptedRequest::Stops { after: Some(unit) },
        AcceptedRequest::Stops { after: None },
        AcceptedRequest::Ends,
        AcceptedRequest::Paused,
        AcceptedRequest::Continued,
        AcceptedRequest::Queued { number: 2 },
        AcceptedRequest::Skips { step: 2 },
        AcceptedRequest::SkipsGroup { first_step: 2, last_step: 4 },
        AcceptedRequest::Changed,
        AcceptedRequest::Answered { step: 2, approved: false },
    ];
    let accepted = accepted.map(|what| WireReply::Reply(ControlReply::Accepted(what)));
    let refused = [
        RefusedRequest::Over,
        RefusedRequest::Ending,
        RefusedRequest::NotPaused,
        RefusedRequest::EmptyMessage,
        RefusedRequest::LongMessage,
        RefusedRequest::ManyMessages,
        RefusedRequest::HoldsMarker,
        RefusedRequest::NoChange,
        RefusedRequest::NoLoop,
        RefusedRequest::NoGroup,
        RefusedRequest::NotAsking,
        RefusedRequest::OtherQuestion,
        RefusedRequest::AnsweredAlready,
        RefusedRequest::FromWithin,
    ];
    let refused = refused.map(|why| WireReply::Reply(ControlReply::Refused(why)));
    let errors = [WireReply::Error { error: "what?".to_owned() }];
    for answer in accepted.into_iter().chain(refused).chain(errors) {
        let line = encode_reply(answer.clone());
        assert_eq!(decode_reply(line.trim_end().as_bytes()).expect("it reads back"), answer);
    }
}

#[test]
fn an_invalid_reply_gets_the_reason() {
    for (members, expected) in [
        (r#""accepted":{"kind":"queued"}"#, "missing field `number`"),
        (r#""accepted":{"kind":"dances"}"#, "unknown variant `dances`"),
        (r#""accepted":{"kind":"skips","step":"two"}"#, "invalid type: string \"two\""),
        (r#""refused":"tired""#, "unknown variant `tired`"),
        (r#""error":7"#, "invalid type: integer `7`"),
        (r#""declined":"over""#, "it has none of `accepted`, `refused` and `error`"),
    ] {
        let line = format!(r#"{{"version":1,{members}}}"#);
        let why = decode_reply(line.as_bytes()).expect_err("it is no reply").to_string();
        assert!(why.starts_with(expected), "{line}: {why}");
    }
    let why = decode_reply(br#"{"refused":"over"}"#).expect_err("it is no reply").to_string();
    assert!(why.starts_with("missing field `version`"), "{why}");
}

/// A change here breaks the protocol.
#[test]
fn wire_lines_never_change() {
    let message_line = encode_request(&ControlRequest::tell("Hi"));
    assert_eq!(message_line, "{\"version\":1,\"request\":\"tell\",\"text\":\"Hi\"}\n");
    let for_lane = ControlRequest::Tell { text: "Hi".to_owned(), lane: LaneNumber::from_index(1) };
    assert_eq!(
        encode_request(&for_lane),
        "{\"version\":1,\"request\":\"tell\",\"text\":\"Hi\",\"lane\":2}\n"
    );
    let changes = LimitChanges { timeout: Some(Limit::Off), ..LimitChanges::default() };
    let set = encode_request(&ControlRequest::Set(changes));
    assert_eq!(set, "{\"version\":1,\"request\":\"set\",\"changes\":{\"timeout\":null}}\n");
    let approved = encode_request(&answer(Some(1), true, Some("Go on")));
    assert_eq!(
        approved,
        "{\"version\":1,\"request\":\"approve\",\"text\":\"Go on\",\"step\":2,\"question\":1}\n"
    );
    let denied = encode_request(&answer(None, false, None));
    assert_eq!(denied, "{\"version\":1,\"request\":\"deny\",\"step\":2}\n");
    let skip_group = encode_request(&ControlRequest::SkipGroup);
    assert_eq!(skip_group, "{\"version\":1,\"request\":\"skip_group\"}\n");
    let unit = UnitId { step: 1, iteration: 3, attempt: 1 };
    let stops =
        WireReply::Reply(ControlReply::Accepted(AcceptedRequest::Stops { after: Some(unit) }));
    assert_eq!(
        encode_reply(stops),
        "{\"version\":1,\"accepted\":{\"kind\":\"stops\",\"after\":{\"step\":1,\"iteration\":3,\"attempt\":1}}}\n"
    );
    let refused = WireReply::Reply(ControlReply::Refused(RefusedRequest::NotPaused));
    assert_eq!(encode_reply(refused), "{\"version\":1,\"refused\":\"not_paused\"}\n");
    let answered = AcceptedRequest::Answered { step: 2, approved: true };
    assert_eq!(
        encode_reply(WireReply::Reply(ControlReply::Accepted(answered))),
        "{\"version\":1,\"accepted\":{\"kind\":\"answered\",\"step\":2,\"approved\":true}}\n"
    );
}

#[test]
fn an_invalid_request_gets_the_reason() {
    for (line, expected) in [
        (r#"[]"#, RequestParseError::NotAnObject),
        (r#"{"request":"stop"}"#, RequestParseError::NoVersion),
        (r#"{"version":2,"request":"stop"}"#, RequestParseError::OtherVersion("2".to_owned())),
        (
            r#"{"version":"1","request":"stop"}"#,
            RequestParseError::OtherVersion("\"1\"".to_owned()),
        ),
        (r#"{"version":1}"#, RequestParseError::NoRequest),
        (r#"{"version":1,"request":["stop"]}"#, RequestParseError::NoRequest),
        (r#"{"version":1,"request":"tell","text":"Hi","lane":0}"#, RequestParseError::NotALane),
        (r#"{"version":1,"request":"dance"}"#, RequestParseError::Unknown("dance".to_owned())),
        (r#"{"version":1,"request":"tell"}"#, RequestParseError::NoText),
        (r#"{"version":1,"request":"tell","text":7}"#, RequestParseError::NoText),
        (r#"{"version":1,"request":"set"}"#, RequestParseError::NoChanges),
        (
            r#"{"version":1,"request":"set","changes":{"iterations":2,"speed":1}}"#,
            RequestParseError::UnknownLimit("speed".to_owned()),
        ),
        (r#"{"version":1,"request":"approve"}"#, RequestParseError::NoStep("approve".to_owned())),
        (
            r#"{"version":1,"request":"deny","step":-1}"#,
            RequestParseError::NoStep("deny".to_owned()),
        ),
        (
            r#"{"version":1,"request":"deny","step":"2"}"#,
            RequestParseError::NoStep("deny".to_owned()),
        ),
        (
            r#"{"version":1,"request":"deny","step":2,"question":"1"}"#,
            RequestParseError::NotAQuestion,
        ),
        (
            r#"{"version":1,"request":"deny","step":2,"question":4294967296}"#,
            RequestParseError::NotAQuestion,
        ),
        (r#"{"version":1,"request":"approve","step":2,"text":7}"#, RequestParseError::NotAText),
    ] {
        assert_eq!(decode_request(line.as_bytes()), Err(expected), "{line}");
    }
    for changes in [
        r#"{"iterations":0}"#,
        r#"{"rounds":0}"#,
        r#"{"timeout":-1}"#,
        r#"{"runCost":"much"}"#,
        r#"{"quota":{"6h":"50%"}}"#,
        r#"{"quota":{"5h":"190%"}}"#,
        r#"{"quota":{}}"#,
        r#"{"quota":90}"#,
    ] {
        let line = format!(r#"{{"version":1,"request":"set","changes":{changes}}}"#);
        let why = decode_request(line.as_bytes()).expect_err("that is no limit");
        assert!(matches!(why, RequestParseError::NotALimit(_)), "{why}");
    }
}

#[test]
fn every_limit_there_is_can_be_set() {
    let all = r#"{"iterations":2,"rounds":3,"timeout":1,"idleTimeout":1,"stagnation":1,"runTime":1,"stepTime":1,"runCost":1.5,"stepCost":1.5,"maxWait":1,"quota":{"5h":"90%","7d":"even"}}"#;
    let line = format!(r#"{{"version":1,"request":"set","changes":{all}}}"#);
    let request = decode_request(line.as_bytes()).expect("they are known");
    assert_eq!(decode_request(encode_request(&request).trim_end().as_bytes()), Ok(request.clone()));
    let ControlRequest::Set(changes) = request else { panic!("{request:?}") };
    let LimitChanges { iterations, timeout, idle_timeout, stagnation, run_time, .. } = changes;
    let LimitChanges { step_time, run_cost, step_cost, max_wait, quota, rounds, .. } = changes;
    assert_eq!(rounds.map(Count::get), Some(3));
    assert!(iterations.is_some() && stagnation.is_some() && max_wait.is_some());
    assert_eq!(quota.map(|quota| quota.to_string()).as_deref(), Some("5h=90%,7d=even"));
    assert!(timeout.is_some() && idle_timeout.is_some() && run_time.is_some());
    assert!(step_time.is_some() && run_cost.is_some() && step_cost.is_some());
}

proptest! {
    #[test]
    fn any_bytes_are_a_request_or_refused_with_a_reason(line in any::<Vec<u8>>()) {
        if let Err(why) = decode_request(&line) {
            prop_assert!(!why.to_string().is_empty());
        }
        let _ = decode_reply(&line);
    }

    #[test]
    fn any_text_arrives_as_it_was_sent(text in any::<String>()) {
        for request in [answer(Some(1), true, Some(&text)), ControlRequest::tell(text)] {
            let line = encode_request(&request);
            prop_assert_eq!(decode_request(line.trim_end_matches('\n').as_bytes()), Ok(request));
        }
    }
}

/// Only root can change its user id, so other users skip this test.
#[test]
#[cfg(target_os = "linux")]
fn another_user_is_rejected_even_with_an_open_socket() {
    use rustix::process::{Uid, geteuid};
    use rustix::thread::set_thread_uid;

    if !geteuid().is_root() {
        return;
    }
    let begun = StartedRun::new();
    let listener = begun.listen();
    let open = |path: &Path| {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).expect("it is ours");
    };
    open(&begun.run.control());
    begun.run.path().ancestors().filter(|path| path.starts_with(begun.place.path())).for_each(open);
    let path = begun.run.control();
    // Only this thread has the other user id.
    let stranger = thread::spawn(move || {
        set_thread_uid(Uid::from_raw(65534)).expect("root may take any user id");
        let mut stream = UnixStream::connect(path).expect("nothing stands in the way");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a socket has timeouts");
        let mut received = Vec::new();
        stream.read_to_end(&mut received).map(|_| received)
    });
    assert!(matches!(listener.accept(), Err(RejectedClient::NotOurs(65534))));
    let received = stranger.join().expect("it does not panic");
    assert_eq!(received.expect("the connection ends"), b"", "nothing is said to it");
}

#[test]
fn a_listener_that_is_not_accepted_gets_no_request() {
    let begun = StartedRun::new();
    let listener = begun.listen();
    let refused = || ControlError::NotTheRun("it is another one".to_owned());
    let error = super::send_request(&begun.run, &ControlRequest::Stop, |_| Err(refused()));
    assert!(matches!(error, Err(ControlError::NotTheRun(_))), "{error:?}");
    assert_eq!(attend(&listener, TIMEOUT), []);
}

#[test]
fn a_socket_that_was_removed_or_replaced_is_made_again() {
    let begun = StartedRun::new();
    let listener = begun.listen();
    assert!(!listener.restore().expect("it is in its place"));
    let path = begun.run.control();
    fs::remove_file(&path).expect("it is ours");
    assert!(listener.restore().expect("there is room"));
    fs::remove_file(&path).expect("it is ours");
    let foreign = socket_address::at(&begun.run, |path| UnixListener::bind(path));
    let foreign = foreign.expect("the name is free");
    assert!(listener.restore().expect("there is room"));
    drop(foreign);
    assert!(!listener.wait(Duration::ZERO).expect("it listens"));
    let client = begun.connect();
    assert!(listener.wait(TIMEOUT).expect("it listens"));
    drop((client, listener.accept().expect("a client connects")));
    listener.close().expect("it is ours");
    assert!(!listener.restore().expect("a closed socket stays closed"));
    assert!(!path.exists());
}
