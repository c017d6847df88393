//! All that can be read of a damaged journal.

use std::collections::BTreeSet;
use std::str;

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::machine::Readable;

use super::found_line::FoundLine;
use super::report::DroppedLine;
use crate::format::{DecodeError, Version, decode_line};

/// A damaged number must not make us believe in any number of lost lines.
const MOST_LOST: u64 = 100_000;

/// All that can be read of a damaged journal, in the order in which it was written.
#[derive(Debug, Default)]
pub(super) struct FoundLines<'a> {
    /// The newest version of the format that was used, also in lines that we cannot read.
    pub(super) format: Option<Version>,
    pub(super) lines: Vec<FoundLine<'a>>,
    /// Lines that cannot be read, or are there already.
    pub(super) dropped: Vec<DroppedLine>,
    seen: BTreeSet<(u64, &'a str)>,
}

impl<'a> FoundLines<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Self {
        let mut found = Self::default();
        let lines = bytes.split(|byte| *byte == b'\n');
        for (number, line) in (1..).zip(lines) {
            found.take(number, line);
        }
        // What comes after the last line break is nothing, unless the file was cut off.
        if bytes.last().is_none_or(|last| *last == b'\n') {
            found.dropped.pop_if(|dropped| dropped.is_empty);
        }
        found.begin_with_the_plan();
        found.put_in_order();
        found
    }

    fn take(&mut self, number: u64, bytes: &'a [u8]) {
        let read = str::from_utf8(bytes).map_err(|_| DecodeError::NotText);
        match read.and_then(|raw| Ok((raw, decode_line(raw)?))) {
            Ok((raw, line)) => {
                self.format = self.format.max(line.format);
                let line = FoundLine::new(number, line, raw);
                if self.seen.insert((line.seq, raw)) {
                    self.lines.push(line);
                } else {
                    self.dropped.push(DroppedLine::misplaced(&line, "it is there already"));
                }
            }
            Err(why) => {
                if let DecodeError::NewerFormat { found } = why {
                    self.format = self.format.max(Some(found));
                }
                self.dropped.push(DroppedLine::unreadable(number, bytes, &why));
            }
        }
    }

    /// Whatever stands in front of the first event does not belong to the run.
    fn begin_with_the_plan(&mut self) {
        let is_first = |line: &FoundLine<'_>| {
            let kind = line.event.as_ref().map(|event| &event.kind);
            line.format.is_some() && matches!(kind, Some(EventKind::RunStarted { .. }))
        };
        let first = self.lines.iter().position(is_first).unwrap_or(self.lines.len());
        let before = self.lines.drain(..first);
        self.dropped
            .extend(before.map(|line| DroppedLine::misplaced(&line, "the run had not begun")));
        if let Some(first) = self.lines.first_mut() {
            first.seq = 0;
        }
    }

    /// Lines stand where their numbers say. A number that fits neither of its neighbours is wrong.
    fn put_in_order(&mut self) {
        for index in 1..self.lines.len() {
            let before = self.lines[index - 1].seq;
            let after = self.lines.get(index + 1).map(|line| line.seq);
            let seq = &mut self.lines[index].seq;
            if after.is_some_and(|after| before < after && !(before < *seq && *seq < after)) {
                *seq = before + 1;
            }
        }
        if let [_, rest @ ..] = &mut self.lines[..] {
            rest.sort_by_key(|line| line.seq);
        }
    }

    /// The lines whose events we know.
    pub(super) fn known(&self) -> impl Iterator<Item = (&FoundLine<'a>, &Event)> {
        self.lines.iter().filter_map(|line| Some((line, line.event.as_ref()?)))
    }

    /// What is given to the mender: the known lines, and how many are lost before each.
    pub(super) fn readable(&self) -> Vec<Readable> {
        let mut readable = Vec::new();
        let (mut next, mut lost) = (0, 0);
        for line in &self.lines {
            lost += line.seq.saturating_sub(next);
            next = line.seq.max(next) + 1;
            if let Some(event) = &line.event {
                let lost_before = usize::try_from(lost.min(MOST_LOST)).unwrap_or(usize::MAX);
                readable.push(Readable { event: event.clone(), lost_before });
                lost = 0;
            }
        }
        readable
    }

    /// How many lines that were there once are not even there as damaged ones.
    pub(super) fn vanished(&self) -> u64 {
        let lost: usize = self.readable().iter().map(|readable| readable.lost_before).sum();
        let unreadable = self.dropped.iter().filter(|dropped| dropped.event.is_none()).count();
        lost.saturating_sub(unreadable) as u64
    }
}
