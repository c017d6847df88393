//! `forkhestra events`: prints the events of a run as JSON lines.

use std::io;
use std::os::fd::AsFd as _;

use forkhestra_core::history::Liveness;
use forkhestra_core::id::LaneNumber;
use forkhestra_store::JournalLines;
use forkhestra_store::journal::journal_contents::JournalReadError;
use forkhestra_store::journal::recorded_run;
use serde_json::Value;
use typeset::text::escaped_json;

use crate::cli::args::steer::EventsArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::commands::logs;
use crate::past_runs::run_finder::RunFinder;
use crate::past_runs::{past_run, repair};
use crate::project::project_location::ProjectLocation;
use crate::report::run::{ByteSink as _, DescriptorSink};

/// Output is flushed when the buffer has this size.
const FLUSH_BYTES: usize = 64 * 1024;

/// Prints the journal's lines, with escapes for characters that a terminal would execute.
pub(crate) fn execute(args: &EventsArgs, screen: &mut ConsoleOutput) -> Result<u8, CommandError> {
    let project = ProjectLocation::find(&args.place.project())?;
    let finder = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let run = match &args.run {
        Some(name) => finder.find_named(name)?,
        None => logs::newest(&finder)?,
    };
    let journal = run.journal();
    let mut out = StdoutWriter::new(args.since, args.lane)?;
    let refused = |unusable: JournalReadError| repair::refused(&unusable.into(), &run, &project);
    let mut lines = JournalLines::open(&journal).map_err(refused)?;
    let liveness = loop {
        // Liveness is read before the journal: a process that is gone has written everything.
        let liveness = recorded_run::liveness(&run);
        let has_printed = print(&mut lines, &mut out, refused)?;
        if !args.follow || liveness == Liveness::Gone {
            break liveness;
        }
        if !has_printed {
            crate::logs::wait_for_poll_interval()?;
        }
    };
    if lines.is_empty() {
        return Err(refused(JournalReadError::Empty { path: journal.clone() }));
    }
    // While the run is active, the last line may be incomplete because it is being written.
    if liveness == Liveness::Gone {
        screen.report(lines.torn().map(past_run::torn_end_warning).as_slice());
        if args.follow && !lines.is_over() {
            screen.report(&[logs::cut_off(&run, &project)]);
        }
    }
    Ok(exit_code::COMPLETE)
}

/// Prints the available lines. Returns whether there were any.
fn print(
    lines: &mut JournalLines<'_>,
    out: &mut StdoutWriter,
    refused: impl Fn(JournalReadError) -> CommandError,
) -> Result<bool, CommandError> {
    let mut has_printed = false;
    loop {
        match lines.next_line() {
            Ok(Some(line)) => {
                has_printed = true;
                out.take(line.seq, line.bytes)?;
            }
            Ok(None) => {
                out.flush()?;
                return Ok(has_printed);
            }
            Err(unusable) => {
                // Events read before the error are still printed.
                out.flush()?;
                return Err(refused(unusable));
            }
        }
    }
}

/// Buffered writer for standard output that starts at a given event.
struct StdoutWriter {
    since: u64,
    /// Only the events of this lane.
    lane: Option<LaneNumber>,
    waiting: Vec<u8>,
    sink: DescriptorSink,
}

impl StdoutWriter {
    fn new(since: u64, lane: Option<LaneNumber>) -> io::Result<Self> {
        let sink = DescriptorSink::of(io::stdout().as_fd())?;
        Ok(Self { since, lane, waiting: Vec::new(), sink })
    }

    fn take(&mut self, seq: u64, line: &[u8]) -> io::Result<()> {
        if seq < self.since || self.lane.is_some_and(|lane| !is_in_lane(line, lane)) {
            return Ok(());
        }
        // The lines were read as JSON, so they are text.
        let line = String::from_utf8_lossy(line);
        self.waiting.extend_from_slice(escaped_json(&line).as_bytes());
        if self.waiting.len() >= FLUSH_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() { Ok(()) } else { self.sink.write_all(&waiting) }
    }
}

/// Whether the event of a line belongs to a lane. An event of a newer version may be in one as well.
fn is_in_lane(line: &[u8], lane: LaneNumber) -> bool {
    let event: Option<Value> = serde_json::from_slice(line).ok();
    let of_event = event.and_then(|event| event.get("lane")?.as_u64());
    of_event == Some(u64::from(lane.get()))
}
