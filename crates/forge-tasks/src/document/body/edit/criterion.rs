//! Writing one criterion.

use super::super::continuation;
use super::super::escape::{EscapeStrength, escape};
use super::super::item::ListItemHead;
use super::super::lines::BodyLine;
use super::splice::Splice;

/// The lines of a new criterion, with line feeds between them.
pub(super) fn render(text: &str, number: u32, indent: usize, strength: EscapeStrength) -> String {
    let mut written = format!("{}- [ ] #{number}", " ".repeat(indent));
    if !text.is_empty() {
        written.push(' ');
        written.push_str(&continuation::split(text, indent + 2).join("\n"));
    }
    escape(&written, strength)
}

/// Gives a criterion its number and checks its box, and changes nothing that is so already.
pub(super) fn rewrite(
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
