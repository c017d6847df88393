//! The criteria of a body: which lines they have, their numbers and their texts.
//!
//! The further lines of a criterion are indented below its first one. Reading removes the indentation
//! that all of them have in common, however far an editor has indented them. A text whose further
//! lines are all indented themselves gets a backslash in front of the first of those, so that its
//! indentation is not taken for that of the list.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::document::body::body_layout::BodyLayout;
use crate::document::body::body_lines::{self, BLANKS, BodyLines, Kind};
use crate::document::body::{BodySection, escape};

/// The criteria of a body.
#[derive(Debug)]
pub(crate) struct CriterionList {
    pub(crate) items: Vec<CriterionItem>,
    /// The number of each criterion.
    pub(crate) numbers: Vec<u32>,
    pub(crate) grammar: CriterionGrammar,
}

/// A criterion.
#[derive(Debug)]
pub(crate) struct CriterionItem {
    pub(crate) head: ListItemHead,
    pub(crate) lines: Range<usize>,
}

impl CriterionList {
    /// Finds the criteria: those between markers or, without markers, those of the section.
    pub(crate) fn of(layout: &BodyLayout<'_>) -> Self {
        let mut items = Vec::new();
        for block in &layout.blocks {
            find(&layout.lines, block.clone(), CriterionGrammar::Boxed, &mut items);
        }
        let mut grammar = CriterionGrammar::Boxed;
        if layout.blocks.is_empty()
            && let Some(place) = layout.section(BodySection::Criteria)
        {
            grammar = CriterionGrammar::Any;
            find(&layout.lines, place.text.clone(), grammar, &mut items);
        }
        let numbers = numbers(&items);
        Self { items, numbers, grammar }
    }
}

impl CriterionItem {
    /// The text of the criterion.
    pub(crate) fn text(&self, lines: &BodyLines<'_>) -> String {
        let first = escape::read_line(lines, self.lines.start);
        let rest: Vec<_> =
            (self.lines.start + 1..self.lines.end).map(|at| escape::read_line(lines, at)).collect();
        join_lines(&first[self.head.text..], &rest)
    }

    /// Whether a line with this indentation, which is not an item itself, continues this one.
    ///
    /// Bullets are at one of two levels, so that a line belongs to the same criterion whichever
    /// other one is removed.
    fn continues_with(&self, indentation: usize) -> bool {
        indentation > if self.is_deep() { 2 } else { 0 }
    }

    fn is_deep(&self) -> bool {
        is_deep(&self.head)
    }
}

fn is_deep(head: &ListItemHead) -> bool {
    head.indent() >= 2
}

fn find(
    lines: &BodyLines<'_>,
    range: Range<usize>,
    grammar: CriterionGrammar,
    items: &mut Vec<CriterionItem>,
) {
    // Whether the last item may continue. One of an earlier block may not.
    let mut is_open = false;
    for at in range {
        let line = lines.content(at);
        let kind = lines.kind(at);
        let last = items.last_mut().filter(|_| is_open);
        if kind == Kind::Inside {
            // Fenced code is one with the line that opens it.
            if let Some(last) = last {
                last.lines.end = at + 1;
            }
            continue;
        }
        if body_lines::is_blank(line) {
            continue;
        }
        let head = if kind == Kind::Text { ListItemHead::read(line, grammar) } else { None };
        let nested =
            |head: &ListItemHead| is_deep(head) && last.as_ref().is_some_and(|it| !it.is_deep());
        if let Some(head) = head.filter(|head| !nested(head)) {
            items.push(CriterionItem { head, lines: at..at + 1 });
            is_open = true;
        } else if let Some(last) = last
            && last.continues_with(body_lines::indentation(line))
        {
            last.lines.end = at + 1;
        } else {
            is_open = false;
        }
    }
}

/// A written number counts, unless an earlier item has the same. All others get the next ones after
/// the highest, in order.
fn numbers(items: &[CriterionItem]) -> Vec<u32> {
    let mut seen = HashSet::new();
    let written: Vec<Option<u32>> = items
        .iter()
        .map(|item| item.head.number.as_ref().map(|number| number.value))
        .map(|number| number.filter(|value| seen.insert(*value)))
        .collect();
    let highest = seen.iter().max().copied().unwrap_or_default();
    let missing = u32::try_from(items.len() - seen.len()).unwrap_or(u32::MAX);
    if highest.checked_add(missing).is_none() {
        // No number is left after the highest: the file has a very high one. Count from 1.
        return (1..).take(items.len()).collect();
    }
    let mut last = highest;
    let mut next = || {
        last += 1;
        last
    };
    written.into_iter().map(|number| number.unwrap_or_else(&mut next)).collect()
}

/// Which items are criteria.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CriterionGrammar {
    /// Between markers: those with a box.
    Boxed,
    /// Without markers: all of them.
    Any,
}

/// The beginning of a list item. All offsets are those of its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListItemHead {
    /// Where the bullet is: `-`, or `1.`.
    pub(crate) bullet: Range<usize>,
    /// Whether the bullet is a number.
    pub(crate) is_ordered: bool,
    /// The box, if it has one.
    pub(crate) tick: Option<Checkbox>,
    /// The number after the box, if it has one.
    pub(crate) number: Option<CriterionNumber>,
    /// Where the text begins.
    pub(crate) text: usize,
}

/// The content of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Checkbox {
    pub(crate) at: usize,
    pub(crate) is_checked: bool,
}

/// The number of a criterion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CriterionNumber {
    /// Where its digits are.
    pub(crate) digits: Range<usize>,
    pub(crate) value: u32,
}

impl ListItemHead {
    /// Parses the beginning of a line; `None` if it is not such an item.
    pub(crate) fn read(line: &str, grammar: CriterionGrammar) -> Option<Self> {
        let start = line.len() - line.trim_start_matches(' ').len();
        let (length, is_ordered) = bullet(&line[start..])?;
        let bullet = start..start + length;
        let mut head =
            Self { text: gap(line, bullet.end)?, bullet, is_ordered, tick: None, number: None };
        if let Some((tick, behind)) = tick(line, head.text) {
            head.tick = Some(tick);
            head.text = behind;
            if let Some((number, behind)) = number(line, head.text) {
                head.number = Some(number);
                head.text = behind;
            }
        }
        let counts = match grammar {
            CriterionGrammar::Boxed => !is_ordered && head.tick.is_some(),
            CriterionGrammar::Any => {
                head.tick.is_some() || (head.text < line.len() && !is_break(line))
            }
        };
        (start <= 3 && counts).then_some(head)
    }

    /// How far the bullet is indented.
    pub(crate) fn indent(&self) -> usize {
        self.bullet.start
    }

    /// Whether the box is checked. An item without a box is not.
    pub(crate) fn is_checked(&self) -> bool {
        self.tick.is_some_and(|tick| tick.is_checked)
    }
}

/// The length of a bullet, and whether it is a number.
fn bullet(rest: &str) -> Option<(usize, bool)> {
    if rest.starts_with(['-', '*', '+']) {
        return Some((1, false));
    }
    let behind = rest.trim_start_matches(|char: char| char.is_ascii_digit());
    let digits = rest.len() - behind.len();
    let is_number = (1..=9).contains(&digits) && behind.starts_with(['.', ')']);
    is_number.then_some((digits + 1, true))
}

/// The end of the required blanks, unless the line ends there.
fn gap(line: &str, at: usize) -> Option<usize> {
    let rest = &line[at..];
    let behind = rest.trim_start_matches(BLANKS);
    (rest.is_empty() || behind.len() < rest.len()).then(|| line.len() - behind.len())
}

fn tick(line: &str, at: usize) -> Option<(Checkbox, usize)> {
    let is_checked = match line.as_bytes().get(at..at + 3)? {
        b"[ ]" => false,
        b"[x]" | b"[X]" => true,
        _ => return None,
    };
    Some((Checkbox { at: at + 1, is_checked }, gap(line, at + 3)?))
}

fn number(line: &str, at: usize) -> Option<(CriterionNumber, usize)> {
    let rest = line[at..].strip_prefix('#')?;
    let length = rest.len() - rest.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    let value = rest[..length].parse().ok()?;
    let digits = at + 1..at + 1 + length;
    let behind = gap(line, digits.end)?;
    Some((CriterionNumber { digits, value }, behind))
}

/// Whether a line is a thematic break such as `* * *`.
fn is_break(line: &str) -> bool {
    let signs = line.chars().filter(|char| !BLANKS.contains(char));
    let sign = line.trim_start_matches(' ').chars().next();
    sign.is_some_and(|sign| matches!(sign, '-' | '*'))
        && signs.clone().count() >= 3
        && signs.clone().all(|char| Some(char) == sign)
}

/// Joins the text of a criterion from the text after its bullet and its further lines.
pub(crate) fn join_lines(first: &str, further: &[Cow<'_, str>]) -> String {
    let common = common_indentation(further.iter().map(AsRef::as_ref)).len();
    let mut text = first.to_owned();
    for line in further {
        let blanks = line.len() - line.trim_start_matches(BLANKS).len();
        text.push('\n');
        text.push_str(unmarked(&line[common.min(blanks)..]));
    }
    trimmed(&text).to_owned()
}

/// Splits the text of a criterion into its lines and indents the further ones.
pub(crate) fn split_lines(text: &str, indentation: usize) -> Vec<String> {
    let indentation = " ".repeat(indentation);
    let further: Vec<&str> = text.split('\n').skip(1).collect();
    let first_to_mark = if common_indentation(further.iter().copied()).is_empty() {
        None
    } else {
        further.iter().position(|line| !body_lines::is_blank(line))
    };
    let mut lines: Vec<String> = text.split('\n').take(1).map(ToOwned::to_owned).collect();
    lines.extend(further.iter().enumerate().map(|(at, line)| {
        if line.is_empty() {
            String::new()
        } else if first_to_mark == Some(at) || is_marked(line) {
            format!("{indentation}\\{line}")
        } else {
            format!("{indentation}{line}")
        }
    }));
    lines
}

/// The text of a criterion without blanks and newlines around it.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n'])
}

/// The blanks that all lines begin with, blank ones aside.
fn common_indentation<'a>(lines: impl Iterator<Item = &'a str>) -> &'a str {
    let blanks = |line: &'a str| &line[..line.len() - line.trim_start_matches(BLANKS).len()];
    lines
        .filter(|line| !body_lines::is_blank(line))
        .map(blanks)
        .reduce(common_start)
        .unwrap_or_default()
}

fn common_start<'a>(a: &'a str, b: &str) -> &'a str {
    let length = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    &a[..length]
}

/// Whether a line begins with backslashes and a blank.
fn is_marked(line: &str) -> bool {
    line.starts_with('\\') && line.trim_start_matches('\\').starts_with(BLANKS)
}

fn unmarked(line: &str) -> &str {
    if is_marked(line) { &line[1..] } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, grammar: CriterionGrammar) -> Option<(bool, Option<u32>, &str)> {
        let head = ListItemHead::read(line, grammar)?;
        let number = head.number.as_ref().map(|number| number.value);
        Some((head.is_checked(), number, &line[head.text..]))
    }

    #[test]
    fn a_criterion_has_a_box_and_perhaps_a_number() {
        for (line, expected) in [
            ("- [ ] #1 a b", Some((false, Some(1), "a b"))),
            ("* [x] #02  a", Some((true, Some(2), "a"))),
            ("+ [X] a", Some((true, None, "a"))),
            ("   -\t[ ]\ta", Some((false, None, "a"))),
            ("- [ ] #1", Some((false, Some(1), ""))),
            ("- [ ]", Some((false, None, ""))),
            ("- [ ] #1a", Some((false, None, "#1a"))),
            ("- [ ] #99999999999 a", Some((false, None, "#99999999999 a"))),
            ("- [ ] # a", Some((false, None, "# a"))),
            ("    - [ ] a", None),
            ("- [ ]a", None),
            ("-[ ] a", None),
            ("- [y] a", None),
            ("- [x](a)", None),
            ("- [é] a", None),
            ("- a", None),
            ("1. [ ] a", None),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(read(line, CriterionGrammar::Boxed), expected, "{line:?}");
        }
    }

    #[test]
    fn without_markers_any_item_is_a_criterion() {
        for (line, expected) in [
            ("- [x] #3 a", Some((true, Some(3), "a"))),
            ("- a", Some((false, None, "a"))),
            ("- #3 a", Some((false, None, "#3 a"))),
            ("- [x](a)", Some((false, None, "[x](a)"))),
            ("1. a", Some((false, None, "a"))),
            ("12)  [x] a", Some((true, None, "a"))),
            ("1.a", None),
            ("1234567890. a", None),
            ("-", None),
            ("- ", None),
            ("---", None),
            ("- - -", None),
            (" *  * *", None),
            ("- -", Some((false, None, "-"))),
        ] {
            assert_eq!(read(line, CriterionGrammar::Any), expected, "{line:?}");
        }
    }
}

#[cfg(test)]
mod continuation_tests {
    use super::*;

    fn joined(first: &str, further: &[&str]) -> String {
        join_lines(first, &further.iter().map(|line| Cow::Borrowed(*line)).collect::<Vec<_>>())
    }

    #[test]
    fn the_common_indentation_goes_and_the_rest_stays() {
        assert_eq!(joined("a", &["      b", "        c", "", "      d"]), "a\nb\n  c\n\nd");
        assert_eq!(joined("a", &["\tb", "\t c"]), "a\nb\n c");
        assert_eq!(joined("a", &["\tb", "  c"]), "a\n\tb\n  c");
        assert_eq!(joined("", &["  b"]), "b");
        assert_eq!(joined("a ", &[]), "a");
    }

    #[test]
    fn further_lines_are_indented_and_read_back() {
        for (text, lines) in [
            ("a", vec!["a"]),
            ("a\nb\n\n  c", vec!["a", "  b", "", "    c"]),
            ("a\n  b\n  c", vec!["a", "  \\  b", "    c"]),
            ("a\n \n\tb", vec!["a", "   ", "  \\\tb"]),
            ("a\n\\ b\n c", vec!["a", "  \\\\ b", "   c"]),
        ] {
            assert_eq!(split_lines(text, 2), lines, "{text:?}");
            assert_eq!(joined(lines[0], &lines[1..]), text);
        }
    }
}
