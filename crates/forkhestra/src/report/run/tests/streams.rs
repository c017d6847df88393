//! Tests of output to pipes and files.

use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

use typeset::color_mode::PrintStyle;

use forkhestra_core::event::output_stream::OutputStream;

use crate::report::run::screen::byte_sink::{ByteSink, DescriptorSink};
use crate::report::run::screen::report_output::{OutputFilter, ReportOutput, ReportStreamState};

/// A sink that keeps what was written.
#[derive(Clone, Default)]
struct KeptBytes(Arc<Mutex<Vec<Vec<u8>>>>);

impl KeptBytes {
    fn text(&self) -> String {
        let writes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&writes.concat()).into_owned()
    }

    fn side(&self) -> ReportStreamState {
        ReportStreamState { sink: Box::new(self.clone()), ink: PrintStyle::new(false) }
    }
}

impl ByteSink for KeptBytes {
    fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(bytes.to_owned());
        Ok(())
    }
}

/// A sink that fails like a closed pipe.
struct ClosedPipe;

impl ByteSink for ClosedPipe {
    fn write_all(&self, _bytes: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
}

/// Writes some of everything to an output and returns the bytes of both streams.
fn shown(passes: OutputFilter) -> (String, String) {
    let (stdout, stderr) = (KeptBytes::default(), KeptBytes::default());
    let outlet = ReportOutput::new(passes, stdout.side(), stderr.side(), false, None);
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
    let (stdout, stderr) = shown(OutputFilter::Everything);
    assert_eq!(
        stdout,
        "[forkhestra] one\n\u{1b}[31mout\u{fffd}\0\ntwo\nthree\n{\"json\":\"\u{9b}\"}\n"
    );
    assert_eq!(stderr, "err\nwarning\n");
}

#[test]
fn for_programs_standard_output_has_no_bytes_of_agents() {
    let (stdout, stderr) = shown(OutputFilter::Errors);
    assert_eq!(stdout, "[forkhestra] one\ntwo\nthree\n{\"json\":\"\u{9b}\"}\n");
    assert_eq!(stderr, "err\nwarning\n");
}

#[test]
fn who_wants_it_quiet_sees_nothing_of_agents() {
    let (stdout, stderr) = shown(OutputFilter::Nothing);
    assert_eq!(stdout, "[forkhestra] one\ntwo\nthree\n{\"json\":\"\u{9b}\"}\n");
    assert_eq!(stderr, "warning\n");
}

#[test]
fn streams_that_end_in_one_file_share_their_last_line() {
    let file = KeptBytes::default();
    let outlet = ReportOutput::new(OutputFilter::Everything, file.side(), file.side(), true, None);
    outlet.write(OutputStream::Stderr, b"half an error").expect("it is kept");
    outlet.say("one\n").expect("it is kept");
    assert_eq!(file.text(), "half an error\none\n");
}

/// An output into two pipes.
fn piped(passes: OutputFilter) -> (PipeReader, PipeReader, ReportOutput) {
    let side = || {
        let (reader, writer) = io::pipe().expect("there are pipes");
        let sink = Box::new(DescriptorSink::from(OwnedFd::from(writer)));
        (reader, ReportStreamState { sink, ink: PrintStyle::new(false) })
    };
    let ((out, stdout), (err, stderr)) = (side(), side());
    (out, err, ReportOutput::new(passes, stdout, stderr, false, None))
}

/// Writes bytes into the lent pipe of an output, if it lends one.
fn put(outlet: &ReportOutput, stream: OutputStream, bytes: &[u8]) -> bool {
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
    let (mut out, _err, outlet) = piped(OutputFilter::Everything);
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
        (OutputFilter::Everything, true, true),
        (OutputFilter::Errors, false, true),
        (OutputFilter::Nothing, false, false),
    ] {
        let (_out, _err, outlet) = piped(passes);
        assert_eq!(put(&outlet, OutputStream::Stdout, b"x"), stdout, "{passes:?}");
        assert_eq!(put(&outlet, OutputStream::Stderr, b"x"), stderr, "{passes:?}");
    }
    let file = KeptBytes::default();
    let outlet = ReportOutput::new(OutputFilter::Everything, file.side(), file.side(), true, None);
    assert!(!put(&outlet, OutputStream::Stdout, b"x"), "only pipes can be lent");
}

#[test]
fn a_closed_stream_is_told_to_whoever_writes_to_it() {
    let closed = || ReportStreamState { sink: Box::new(ClosedPipe), ink: PrintStyle::new(false) };
    let outlet = ReportOutput::new(OutputFilter::Everything, closed(), closed(), false, None);
    let kind = |result: io::Result<()>| result.map_err(|error| error.kind());
    let broken = Err(io::ErrorKind::BrokenPipe);
    assert_eq!(kind(outlet.say("one\n")), broken);
    assert_eq!(kind(outlet.tell("one\n")), broken);
    assert_eq!(kind(outlet.write(OutputStream::Stdout, b"one\n")), broken);
    assert_eq!(kind(outlet.write(OutputStream::Stderr, b"one\n")), broken);
}
