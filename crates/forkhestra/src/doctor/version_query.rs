//! Queries programs for their version, in parallel and with a timeout.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use forkhestra_engine::process::{SignalNumber, signal_all_descendants};
use rustix::process::{Pid, Signal, kill_process};

/// Timeout for all queries together. Some programs take seconds on their first start.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Upper bound for the bytes read from a program.
const MAX_READ_BYTES: u64 = 64 * 1024;

/// A program with the arguments of a query.
#[derive(Debug, Clone)]
pub(super) struct VersionQuery {
    pub(super) program: PathBuf,
    pub(super) args: &'static [&'static str],
    /// The working directory of the program.
    pub(super) directory: PathBuf,
    /// The `PATH` of the program, without relative directories: those would be in the project.
    pub(super) path: Option<OsString>,
}

/// The result of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VersionReply {
    /// It succeeded with this output.
    Version(String),
    /// It failed in this way with this output.
    Failed { how: String, output: String },
    /// It could not be started, for this reason.
    NotStarted(String),
    /// It did not end in time and was killed.
    TooLate,
}

impl VersionQuery {
    /// A query with `--version`.
    pub(super) fn version(program: impl Into<PathBuf>, directory: impl Into<PathBuf>) -> Self {
        let args = &["--version"];
        Self { program: program.into(), args, directory: directory.into(), path: None }
    }
}

impl VersionReply {
    /// The version in the output; `None` if there is none.
    pub(super) fn version(&self) -> Option<&str> {
        let Self::Version(output) = self else { return None };
        let is_version =
            |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        let words = output.split_whitespace().map(|word| word.trim_start_matches('v'));
        words.map(|word| word.trim_end_matches([',', ')'])).find(is_version)
    }

    /// The problem, if there is one, in a few words that follow the queried command.
    pub(super) fn trouble(&self) -> Option<String> {
        match self {
            Self::Version(_) => None,
            Self::Failed { how, output } if output.is_empty() => Some(format!("fails ({how})")),
            Self::Failed { how, output } => Some(format!("fails ({how}): {output}")),
            Self::NotStarted(why) => Some(format!("cannot be started: {why}")),
            Self::TooLate => Some(format!("did not answer within {} s", TIMEOUT.as_secs())),
        }
    }
}

/// Runs all queries in parallel and waits for them. `waiting` is called with the query that is
/// pending. After the timeout all descendants of this process are killed, so it must have no other
/// children meanwhile.
pub(super) fn query_all(
    questions: &[VersionQuery],
    waiting: &mut dyn FnMut(&VersionQuery),
) -> Vec<VersionReply> {
    let end_all = || drop(signal_all_descendants(SignalNumber::KILL));
    query_within(questions, TIMEOUT, waiting, &end_all)
}

fn query_within(
    questions: &[VersionQuery],
    timeout: Duration,
    waiting: &mut dyn FnMut(&VersionQuery),
    end_all: &dyn Fn(),
) -> Vec<VersionReply> {
    let asked: Vec<Result<Receiver<VersionReply>, String>> =
        questions.iter().map(|question| ask(question).map_err(|why| why.to_string())).collect();
    let deadline = Instant::now() + timeout;
    let wait = |(question, answer): (&VersionQuery, Result<Receiver<VersionReply>, String>)| {
        match answer {
            Err(why) => VersionReply::NotStarted(why),
            Ok(receiver) => {
                waiting(question);
                let left = deadline.saturating_duration_since(Instant::now());
                receiver.recv_timeout(left).unwrap_or(VersionReply::TooLate)
            }
        }
    };
    let answers: Vec<VersionReply> = questions.iter().zip(asked).map(wait).collect();
    if answers.contains(&VersionReply::TooLate) {
        end_all();
    }
    answers
}

fn ask(question: &VersionQuery) -> io::Result<Receiver<VersionReply>> {
    // The child stays in this process group, so that Ctrl-C reaches it.
    let mut child = Command::new(&question.program)
        .args(question.args)
        .current_dir(&question.directory)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .envs(question.path.iter().map(|path| ("PATH", path)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let pid = Pid::from_child(&child);
    let streams = (child.stdout.take(), child.stderr.take());
    conclude_in_thread(child, streams).inspect_err(|_| {
        // Without a thread there is no answer. The process may have ended.
        let _ = kill_process(pid, Signal::KILL);
    })
}

/// Reads the answer of a process in threads.
fn conclude_in_thread(
    child: Child,
    streams: (Option<ChildStdout>, Option<ChildStderr>),
) -> io::Result<Receiver<VersionReply>> {
    let (stdout, stderr) = (read(streams.0)?, read(streams.1)?);
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let answer = conclude(child, &stdout, &stderr);
        // After a timeout there is no receiver any more.
        let _ = sender.send(answer);
    })?;
    Ok(receiver)
}

fn conclude(
    mut child: Child,
    stdout: &Receiver<String>,
    stderr: &Receiver<String>,
) -> VersionReply {
    let status = match child.wait() {
        Ok(status) => status,
        Err(why) => return VersionReply::NotStarted(why.to_string()),
    };
    // The process has ended, so its output is complete, unless a child of it keeps the stream open.
    let timeout = Duration::from_secs(1);
    let output = stdout.recv_timeout(timeout).unwrap_or_default();
    if status.success() {
        return VersionReply::Version(output);
    }
    let stderr_text = stderr.recv_timeout(timeout).unwrap_or_default();
    let mut lines = stderr_text.lines().chain(output.lines()).map(str::trim);
    let output = lines.find(|line| !line.is_empty()).unwrap_or_default().to_owned();
    VersionReply::Failed { how: status.to_string(), output }
}

fn read(stream: Option<impl Read + Send + 'static>) -> io::Result<Receiver<String>> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        let stream = stream.expect("both streams are pipes");
        // If the stream fails, the bytes read so far are used.
        let _ = stream.take(MAX_READ_BYTES).read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    })?;
    Ok(receiver)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn question(program: &str, args: &'static [&'static str]) -> VersionQuery {
        VersionQuery { args, ..VersionQuery::version(program, "/") }
    }

    #[test]
    fn versions_are_found_in_program_output() {
        for (output, version) in [
            ("2.1.325 (Claude Code)\n", Some("2.1.325")),
            ("codex-cli 0.166.0\n", Some("0.166.0")),
            ("git version 2.39.5 (Apple Git-154)\n", Some("2.39.5")),
            ("v22.6.0\n", Some("22.6.0")),
            ("warning: old\n1.18.33\n", Some("1.18.33")),
            ("who knows\n", None),
            ("", None),
        ] {
            assert_eq!(VersionReply::Version(output.to_owned()).version(), version, "{output}");
        }
    }

    #[test]
    fn replies_are_in_the_order_of_the_queries() {
        let questions = [
            question("/bin/echo", &["1.2"]),
            question("/nowhere/program", &[]),
            question("/bin/sh", &["-c", "echo no >&2; exit 3"]),
        ];
        let mut waited = Vec::new();
        let answers = query_all(&questions, &mut |asked| waited.push(asked.program.clone()));
        assert_eq!(waited, ["/bin/echo", "/bin/sh"].map(PathBuf::from));
        assert_eq!(answers[0], VersionReply::Version("1.2\n".to_owned()));
        assert!(matches!(answers[1], VersionReply::NotStarted(_)), "{answers:?}");
        let trouble = answers[2].trouble().expect("it failed");
        assert_eq!(trouble, "fails (exit status: 3): no");
    }

    /// Nothing is killed here: the other tests of this process have children, too.
    #[test]
    fn a_silent_program_runs_into_the_timeout() {
        let asked = [question("/bin/sleep", &["1"])];
        let ended = Cell::new(0);
        let end_all = || ended.set(ended.get() + 1);
        let answers = query_within(&asked, Duration::ZERO, &mut |_| {}, &end_all);
        assert_eq!(answers, [VersionReply::TooLate]);
        assert_eq!(ended.get(), 1);
    }
}
