//! The clean room of an inspection: its preparation and its failures.

use std::time::Duration;

use super::inspection::InspectionStage;
use crate::event::{AuxJob, CheckOutcome, CheckReport, ClaimRefusal, PathList, StepEnd};
use crate::id::UnitId;
use crate::machine::effect::Effect;
use crate::machine::input::CleanRoomFailure;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;

impl Machine {
    /// Takes the result of the clean room's preparation.
    pub(crate) fn room_prepared(
        &mut self,
        now: Now,
        of: UnitId,
        failure: Option<CleanRoomFailure>,
    ) {
        let MachinePhase::Inspecting(inspection) = &mut self.phase else { return };
        if inspection.unit != of || !matches!(inspection.stage, InspectionStage::Preparing { .. }) {
            return;
        }
        inspection.stage = InspectionStage::Idle;
        if self.cancelled.is_some() {
            self.defer_checks(now, StepEnd::Cancelled);
            return;
        }
        match failure {
            None => {}
            Some(CleanRoomFailure::Work(message)) => {
                self.room_is_unusable(now, no_room(message));
                return;
            }
            Some(CleanRoomFailure::ProtectedFiles(changed)) => {
                self.committed_change_found(now, changed);
                return;
            }
            Some(CleanRoomFailure::Machine(message)) => {
                self.end_step_without_room(now, message);
                return;
            }
        }
        let room = self.plan(of.step).clean_room.as_ref().map(|room| &room.value);
        match room.and_then(|room| Some((room.setup.as_ref()?, room.timeout))) {
            Some((_, timeout)) => self.begin_aux_job(now, AuxJob::Setup { unit: of }, timeout),
            None => self.check_next(now),
        }
    }

    /// Refuses a completion claim because the commit has protected files that the work tree does not
    /// show.
    fn committed_change_found(&mut self, now: Now, changed: PathList) {
        let MachinePhase::Inspecting(inspection) = &mut self.phase else { return };
        inspection.todo.clear();
        inspection.objection = Some(ClaimRefusal::ProtectedFiles);
        inspection.report.observation.protected = Some(changed);
        self.all_checked(now);
    }

    /// Ends the step without a further agent, since no agent can repair this cause. The work stays
    /// unchecked until the run is resumed.
    pub(super) fn end_step_without_room(&mut self, now: Now, why: String) {
        self.defer_checks(now, StepEnd::CannotCheck(why));
    }

    /// Fails the inspection: without a clean room no check can run.
    pub(super) fn room_is_unusable(&mut self, now: Now, report: CheckReport) {
        let MachinePhase::Inspecting(inspection) = &mut self.phase else { return };
        inspection.todo.clear();
        let unit = inspection.unit;
        self.note_result(now, unit, report);
        self.all_checked(now);
    }

    pub(super) fn clear_room(&mut self) {
        let MachinePhase::Inspecting(inspection) = &mut self.phase else { return };
        let unit = inspection.unit;
        if std::mem::take(&mut inspection.has_room) {
            self.effects.push(Effect::ClearCleanRoom { unit });
        }
    }
}

/// The check report for a clean room that could not be prepared.
fn no_room(message: String) -> CheckReport {
    CheckReport {
        name: "clean room".to_owned(),
        outcome: CheckOutcome::NotRun,
        message: Some(message),
        tail: None,
        duration: Duration::ZERO,
    }
}
