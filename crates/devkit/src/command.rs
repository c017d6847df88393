//! Runs other programs.

use std::io::{self, Read as _, Write as _};
use std::process::{Command, ExitStatus, Stdio};

use crate::error::{Error, Result};

/// Runs a command on our terminal; any exit code but 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status();
    succeeded(command, status)
}

/// Runs a command, and prints its output when it has ended, so that it is not mixed with that of
/// other commands.
pub fn run_beside_others(command: &mut Command) -> Result<()> {
    let mut output = Vec::new();
    let status = status_and_output(command, &mut output);
    // The exit code decides, even if our output is closed.
    let _ = io::stdout().write_all(&output);
    succeeded(command, status)
}

/// Appends what the command prints on both streams, in order.
fn status_and_output(command: &mut Command, output: &mut Vec<u8>) -> io::Result<ExitStatus> {
    let (mut reader, writer) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn()?;
    // The command holds the writers. The pipe ends when the last one is closed.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    reader.read_to_end(output)?;
    child.wait()
}

fn succeeded(command: &Command, status: io::Result<ExitStatus>) -> Result<()> {
    let status = status.map_err(|source| Error::Start { command: shown(command), source })?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Failed { command: shown(command), status })
}

/// Runs a command and returns its standard output; its standard error stays on our terminal.
pub fn stdout_of(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| Error::Start { command: shown(command), source })?;
    if !output.status.success() {
        return Err(Error::Failed { command: shown(command), status: output.status });
    }
    String::from_utf8(output.stdout).map_err(|source| Error::Output {
        command: shown(command),
        expected: "UTF-8",
        source: source.into(),
    })
}

/// Whether a program exists and succeeds with these arguments.
pub fn answers(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The command as a user would type it.
pub fn shown(command: &Command) -> String {
    let program = command.get_program();
    // `CARGO` holds an absolute path, but users type the name.
    let program = match std::path::Path::new(program).file_name() {
        Some(name) if name == "cargo" => name,
        _ => program,
    };
    let mut line = program.to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&quoted(&argument.to_string_lossy()));
    }
    line
}

fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+@".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_typed() {
        let mut command = Command::new("/somewhere/bin/cargo");
        command.args(["run", "--", "a:3 -> b", "it's"]);
        assert_eq!(shown(&command), r"cargo run -- 'a:3 -> b' 'it'\''s'");
    }

    #[test]
    fn success_failure_and_absence_are_distinguished() {
        assert!(run(&mut Command::new("true")).is_ok());
        assert!(matches!(run(&mut Command::new("false")), Err(Error::Failed { .. })));
        assert!(matches!(
            run(&mut Command::new("no-such-program-anywhere")),
            Err(Error::Start { .. })
        ));
        assert!(!answers(&mut Command::new("no-such-program-anywhere")));
    }

    #[test]
    fn output_beside_others_is_in_order() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; echo three; exit 3"]);
        let mut output = Vec::new();
        let status = status_and_output(&mut command, &mut output).expect("there is a shell");
        assert_eq!(String::from_utf8_lossy(&output), "one\ntwo\nthree\n");
        assert_eq!(status.code(), Some(3));
        assert!(matches!(run_beside_others(&mut Command::new("false")), Err(Error::Failed { .. })));
    }

    #[test]
    fn stdout_is_returned_and_must_be_text() {
        let text = stdout_of(Command::new("printf").arg("hello")).expect("printf prints");
        assert_eq!(text, "hello");
        assert!(matches!(
            stdout_of(Command::new("printf").arg(r"\377")),
            Err(Error::Output { .. })
        ));
    }
}
