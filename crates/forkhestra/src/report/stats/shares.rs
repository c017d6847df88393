//! Rounds parts of a whole so that the rounded parts add up.

/// Distributes `total` in proportion to `parts`, which add up to `whole`: each part is rounded down,
/// and those with the largest remainders get one more.
pub(super) fn rounded(parts: &[u64], whole: u64, total: u64) -> Vec<u64> {
    if whole == 0 {
        return vec![0; parts.len()];
    }
    let product = |part: u64| u128::from(part) * u128::from(total);
    let whole = u128::from(whole);
    let mut shares: Vec<u64> = parts
        .iter()
        .map(|part| u64::try_from(product(*part) / whole).unwrap_or(u64::MAX))
        .collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(product(parts[*index]) % whole));
    let missing = total.saturating_sub(shares.iter().sum());
    for index in order.into_iter().take(usize::try_from(missing).unwrap_or(usize::MAX)) {
        shares[index] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parts_are_rounded_to_the_nearest_as_far_as_they_add_up() {
        assert_eq!(rounded(&[1, 1, 1], 3, 100), [34, 33, 33]);
        assert_eq!(rounded(&[996, 4], 1000, 100), [100, 0]);
        assert_eq!(rounded(&[0, 0], 0, 100), [0, 0]);
        assert_eq!(rounded(&[], 0, 100), [0; 0]);
    }

    proptest! {
        #[test]
        fn rounded_parts_add_up(parts in prop::collection::vec(0..1_000_000_u64, 1..8), total in 1..10_000_u64) {
            let whole: u64 = parts.iter().sum();
            prop_assume!(whole > 0);
            prop_assert_eq!(rounded(&parts, whole, total).iter().sum::<u64>(), total);
        }
    }
}
