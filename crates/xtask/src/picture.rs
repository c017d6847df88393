//! `cargo xtask picture`: makes the animated picture of `forkhestra demo` in the README.
//!
//! The demo runs in a terminal. Some of its screens become the frames of one SVG file.

mod frames;
mod svg;

use std::fs::File;
use std::io::{self, Read as _};
use std::process::{Command, Stdio};

use devkit::cargo;
use devkit::command;
use devkit::error::{Error, Result};
use devkit::files;
use devkit::test_build;
use devkit::workspace::Workspace;
use rustix::termios::{Winsize, tcsetwinsize};
use testkit::PseudoTerminal;

const PROGRAM: &str = "forkhestra";

/// Where the picture is kept.
const FILE: &str = "docs/demo.svg";

const ROWS: u16 = 27;
const COLUMNS: u16 = 98;

/// A frame shows the screen when one of these lines is complete.
const LAST_LINES: [&str; 4] = [
    "[forkhestra] Starting: builder (max 20 iterations)",
    "[forkhestra] Iteration 2/20",
    "[forkhestra] Iteration 4/20",
    "[forkhestra] Chain complete (2/2 steps)",
];

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let built = test_build::build(workspace, &["forge-tasks", PROGRAM])?;
    let home = tempfile::tempdir().map_err(|source| Error::File {
        action: "create a folder in",
        path: std::env::temp_dir(),
        source,
    })?;
    let mut demo = Command::new(cargo::find(&built, PROGRAM)?);
    demo.arg("demo").env("HOME", home.path()).env("TERM", "xterm-256color").env("TZ", "UTC");
    for variable in ["CI", "COLUMNS", "NO_COLOR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
        demo.env_remove(variable);
    }
    let output = frames::without_random_names(&output_on_terminal(&mut demo)?);
    let frames = frames::at_lines(&output, (ROWS, COLUMNS), &LAST_LINES)
        .map_err(|line| Error::Unmet(format!("the demo does not print `{line}`")))?;
    let path = workspace.root.join(FILE);
    files::write(&path, &svg::render("forkhestra demo", &frames))?;
    println!("{FILE}: {} frames, {} bytes", frames.len(), files::size(&path)?);
    Ok(())
}

/// Runs a command to its end on a terminal of the picture's size.
fn output_on_terminal(command: &mut Command) -> Result<Vec<u8>> {
    let mut terminal = PseudoTerminal::open();
    let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal.screen(), size).expect("it is a terminal");
    command.stdin(Stdio::null()).stdout(terminal.stdio()).stderr(terminal.stdio());
    let shown = command::shown(command);
    let mut child =
        command.spawn().map_err(|source| Error::Start { command: shown.clone(), source })?;
    // Reading ends when no program has the terminal open, and `command` has it open.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    terminal.hand_over();
    let mut output = Vec::new();
    match File::from(terminal.screen()).read_to_end(&mut output) {
        // Linux reports the end of a terminal as this error.
        Err(error) if error.raw_os_error() != Some(rustix::io::Errno::IO.raw_os_error()) => {
            return Err(failed_read(shown, error));
        }
        _ => {}
    }
    let status = child.wait().map_err(|error| failed_read(shown.clone(), error))?;
    if status.success() { Ok(output) } else { Err(Error::Failed { command: shown, status }) }
}

fn failed_read(command: String, error: io::Error) -> Error {
    Error::Output { command, expected: "readable", source: error.into() }
}
