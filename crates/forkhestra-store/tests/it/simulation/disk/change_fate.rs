//! What becomes of a change that nobody made to last.

use super::disk_history::DiskChange;

/// What a power failure leaves of one change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeFate {
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
pub(crate) enum FateCoverage {
    /// Each change alone is kept, lost and torn in many ways, and some fates are made up at random.
    Full,
    /// Each change alone is lost, and each is the last that is kept.
    Brief,
}

/// How many fates are made up for each power failure.
const MADE_UP: usize = 12;

/// Fates for all of these changes, in many combinations.
pub(crate) fn fates(
    changes: &[&DiskChange],
    thoroughness: FateCoverage,
    chance: &mut SimulatedRandom,
) -> Vec<Vec<ChangeFate>> {
    let count = changes.len();
    let all = |fate| vec![fate; count];
    let mut tried = vec![all(ChangeFate::Kept)];
    for index in 0..count {
        tried.push(but(all(ChangeFate::Kept), index, ChangeFate::Lost));
        tried.push(up_to(count, index, ChangeFate::Lost));
    }
    if thoroughness == FateCoverage::Brief {
        return tried;
    }
    for (index, change) in changes.iter().enumerate() {
        tried.push(but(all(ChangeFate::Lost), index, ChangeFate::Kept));
        for fate in torn(change) {
            tried.push(but(all(ChangeFate::Kept), index, fate));
            tried.push(up_to(count, index, fate));
        }
    }
    tried.extend((0..MADE_UP).map(|_| changes.iter().map(|change| chance.fate(change)).collect()));
    tried
}

/// All alike but one.
fn but(mut fates: Vec<ChangeFate>, index: usize, fate: ChangeFate) -> Vec<ChangeFate> {
    fates[index] = fate;
    fates
}

/// Everything before one is kept, and everything behind it lost.
fn up_to(count: usize, index: usize, fate: ChangeFate) -> Vec<ChangeFate> {
    let mut fates = vec![ChangeFate::Lost; count];
    fates[..index].fill(ChangeFate::Kept);
    but(fates, index, fate)
}

/// The ways in which a change can be there in part.
fn torn(change: &DiskChange) -> Vec<ChangeFate> {
    let DiskChange::Written { bytes, .. } = change else { return Vec::new() };
    let length = bytes.len();
    let mut sizes = vec![1, length / 2, length.saturating_sub(1)];
    sizes.dedup();
    let parts = sizes.into_iter().filter(|size| (1..length).contains(size));
    parts
        .flat_map(|size| [ChangeFate::First(size), ChangeFate::Last(size)])
        .chain([ChangeFate::Length])
        .collect()
}

/// Numbers that look random, and are the same whenever they begin with the same seed.
#[derive(Debug)]
pub(crate) struct SimulatedRandom(pub(crate) u64);

impl SimulatedRandom {
    fn fate(&mut self, change: &DiskChange) -> ChangeFate {
        let torn = torn(change);
        match self.below(3) {
            0 => ChangeFate::Lost,
            1 if !torn.is_empty() => torn[self.below(torn.len())],
            _ => ChangeFate::Kept,
        }
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits fit") % end
    }
}
