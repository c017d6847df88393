//! `iterations.jsonl`: a line for each attempt of an iteration, of all runs in a directory.
//!
//! Lines are only appended, those of a run in order. So the number of a run's lines in the file
//! determines which are missing, whatever happened to the file meanwhile.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use forkhestra_core::history::RunHistory;
use forkhestra_core::id::RunId;
use memchr::memchr_iter;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::iteration_view::IterationView;
use crate::disk::Disk;
use crate::disk::file_error::{FileError, found};
use crate::disk::files;
use crate::disk::no_follow_disk::open_to_read;

/// The log from the point of view of one run.
#[derive(Debug)]
pub(super) struct IterationsLog {
    disk: &'static dyn Disk,
    path: PathBuf,
    known: KnownLines,
}

/// What is known about the run's lines in the file.
#[derive(Debug, Clone, Copy)]
enum KnownLines {
    /// The lines have to be counted.
    Nothing,
    /// The run is new and has no lines.
    None,
    /// The file is as this process left it.
    Left(LogFileState),
}

/// The file after the last write of this process.
#[derive(Debug, Clone, Copy)]
struct LogFileState {
    inode: u64,
    length: u64,
    /// The number of the run's lines in it.
    lines: usize,
}

impl IterationsLog {
    pub(super) const fn new(disk: &'static dyn Disk, path: PathBuf) -> Self {
        Self { disk, path, known: KnownLines::Nothing }
    }

    /// Marks the run as new, so that a long file need not be searched for its lines.
    pub(super) const fn begin(&mut self) {
        self.known = KnownLines::None;
    }

    /// Appends the missing lines of a run.
    pub(super) fn append_missing(&mut self, history: &RunHistory) -> Result<(), FileError> {
        let unreadable = FileError::of("read", &self.path);
        let (lines, needs_break) = self.inspect(history).map_err(unreadable)?;
        let all = history.attempts().len();
        if lines < all {
            let mut text = if needs_break { b"\n".to_vec() } else { Vec::new() };
            append_missing_lines(history, lines, &mut text);
            // If the write fails, the content of the file is unknown.
            self.known = KnownLines::Nothing;
            files::append(self.disk, &self.path, &text)?;
        }
        let metadata = fs::symlink_metadata(&self.path).ok();
        self.known = metadata.map_or(KnownLines::Nothing, |data| {
            KnownLines::Left(LogFileState { inode: data.ino(), length: data.len(), lines: all })
        });
        Ok(())
    }

    /// The number of the run's lines, and whether the last line of the file lacks its line break.
    fn inspect(&self, history: &RunHistory) -> io::Result<(usize, bool)> {
        let Some(mut file) = found(open_to_read(&self.path))? else { return Ok((0, false)) };
        let metadata = file.metadata()?;
        let length = metadata.len();
        let mut last = [b'\n'];
        if length > 0 {
            file.read_exact_at(&mut last, length - 1)?;
        }
        let is_same = |left: &LogFileState| left.inode == metadata.ino() && left.length <= length;
        let lines = match self.known {
            KnownLines::None => 0,
            KnownLines::Left(left) if is_same(&left) => left.lines,
            KnownLines::Nothing | KnownLines::Left(_) => {
                let mut text = Vec::new();
                file.read_to_end(&mut text)?;
                lines_of(&history.state.run, &text)
            }
        };
        Ok((lines, last != [b'\n']))
    }
}

/// Removes the lines of these runs from a log, and invalid lines.
pub(super) fn without_runs(disk: &dyn Disk, path: &Path, runs: &[RunId]) -> Result<(), FileError> {
    let mut text = Vec::new();
    match open_to_read(path).and_then(|mut file| file.read_to_end(&mut text)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        // Anything but a regular file is not a log, and is replaced.
        Err(error) if fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) => {
            return Err(FileError::of("read", path)(error));
        }
        _ => {}
    }
    let is_theirs =
        |line: &IterationLogLine<'_>| runs.iter().any(|run| run.as_str() == line.run_id);
    let is_kept = |line: &&[u8]| {
        serde_json::from_slice::<IterationLogLine<'_>>(line).is_ok_and(|line| !is_theirs(&line))
    };
    let kept = text.split(|byte| *byte == b'\n').filter(is_kept);
    let kept: Vec<u8> = kept.flat_map(|line| [line, b"\n"]).flatten().copied().collect();
    files::replace(disk, path, &kept)
}

/// The member that every line has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IterationLogLine<'a> {
    pub(super) run_id: &'a str,
}

/// The number of complete lines of a run in a text. A full disk may have cut off any line, which
/// the next writer then ended, or only the line break of the last one.
fn lines_of(run: &RunId, text: &[u8]) -> usize {
    let beginning = format!("{{\"runId\":\"{run}\",");
    let mut start = 0;
    let mut count = 0;
    for end in memchr_iter(b'\n', text).chain([text.len()]) {
        let line = &text[start..end];
        if line.starts_with(beginning.as_bytes()) && is_json(line) {
            count += 1;
        }
        start = end + 1;
    }
    count
}

fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

/// Appends to `text` the lines of a run after the first `there`.
fn append_missing_lines(history: &RunHistory, there: usize, text: &mut Vec<u8>) {
    let state = &history.state;
    for record in history.attempts().skip(there) {
        let agent = state.plan.agent_name(record.unit.step);
        let view = IterationView::of(&state.run, agent, record);
        serde_json::to_writer(&mut *text, &view).expect("texts and numbers are JSON");
        text.push(b'\n');
    }
}
