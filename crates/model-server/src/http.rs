//! A minimal HTTP/1.1 implementation, sufficient for agents.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

use crate::http_request::HttpRequest;
use crate::protocol::offers_tools;

/// Reads the next request; `None` if the client is done.
pub(crate) fn read_request(input: &mut impl BufRead) -> io::Result<Option<HttpRequest>> {
    let Some(line) = read_line(input)? else { return Ok(None) };
    let mut words = line.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Err(broken("no request line"));
    };
    let headers = read_headers(input)?;
    let body = serde_json::from_slice(&read_body(input, &headers)?).unwrap_or(Value::Null);
    let is_main = method == "POST" && offers_tools(&body);
    Ok(Some(HttpRequest {
        method: method.to_owned(),
        path: path.to_owned(),
        headers,
        body,
        is_main,
    }))
}

/// Writes a response with a JSON body.
pub(crate) fn write_json(
    output: &mut impl Write,
    status: u16,
    headers: &[(String, String)],
    body: &Value,
) -> io::Result<()> {
    let body = body.to_string();
    let mut head = head(status, headers, "application/json");
    head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
    output.write_all(format!("{head}{body}").as_bytes())
}

/// Writes a response without a body.
pub(crate) fn write_presence(output: &mut impl Write) -> io::Result<()> {
    let head = head(200, &[], "application/json");
    output.write_all(format!("{head}content-length: 0\r\n\r\n").as_bytes())
}

/// Writes the head of a chunked response.
pub(crate) fn write_stream_head(
    output: &mut impl Write,
    headers: &[(String, String)],
) -> io::Result<()> {
    let head = head(200, headers, "text/event-stream");
    output.write_all(format!("{head}transfer-encoding: chunked\r\n\r\n").as_bytes())
}

/// Writes a chunk of a response; an empty one ends it.
pub(crate) fn write_piece(output: &mut impl Write, piece: &str) -> io::Result<()> {
    output.write_all(format!("{:x}\r\n{piece}\r\n", piece.len()).as_bytes())
}

fn head(status: u16, headers: &[(String, String)], kind: &str) -> String {
    let reason = if status == 200 { "OK" } else { "Scripted" };
    let mut head = format!("HTTP/1.1 {status} {reason}\r\ncontent-type: {kind}\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head
}

/// Reads a line without its line break; `None` at the end of the input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(line.trim_end().to_owned()))
}

fn read_headers(input: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let line = read_line(input)?.ok_or_else(|| broken("the head is not complete"))?;
        if line.is_empty() {
            return Ok(headers);
        }
        let (name, value) = line.split_once(':').ok_or_else(|| broken("not a header"))?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

fn read_body(input: &mut impl BufRead, headers: &[(String, String)]) -> io::Result<Vec<u8>> {
    let value = |wanted: &str| {
        headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    };
    if value("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        return read_chunks(input);
    }
    let length = value("content-length").map_or(Ok(0), str::parse);
    let length = length.map_err(|_| broken("no length"))?;
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(input)?.ok_or_else(|| broken("the body is not complete"))?;
        let length = line.split(';').next().unwrap_or_default();
        let length = u64::from_str_radix(length, 16).map_err(|_| broken("not a chunk"))?;
        input.by_ref().take(length).read_to_end(&mut body)?;
        read_line(input)?;
        if length == 0 {
            return Ok(body);
        }
    }
}

fn broken(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
