//! Desktop notifications.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use forkhestra_core::config::NotifyTrigger;
use forkhestra_core::text::cut;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use typeset::text::visible;

use super::notification::Notification;
use super::retry::DeliveryAttempt;

/// The program that shows desktop notifications on this platform.
pub(super) const PROGRAM: &str =
    if cfg!(target_os = "macos") { "osascript" } else { "notify-send" };

/// Timeout for the program.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Number of attempts to read the exit status, and the pause between them.
const MAX_STATUS_POLLS: u32 = 20;
const STATUS_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Upper bound for the bytes kept of its standard error.
const MAX_STDERR_BYTES: usize = 4096;

/// Shows a notification.
///
/// During a run the engine reaps every child of this process, so `wait` cannot be used. The program
/// counts as finished when its standard error is closed.
pub(super) fn show(program: &Path, notice: &Notification) -> DeliveryAttempt {
    let mut command = Command::new(program);
    command.args(arguments(notice));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            return DeliveryAttempt::Failed(format!("{PROGRAM} cannot be started: {error}"));
        }
    };
    let stderr = child.stderr.take().expect("it is a pipe");
    let stderr_text = match read_in_time(stderr) {
        Ok(stderr_text) => stderr_text,
        Err(error) => return DeliveryAttempt::Failed(format!("{PROGRAM} {error}")),
    };
    let is_content = exit_status(&mut child).is_some_and(|status| status.success());
    match stderr_text.lines().find(|line| !line.trim().is_empty()) {
        Some(line) if !is_content => {
            DeliveryAttempt::Failed(format!("{PROGRAM} says: {}", cut(&visible(line.trim()), 200)))
        }
        _ => DeliveryAttempt::Delivered,
    }
}

/// The exit status, which is more reliable than the printed text. `None` if the engine reaped the
/// child first, or if the program continues silently. Its streams close shortly before its status
/// is available.
fn exit_status(child: &mut Child) -> Option<ExitStatus> {
    for tries_left in (0..MAX_STATUS_POLLS).rev() {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Err(_) => return None,
            Ok(None) if tries_left > 0 => thread::sleep(STATUS_POLL_INTERVAL),
            Ok(None) => {}
        }
    }
    None
}

/// Reads a stream to its end, with a timeout.
fn read_in_time(mut stream: ChildStderr) -> Result<String, String> {
    let deadline = Instant::now() + TIMEOUT;
    let mut read = Vec::new();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).ok();
        match poll(&mut [PollFd::new(&stream, PollFlags::IN)], left.as_ref()) {
            Ok(0) => return Err("does not end".to_owned()),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(format!("cannot be waited for: {error}")),
        }
        let mut part = [0; 1024];
        match stream.read(&mut part) {
            Ok(0) => return Ok(String::from_utf8_lossy(&read).into_owned()),
            Ok(length) if read.len() < MAX_STDERR_BYTES => read.extend(&part[..length]),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(format!("cannot be waited for: {error}")),
        }
    }
}

/// The arguments of the program.
fn arguments(notice: &Notification) -> Vec<String> {
    if cfg!(target_os = "macos") { for_osascript(notice) } else { for_notify_send(notice) }
}

/// The texts are passed as arguments of the script, so they are not interpreted.
fn for_osascript(notice: &Notification) -> Vec<String> {
    let show = "display notification (item 2 of argv) with title (item 1 of argv)";
    let script = ["-e", "on run argv", "-e", show, "-e", "end run"];
    let texts = [notice.title.as_str(), notice.text.as_str()];
    script.iter().chain(&texts).map(|&argument| argument.to_owned()).collect()
}

/// The text is escaped because desktops interpret it as markup.
fn for_notify_send(notice: &Notification) -> Vec<String> {
    let urgency = match notice.kind {
        NotifyTrigger::Complete | NotifyTrigger::Limit => "--urgency=normal",
        NotifyTrigger::Failure | NotifyTrigger::Attention => "--urgency=critical",
    };
    let text = notice.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let arguments = ["--app-name=forkhestra", urgency, "--", &notice.title, &text];
    arguments.map(str::to_owned).to_vec()
}
