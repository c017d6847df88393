//! What reaches pipes and files.

use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

use typeset::color::Ink;

use forkhestra_core::output_stream::OutputStream;

use crate::report::run::outlet::{Outlet, Passes, Side};
use crate::report::run::sink::{Descriptor, Sink};

/// Keeps what was written.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Vec<u8>>>>);

impl Kept {
    fn text(&self) -> String {
        let writes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&writes.concat()).into_owned()
    }

    fn side(&self) -> Side {
        Side { sink: Box::new(self.clone()), ink: Ink::new(false) }
    }
}

impl Sink for Kept {
    fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(bytes.to_owned());
        Ok(())
    }
}

/// Fails like a pipe that nobody reads.
struct Closed;

impl Sink for Closed {
    fn write_all(&self, _bytes: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
}

/// Puts a little of everything through an outlet and returns what came out on both sides.
fn shown(passes: Passes) -> (String, String) {
    let (stdout, stderr) = (Kept::default(), Kept::default());
    let outlet = Outlet::new(passes, stdout.side(), stderr.side(), false, None);
    let everything = || -> io::Result<()> {
        outlet.say("\x1b[2m[forkhestra]\x1b[0m one\n")?;
        outlet.write(OutputStream::Stdout, b"\x1b[31mout\xff\x00")?;
        outlet.write(OutputStream::Stderr, b"err")?;
        outlet.set_status(Some("never shown".to_owned()));
        outlet.refresh_status()?;
        outlet.say("two\n")?;
        outlet.write(OutputStream::Stdout, b"")?;
        outlet.say("three\n")?;
        outlet.tell("warning\n")?;
        outlet.data("{\"json\":\"\u{9b}\"}\n")
    };
    everything().expect("everything is kept");
    assert!(!outlet.has_status());
    drop(outlet);
    (stdout.text(), stderr.text())
}

#[test]
fn off_a_terminal_bytes_are_as_they_were_and_our_lines_begin_on_their_own() {
    let (stdout, stderr) = shown(Passes::Everything);
    assert_eq!(
        stdout,
        "[forkhestra] one\n\u{1b}[31mout\u{fffd}\0\ntwo\nthree\n{\"json\":\"\u{9b}\"}\n"
    );
    assert_eq!(stderr, "err\nwarning\n");
}

#[test]
fn for_programs_standard_output_has_no_bytes_of_agents() {
    let (stdout, stderr) = shown(Passes::Errors);
    assert_eq!(stdout, "[forkhestra] one\ntwo\nthree\n{\"json\":\"\u{9b}\"}\n");
    assert_eq!(stderr, "err\nwarning\n");
}

#[test]
fn who_wants_it_quiet_sees_nothing_of_agents() {
    let (stdout, stderr) = shown(Passes::Nothing);
    assert_eq!(stdout, "[forkhestra] one\ntwo\nthree\n{\"json\":\"\u{9b}\"}\n");
    assert_eq!(stderr, "warning\n");
}

#[test]
fn streams_that_end_in_one_file_share_their_last_line() {
    let file = Kept::default();
    let outlet = Outlet::new(Passes::Everything, file.side(), file.side(), true, None);
    outlet.write(OutputStream::Stderr, b"half an error").expect("it is kept");
    outlet.say("one\n").expect("it is kept");
    assert_eq!(file.text(), "half an error\none\n");
}

/// An outlet into two pipes.
fn piped(passes: Passes) -> (PipeReader, PipeReader, Outlet) {
    let side = || {
        let (reader, writer) = io::pipe().expect("there are pipes");
        let sink = Box::new(Descriptor::from(OwnedFd::from(writer)));
        (reader, Side { sink, ink: Ink::new(false) })
    };
    let ((out, stdout), (err, stderr)) = (side(), side());
    (out, err, Outlet::new(passes, stdout, stderr, false, None))
}

/// Puts bytes into the pipe of an outlet, if it lends one.
fn put(outlet: &Outlet, stream: OutputStream, bytes: &[u8]) -> bool {
    let mut is_lent = false;
    outlet.lend_pipe(stream, &mut |pipe: BorrowedFd<'_>| {
        is_lent = true;
        let mut pipe = std::fs::File::from(pipe.try_clone_to_owned().expect("a descriptor"));
        pipe.write_all(bytes).expect("there is room");
        bytes.last().copied()
    });
    is_lent
}

#[test]
fn our_lines_begin_on_their_own_after_what_was_put_into_a_lent_pipe() {
    let (mut out, _err, outlet) = piped(Passes::Everything);
    for (bytes, line) in [("whole\n", "one\n"), ("half", "two\n"), ("", "three\n")] {
        assert!(put(&outlet, OutputStream::Stdout, bytes.as_bytes()));
        outlet.say(line).expect("there is room");
    }
    drop(outlet);
    let mut text = String::new();
    out.read_to_string(&mut text).expect("a pipe can be read");
    assert_eq!(text, "whole\none\nhalf\ntwo\nthree\n");
}

#[test]
fn a_pipe_is_lent_only_for_what_is_shown() {
    for (passes, stdout, stderr) in [
        (Passes::Everything, true, true),
        (Passes::Errors, false, true),
        (Passes::Nothing, false, false),
    ] {
        let (_out, _err, outlet) = piped(passes);
        assert_eq!(put(&outlet, OutputStream::Stdout, b"x"), stdout, "{passes:?}");
        assert_eq!(put(&outlet, OutputStream::Stderr, b"x"), stderr, "{passes:?}");
    }
    let file = Kept::default();
    let outlet = Outlet::new(Passes::Everything, file.side(), file.side(), true, None);
    assert!(!put(&outlet, OutputStream::Stdout, b"x"), "only pipes can be lent");
}

#[test]
fn a_closed_stream_is_told_to_whoever_writes_to_it() {
    let closed = || Side { sink: Box::new(Closed), ink: Ink::new(false) };
    let outlet = Outlet::new(Passes::Everything, closed(), closed(), false, None);
    let kind = |result: io::Result<()>| result.map_err(|error| error.kind());
    let broken = Err(io::ErrorKind::BrokenPipe);
    assert_eq!(kind(outlet.say("one\n")), broken);
    assert_eq!(kind(outlet.tell("one\n")), broken);
    assert_eq!(kind(outlet.write(OutputStream::Stdout, b"one\n")), broken);
    assert_eq!(kind(outlet.write(OutputStream::Stderr, b"one\n")), broken);
}
