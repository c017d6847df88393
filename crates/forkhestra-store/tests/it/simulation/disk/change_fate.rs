//! What a power failure leaves of a change that was not synced.

use super::disk_history::DiskChange;

/// What a power failure leaves of one change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeFate {
    Kept,
    Lost,
    /// Of written bytes: only the length of the file, extended with zeros.
    Length,
    /// Of written bytes: this number of the first.
    First(usize),
    /// Of written bytes: this number of the last.
    Last(usize),
}

/// How many fates are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FateCoverage {
    /// Each change alone is kept, lost and torn in many ways, and there are random combinations.
    Full,
    /// Each change alone is lost, and each is the last that is kept.
    Brief,
}

/// The number of random combinations for each power failure.
const MADE_UP: usize = 12;

/// Combinations of fates for these changes.
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

/// Changes one fate.
fn but(mut fates: Vec<ChangeFate>, index: usize, fate: ChangeFate) -> Vec<ChangeFate> {
    fates[index] = fate;
    fates
}

/// All changes before `index` are kept, and all after it lost.
fn up_to(count: usize, index: usize, fate: ChangeFate) -> Vec<ChangeFate> {
    let mut fates = vec![ChangeFate::Lost; count];
    fates[..index].fill(ChangeFate::Kept);
    but(fates, index, fate)
}

/// The ways in which a change can survive in part.
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

/// Pseudo-random numbers from a seed.
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
