//! A minimal run that tests start, signal and kill. It prints its observations line by line, among
//! the output of its agent.

mod crowd;
mod helper;
mod lanes;
mod plan;
mod runner;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use forkhestra_core::event::ProcessEnd;
use forkhestra_engine::process::{ChildProcesses, GuardRole, KEEPER_VERB, keep, split, sweep};

/// The variable that tags agents.
const TAG: &str = "FORKHESTRA_PROBE";

fn main() -> io::Result<ExitCode> {
    let args: Vec<OsString> = env::args_os().skip(1).collect();
    match (args.first().and_then(|verb| verb.to_str()), &args[1..]) {
        (Some("run"), [tag, script]) => run(tag, script),
        (Some("lanes"), [tag, scripts @ ..]) => lanes::run(tag, scripts),
        (Some(KEEPER_VERB), words) => keep(words).map(|()| ExitCode::SUCCESS),
        (Some("plan"), [directory]) => plan::run(directory, false),
        (Some("unchecked"), [directory]) => plan::run(directory, true),
        (Some("sweep"), [tag]) => sweep_up(tag),
        #[cfg(target_os = "linux")]
        (Some("reaper"), [program, args @ ..]) => reaper(program, args),
        (Some("crowd"), []) => crowd::run(),
        (Some("helper"), []) => helper::run(),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}

/// Runs a script as the only agent, in a runner with a guard.
fn run(tag: &OsString, script: &OsString) -> io::Result<ExitCode> {
    match split()? {
        GuardRole::Runner(link) => runner::run(&link, tag, script),
        GuardRole::Guard(report) => {
            let any = ChildProcesses::default().has_any_process();
            print_line(&format!(
                "guard: {}, left {:?}, any process {any}",
                report.runner, report.left
            ))?;
            Ok(exit_code(&report.runner))
        }
    }
}

fn sweep_up(tag: &OsString) -> io::Result<ExitCode> {
    let swept = sweep(TAG.as_ref(), tag, Duration::from_secs(10));
    print_line(&format!("swept {}, left {}", swept.ended.len(), swept.remaining.len()))?;
    Ok(ExitCode::SUCCESS)
}

/// Runs a program below a subreaper in the same session.
#[cfg(target_os = "linux")]
fn reaper(program: &OsString, args: &[OsString]) -> io::Result<ExitCode> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let mut child = std::process::Command::new(program).args(args).spawn()?;
    child.wait()?;
    // Reaps all orphans.
    while rustix::process::wait(rustix::process::WaitOptions::empty()).is_ok() {}
    Ok(ExitCode::SUCCESS)
}

fn exit_code(end: &ProcessEnd) -> ExitCode {
    let code = match end {
        ProcessEnd::Exited(code) => *code,
        ProcessEnd::Signaled(number) => 128 + number,
        ProcessEnd::NotStarted { .. } => 255,
    };
    ExitCode::from(u8::try_from(code).unwrap_or(255))
}

fn print_line(line: &str) -> io::Result<()> {
    write_out(format!("{line}\n").as_bytes())
}

fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout();
    stdout.write_all(bytes)?;
    stdout.flush()
}
