//! Runs many helpers in several threads, while another thread reaps ended processes.

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use forkhestra_core::event::ProcessEnd;
use forkhestra_engine::process::{ChildProcesses, SpawnCommand, SpawnStdin};
use forkhestra_engine::signal::SignalReceiver;

use crate::print_line;

const THREADS: usize = 3;
const HELPERS: usize = 60;

pub(crate) fn run() -> io::Result<ExitCode> {
    let mut signals = SignalReceiver::install()?;
    let children = ChildProcesses::default();
    let waker = signals.waker();
    let (right, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| -> io::Result<()> {
        for thread in 0..THREADS {
            let (children, waker, right, finished) = (&children, &waker, &right, &finished);
            scope.spawn(move || {
                let good = (0..HELPERS).filter(|n| is_right(children, thread + n)).count();
                right.fetch_add(good, Ordering::SeqCst);
                finished.fetch_add(1, Ordering::SeqCst);
                waker.wake();
            });
        }
        while finished.load(Ordering::SeqCst) < THREADS {
            signals.wait()?;
            signals.drain();
            assert!(children.reap().is_empty(), "a helper was reported");
        }
        Ok(())
    })?;
    let right = right.into_inner();
    print_line(&format!("{right} of {} right", THREADS * HELPERS))?;
    Ok(ExitCode::SUCCESS)
}

/// Whether a helper ends with the expected exit code.
fn is_right(children: &ChildProcesses, number: usize) -> bool {
    let command = SpawnCommand {
        program: Path::new("/bin/sh"),
        args: &["-c".into(), format!("exit {number}").into()],
        env: &[],
        directory: Path::new("/"),
        stdin: SpawnStdin::Null,
        keeper: None,
    };
    let Ok(helper) = children.start_helper(&command) else {
        return false;
    };
    children
        .wait(&helper)
        .is_ok_and(|end| matches!(end, ProcessEnd::Exited(code) if code as usize == number))
}
