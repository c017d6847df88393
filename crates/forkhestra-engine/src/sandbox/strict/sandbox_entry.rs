//! The first program in a strict sandbox.

use std::ffi::OsString;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

/// The port of the proxy inside the sandbox.
pub(in crate::sandbox) const PROXY_PORT: u16 = 3128;

/// The socket by which the proxy is reached, inside the sandbox.
pub(in crate::sandbox) const PROXY_SOCKET: &str = "/run/forkhestra-proxy";

/// The word by which forkhestra starts itself in a strict sandbox.
pub const ENTRY_VERB: &str = "__sandbox-entry";

/// Sets the sandbox up from inside, and becomes the program. The first argument says whether there
/// is a proxy, the others are the program and its arguments. Returns only if that fails.
pub fn enter(arguments: &[OsString]) -> io::Error {
    match set_up(arguments) {
        Err(error) => error,
        Ok(()) => {
            let Some((program, args)) = arguments.get(1..).and_then(<[_]>::split_first) else {
                return io::Error::other("no program is named");
            };
            Command::new(program).args(args).exec()
        }
    }
}

fn set_up(arguments: &[OsString]) -> io::Result<()> {
    if arguments.first().is_some_and(|word| word == WITH_PROXY) {
        offer_port()?;
    }
    filter()
}

/// The first argument of a sandbox with a proxy.
pub(in crate::sandbox) const WITH_PROXY: &str = "proxy";

/// The first argument of a sandbox without any network.
pub(in crate::sandbox) const WITHOUT_PROXY: &str = "no-proxy";

/// Opens the port of the proxy, and sends the listening socket to the runner.
fn offer_port() -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PROXY_PORT))?;
    let runner = UnixStream::connect(PROXY_SOCKET)?;
    let files = [listener.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(io::Error::other("the socket cannot be sent"));
    }
    sendmsg(&runner, &[IoSlice::new(b"p")], &mut control, SendFlags::empty())?;
    Ok(())
}

#[cfg(target_os = "linux")]
fn filter() -> io::Result<()> {
    super::system_call_filter::install()
}

#[cfg(not(target_os = "linux"))]
fn filter() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether system calls can be filtered on this machine.
pub(in crate::sandbox) fn filters_calls() -> bool {
    #[cfg(target_os = "linux")]
    return super::system_call_filter::is_supported();
    #[cfg(not(target_os = "linux"))]
    return false;
}
