//! Ends an agent while a helper is running.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use forkhestra_engine::process::{
    ChildProcesses, SignalNumber, SpawnCommand, SpawnStdin, signal_all_but_helpers,
};
use forkhestra_engine::signal::SignalReceiver;
use rustix::process::kill_process_group;

use crate::print_line;

pub(crate) fn run() -> io::Result<ExitCode> {
    let mut signals = SignalReceiver::install()?;
    let children = ChildProcesses::default();
    // Each has a child, which must end or survive with it.
    let command = SpawnCommand {
        program: Path::new("/bin/sh"),
        args: &["-c".into(), "sleep 100 & echo on; wait".into()],
        env: &[],
        directory: Path::new("/"),
        stdin: SpawnStdin::Null,
        keeper: None,
    };
    let helper = children.start_helper(&command).map_err(io::Error::other)?;
    let agent = children.start(&command).map_err(io::Error::other)?;
    for output in [&helper.stdout, &agent.stdout.reader] {
        rustix::io::read(output, &mut [0; 8])?;
    }
    let is_left = children.has_any_but_helpers();
    let ended = signal_all_but_helpers(&children, SignalNumber::KILL);
    print_line(&format!("any but the helper: {is_left}, ended: {}", ended.len()))?;
    while children.has_any_but_helpers() {
        signals.wait()?;
        signals.drain();
        children.reap();
    }
    print_line(&format!("any process: {}", children.has_any_process()))?;
    // The helper leads a process group that includes its child.
    kill_process_group(helper.pid(), SignalNumber::TERM)?;
    print_line(&format!("the helper: {}", children.wait(&helper)?))?;
    Ok(ExitCode::SUCCESS)
}
