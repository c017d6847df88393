//! What becomes of a change that nobody made to last.

use super::history::Change;

/// What a power failure leaves of one change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// All of it.
    Kept,
    /// Nothing.
    Lost,
    /// Of written bytes: only that the file is so long. It is zeros where it was shorter.
    Length,
    /// Of written bytes: so many of the first.
    First(usize),
    /// Of written bytes: so many of the last.
    Last(usize),
}

/// How many fates are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thoroughness {
    /// Each change alone is kept, lost and torn in many ways, and some fates are made up at random.
    Full,
    /// Each change alone is lost, and each is the last that is kept.
    Brief,
}

/// How many fates are made up for each power failure.
const MADE_UP: usize = 12;

/// Fates for all of these changes, in many combinations.
pub(crate) fn fates(
    changes: &[&Change],
    thoroughness: Thoroughness,
    chance: &mut Chance,
) -> Vec<Vec<Fate>> {
    let count = changes.len();
    let all = |fate| vec![fate; count];
    let mut tried = vec![all(Fate::Kept)];
    for index in 0..count {
        tried.push(but(all(Fate::Kept), index, Fate::Lost));
        tried.push(up_to(count, index, Fate::Lost));
    }
    if thoroughness == Thoroughness::Brief {
        return tried;
    }
    for (index, change) in changes.iter().enumerate() {
        tried.push(but(all(Fate::Lost), index, Fate::Kept));
        for fate in torn(change) {
            tried.push(but(all(Fate::Kept), index, fate));
            tried.push(up_to(count, index, fate));
        }
    }
    tried.extend((0..MADE_UP).map(|_| changes.iter().map(|change| chance.fate(change)).collect()));
    tried
}

/// All alike but one.
fn but(mut fates: Vec<Fate>, index: usize, fate: Fate) -> Vec<Fate> {
    fates[index] = fate;
    fates
}

/// Everything before one is kept, and everything behind it lost.
fn up_to(count: usize, index: usize, fate: Fate) -> Vec<Fate> {
    let mut fates = vec![Fate::Lost; count];
    fates[..index].fill(Fate::Kept);
    but(fates, index, fate)
}

/// The ways in which a change can be there in part.
fn torn(change: &Change) -> Vec<Fate> {
    let Change::Written { bytes, .. } = change else { return Vec::new() };
    let length = bytes.len();
    let mut sizes = vec![1, length / 2, length.saturating_sub(1)];
    sizes.dedup();
    let parts = sizes.into_iter().filter(|size| (1..length).contains(size));
    parts.flat_map(|size| [Fate::First(size), Fate::Last(size)]).chain([Fate::Length]).collect()
}

/// Numbers that look random, and are the same whenever they begin with the same seed.
#[derive(Debug)]
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    fn fate(&mut self, change: &Change) -> Fate {
        let torn = torn(change);
        match self.below(3) {
            0 => Fate::Lost,
            1 if !torn.is_empty() => torn[self.below(torn.len())],
            _ => Fate::Kept,
        }
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits fit") % end
    }
}
