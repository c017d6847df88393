//! How something changed from iteration to iteration, in one row.

/// From the least to the most.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A letter for each value, as high as it is in comparison with the highest.
pub(crate) fn sparkline(values: &[u64]) -> String {
    let most = values.iter().copied().max().unwrap_or(0).max(1);
    let level = |value: &u64| {
        let scaled = u128::from(*value) * (LEVELS.len() as u128 - 1);
        let index = (scaled + u128::from(most) / 2) / u128::from(most);
        LEVELS[usize::try_from(index).unwrap_or(LEVELS.len() - 1)]
    };
    values.iter().map(level).collect()
}

/// What stands for a level where there is nothing but ASCII.
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
