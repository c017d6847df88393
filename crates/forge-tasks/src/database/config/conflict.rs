//! What git leaves in `config.json` when two branches gave numbers.

use super::LAST_ID_NUMBER;
use super::edit::with_value;
use super::read::read;

const OURS: &str = "<<<<<<<";
const BASE: &str = "|||||||";
const BETWEEN: &str = "=======";
const THEIRS: &str = ">>>>>>>";

/// Whether a text holds a merge conflict.
pub(super) fn is_in(text: &str) -> bool {
    let has = |marker| text.lines().any(|line| line.starts_with(marker));
    has(OURS) && has(THEIRS)
}

/// Settles a merge conflict in `config.json`: if its sides differ only in the highest number that was
/// given, gives the text with the higher one. None if there is no conflict, or one for a person.
pub fn merged(text: &str) -> Option<String> {
    let (ours, theirs) = sides(text)?;
    let number = |side: &str| read(side).ok().map(|read| read.config.last_id_number);
    let highest = number(&ours)?.max(number(&theirs)?).to_string();
    let with_highest = |side: &str| with_value(side, LAST_ID_NUMBER, &highest).ok();
    let merged = with_highest(&ours)?;
    (with_highest(&theirs)? == merged).then_some(merged)
}

/// Where a line belongs.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Both,
    Ours,
    Base,
    Theirs,
}

/// The text as it was on either side; none if it holds no conflict, or one that does not end.
pub(super) fn sides(text: &str) -> Option<(String, String)> {
    if !is_in(text) {
        return None;
    }
    let (mut ours, mut theirs) = (String::new(), String::new());
    let mut part = Part::Both;
    for line in text.split_inclusive('\n') {
        match (next_part(line, part)?, part) {
            (next, now) if next != now => part = next,
            (Part::Both, _) => {
                ours.push_str(line);
                theirs.push_str(line);
            }
            (Part::Ours, _) => ours.push_str(line),
            (Part::Theirs, _) => theirs.push_str(line),
            (Part::Base, _) => {}
        }
    }
    (part == Part::Both).then_some((ours, theirs))
}

/// Where the lines behind this one belong; none if a marker is where none can be.
fn next_part(line: &str, now: Part) -> Option<Part> {
    let transitions = [
        (OURS, Part::Both, Part::Ours),
        (BASE, Part::Ours, Part::Base),
        (BETWEEN, Part::Ours, Part::Theirs),
        (BETWEEN, Part::Base, Part::Theirs),
        (THEIRS, Part::Theirs, Part::Both),
    ];
    let mut of_marker =
        transitions.iter().filter(|(marker, ..)| line.starts_with(marker)).peekable();
    if of_marker.peek().is_none() {
        return Some(now);
    }
    of_marker.find(|(_, from, _)| *from == now).map(|(.., to)| *to)
}
