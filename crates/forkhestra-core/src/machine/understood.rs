//! What agents tell whose stream is understood.

use super::clock::Now;
use super::driver::{Machine, Phase};
use super::life::Stage;
use crate::event::{
    Activity, Completion, Ending, EventKind, Heard, IterationReport, Outcome, Refusal, Sighting,
    Verdict,
};
use crate::id::UnitId;
use crate::policy::is_idle_talk;

impl Machine {
    /// The stream says that the agent is through. It should go soon.
    pub(super) fn concluded(&mut self, now: Now, sighting: Option<Sighting>) {
        let until = self.clock.elapsed(now) + self.patience.after_result;
        let Phase::Working(unit) = &mut self.phase else { return };
        unit.conclude(until);
        if unit.life.ending.is_none() {
            self.take_last_word(now, sighting);
        }
    }

    /// The stream goes on, so whatever was said before was not the last word.
    pub(super) fn went_on(&mut self, now: Now) {
        let Phase::Working(unit) = &mut self.phase else { return };
        unit.go_on();
        unit.take_marker_back();
        self.enforce_cost(now);
    }

    /// What the last message says about the work takes the place of what earlier ones said.
    pub(super) fn take_last_word(&mut self, now: Now, sighting: Option<Sighting>) {
        let Phase::Working(unit) = &mut self.phase else { return };
        let loops = self.state.plan.steps[unit.id.step - 1].iterations.is_some();
        let is_cancelled = unit.life.ending == Some(Ending::Cancelled);
        if !loops || is_cancelled || unit.request == Some(Completion::File) {
            return;
        }
        unit.request = sighting.map(Completion::Marker);
        if unit.request == unit.told {
            return;
        }
        if let Some(by) = unit.request.clone() {
            unit.told = Some(by.clone());
            let unit = unit.id;
            self.emit(now, EventKind::CompletionRequested { unit, by });
        }
    }

    /// The stream says that nothing will come of it.
    pub(super) fn futile(&mut self, now: Now, outcome: Outcome) {
        let Phase::Working(unit) = &mut self.phase else { return };
        unit.futile.get_or_insert(outcome);
        if unit.life.stage == Stage::Running {
            self.end_agent(now, Ending::Futile);
        }
    }

    /// What was heard from the agent at work. Why we ended it is known better by us than by what its
    /// stream says after that.
    pub(super) fn heard_of(&mut self, heard: Option<Heard>) -> Option<Heard> {
        let Phase::Working(unit) = &mut self.phase else { return heard };
        match unit.futile.take() {
            Some(outcome) => {
                let activity = heard.map_or_else(Activity::default, |heard| heard.activity);
                Some(Heard { outcome, activity })
            }
            None => heard,
        }
    }

    /// Doubts an agent that says that everything is done without having done anything.
    pub(super) fn doubt(
        &mut self,
        now: Now,
        step: usize,
        report: IterationReport,
    ) -> IterationReport {
        let heard = report.heard.as_ref();
        let requires_work = self.plan(step).require_work;
        let changed = self.state.steps[step - 1].novelty.is_change(report.sight.tree.as_ref());
        let by_marker = matches!(report.verdict, Verdict::Complete(Completion::Marker(_)));
        if !by_marker || !is_idle_talk(heard, changed) {
            return report;
        }
        let did = match heard {
            Some(_) => "used no tool and changed nothing",
            None if requires_work => "changed nothing",
            None => return report,
        };
        let message = format!("the agent claims completion, but it {did}");
        self.emit(now, EventKind::Warning { message });
        if requires_work {
            IterationReport { verdict: Verdict::Refused(Refusal::NoWork), ..report }
        } else {
            report
        }
    }

    /// Tells of a work tree that is again what it was before.
    pub(super) fn report_sameness(&mut self, now: Now, unit: UnitId, report: &IterationReport) {
        let mut novelty = self.state.steps[unit.step - 1].novelty.clone();
        if !report.has_outcome() {
            return;
        }
        novelty.observe(&report.sight, unit.iteration);
        let message = match novelty.repeats() {
            None => return,
            Some(0) => "the work tree is again what it was before the first iteration".to_owned(),
            Some(earlier) => {
                format!("the work tree is again what it was after iteration {earlier}")
            }
        };
        self.emit(now, EventKind::Warning { message });
    }
}
