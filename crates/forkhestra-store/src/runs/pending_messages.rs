//! Messages for a run that is over, stored beside its journal until it is resumed.
//!
//! Only `run_resumed` may follow the end of a run in its journal. So messages are stored in a file
//! of their own, one JSON object per line. Each has the number that it will have in the journal. A
//! resume records those whose number is higher than that of the last recorded message. So each is
//! recorded exactly once, even if the resume is interrupted, and the file is only ever appended to.

use forkhestra_core::event::OperatorMessage;

use crate::disk::file_error::{FileError, found};
use crate::disk::reading;
use crate::disk::{ExistingFile, OpenMode, WritePosition};
use crate::journal::journal_lock::JournalLock;
use crate::runs::run_dir::RunDir;

/// The name of the file in the run's directory.
const FILE: &str = "messages.jsonl";

const PRIVATE_FILE: u32 = 0o600;

/// The messages after number `last`, which a resume has to record.
pub fn pending_messages(run: &RunDir, last: u32) -> Result<Vec<OperatorMessage>, FileError> {
    let path = run.path().join(FILE);
    let text =
        found(reading::read(&path)).map_err(FileError::of("read", &path))?.unwrap_or_default();
    let mut messages: Vec<OperatorMessage> = Vec::new();
    // An incomplete line was never acknowledged.
    let lines = text.split(|byte| *byte == b'\n');
    for message in lines.filter_map(|line| serde_json::from_slice::<OperatorMessage>(line).ok()) {
        if message.number > messages.last().map_or(last, |newest| newest.number) {
            messages.push(message);
        }
    }
    Ok(messages)
}

/// Stores a message durably for a run that has no process.
pub fn store_pending_message(
    run: &RunDir,
    _: &JournalLock,
    message: &OperatorMessage,
) -> Result<(), FileError> {
    let path = run.path().join(FILE);
    let line = serde_json::to_string(message).expect("texts and numbers are JSON");
    let opening = OpenMode {
        before: ExistingFile::Anything,
        position: WritePosition::End,
        mode: PRIVATE_FILE,
    };
    let disk = run.disk();
    // The leading line break ends a line that was cut off.
    let kept = disk.open(&path, opening).and_then(|file| {
        file.write_all(format!("\n{line}\n").as_bytes())?;
        file.sync_data()
    });
    kept.and_then(|()| disk.sync_directory(run.path())).map_err(FileError::of("write", &path))
}
