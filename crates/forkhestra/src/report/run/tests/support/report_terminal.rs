//! Test of the live line on a pseudo-terminal.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use typeset::color_mode::PrintStyle;

use forkhestra_core::event::output_stream::OutputStream;

use super::fake_terminal::FakeTerminal;
use crate::report::run::screen::byte_sink::{DescriptorSink, same_place};
use crate::report::run::screen::report_output::{OutputFilter, ReportOutput, ReportStreamState};
use crate::report::run::screen::window::TerminalWindow;

/// Both ends of a pseudo-terminal.
struct ReportTerminal {
    person: File,
    program: OwnedFd,
}

impl ReportTerminal {
    fn open() -> Self {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are terminals");
        grantpt(&person).expect("it is ours");
        unlockpt(&person).expect("it is ours");
        let name = ptsname(&person, Vec::new()).expect("it has a name");
        let path = Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
        let program = rustix::fs::open(
            path,
            rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY,
            rustix::fs::Mode::empty(),
        );
        Self { person: File::from(person), program: program.expect("it can be opened") }
    }

    fn resize(&self, columns: u16) {
        let size = Winsize { ws_row: 12, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.program, size).expect("a terminal has a size");
    }

    fn report_output(&self) -> ReportOutput {
        let copy = || self.program.try_clone().expect("a descriptor can be copied");
        let side = || ReportStreamState {
            sink: Box::new(DescriptorSink::from(copy())),
            style: PrintStyle::new(false),
        };
        let window = Box::new(TerminalWindow(copy()));
        ReportOutput::new(OutputFilter::Everything, side(), side(), true, Some(window))
    }

    /// The visible text on a screen of this width, read until `last` appears.
    fn seen(&mut self, columns: u16, last: &str) -> String {
        let mut bytes = Vec::new();
        while !String::from_utf8_lossy(&bytes).contains(last) {
            let mut part = [0; 1024];
            let read = self.person.read(&mut part).expect("the program is still there");
            bytes.extend_from_slice(&part[..read]);
        }
        FakeTerminal::showing(columns, &bytes).seen()
    }
}

#[test]
fn the_width_is_that_of_the_terminal_at_each_drawing() {
    let mut terminal = ReportTerminal::open();
    let output = terminal.report_output();
    terminal.resize(20);
    output.write(OutputStream::Stdout, b"one\n").expect("it is written");
    output.set_status(Some("[Agent: planner] Iteration 3/20".to_owned()));
    output.refresh_status().expect("it is drawn");
    terminal.resize(30);
    output.write(OutputStream::Stderr, b"two\n").expect("it is written");
    output.hide_status(true).expect("it is hidden");
    output.write_report("last\n").expect("it is said");
    let bytes = terminal.seen(60, "last\r\n");
    assert_eq!(bytes, "one\ntwo\nlast");
}

#[test]
fn a_terminal_that_does_not_know_its_size_is_of_the_usual_one() {
    let mut terminal = ReportTerminal::open();
    let output = terminal.report_output();
    terminal.resize(0);
    output.set_status(Some("x".repeat(100)));
    output.refresh_status().expect("it is drawn");
    assert_eq!(terminal.seen(200, "\x1b8"), format!("{}…", "x".repeat(78)));
}

#[test]
fn two_descriptors_of_one_terminal_are_recognised() {
    let (one, other) = (ReportTerminal::open(), ReportTerminal::open());
    let copy = one.program.try_clone().expect("a descriptor can be copied");
    assert!(same_place(one.program.as_fd(), copy.as_fd()));
    assert!(!same_place(one.program.as_fd(), other.program.as_fd()));
    let file = OpenOptions::new().read(true).open("/dev/null").expect("it is everywhere");
    assert!(!same_place(one.program.as_fd(), file.as_fd()));
}
