//! The beginning of a list item: `- [ ] #1 `.

use std::ops::Range;

use super::line_form::BLANKS;

/// Which items are criteria.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CriterionGrammar {
    /// Between markers: those with a box.
    Boxed,
    /// Without markers: all of them.
    Any,
}

/// The beginning of a list item. All offsets are those of its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListItemHead {
    /// Where the bullet is: `-`, or `1.`.
    pub(super) bullet: Range<usize>,
    /// Whether the bullet is a number.
    pub(super) is_ordered: bool,
    /// The box, if it has one.
    pub(super) tick: Option<Checkbox>,
    /// The number after the box, if it has one.
    pub(super) number: Option<CriterionNumber>,
    /// Where the text begins.
    pub(super) text: usize,
}

/// The content of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Checkbox {
    pub(super) at: usize,
    pub(super) is_checked: bool,
}

/// The number of a criterion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CriterionNumber {
    /// Where its digits are.
    pub(super) digits: Range<usize>,
    pub(super) value: u32,
}

impl ListItemHead {
    /// Parses the beginning of a line; `None` if it is not such an item.
    pub(super) fn read(line: &str, grammar: CriterionGrammar) -> Option<Self> {
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
    pub(super) fn indent(&self) -> usize {
        self.bullet.start
    }

    /// Whether the box is checked. An item without a box is not.
    pub(super) fn is_checked(&self) -> bool {
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
