//! One connection: request after request, until one side closes it.

use std::io::{self, BufReader, Read};
use std::net::{Shutdown, TcpStream};

use serde_json::{Value, json};

use crate::http;
use crate::http_request::HttpRequest;
use crate::model_turn::{ModelTurn, TurnDelivery};
use crate::protocol::{ModelProtocol, RequestSubject};
use crate::server_sent_event::{ModelCall, ServerSentEvent};
use crate::server_state::ServerState;

/// An invalid stream: a truncated event, a page of a proxy, and noise.
const MALFORMED: [&str; 3] = [
    "event: message_start\ndata: {\"type\":\"message_start\",\"mess\n\n",
    "data: <html>502 Bad Gateway</html>\n\n",
    "no event at all\n\n",
];

/// Whether a connection continues after a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectionFate {
    Request,
    Nothing,
}

/// Serves requests until the client or the server is done. A client that was killed ends the
/// connection with an error, which the caller ignores.
pub(crate) fn serve(stream: &TcpStream, state: &ServerState) -> io::Result<()> {
    // Each piece is sent at once, as a real model would.
    stream.set_nodelay(true)?;
    let mut input = BufReader::new(stream);
    while let Some(request) = http::read_request(&mut input)? {
        let next = answer(stream, state, &request)?;
        if next == ConnectionFate::Nothing {
            break;
        }
    }
    stream.shutdown(Shutdown::Both)
}

fn answer(
    mut stream: &TcpStream,
    state: &ServerState,
    request: &HttpRequest,
) -> io::Result<ConnectionFate> {
    let subject = RequestSubject::of(request);
    let (serial, turn) = state.take_turn(request.clone());
    match subject {
        RequestSubject::Model(protocol) => {
            return PendingResponse { stream, state, protocol, request }.give(&turn, serial);
        }
        RequestSubject::Presence => http::write_presence(&mut stream)?,
        RequestSubject::Count => {
            let count = json!({ "input_tokens": 100, "totalTokens": 100 });
            http::write_json(&mut stream, 200, &[], &count)?;
        }
        RequestSubject::Models => {
            let none = json!({ "object": "list", "data": [], "models": [] });
            http::write_json(&mut stream, 200, &[], &none)?;
        }
        RequestSubject::Unknown => {
            let error = json!({ "type": "not_found_error", "message": "no such path" });
            http::write_json(&mut stream, 404, &[], &json!({ "error": error }))?;
        }
    }
    Ok(ConnectionFate::Request)
}

/// A reply that is about to be sent.
struct PendingResponse<'server> {
    stream: &'server TcpStream,
    state: &'server ServerState,
    protocol: ModelProtocol,
    request: &'server HttpRequest,
}

impl PendingResponse<'_> {
    fn give(&self, turn: &ModelTurn, serial: u64) -> io::Result<ConnectionFate> {
        if turn.delivery == TurnDelivery::Never {
            return self.hang();
        }
        self.state.pause(turn.delay);
        let mut stream = self.stream;
        if turn.status != 200 {
            let error = turn.error.clone().unwrap_or_else(|| unnamed_error(turn.status));
            http::write_json(&mut stream, turn.status, &turn.headers, &error)?;
            return Ok(ConnectionFate::Request);
        }
        if turn.delivery == TurnDelivery::Malformed {
            http::write_stream_head(&mut stream, &turn.headers)?;
            for piece in MALFORMED.into_iter().chain([""]) {
                http::write_piece(&mut stream, piece)?;
            }
            return Ok(ConnectionFate::Request);
        }
        let call = ModelCall { turn, model: self.protocol.model(self.request), serial };
        if self.protocol.wants_stream(self.request) {
            return self.stream(turn, &self.protocol.events(&call));
        }
        http::write_json(&mut stream, 200, &turn.headers, &self.protocol.whole_reply(&call))?;
        Ok(ConnectionFate::Request)
    }

    fn stream(&self, turn: &ModelTurn, events: &[ServerSentEvent]) -> io::Result<ConnectionFate> {
        let mut stream = self.stream;
        http::write_stream_head(&mut stream, &turn.headers)?;
        for event in events {
            http::write_piece(&mut stream, &event.encoded())?;
            if turn.delivery == TurnDelivery::Cut && event.is_text {
                return Ok(ConnectionFate::Nothing);
            }
        }
        http::write_piece(&mut stream, "")?;
        Ok(ConnectionFate::Request)
    }

    /// Reads without replying until the client closes the connection or the server is dropped.
    fn hang(&self) -> io::Result<ConnectionFate> {
        let mut stream = self.stream;
        let mut ignored = [0; 1024];
        while stream.read(&mut ignored)? > 0 {}
        Ok(ConnectionFate::Nothing)
    }
}

/// The body of an error for which the script only has a status, valid in all protocols.
fn unnamed_error(status: u16) -> Value {
    let error = json!({ "type": "api_error", "code": status, "message": "scripted" });
    json!({ "type": "error", "error": error })
}
