//! The text by which users name a snapshot: an iteration or a snapshot number.

use std::fmt;

/// Names a snapshot of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotAddress {
    /// `7`: after iteration 7 of the only step that has one. `0` is the state before the run.
    Iteration(u32),
    /// `2.7`: after iteration 7 of step 2. `2.0` is the state before step 2.
    StepIteration { step: usize, iteration: u32 },
    /// `@12`: the snapshot with this number.
    Number(u32),
}

/// Two snapshots to compare, such as `2..5`. A missing end is the first or the last snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotRange {
    pub from: Option<SnapshotAddress>,
    pub to: Option<SnapshotAddress>,
}

/// Why a text names no snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotAddressParseError {
    #[error(
        "is no snapshot: name an iteration (`7`, or `2.7` in step 2), or a snapshot number (`@12`)"
    )]
    NotAnAddress,
    #[error("is no snapshot: steps are counted from 1")]
    StepZero,
    #[error("is no range of snapshots: write `2..5`, `..5` or `2..`")]
    NotARange,
}

impl SnapshotAddress {
    /// Parses an address.
    pub fn parse(text: &str) -> Result<Self, SnapshotAddressParseError> {
        let number = |digits: &str| {
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let parsed = is_number.then(|| digits.parse::<u32>().ok()).flatten();
            parsed.ok_or(SnapshotAddressParseError::NotAnAddress)
        };
        if let Some(digits) = text.strip_prefix('@') {
            return Ok(Self::Number(number(digits)?));
        }
        let Some((step, iteration)) = text.split_once('.') else {
            return Ok(Self::Iteration(number(text)?));
        };
        let step = usize::try_from(number(step)?).unwrap_or(usize::MAX);
        match step {
            0 => Err(SnapshotAddressParseError::StepZero),
            step => Ok(Self::StepIteration { step, iteration: number(iteration)? }),
        }
    }
}

impl SnapshotRange {
    /// Parses a range.
    pub fn parse(text: &str) -> Result<Self, SnapshotAddressParseError> {
        let (from, to) = text.split_once("..").ok_or(SnapshotAddressParseError::NotARange)?;
        let end = |text: &str| match text {
            "" => Ok(None),
            text => SnapshotAddress::parse(text).map(Some),
        };
        Ok(Self { from: end(from)?, to: end(to)? })
    }
}

impl fmt::Display for SnapshotAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iteration(iteration) => write!(f, "{iteration}"),
            Self::StepIteration { step, iteration } => write!(f, "{step}.{iteration}"),
            Self::Number(number) => write!(f, "@{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_an_iteration_or_a_snapshot() {
        let step_iteration = |step, iteration| SnapshotAddress::StepIteration { step, iteration };
        for (text, expected) in [
            ("0", SnapshotAddress::Iteration(0)),
            ("7", SnapshotAddress::Iteration(7)),
            ("2.7", step_iteration(2, 7)),
            ("1.0", step_iteration(1, 0)),
            ("@0", SnapshotAddress::Number(0)),
            ("@12", SnapshotAddress::Number(12)),
        ] {
            assert_eq!(SnapshotAddress::parse(text), Ok(expected), "{text}");
            assert_eq!(expected.to_string(), text);
        }
    }

    #[test]
    fn other_texts_are_no_addresses() {
        for text in
            ["", "x", "-1", "+1", "1.", ".1", "1.2.3", "@", "@x", "@-1", "1,2", "99999999999"]
        {
            let expected = Err(SnapshotAddressParseError::NotAnAddress);
            assert_eq!(SnapshotAddress::parse(text), expected, "{text}");
        }
        assert_eq!(SnapshotAddress::parse("0.3"), Err(SnapshotAddressParseError::StepZero));
    }

    #[test]
    fn a_range_may_lack_one_or_both_ends() {
        let range = |from, to| Ok(SnapshotRange { from, to });
        let iteration = |number| Some(SnapshotAddress::Iteration(number));
        let step = Some(SnapshotAddress::StepIteration { step: 2, iteration: 1 });
        for (text, expected) in [
            ("2..5", range(iteration(2), iteration(5))),
            ("..5", range(None, iteration(5))),
            ("2..", range(iteration(2), None)),
            ("..", range(None, None)),
            ("2.1..@9", range(step, Some(SnapshotAddress::Number(9)))),
            ("2.1...3", Err(SnapshotAddressParseError::NotAnAddress)),
            ("2", Err(SnapshotAddressParseError::NotARange)),
            ("2..x", Err(SnapshotAddressParseError::NotAnAddress)),
        ] {
            assert_eq!(SnapshotRange::parse(text), expected, "{text}");
        }
    }
}
