//! The lanes of the current stage while they run. All of this is lost in a crash: the state of the
//! run has what is needed to begin it again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::landing_checks::CheckedCommit;
use crate::event::{LandingRefusalKind, LaneWork, StepEnd};
use crate::id::{LaneNumber, UnitId};
use crate::machine::machine_phase::MachinePhase;
use crate::machine::state_machine::Machine;
use crate::policy::MergeQueue;

/// The machines of a stage with lanes, and what its merge queue does.
#[derive(Debug, Clone, Default)]
pub(in crate::machine) struct RunningLanes {
    /// The machine of each lane that was opened, by the position of the lane.
    pub(super) machines: Vec<LaneSlot>,
    /// The machine that runs landing checks, while they run.
    pub(super) checker: Option<Box<Machine>>,
    /// When the checker needs a tick, in the caller's awake time.
    pub(super) checker_due: Option<Duration>,
    /// The commit that is checked, or is about to be.
    pub(super) checked: Option<CheckedCommit>,
    /// The merge queue, once the results on the integration ref are known.
    pub(super) queue: Option<MergeQueue>,
    /// Lanes whose work is being fetched.
    pub(super) fetching: BTreeSet<LaneNumber>,
    /// Why entries of the last batch could not be merged, and with which iterations.
    pub(super) conflicts: BTreeMap<UnitId, (LandingRefusalKind, Vec<UnitId>)>,
    /// Whether the user's work tree is being brought forward.
    pub(super) is_forwarding: bool,
    /// Whether an attempt to bring it forward at the end of the stage has failed.
    pub(super) cannot_forward: bool,
    /// Whether an agent has spent more since the cost limits were enforced in all lanes.
    pub(super) has_spent: bool,
    /// Lanes of skipped steps whose work was fetched, so that it is parked.
    pub(super) collected: BTreeSet<LaneNumber>,
    /// Lanes of best of N whose work is fetched to be compared.
    pub(super) expected: BTreeSet<LaneNumber>,
    /// The work of lanes of best of N that are complete, as far as it was fetched.
    pub(super) attempts: BTreeMap<LaneNumber, (UnitId, Option<LaneWork>)>,
    /// The end of the stage that no lane can avert, such as checks that cannot run.
    pub(super) end: Option<StepEnd>,
}

/// The place of a lane.
#[derive(Debug, Clone)]
pub(super) enum LaneSlot {
    /// Its directory is being made.
    Opening,
    /// Its directory cannot be made.
    Failed(String),
    Open {
        machine: Box<Machine>,
        /// When it needs a tick, in the caller's awake time.
        due: Option<Duration>,
    },
}

impl RunningLanes {
    pub(super) fn opening(lanes: usize) -> Self {
        Self { machines: vec![LaneSlot::Opening; lanes], ..Self::default() }
    }

    /// The lanes that were opened.
    pub(super) fn open_lanes(&self) -> Vec<LaneNumber> {
        let slots = self.machines.iter().enumerate();
        let open = slots.filter(|(_, slot)| matches!(slot, LaneSlot::Open { .. }));
        open.filter_map(|(index, _)| LaneNumber::from_index(index)).collect()
    }

    /// The machine of a lane, if the lane was opened.
    pub(super) fn machine(&self, number: LaneNumber) -> Option<&Machine> {
        match self.machines.get(number.index()) {
            Some(LaneSlot::Open { machine, .. }) => Some(machine),
            _ => None,
        }
    }

    /// The numbers of the iterations that other lanes of the same step prepare.
    pub(super) fn reserved_besides(&self, number: LaneNumber) -> BTreeSet<u32> {
        let role = |machine: &Machine| machine.role.lane().cloned();
        let Some(own) = self.machine(number).and_then(role) else { return BTreeSet::new() };
        let others = self.machines().filter_map(role);
        let others = others.filter(|of| of.number != number && of.shared_step == own.shared_step);
        others.filter_map(|of| of.reserved).collect()
    }

    /// Notes for the lanes that poll the task database that another one takes a task.
    pub(super) fn note_taken_task(&mut self) {
        let open = self.machines.iter_mut().filter_map(|slot| match slot {
            LaneSlot::Open { machine, .. } => Some(machine),
            _ => None,
        });
        let polling =
            open.filter(|machine| matches!(machine.phase, MachinePhase::PollingTasks { .. }));
        polling
            .filter_map(|machine| machine.role.lane_mut())
            .for_each(|role| role.tasks_taken += 1);
    }

    /// The machines of the lanes that were opened.
    pub(in crate::machine) fn machines(&self) -> impl Iterator<Item = &Machine> {
        self.machines.iter().filter_map(|slot| match slot {
            LaneSlot::Open { machine, .. } => Some(&**machine),
            _ => None,
        })
    }

    /// When the next machine needs a tick.
    pub(in crate::machine) fn due(&self) -> Option<Duration> {
        let lanes = self.machines.iter().filter_map(|slot| match slot {
            LaneSlot::Open { due, .. } => *due,
            _ => None,
        });
        lanes.chain(self.checker_due).min()
    }

    /// Whether no lane was opened yet.
    pub(in crate::machine) fn is_empty(&self) -> bool {
        self.machines().next().is_none()
    }

    /// Whether the directory of a lane is still being made.
    pub(super) fn is_opening(&self) -> bool {
        self.machines.iter().any(|slot| matches!(slot, LaneSlot::Opening))
    }

    /// Why a lane could not be made.
    pub(super) fn failure(&self) -> Option<&str> {
        self.machines.iter().find_map(|slot| match slot {
            LaneSlot::Failed(why) => Some(why.as_str()),
            _ => None,
        })
    }
}
