//! Results of checks, and whether they allow a landing.

use std::collections::{BTreeMap, BTreeSet};

/// The result of one check on one commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LandingCheckOutcome {
    /// It passed.
    Green,
    /// It failed.
    Red,
    /// It gave no verdict, for a reason that is not in the commit.
    NotRun,
}

/// The results of checks on one commit, by the number of the check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckResults(BTreeMap<usize, LandingCheckOutcome>);

/// Whether a commit may become the integration commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LandingVerdict {
    /// It turns no green check red.
    Acceptable,
    /// It turns these green checks red.
    Red(Vec<usize>),
    /// These checks gave no verdict, and none turned red.
    NotRun(Vec<usize>),
}

impl CheckResults {
    /// The result of a check.
    pub fn outcome(&self, check: usize) -> LandingCheckOutcome {
        self.0.get(&check).copied().unwrap_or(LandingCheckOutcome::NotRun)
    }

    /// Judges a commit with these results against those on the integration commit, if they are known. A
    /// check without a verdict there counts as green.
    pub fn verdict(&self, baseline: Option<&Self>, checks: &BTreeSet<usize>) -> LandingVerdict {
        let with =
            |outcome| checks.iter().copied().filter(move |check| self.outcome(*check) == outcome);
        let may_be_red = |check: &usize| {
            baseline.is_some_and(|baseline| baseline.outcome(*check) == LandingCheckOutcome::Red)
        };
        let red: Vec<usize> =
            with(LandingCheckOutcome::Red).filter(|check| !may_be_red(check)).collect();
        let not_run: Vec<usize> = with(LandingCheckOutcome::NotRun).collect();
        if !red.is_empty() {
            LandingVerdict::Red(red)
        } else if not_run.is_empty() {
            LandingVerdict::Acceptable
        } else {
            LandingVerdict::NotRun(not_run)
        }
    }
}

impl FromIterator<(usize, LandingCheckOutcome)> for CheckResults {
    fn from_iter<I: IntoIterator<Item = (usize, LandingCheckOutcome)>>(results: I) -> Self {
        Self(results.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(letters: &str) -> CheckResults {
        let outcome = |letter| match letter {
            'g' => Some(LandingCheckOutcome::Green),
            'r' => Some(LandingCheckOutcome::Red),
            '-' => Some(LandingCheckOutcome::NotRun),
            _ => None,
        };
        let known = (1..).zip(letters.chars());
        known.filter_map(|(check, letter)| Some((check, outcome(letter)?))).collect()
    }

    #[test]
    fn a_landing_may_make_no_green_check_red() {
        let red = |checks: &[usize]| LandingVerdict::Red(checks.to_vec());
        let not_run = |checks: &[usize]| LandingVerdict::NotRun(checks.to_vec());
        let table = [
            ("gg", "gg", LandingVerdict::Acceptable),
            ("gg", "gr", red(&[2])),
            ("gg", "rr", red(&[1, 2])),
            ("gr", "gr", LandingVerdict::Acceptable),
            ("gr", "rr", red(&[1])),
            ("rr", "gg", LandingVerdict::Acceptable),
            // Without a verdict in the baseline, a check counts as green.
            ("", "gg", LandingVerdict::Acceptable),
            ("", "gr", red(&[2])),
            ("?r", "rr", red(&[1])),
            ("-r", "rr", red(&[1])),
            // A check that could not run is neither green nor red.
            ("gg", "g-", not_run(&[2])),
            ("gg", "g", not_run(&[2])),
            ("gg", "", not_run(&[1, 2])),
            ("rr", "r-", not_run(&[2])),
            // One red check decides, whether or not the others ran.
            ("gg", "r-", red(&[1])),
            ("gg", "r", red(&[1])),
            // Checks of other steps are not asked for.
            ("ggg", "ggr", LandingVerdict::Acceptable),
        ];
        for (baseline, result, expected) in table {
            let baseline = Some(results(baseline));
            let verdict = results(result).verdict(baseline.as_ref(), &BTreeSet::from([1, 2]));
            assert_eq!(verdict, expected, "{baseline:?} {result}");
        }
    }
}
