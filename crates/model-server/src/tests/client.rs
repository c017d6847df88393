//! A minimal HTTP client.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::ModelServer;

/// A response.
#[derive(Debug)]
pub(crate) struct ClientResponse {
    pub(crate) status: u16,
    /// Status line and headers.
    pub(crate) head: String,
    pub(crate) body: String,
    /// Whether the response is complete.
    pub(crate) is_whole: bool,
}

impl ClientResponse {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("the body is JSON")
    }

    /// The data of all events that are JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter_map(|data| serde_json::from_str(data).ok()).collect()
    }

    /// The values of a field in all events that have it, one after the other.
    pub(crate) fn joined(&self, pointer: &str) -> String {
        let events = self.events();
        events.iter().filter_map(|event| event.pointer(pointer)?.as_str()).collect()
    }
}

/// A body that offers a tool, and so is a main request.
pub(crate) fn main_body() -> Value {
    json!({ "model": "a-model", "stream": true, "tools": [{ "name": "Bash" }] })
}

/// A main request for a reply in one piece.
pub(crate) fn main_body_without_stream() -> Value {
    json!({ "model": "a-model", "tools": [{ "name": "Bash" }] })
}

pub(crate) fn post(server: &ModelServer, path: &str, body: &Value) -> ClientResponse {
    let body = body.to_string();
    let length = body.len();
    send(
        server,
        &format!("POST {path} HTTP/1.1\r\nX-Test: Yes\r\ncontent-length: {length}\r\n\r\n{body}"),
    )
}

/// Sends bytes over a new connection, and reads one response.
pub(crate) fn send(server: &ModelServer, request: &str) -> ClientResponse {
    let mut stream = connect(server);
    stream.write_all(request.as_bytes()).expect("there is a listener");
    read_answer(&mut stream)
}

pub(crate) fn connect(server: &ModelServer) -> TcpStream {
    let url = server.url();
    let address = url.strip_prefix("http://").expect("it speaks HTTP");
    TcpStream::connect(address).expect("there is a listener")
}

pub(crate) fn read_answer(stream: &mut TcpStream) -> ClientResponse {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        match read_byte(stream) {
            Some(byte) => head.push(byte.into()),
            None => {
                return ClientResponse { status: 0, head, body: String::new(), is_whole: false };
            }
        }
    }
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
    let (body, is_whole) = read_body(stream, &head);
    ClientResponse {
        status,
        head,
        body: String::from_utf8(body).expect("bodies are text"),
        is_whole,
    }
}

fn read_body(stream: &mut TcpStream, head: &str) -> (Vec<u8>, bool) {
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    if let Some(length) = length {
        let mut body = vec![0; length.parse().expect("a length is a number")];
        let is_whole = stream.read_exact(&mut body).is_ok();
        return (body, is_whole);
    }
    let mut body = Vec::new();
    while let Some(mut chunk) = read_chunk(stream) {
        if chunk.is_empty() {
            return (body, true);
        }
        body.append(&mut chunk);
    }
    (body, false)
}

fn read_chunk(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut line = String::new();
    while !line.ends_with("\r\n") {
        line.push(read_byte(stream)?.into());
    }
    let length = usize::from_str_radix(line.trim_end(), 16).expect("a chunk has a length");
    let mut chunk = vec![0; length + 2];
    stream.read_exact(&mut chunk).ok()?;
    chunk.truncate(length);
    Some(chunk)
}

fn read_byte(stream: &mut TcpStream) -> Option<u8> {
    let mut byte = [0];
    stream.read_exact(&mut byte).ok()?;
    Some(byte[0])
}
