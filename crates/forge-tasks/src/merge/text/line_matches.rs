//! Which lines of two texts are the same.

/// More differing lines than this are not searched for further matches, so that two unrelated
/// texts do not take quadratic memory.
const MAX_DIFFERENCES: usize = 2_000;

/// For each line of `old`, its place in `new` if it is still there. Places only increase.
///
/// This is the greedy algorithm of Myers between the common beginning and the common end.
pub(super) fn matches<T: PartialEq>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    let mut found = vec![None; old.len()];
    let start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let same_end = |(one, other): &(&T, &T)| one == other;
    let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same_end).count();
    for (at, place) in found.iter_mut().enumerate().take(start) {
        *place = Some(at);
    }
    for back in 1..=end {
        found[old.len() - back] = Some(new.len() - back);
    }
    let (old_inner, new_inner) =
        (&old_rest[..old_rest.len() - end], &new_rest[..new_rest.len() - end]);
    for (one, other) in inner_matches(old_inner, new_inner) {
        found[start + one] = Some(start + other);
    }
    found
}

/// The pairs of equal lines on a shortest way from one text to the other.
fn inner_matches<T: PartialEq>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    if old.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let limit = (old.len() + new.len()).min(MAX_DIFFERENCES);
    let mut furthest = vec![0_usize; 2 * limit + 3];
    let mut trace = Vec::new();
    for differences in 0..=limit {
        trace.push(furthest[limit - differences..=limit + differences + 2].to_vec());
        for step in 0..=differences {
            // The diagonal is `2 * step - differences`; `place` is its index.
            let place = limit + 1 + 2 * step - differences;
            let goes_down =
                step == 0 || (step != differences && furthest[place - 1] < furthest[place + 1]);
            let mut x = if goes_down { furthest[place + 1] } else { furthest[place - 1] + 1 };
            // y = x - diagonal, which is never negative on a way that was walked.
            let Some(mut y) = (x + differences).checked_sub(2 * step) else { continue };
            while x < old.len() && y < new.len() && old[x] == new[y] {
                x += 1;
                y += 1;
            }
            furthest[place] = x;
            if x >= old.len() && y >= new.len() {
                return walk_back(&trace, old.len(), new.len());
            }
        }
    }
    Vec::new()
}

/// Collects the matches from the end. `trace[d]` has the furthest places before step `d`, from the
/// diagonal `-d - 1` on.
fn walk_back(trace: &[Vec<usize>], old_end: usize, new_end: usize) -> Vec<(usize, usize)> {
    let (mut x, mut y) = (old_end, new_end);
    let mut pairs = Vec::new();
    for (differences, furthest) in trace.iter().enumerate().rev() {
        // The index of the diagonal x - y in this part of the trace.
        let place = x + differences + 1 - y;
        let is_lowest = place == 1;
        let is_highest = place == 2 * differences + 1;
        let goes_down = is_lowest || (!is_highest && furthest[place - 1] < furthest[place + 1]);
        let (before_x, before_y) = if differences == 0 {
            (0, 0)
        } else if goes_down {
            let before = furthest[place + 1];
            (before, before + y - x - 1)
        } else {
            let before = furthest[place - 1];
            (before, before + 1 + y - x)
        };
        let run_start = match (differences, goes_down) {
            (0, _) => 0,
            (_, true) => before_x,
            (_, false) => before_x + 1,
        };
        while x > run_start {
            x -= 1;
            y -= 1;
            pairs.push((x, y));
        }
        (x, y) = (before_x, before_y);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// The length of a longest common subsequence, from the definition.
    fn longest(old: &[u8], new: &[u8]) -> usize {
        let mut row = vec![0; new.len() + 1];
        for one in old {
            let mut diagonal = 0;
            for (at, other) in new.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if one == other { diagonal + 1 } else { above.max(row[at]) };
                diagonal = above;
            }
        }
        row[new.len()]
    }

    proptest! {
        #[test]
        fn as_many_lines_as_possible_are_matched_in_order(
            old in vec(0_u8..4, 0..20),
            new in vec(0_u8..4, 0..20),
        ) {
            let found = matches(&old, &new);
            let places: Vec<usize> = found.iter().flatten().copied().collect();
            prop_assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", found);
            for (at, place) in found.iter().enumerate() {
                prop_assert!(place.is_none_or(|place| old[at] == new[place]));
            }
            prop_assert_eq!(places.len(), longest(&old, &new));
        }
    }
}
