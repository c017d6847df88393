//! The proxy of a sandbox: connects it with allowed hosts.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use super::allowed_hosts::AllowedHosts;
use super::proxy_request::ProxyRequest;
use crate::process::pipe;

/// The name of the socket in its directory.
const SOCKET: &str = "proxy";

/// The longest head of a request.
const MAX_HEAD_BYTES: usize = 32 * 1024;

/// How many connections are open at a time.
const MAX_CONNECTIONS: usize = 256;

/// How many denied hosts are remembered.
const MAX_DENIED: usize = 10;

/// How long a client may take to send its head, and a host to accept a connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a refused client may take to close its connection.
const LINGER: Duration = Duration::from_secs(2);

/// The proxy of a sandbox. Dropping it ends it.
#[derive(Debug)]
pub(in crate::sandbox) struct SandboxProxy {
    socket: PathBuf,
    shared: Arc<ProxyState>,
    /// Its end wakes the thread.
    _lifeline: OwnedFd,
}

#[derive(Debug)]
struct ProxyState {
    hosts: AllowedHosts,
    /// Bytes from hosts.
    received: AtomicU64,
    connections: AtomicUsize,
    denied: Mutex<BTreeSet<String>>,
}

impl SandboxProxy {
    /// Starts a proxy whose socket is in a directory that only it uses.
    pub(in crate::sandbox) fn start(directory: &Path, hosts: AllowedHosts) -> io::Result<Self> {
        let socket = directory.join(SOCKET);
        match fs::remove_file(&socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // The path of a socket is limited to 108 bytes, that of the directory is not.
        let opened = File::open(directory)?;
        let short = format!("/proc/self/fd/{}/{SOCKET}", opened.as_raw_fd());
        let listener = UnixListener::bind(short)?;
        let (end, lifeline) = pipe()?;
        let shared = Arc::new(ProxyState {
            hosts,
            received: AtomicU64::new(0),
            connections: AtomicUsize::new(0),
            denied: Mutex::default(),
        });
        let state = Arc::clone(&shared);
        // A failed accept ends the proxy; the agent then reports that it has no network.
        thread::Builder::new().name("proxy".to_owned()).spawn(move || {
            let _ = serve(&listener, &end, &state);
        })?;
        Ok(Self { socket, shared, _lifeline: lifeline })
    }

    /// The path of its socket.
    pub(in crate::sandbox) fn socket(&self) -> &Path {
        &self.socket
    }

    /// How many bytes hosts have sent.
    pub(in crate::sandbox) fn received(&self) -> u64 {
        self.shared.received.load(Ordering::Relaxed)
    }

    /// Whether an allowed host is this machine.
    pub(in crate::sandbox) fn has_loopback(&self) -> bool {
        self.shared.hosts.has_loopback()
    }

    /// The hosts that were denied.
    pub(in crate::sandbox) fn denied(&self) -> Vec<String> {
        let denied = self.shared.denied.lock().unwrap_or_else(PoisonError::into_inner);
        denied.iter().cloned().collect()
    }
}

/// Receives the listening socket of the sandbox, and serves its clients.
fn serve(entry: &UnixListener, end: &OwnedFd, state: &Arc<ProxyState>) -> io::Result<()> {
    if !is_ready(entry, end)? {
        return Ok(());
    }
    let (stream, _) = entry.accept()?;
    stream.set_read_timeout(Some(HEAD_TIMEOUT))?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0; 1];
    recvmsg(&stream, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let received = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    let listener = TcpListener::from(received.ok_or(io::ErrorKind::InvalidData)?);
    while is_ready(&listener, end)? {
        let (client, _) = listener.accept()?;
        if state.connections.load(Ordering::Acquire) >= MAX_CONNECTIONS {
            continue;
        }
        let slot = ConnectionSlot::take(state);
        // If no thread can be started, the connection closes and the client may retry.
        let _ = thread::Builder::new().name("proxy".to_owned()).spawn(move || {
            // Errors close the connection.
            let _ = slot.0.attend(client);
        });
    }
    Ok(())
}

/// Waits until a socket has something to accept. `false` if the proxy is over.
fn is_ready(socket: &impl AsFd, end: &OwnedFd) -> io::Result<bool> {
    loop {
        let mut files = [PollFd::new(socket, PollFlags::IN), PollFd::new(end, PollFlags::IN)];
        match poll(&mut files, None) {
            Err(rustix::io::Errno::INTR) => continue,
            result => result?,
        };
        if !files[1].revents().is_empty() {
            return Ok(false);
        }
        if !files[0].revents().is_empty() {
            return Ok(true);
        }
    }
}

/// One of the limited number of connections. Dropping it frees the slot.
struct ConnectionSlot(Arc<ProxyState>);

impl ConnectionSlot {
    fn take(state: &Arc<ProxyState>) -> Self {
        state.connections.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(state))
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::AcqRel);
    }
}

impl ProxyState {
    /// Serves one connection.
    fn attend(&self, mut client: TcpStream) -> io::Result<()> {
        client.set_read_timeout(Some(HEAD_TIMEOUT))?;
        let Some((head, rest)) = read_head(&mut client)? else { return Ok(()) };
        let Some(request) = ProxyRequest::parse(&head) else {
            return refuse(&mut client, b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
        };
        if !self.hosts.allows(&request.host, request.port) {
            return self.deny(&mut client, &request);
        }
        let Ok(mut host) = connect(&request) else {
            return refuse(&mut client, b"HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n");
        };
        client.set_read_timeout(None)?;
        match &request.head {
            Some(head) => host.write_all(head)?,
            None => client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?,
        }
        host.write_all(&rest)?;
        self.tunnel(client, host)
    }

    fn deny(&self, client: &mut TcpStream, request: &ProxyRequest) -> io::Result<()> {
        let ProxyRequest { host, port, .. } = request;
        {
            let mut denied = self.denied.lock().unwrap_or_else(PoisonError::into_inner);
            if denied.len() < MAX_DENIED {
                denied.insert(format!("{host}:{port}"));
            }
        }
        let body = format!("The sandbox of forkhestra does not allow {host}:{port}.\n");
        let head = "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close";
        let length = body.len();
        let answer = format!("{head}\r\nContent-Length: {length}\r\n\r\n{body}");
        refuse(client, answer.as_bytes())
    }

    /// Copies in both directions until both have ended.
    fn tunnel(&self, client: TcpStream, host: TcpStream) -> io::Result<()> {
        let (mut from_client, mut to_host) = (client.try_clone()?, host.try_clone()?);
        let upload = thread::Builder::new().name("proxy".to_owned()).spawn(move || {
            // The other side sees the end either way.
            let _ = io::copy(&mut from_client, &mut to_host);
            let _ = to_host.shutdown(Shutdown::Write);
        })?;
        let (mut host, mut client) = (host, client);
        let mut buffer = [0; 16 * 1024];
        while let Ok(count) = host.read(&mut buffer) {
            self.received.fetch_add(count as u64, Ordering::Relaxed);
            if count == 0 || client.write_all(&buffer[..count]).is_err() {
                break;
            }
        }
        let _ = client.shutdown(Shutdown::Both);
        let _ = host.shutdown(Shutdown::Both);
        // A panic of the thread has already been reported.
        let _ = upload.join();
        Ok(())
    }
}

/// Answers a client that gets no connection. What it still sends is read: a socket that is closed
/// with unread bytes would take the answer away.
fn refuse(client: &mut TcpStream, answer: &[u8]) -> io::Result<()> {
    client.write_all(answer)?;
    client.shutdown(Shutdown::Write)?;
    client.set_read_timeout(Some(LINGER))?;
    io::copy(&mut client.take(MAX_HEAD_BYTES as u64), &mut io::sink()).map(drop)
}

/// Reads a head and whatever came after it. `None` if there is none.
fn read_head(client: &mut TcpStream) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    const END: &[u8] = b"\r\n\r\n";
    let mut head = Vec::new();
    let mut buffer = [0; 4096];
    while head.len() < MAX_HEAD_BYTES {
        let count = client.read(&mut buffer)?;
        if count == 0 {
            return Ok(None);
        }
        head.extend_from_slice(&buffer[..count]);
        if let Some(at) = memchr::memmem::find(&head, END) {
            let rest = head.split_off(at + END.len());
            return Ok(Some((head, rest)));
        }
    }
    Ok(None)
}

fn connect(request: &ProxyRequest) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in (request.host.as_str(), request.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, HEAD_TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}
