//! The control socket of a run that is going on: how it is asked to stop, to stand still, to go on.
//!
//! It is called `control`, in the run's directory, and only there while somebody is at work on the run,
//! or was killed. Whoever connects sends lines of JSON and gets a line for each:
//!
//! ```json
//! {"version":1,"request":"tell","text":"Leave the parser alone."}
//! {"version":1,"accepted":{"kind":"queued","number":1}}
//! ```
//!
//! The types of [`wire`] are the protocol, and nothing else. Requests and answers themselves are the
//! core's.

mod control_lines;
mod socket_address;
mod socket_client;
mod socket_connection;
mod socket_listener;
pub mod wire;

pub use socket_client::{ControlError, send_request, send_request_within};
pub use socket_connection::ControlConnection;
pub use socket_listener::{ControlListener, RejectedClient, remove};

#[cfg(test)]
mod tests;
