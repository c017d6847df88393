//! A model of the repository: the lanes, the integration ref and the user's work tree. A commit is
//! the set of units whose work it has, so that equal merges have equal names.

use std::collections::{BTreeMap, BTreeSet};

use super::lane_scripts::LaneScripts;
use crate::event::{LandingRefusalKind, LaneWork, PathList};
use crate::id::{CommitId, LaneNumber, UnitId};
use crate::machine::{ExpectedIntegration, LanesEffect, LanesInput, MergedWork, WorkToMerge};

/// The units whose work a commit has.
pub(in crate::machine::tests) type UnitSet = BTreeSet<UnitName>;

type UnitName = String;

/// A model of the repository.
#[derive(Debug, Clone, Default)]
pub(in crate::machine::tests) struct SimulatedRepository {
    pub(in crate::machine::tests) integration: Option<UnitSet>,
    /// Every commit that the integration ref has had.
    pub(in crate::machine::tests) moves: Vec<UnitSet>,
    pub(in crate::machine::tests) user: UnitSet,
    pub(in crate::machine::tests) lanes: BTreeMap<LaneNumber, SimulatedLane>,
    pub(in crate::machine::tests) checked_out: UnitSet,
    pub(in crate::machine::tests) parked: BTreeMap<u32, UnitSet>,
    /// How often the user's work tree was to be brought forward.
    pub(in crate::machine::tests) forwards: usize,
    pub(in crate::machine::tests) closed: usize,
    /// All units that agents have committed.
    pub(in crate::machine::tests) made: UnitSet,
}

/// The clone of a lane.
#[derive(Debug, Clone, Default)]
pub(in crate::machine::tests) struct SimulatedLane {
    pub(in crate::machine::tests) head: UnitSet,
    /// The commit of the integration ref that it was given last.
    pub(in crate::machine::tests) integration: Option<UnitSet>,
}

pub(in crate::machine::tests) fn commit(of: &UnitSet) -> CommitId {
    let names: Vec<&str> = of.iter().map(String::as_str).collect();
    CommitId::new(format!("<{}>", names.join(" ")))
}

pub(in crate::machine::tests) fn units_of(commit: &CommitId) -> UnitSet {
    let names = commit.as_str().trim_start_matches('<').trim_end_matches('>');
    names.split_whitespace().map(str::to_owned).collect()
}

impl SimulatedRepository {
    /// The number of units whose work has landed.
    pub(in crate::machine::tests) fn landed(&self) -> usize {
        self.integration.as_ref().map_or(0, BTreeSet::len)
    }

    /// Performs an effect. Its answer comes later, if it has one.
    pub(super) fn perform(
        &mut self,
        effect: LanesEffect,
        scripts: &LaneScripts,
    ) -> Option<LanesInput> {
        match effect {
            LanesEffect::BeginIntegration { expected, .. } => Some(self.begin(expected)),
            LanesEffect::OpenLane { lane, commit, .. } => {
                if let Some(why) = (scripts.lane_failure)(lane) {
                    return Some(LanesInput::LaneNotOpened { lane, why });
                }
                let is_new = !self.lanes.contains_key(&lane);
                let head = units_of(&commit);
                self.lanes.entry(lane).or_insert(SimulatedLane { head, integration: None });
                let path = format!("/lanes/{lane}");
                Some(LanesInput::LaneOpened { lane, path, is_new })
            }
            LanesEffect::AdvanceLane { lane, to, drops } => {
                let of_lane = self.lanes.get_mut(&lane).expect("the lane was opened");
                let target = units_of(&to);
                if drops || of_lane.head.is_subset(&target) {
                    of_lane.head.clone_from(&target);
                }
                of_lane.integration = Some(target);
                Some(LanesInput::LaneAdvanced { lane, to, failure: None })
            }
            LanesEffect::FetchWork { lane, unit } => {
                let work = match (scripts.fetch_failure)(unit) {
                    Some(why) => Err(why),
                    None => Ok(self.work_of(lane)),
                };
                Some(LanesInput::WorkFetched { lane, unit, work })
            }
            LanesEffect::MergeWork { onto, work } => {
                let results = Ok(merge(&onto, &work, scripts));
                Some(LanesInput::WorkMerged { onto, results })
            }
            LanesEffect::CheckOut { commit } => {
                self.checked_out = units_of(&commit);
                let failure = (scripts.check_out_failure)(&self.checked_out);
                Some(LanesInput::CheckedOut { commit, failure })
            }
            LanesEffect::MoveIntegration { from, to, .. } => Some(self.move_integration(&from, to)),
            LanesEffect::BringForward { to } => Some(self.bring_forward(to, scripts)),
            LanesEffect::ParkWork { number, commit, .. } => {
                let before = self.parked.insert(number, units_of(&commit));
                assert!(before.is_none_or(|before| before == units_of(&commit)), "{number} twice");
                None
            }
            LanesEffect::CloseLanes => {
                let integration = self.integration.clone().unwrap_or_default();
                self.lanes.retain(|_, lane| !lane.head.is_subset(&integration));
                self.closed += 1;
                None
            }
        }
    }

    fn begin(&mut self, expected: Option<ExpectedIntegration>) -> LanesInput {
        let Some(ExpectedIntegration { commit: recorded, before }) = expected else {
            self.integration = Some(self.user.clone());
            self.moves.push(self.user.clone());
            return LanesInput::IntegrationBegun { commit: commit(&self.user) };
        };
        let found = commit(&self.integration.clone().unwrap_or_default());
        if Some(&found) == before.as_ref() && found != recorded {
            self.integration = Some(units_of(&recorded));
            self.moves.push(units_of(&recorded));
        } else if found != recorded {
            return LanesInput::IntegrationFailed { why: format!("{found} is not {recorded}") };
        }
        LanesInput::IntegrationBegun { commit: recorded }
    }

    fn work_of(&self, lane: LaneNumber) -> Option<LaneWork> {
        let head = &self.lanes[&lane].head;
        let own: Vec<&String> = head.difference(self.integration.as_ref()?).collect();
        (!own.is_empty()).then(|| LaneWork {
            commit: commit(head),
            subject: "Do it".to_owned(),
            commits: u32::try_from(own.len()).unwrap_or(u32::MAX),
            added: 1,
            removed: 0,
            tasks: Vec::new(),
        })
    }

    fn move_integration(&mut self, from: &CommitId, to: CommitId) -> LanesInput {
        let found = self.integration.clone().unwrap_or_default();
        let failure =
            (found != units_of(from)).then(|| format!("{} was not expected", commit(&found)));
        if failure.is_none() {
            self.integration = Some(units_of(&to));
            self.moves.push(units_of(&to));
        }
        LanesInput::IntegrationMoved { to, failure }
    }

    fn bring_forward(&mut self, to: CommitId, scripts: &LaneScripts) -> LanesInput {
        self.forwards += 1;
        match (scripts.held)(self.forwards) {
            Some(why) => LanesInput::Held { to, why, paths: PathList::default() },
            None => {
                self.user.extend(units_of(&to));
                LanesInput::BroughtForward { to }
            }
        }
    }
}

fn merge(onto: &CommitId, work: &[WorkToMerge], scripts: &LaneScripts) -> Vec<MergedWork> {
    let mut tip = units_of(onto);
    let mut results = Vec::new();
    for WorkToMerge { work, .. } in work {
        let head = units_of(&work.commit);
        let against: Vec<String> = tip.difference(&head).cloned().collect();
        let own: Vec<String> = head.difference(&tip).cloned().collect();
        let conflicts = |other: &&String| own.iter().any(|own| (scripts.conflicts)(own, other));
        let with: Vec<UnitId> =
            against.iter().filter(conflicts).filter_map(|other| parse_unit(other)).collect();
        results.push(if own.is_empty() {
            MergedWork::AlreadyContained
        } else if with.is_empty() {
            tip.extend(own);
            MergedWork::Merged { commit: commit(&tip) }
        } else {
            let (why, paths) = (LandingRefusalKind::Conflict, vec!["a.txt".to_owned()]);
            MergedWork::Refused { why, paths, with }
        });
    }
    results
}

fn parse_unit(name: &str) -> Option<UnitId> {
    let numbers: Vec<u32> = name.split('.').filter_map(|part| part.parse().ok()).collect();
    match numbers[..] {
        [step, iteration, attempt] => Some(UnitId { step: step as usize, iteration, attempt }),
        _ => None,
    }
}
