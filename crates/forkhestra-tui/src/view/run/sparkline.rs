//! Sparklines of cost and tokens.

use forkhestra_core::cost::Dollars;
use forkhestra_core::history::RunHistory;

use crate::theme::{ACCENT, PLAIN};
use crate::view::labels;
use crate::view::screen_row::ScreenRow;

/// From lowest to highest.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A character for each value, relative to the maximum.
pub(crate) fn sparkline(values: &[u64]) -> String {
    let max = values.iter().copied().max().unwrap_or(0).max(1);
    let level = |value: &u64| {
        let scaled = u128::from(*value) * (LEVELS.len() as u128 - 1);
        let index = (scaled + u128::from(max) / 2) / u128::from(max);
        LEVELS[usize::try_from(index).unwrap_or(LEVELS.len() - 1)]
    };
    values.iter().map(level).collect()
}

/// Sparklines of cost and tokens of the last iterations; empty if unknown or constant.
pub(crate) fn rows(history: &RunHistory, columns: usize) -> Vec<ScreenRow> {
    const LABELS_WIDTH: usize = 44;
    let room = columns.saturating_sub(LABELS_WIDTH).clamp(8, 120);
    let spent =
        history.attempts().rev().filter_map(|record| record.report.spend.as_ref()).take(room);
    let mut last: Vec<(u64, u64)> =
        spent.map(|spend| (spend.dollars.nanos(), spend.tokens.total())).collect();
    last.reverse();
    let (costs, tokens): (Vec<u64>, Vec<u64>) = last.into_iter().unzip();
    let dollars = |nanos| Dollars::from_nanos(nanos).to_string();
    [row("cost", &costs, dollars), row("tokens", &tokens, labels::tokens)]
        .into_iter()
        .flatten()
        .collect()
}

fn row(name: &str, values: &[u64], format_value: impl Fn(u64) -> String) -> Option<ScreenRow> {
    let (min, max) = (values.iter().copied().min()?, values.iter().copied().max()?);
    (min < max).then(|| {
        ScreenRow::new()
            .add(PLAIN, format!("  {name:<11}"))
            .add(ACCENT, sparkline(values))
            .add(PLAIN, format!(" {} to {}", format_value(min), format_value(max)))
    })
}

/// ASCII replacement for a level.
pub(crate) const fn in_ascii(level: char) -> Option<&'static str> {
    Some(match level {
        '▁' => "_",
        '▂' => ".",
        '▃' => ":",
        '▄' => "-",
        '▅' => "=",
        '▆' => "+",
        '▇' => "*",
        '█' => "#",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_value_is_the_highest_letter() {
        assert_eq!(sparkline(&[0, 1, 2, 4, 8]), "▁▂▃▅█");
        assert_eq!(sparkline(&[u64::MAX, 0]), "█▁");
        assert_eq!(sparkline(&[0, 0]), "▁▁");
        assert_eq!(sparkline(&[]), "");
    }
}
