//! The control socket of a running run: stop, pause, continue and other requests.
//!
//! The socket is called `control`, in the run's directory. It exists while a process works on the
//! run, or after that was killed. A client sends lines of JSON and gets one line for each:
//!
//! ```json
//! {"version":1,"request":"tell","text":"Leave the parser alone."}
//! {"version":1,"accepted":{"kind":"queued","number":1}}
//! ```
//!
//! The types of [`wire`] are the protocol only. The core defines requests and replies.

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
