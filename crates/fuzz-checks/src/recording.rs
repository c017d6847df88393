//! Checks the reader of recordings.

use std::fs;

use forkhestra_store::recording::UnitRecording;

/// The line that separates the files of an input.
const SEPARATOR: &[u8] = b"\n====\n";

/// A recording is read or rejected. An input has the contents of `unit.json`, `timing.jsonl` and
/// `stdout`, separated by a line.
pub fn recording(data: &[u8]) {
    let directory = tempfile::tempdir().expect("there is room");
    let mut rest = data;
    for name in ["unit.json", "timing.jsonl", "stdout"] {
        let end = rest.windows(SEPARATOR.len()).position(|window| window == SEPARATOR);
        let (content, others) = match end {
            Some(end) => (&rest[..end], &rest[end + SEPARATOR.len()..]),
            None => (rest, &rest[rest.len()..]),
        };
        fs::write(directory.path().join(name), content).expect("there is room");
        rest = others;
    }
    let Ok(unit) = UnitRecording::open(directory.path()) else {
        return;
    };
    let Ok(chunks) = unit.chunks() else {
        return;
    };
    // A damaged recording ends with an error.
    let read: usize = chunks.map_while(Result::ok).map(|chunk| chunk.bytes.len()).sum();
    assert!(read <= data.len(), "more is read than was recorded");
}
