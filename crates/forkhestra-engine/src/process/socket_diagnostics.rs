//! The received bytes of each TCP socket, queried by netlink (`man 7 sock_diag`).

use std::collections::HashMap;

use rustix::io::Errno;
use rustix::net::netlink::SOCK_DIAG;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with,
};

/// Of `struct nlmsghdr`: its length, and the types of messages.
const HEADER: usize = 16;
const ERROR: u16 = 2;
const DONE: u16 = 3;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
/// Flags of a request for all sockets.
const REQUEST_DUMP: u16 = 0x301;

/// Of `struct inet_diag_req_v2`: the length of the id at its end, TCP, every state, and the request
/// for `struct tcp_info`.
const NO_ID: [u8; 48] = [0; 48];
const TCP: u8 = 6;
const EVERY_STATE: u32 = u32::MAX;
const WITH_INET_DIAG_INFO: u8 = 1 << (INET_DIAG_INFO - 1);
const INET_DIAG_INFO: u16 = 2;

/// Of `struct inet_diag_msg`: the offset of the inode, and the length.
const INODE: usize = 68;
const MESSAGE: usize = 72;

/// Of `struct rtattr`: the length.
const ATTRIBUTE: usize = 4;

/// The offset of `tcpi_bytes_received` in `struct tcp_info`.
const BYTES_RECEIVED: usize = 128;

/// The kernel sends no larger reply in one piece.
const BUFFER_LENGTH: usize = 32 * 1024;

/// The received bytes of every TCP socket of our network namespace, by inode.
pub(super) fn received() -> Result<HashMap<u32, u64>, Errno> {
    let mut sockets = HashMap::new();
    for family in [AddressFamily::INET, AddressFamily::INET6] {
        ask(family, &mut sockets)?;
    }
    Ok(sockets)
}

fn ask(family: AddressFamily, sockets: &mut HashMap<u32, u64>) -> Result<(), Errno> {
    let netlink = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        Some(SOCK_DIAG),
    )?;
    send(&netlink, &request(family), SendFlags::empty())?;
    let mut buffer = vec![0; BUFFER_LENGTH];
    loop {
        // The kernel queues the reply immediately, so there is nothing to wait for.
        let (length, _) = recv(&netlink, &mut buffer[..], RecvFlags::DONTWAIT)?;
        if length == 0 || !parse_messages(&buffer[..length], sockets)? {
            return Ok(());
        }
    }
}

fn request(family: AddressFamily) -> Vec<u8> {
    let family = u8::try_from(family.as_raw()).unwrap_or_default();
    let mut body = vec![family, TCP, WITH_INET_DIAG_INFO, 0];
    body.extend(EVERY_STATE.to_ne_bytes());
    body.extend(NO_ID);
    let length = u32::try_from(HEADER + body.len()).unwrap_or_default();
    let mut message = length.to_ne_bytes().to_vec();
    message.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    message.extend(REQUEST_DUMP.to_ne_bytes());
    message.extend([0; 8]);
    message.extend(body);
    message
}

/// Parses the messages of one reply. Returns whether more replies follow.
fn parse_messages(mut answer: &[u8], sockets: &mut HashMap<u32, u64>) -> Result<bool, Errno> {
    while let (Some(length), Some(kind)) = (read_u32(answer, 0), read_u16(answer, 4)) {
        let length = length as usize;
        let Some(message) = answer.get(HEADER..length) else { return Ok(false) };
        match kind {
            DONE => return Ok(false),
            ERROR => return Err(Errno::NOTSUP),
            _ => sockets.extend(socket(message)),
        }
        answer = answer.get(aligned(length)..).unwrap_or_default();
    }
    Ok(true)
}

/// Parses bytes as a reply, for the fuzz targets.
pub(super) fn parse_any_reply(bytes: &[u8]) {
    // A reply that is an error has no sockets.
    let _ = parse_messages(bytes, &mut HashMap::new());
}

/// The inode of a socket and its received bytes.
fn socket(message: &[u8]) -> Option<(u32, u64)> {
    let inode = read_u32(message, INODE)?;
    let mut attributes = message.get(MESSAGE..)?;
    loop {
        let (length, kind) = (read_u16(attributes, 0)? as usize, read_u16(attributes, 2)?);
        let value = attributes.get(ATTRIBUTE..length)?;
        if kind == INET_DIAG_INFO {
            let received = value.get(BYTES_RECEIVED..BYTES_RECEIVED + 8)?;
            return Some((inode, u64::from_ne_bytes(received.try_into().ok()?)));
        }
        attributes = attributes.get(aligned(length)..)?;
    }
}

const fn aligned(length: usize) -> usize {
    length.next_multiple_of(4)
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn read_u16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_answer_is_the_end() {
        let mut sockets = HashMap::new();
        let too_long = [200_u32.to_ne_bytes().as_slice(), &[0; 12]].concat();
        for answer in [&[][..], &[1, 2, 3], &too_long] {
            assert!(parse_messages(answer, &mut sockets).is_ok());
        }
        assert!(sockets.is_empty());
        for length in 0..200 {
            assert_eq!(socket(&vec![0; length]), None, "{length}");
        }
    }
}
