//! Pseudo-random numbers from a seed.

/// The splitmix64 generator.
#[derive(Debug, Clone)]
pub(in crate::chaos) struct Random(u64);

/// The increment of the state; odd, so that every state occurs.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// The generator of one round, independent of those of other rounds.
    pub(in crate::chaos) fn for_round(seed: u64, round: u64) -> Self {
        let mut of_seed = Self(seed);
        let begin = of_seed.next();
        Self(Self(begin ^ round.wrapping_mul(STEP)).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in this range, both ends included.
    pub(in crate::chaos) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// `true` with this probability in percent.
    pub(in crate::chaos) fn percent(&mut self, chance: u64) -> bool {
        self.between(0, 99) < chance
    }

    pub(in crate::chaos) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        let last = from.len() as u64 - 1;
        let index = usize::try_from(self.between(0, last)).expect("it is below a length");
        from[index].clone()
    }

    /// One of these items, chosen by weight.
    pub(in crate::chaos) fn weighted<T: Clone>(&mut self, from: &[(u64, T)]) -> T {
        let all: u64 = from.iter().map(|(weight, _)| weight).sum();
        let mut left = self.between(0, all - 1);
        for (weight, one) in from {
            if left < *weight {
                return one.clone();
            }
            left -= weight;
        }
        unreachable!("the weights were added up")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_the_same_every_time_and_no_other() {
        let first = |seed, round| Random::for_round(seed, round).next();
        assert_eq!(first(4, 7), first(4, 7));
        assert_ne!(first(4, 7), first(4, 8));
        assert_ne!(first(4, 7), first(5, 7));
        // Published numbers of this generator, so that seeds stay valid.
        let mut random = Random(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn everything_that_can_be_chosen_is_chosen_and_nothing_else() {
        let mut random = Random::for_round(1, 1);
        let mut seen = [0_u32; 3];
        for _ in 0..1000 {
            seen[random.weighted(&[(1, 0), (0, 1), (9, 2)])] += 1;
            assert!((3..=5).contains(&random.between(3, 5)));
        }
        assert_eq!(seen[1], 0);
        assert!(seen[0] > 50 && seen[0] < 200, "{seen:?}");
    }
}
