use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{connect, main_body, post, read_answer, send};
use crate::{ModelServer, ModelTurn};

const PATH: &str = "/v1/messages";

fn text_of(server: &ModelServer, body: &Value) -> String {
    post(server, PATH, body).joined("/delta/text")
}

#[test]
fn main_requests_take_turns_and_the_last_turn_is_repeated() {
    let server = ModelServer::start(vec![ModelTurn::text("one"), ModelTurn::text("two")]);
    let values = [(); 3].map(|()| text_of(&server, &main_body()));
    assert_eq!(values, ["one", "two", "two"]);
}

#[test]
fn a_script_that_is_not_repeated_ends_with_an_error() {
    let server = ModelServer::start_without_repeating(vec![ModelTurn::text("one")]);
    assert_eq!(text_of(&server, &main_body()), "one");
    assert_eq!(post(&server, PATH, &main_body()).status, 500);
}

#[test]
fn side_requests_get_a_fixed_answer_and_take_no_turn() {
    let server = ModelServer::start(vec![ModelTurn::text("one"), ModelTurn::text("two")]);
    let aside = json!({ "stream": true, "messages": [], "tools": [] });
    assert_eq!(text_of(&server, &aside), "ok");
    assert_eq!(text_of(&server, &main_body()), "one");
    let are_main: Vec<bool> = server.requests().iter().map(|request| request.is_main).collect();
    assert_eq!(are_main, [false, true]);
}

#[test]
fn requests_are_kept_as_they_came() {
    let server = ModelServer::start(vec![ModelTurn::text("one")]);
    post(&server, "/v1/messages?beta=true", &main_body());
    let requests = server.wait_for_main_requests(1);
    assert_eq!(requests[0].path, "/v1/messages?beta=true");
    assert_eq!(requests[0].method, "POST");
    assert_eq!(requests[0].header("x-test"), Some("Yes"));
    assert_eq!(requests[0].header("x-other"), None);
    assert_eq!(requests[0].body, main_body());
}

#[test]
fn a_request_may_come_in_chunks() {
    let server = ModelServer::start(vec![ModelTurn::text("one")]);
    let body = main_body().to_string();
    let (first, second) = body.split_at(10);
    let chunks = [first, second, ""].map(|part| format!("{:x}\r\n{part}\r\n", part.len())).concat();
    send(&server, &format!("POST {PATH} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}"));
    assert_eq!(server.requests()[0].body, main_body());
}

#[test]
fn a_connection_carries_one_request_after_the_other() {
    let server = ModelServer::start(vec![ModelTurn::text("one"), ModelTurn::text("two")]);
    let mut stream = connect(&server);
    let values = [(); 2].map(|()| {
        let body = main_body().to_string();
        let head = format!("POST {PATH} HTTP/1.1\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all(format!("{head}{body}").as_bytes()).expect("there is a listener");
        read_answer(&mut stream).joined("/delta/text")
    });
    assert_eq!(values, ["one", "two"]);
}

#[test]
fn an_error_has_its_status_its_headers_and_its_body() {
    let body = json!({ "error": { "type": "rate_limit_error" } });
    let turn = ModelTurn::new().status(429).header("retry-after", "1").error(body.clone());
    let server = ModelServer::start(vec![turn, ModelTurn::new().status(529)]);
    let answer = post(&server, PATH, &main_body());
    assert_eq!((answer.status, answer.json()), (429, body));
    assert!(answer.head.contains("\r\nretry-after: 1\r\n"));
    let other = post(&server, PATH, &main_body());
    assert_eq!((other.status, &other.json()["error"]["message"]), (529, &json!("scripted")));
}

#[test]
fn a_cut_answer_ends_after_the_first_piece_in_every_protocol() {
    let gemini = "/v1beta/models/m:streamGenerateContent?alt=sse";
    for path in [PATH, "/v1/responses", "/v1/chat/completions", gemini] {
        let server = ModelServer::start(vec![ModelTurn::text("0123456789abcdef, and more").cut()]);
        let answer = post(&server, path, &main_body());
        assert!(!answer.is_whole, "{path}");
        assert!(answer.body.contains("0123456789abcdef\""), "{path}: {}", answer.body);
        assert!(!answer.body.contains("and more"), "{path}");
    }
}

#[test]
fn a_hanging_answer_ends_with_the_server() {
    let server = ModelServer::start(vec![ModelTurn::new().hang()]);
    let mut stream = asked(&server);
    server.wait_for_main_requests(1);
    drop(server);
    let mut rest = Vec::new();
    // A reset and an end of the stream are both fine.
    let _ = stream.read_to_end(&mut rest);
    assert_eq!(rest, b"");
}

#[test]
fn a_delayed_answer_is_overtaken_by_others_and_does_not_outlive_the_server() {
    let late = ModelTurn::text("late").delay(Duration::from_secs(3600));
    let server = ModelServer::start(vec![late, ModelTurn::text("soon")]);
    let mut stream = asked(&server);
    server.wait_for_main_requests(1);
    assert_eq!(text_of(&server, &main_body()), "soon");
    stream.set_nonblocking(true).expect("it is a socket");
    let nothing = stream.peek(&mut [0]).expect_err("it is not answered yet");
    assert_eq!(nothing.kind(), ErrorKind::WouldBlock);
    stream.set_nonblocking(false).expect("it is a socket");
    drop(server);
    assert!(!read_answer(&mut stream).is_whole);
}

#[test]
fn an_idle_connection_ends_with_the_server() {
    let server = ModelServer::start(Vec::new());
    let mut stream = connect(&server);
    stream.write_all(b"HEAD / HTTP/1.1\r\n\r\n").expect("there is a listener");
    assert_eq!(read_answer(&mut stream).status, 200);
    drop(server);
    assert!(matches!(stream.read(&mut [0]), Ok(0) | Err(_)));
}

#[test]
fn waiting_for_main_requests_ends_when_they_are_there() {
    let server = ModelServer::start(vec![ModelTurn::text("one")]);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| server.wait_for_main_requests(2).len());
        post(&server, PATH, &main_body());
        post(&server, PATH, &main_body());
        assert_eq!(waiting.join().expect("it waits for what comes"), 2);
    });
}

#[test]
fn other_paths_are_not_there() {
    let server = ModelServer::start(Vec::new());
    assert_eq!(post(&server, "/v2/other", &json!({})).status, 404);
    assert_eq!(send(&server, "GET /v1/messages HTTP/1.1\r\n\r\n").status, 404);
    assert_eq!(send(&server, "GET /v1/models HTTP/1.1\r\n\r\n").json()["data"], json!([]));
}

fn asked(server: &ModelServer) -> TcpStream {
    let mut stream = connect(server);
    let body = main_body().to_string();
    let head = format!("POST {PATH} HTTP/1.1\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).expect("there is a listener");
    stream
}
