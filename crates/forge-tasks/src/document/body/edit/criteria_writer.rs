//! Writing criteria.

use crate::document::Newline;
use crate::document::body::body_layout::BodyLayout;
use crate::document::body::body_lines::BodyLine;
use crate::document::body::criterion_list::{self, CriterionGrammar, CriterionList, ListItemHead};
use crate::document::body::edit::body_edit::{CriteriaEdits, SectionTextEdit};
use crate::document::body::edit::section_writer;
use crate::document::body::escape::{EscapeStrength, escape};
use crate::document::body::{BodySection, Criterion, TaskBody};
use crate::document::splice::{self, Splice};

const BEGIN: &str = "<!-- AC:BEGIN -->";
const END: &str = "<!-- AC:END -->";

/// The criteria after the edits.
pub(crate) fn criteria_after(body: &TaskBody, edits: &CriteriaEdits) -> Vec<Criterion> {
    let old: Vec<u32> = body.criteria.iter().map(|criterion| criterion.index).collect();
    let numbers = CriterionNumbers::of(&old, edits.added.len());
    let kept = body.criteria.iter().zip(&numbers.old).filter_map(|(criterion, &index)| {
        let checked = edits.checked.get(&criterion.index).copied().unwrap_or(criterion.checked);
        let stays = !edits.removed.contains(&criterion.index);
        stays.then(|| Criterion { index, checked, ..criterion.clone() })
    });
    let added = edits.added.iter().cloned().zip(numbers.next..);
    let added = added.map(|(text, index)| Criterion { index, text, checked: false });
    kept.chain(added).collect()
}

/// Applies the edits. A list without markers gets them, and criteria without a valid number get
/// one.
pub(crate) fn write_criteria(
    text: &str,
    newline: Newline,
    edits: &CriteriaEdits,
    strength: EscapeStrength,
) -> String {
    let layout = BodyLayout::of(text);
    let list = CriterionList::of(&layout);
    let numbers = CriterionNumbers::of(&list.numbers, edits.added.len());
    let writer = CriteriaWriter { layout: &layout, newline, edits, strength, next: numbers.next };
    let splices = match (list.items.is_empty(), layout.blocks.last()) {
        (true, None) => vec![writer.new_block()],
        (true, Some(block)) => {
            let old = layout.lines.trimmed(block.clone());
            let last = if old.is_empty() { block.start } else { old.end } - 1;
            vec![writer.insert_behind(last, &writer.added(0))]
        }
        (false, _) => writer.rewrite(&list, &numbers.old),
    };
    splice::apply(text, &splices).expect("every criterion has lines of its own")
}

/// The numbers that criteria get.
struct CriterionNumbers {
    /// Those of the ones there are.
    old: Vec<u32>,
    /// That of the first new one.
    next: u32,
}

impl CriterionNumbers {
    fn of(old: &[u32], added: usize) -> Self {
        let highest = old.iter().max().copied().unwrap_or_default();
        let added = u32::try_from(added).unwrap_or(u32::MAX);
        if added == 0 || highest < u32::MAX - added {
            return Self { old: old.to_vec(), next: highest.saturating_add(1) };
        }
        // No number is left after the highest: the file has a very high one. Count from 1.
        let old: Vec<u32> = (1..).take(old.len()).collect();
        Self { next: old.last().map_or(1, |last| last + 1), old }
    }
}

struct CriteriaWriter<'a> {
    layout: &'a BodyLayout<'a>,
    newline: Newline,
    edits: &'a CriteriaEdits,
    strength: EscapeStrength,
    next: u32,
}

impl CriteriaWriter<'_> {
    /// Puts the first block where it belongs.
    fn new_block(&self) -> Splice {
        let writer = section_writer::SectionWriter {
            layout: self.layout,
            newline: self.newline,
            section: BodySection::Criteria,
        };
        writer.write(&SectionTextEdit::Append(format!("{BEGIN}\n{}{END}", self.added(0))))
    }

    /// The new criteria, line by line.
    fn added(&self, indent: usize) -> String {
        let added = self.edits.added.iter().zip(self.next..);
        added
            .map(|(text, number)| render_criterion(text, number, indent, self.strength) + "\n")
            .collect()
    }

    /// Inserts lines after a line.
    fn insert_behind(&self, line: usize, added: &str) -> Splice {
        let lines = &self.layout.lines;
        let newline = self.newline.as_str();
        let end = if lines.is_terminated(line) { "" } else { newline };
        Splice::insert(lines.line(line).next, format!("{end}{}", added.replace('\n', newline)))
    }

    /// Rewrites the existing criteria, and appends the new ones.
    fn rewrite(&self, list: &CriterionList, numbers: &[u32]) -> Vec<Splice> {
        let lines = &self.layout.lines;
        let mut splices = Vec::new();
        let is_marked = list.grammar == CriterionGrammar::Boxed;
        if let (false, Some(first)) = (is_marked, list.items.first()) {
            let begin = format!("{BEGIN}{}", self.newline.as_str());
            splices.push(Splice::insert(lines.start(first.lines.start), begin));
        }
        for ((item, called), &number) in list.items.iter().zip(&list.numbers).zip(numbers) {
            if self.edits.removed.contains(called) {
                let range = lines.start(item.lines.start)..lines.start(item.lines.end);
                splices.push(Splice::remove(range));
            } else {
                let is_checked = item.head.is_checked();
                let checked = self.edits.checked.get(called).copied().unwrap_or(is_checked);
                let line = lines.line(item.lines.start);
                splices.extend(rewrite_criterion(&item.head, line, number, checked));
            }
        }
        splices.extend(self.tail(list, if is_marked { "" } else { END }));
        splices
    }

    /// The text after the last criterion.
    fn tail(&self, list: &CriterionList, end: &str) -> Option<Splice> {
        let (last, called) = list.items.last().zip(list.numbers.last())?;
        let mut added = self.added(last.head.indent());
        if !end.is_empty() {
            added.push_str(end);
            added.push('\n');
        }
        if added.is_empty() {
            return None;
        }
        let mut splice = self.insert_behind(last.lines.end - 1, &added);
        if self.edits.removed.contains(called) {
            // The line that lacks its newline is gone.
            splice.new = added.replace('\n', self.newline.as_str());
        }
        Some(splice)
    }
}

/// The lines of a new criterion, with line feeds between them.
pub(crate) fn render_criterion(
    text: &str,
    number: u32,
    indent: usize,
    strength: EscapeStrength,
) -> String {
    let mut written = format!("{}- [ ] #{number}", " ".repeat(indent));
    if !text.is_empty() {
        written.push(' ');
        written.push_str(&criterion_list::split_lines(text, indent + 2).join("\n"));
    }
    escape(&written, strength)
}

/// Gives a criterion its number and checks its box, and changes nothing that is so already.
pub(crate) fn rewrite_criterion(
    head: &ListItemHead,
    line: BodyLine,
    number: u32,
    checked: bool,
) -> Vec<Splice> {
    let at = |offset: usize| line.start + offset;
    let sign = if checked { "x" } else { " " };
    let mut splices = Vec::new();
    if head.is_ordered {
        splices.push(Splice::replace(at(head.bullet.start)..at(head.bullet.end), "-"));
    }
    if let Some(tick) = head.tick
        && tick.is_checked != checked
    {
        splices.push(Splice::replace(at(tick.at)..at(tick.at + 1), sign));
    }
    match &head.number {
        Some(old) if old.value == number => {}
        Some(old) => {
            let digits = at(old.digits.start)..at(old.digits.end);
            splices.push(Splice::replace(digits, number.to_string()));
        }
        None => {
            let tick = if head.tick.is_some() { String::new() } else { format!("[{sign}] ") };
            let is_empty = at(head.text) == line.end;
            let touches_box = head.tick.is_some_and(|tick| tick.at + 2 == head.text);
            let before = if touches_box { " " } else { "" };
            let behind = if is_empty { "" } else { " " };
            let new = format!("{before}{tick}#{number}{behind}");
            splices.push(Splice::insert(at(head.text), new));
        }
    }
    splices
}
