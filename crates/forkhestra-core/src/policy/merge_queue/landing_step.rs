//! What comes next for a merged chain: a landing, a check or a refusal.

use super::LandingVerdict;

/// What comes next for a merged chain. Numbers count entries from its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LandingStep {
    /// These many can land.
    Land(usize),
    /// The tip of these many is checked.
    Check(usize),
    /// The first one turns these checks red.
    RefuseFirst(Vec<usize>),
}

impl LandingStep {
    /// Decides by the known verdict on each tip of a chain. The chain up to its first red tip is halved
    /// until the red entry is alone; what is green lands at once.
    pub(super) fn next(verdicts: &[Option<LandingVerdict>]) -> Self {
        let red_checks = |(index, verdict): (usize, &Option<LandingVerdict>)| match verdict {
            Some(LandingVerdict::Red(checks)) => Some((index, checks.clone())),
            _ => None,
        };
        let first_red = verdicts.iter().enumerate().find_map(red_checks);
        let end = first_red.as_ref().map_or(verdicts.len(), |(index, _)| *index);
        let is_green = |verdict: &Option<_>| *verdict == Some(LandingVerdict::Acceptable);
        if let Some(green) = verdicts[..end].iter().rposition(is_green) {
            return Self::Land(green + 1);
        }
        match first_red {
            None => Self::Check(verdicts.len()),
            Some((0, checks)) => Self::RefuseFirst(checks),
            Some((index, _)) => Self::Check((index + 1).div_ceil(2)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_red_chain_is_halved_and_a_green_one_lands() {
        let table = [
            ("?", LandingStep::Check(1)),
            ("????", LandingStep::Check(4)),
            ("g", LandingStep::Land(1)),
            ("???g", LandingStep::Land(4)),
            ("r", LandingStep::RefuseFirst(vec![1])),
            ("?r", LandingStep::Check(1)),
            ("gr", LandingStep::Land(1)),
            ("rs", LandingStep::RefuseFirst(vec![1])),
            ("????r", LandingStep::Check(3)),
            ("??r?r", LandingStep::Check(2)),
            ("?gr?r", LandingStep::Land(2)),
            ("n?g?r", LandingStep::Land(3)),
            ("nn", LandingStep::Check(2)),
            ("?g??r", LandingStep::Land(2)),
            ("s??g", LandingStep::RefuseFirst(vec![2])),
        ];
        for (letters, expected) in table {
            let state = |letter| match letter {
                'g' => Some(LandingVerdict::Acceptable),
                'r' => Some(LandingVerdict::Red(vec![1])),
                's' => Some(LandingVerdict::Red(vec![2])),
                'n' => Some(LandingVerdict::NotRun(vec![1])),
                _ => None,
            };
            let verdicts: Vec<Option<LandingVerdict>> = letters.chars().map(state).collect();
            assert_eq!(LandingStep::next(&verdicts), expected, "{letters}");
        }
    }
}
