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
pub(super) struct KeptBytes(Arc<Mutex<Vec<Vec<u8>>>>);

impl KeptBytes {
    pub(super) fn text(&self) -> String {
        let writes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&writes.concat()).into_owned()
    }

    pub(super) fn side(&self) -> ReportStreamState {
        ReportStreamState { sink: Box::new(self.clone()), style: PrintStyle::new(false) }
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
    let output = ReportOutput::new(passes, stdout.side(), stderr.side(), false, None);
    let everything = || -> io::Result<()> {
        output.write_report("\x1b[2m[forkhestra]\x1b[0m one\n")?;
        output.write(OutputStream::Stdout, b"\x1b[31mout\xff\x00")?;
        output.write(OutputStream::Stderr, b"err")?;
        output.set_status(Some("never shown".to_owned()));
        output.refresh_status()?;
        output.write_report("two\n")?;
        output.write(OutputStream::Stdout, b"")?;
        output.write_report("three\n")?;
        output.write_error("warning\n")?;
        output.data("{\"json\":\"\u{9b}\"}\n")
    };
    everything().expect("everything is kept");
    assert!(!output.has_status());
    drop(output);
    (stdout.text(), stderr.text())
}

#[test]
fn off_a_terminal_bytes_are_as_they_were_and_our_lines_begin_on_their_own() {
    let (stdout, stderr) = shown(OutputFilter::Everything);
    assert_eq!(
        stdout,
        "[forkhestra] one\n\u{1b}[31mout\u{fffd}\0\ntwo\nthree\n{\"json\":\"\\u009b\"}\n"
    );
    assert_eq!(stderr, "err\nwarning\n");
}

#[test]
fn for_programs_standard_output_has_no_bytes_of_agents() {
    let (stdout, stderr) = shown(OutputFilter::Errors);
    assert_eq!(stdout, "[forkhestra] one\ntwo\nthree\n{\"json\":\"\\u009b\"}\n");
    assert_eq!(stderr, "err\nwarning\n");
}

#[test]
fn quiet_mode_shows_no_agent_output() {
    let (stdout, stderr) = shown(OutputFilter::Nothing);
    assert_eq!(stdout, "[forkhestra] one\ntwo\nthree\n{\"json\":\"\\u009b\"}\n");
    assert_eq!(stderr, "warning\n");
}

#[test]
fn streams_that_end_in_one_file_share_their_last_line() {
    let file = KeptBytes::default();
    let output = ReportOutput::new(OutputFilter::Everything, file.side(), file.side(), true, None);
    output.write(OutputStream::Stderr, b"half an error").expect("it is kept");
    output.write_report("one\n").expect("it is kept");
    assert_eq!(file.text(), "half an error\none\n");
}

/// An output into two pipes.
fn piped(passes: OutputFilter) -> (PipeReader, PipeReader, ReportOutput) {
    let side = || {
        let (reader, writer) = io::pipe().expect("there are pipes");
        let sink = Box::new(DescriptorSink::from(OwnedFd::from(writer)));
        (reader, ReportStreamState { sink, style: PrintStyle::new(false) })
    };
    let ((out, stdout), (err, stderr)) = (side(), side());
    (out, err, ReportOutput::new(passes, stdout, stderr, false, None))
}

/// Writes bytes into the lent pipe of an output, if it lends one.
fn put(output: &ReportOutput, stream: OutputStream, bytes: &[u8]) -> bool {
    let mut is_lent = false;
    output.lend_pipe(stream, &mut |pipe: BorrowedFd<'_>| {
        is_lent = true;
        let mut pipe = std::fs::File::from(pipe.try_clone_to_owned().expect("a descriptor"));
        pipe.write_all(bytes).expect("there is room");
        bytes.last().copied()
    });
    is_lent
}

#[test]
fn our_lines_start_on_a_new_line_after_a_lent_pipe() {
    let (mut out, _err, output) = piped(OutputFilter::Everything);
    for (bytes, line) in [("whole\n", "one\n"), ("half", "two\n"), ("", "three\n")] {
        assert!(put(&output, OutputStream::Stdout, bytes.as_bytes()));
        output.write_report(line).expect("there is room");
    }
    drop(output);
    let mut text = String::new();
    out.read_to_string(&mut text).expect("a pipe can be read");
    assert_eq!(text, "whole\none\nhalf\ntwo\nthree\n");
}

#[test]
fn a_pipe_is_lent_only_for_shown_output() {
    for (passes, stdout, stderr) in [
        (OutputFilter::Everything, true, true),
        (OutputFilter::Errors, false, true),
        (OutputFilter::Nothing, false, false),
    ] {
        let (_out, _err, output) = piped(passes);
        assert_eq!(put(&output, OutputStream::Stdout, b"x"), stdout, "{passes:?}");
        assert_eq!(put(&output, OutputStream::Stderr, b"x"), stderr, "{passes:?}");
    }
    let file = KeptBytes::default();
    let output = ReportOutput::new(OutputFilter::Everything, file.side(), file.side(), true, None);
    assert!(!put(&output, OutputStream::Stdout, b"x"), "only pipes can be lent");
}

#[test]
fn a_write_to_a_closed_stream_fails() {
    let closed = || ReportStreamState { sink: Box::new(ClosedPipe), style: PrintStyle::new(false) };
    let output = ReportOutput::new(OutputFilter::Everything, closed(), closed(), false, None);
    let kind = |result: io::Result<()>| result.map_err(|error| error.kind());
    let broken = Err(io::ErrorKind::BrokenPipe);
    assert_eq!(kind(output.write_report("one\n")), broken);
    assert_eq!(kind(output.write_error("one\n")), broken);
    assert_eq!(kind(output.write(OutputStream::Stdout, b"one\n")), broken);
    assert_eq!(kind(output.write(OutputStream::Stderr, b"one\n")), broken);
}
