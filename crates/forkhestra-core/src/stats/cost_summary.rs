//! Mean, median and 90th percentile of costs.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::cost::{Cost, Dollars, Spend};

/// Mean, median and 90th percentile of the costs of tasks, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostSummary {
    /// The sum divided by the number of samples.
    #[serde(serialize_with = "as_dollars")]
    #[schemars(with = "f64")]
    pub mean: Dollars,
    /// The middle sample; of two middle samples their mean.
    #[serde(serialize_with = "as_dollars")]
    #[schemars(with = "f64")]
    pub median: Dollars,
    /// The least sample that nine tenths of all samples do not exceed.
    #[serde(serialize_with = "as_dollars")]
    #[schemars(with = "f64")]
    pub p90: Dollars,
    /// The number of tasks whose cost is known, at least in part.
    pub samples: usize,
    /// Whether a part of the cost has no known price, so that the true figures are higher.
    pub at_least: bool,
}

impl CostSummary {
    /// Summarises costs; none if none is known.
    pub(super) fn of(spends: impl Iterator<Item = Option<Spend>>) -> Option<Self> {
        let known: Vec<Spend> = spends.filter_map(known_cost).collect();
        let mut costs: Vec<u64> = known.iter().map(|spend| spend.dollars.nanos()).collect();
        costs.sort_unstable();
        let samples = costs.len();
        let sum: u128 = costs.iter().map(|nanos| u128::from(*nanos)).sum();
        let mean = u64::try_from(sum.checked_div(samples as u128)?).unwrap_or(u64::MAX);
        Some(Self {
            mean: Dollars::from_nanos(mean),
            median: Dollars::from_nanos(median(&costs)?),
            p90: Dollars::from_nanos(costs[(samples * 9).div_ceil(10) - 1]),
            samples,
            at_least: known.iter().any(|spend| spend.unpriced),
        })
    }
}

/// A spend with a known cost, at least in part.
pub(super) fn known_cost(spend: Option<Spend>) -> Option<Spend> {
    spend.filter(|spend| spend.cost() != Cost::Unknown)
}

/// The middle of sorted numbers; of two middle numbers their mean, rounded down. None without
/// numbers.
pub(super) fn median(sorted: &[u64]) -> Option<u64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(lower + (upper - lower) / 2)
}

/// An amount as a JSON number in dollars.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(super) fn as_dollars<S: Serializer>(
    dollars: &Dollars,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(dollars.to_dollars())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_median_and_percentile_are_exact() {
        let spend = |nanos| Spend { dollars: Dollars::from_nanos(nanos), ..Spend::default() };
        let summary = |costs: &[u64]| {
            let known = CostSummary::of(costs.iter().map(|cost| Some(spend(*cost))))?;
            Some((known.mean.nanos(), known.median.nanos(), known.p90.nanos(), known.samples))
        };
        assert_eq!(summary(&[]), None);
        assert_eq!(summary(&[7]), Some((7, 7, 7, 1)));
        assert_eq!(summary(&[9, 2]), Some((5, 5, 9, 2)));
        assert_eq!(summary(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 100]), Some((14, 5, 9, 10)));
        assert_eq!(summary(&[u64::MAX, u64::MAX]), Some((u64::MAX, u64::MAX, u64::MAX, 2)));
    }

    #[test]
    fn unknown_costs_are_no_samples_and_unpriced_ones_are_lower_bounds() {
        let unpriced =
            Spend { unpriced: true, dollars: Dollars::from_nanos(4), ..Spend::default() };
        let unknown = Spend { unpriced: true, ..Spend::default() };
        let known = CostSummary::of([None, Some(unpriced), Some(unknown)].into_iter())
            .expect("one is known");
        assert_eq!((known.samples, known.mean.nanos(), known.at_least), (1, 4, true));
        assert_eq!(CostSummary::of([Some(unknown)].into_iter()), None);
        assert_eq!(CostSummary::of([None, None].into_iter()), None);
    }
}
