//! Passing inputs to the machines of lanes and to that of landing checks, and their effects on.

use std::collections::BTreeSet;

use super::lanes_effect::Workplace;
use super::machine_role::{LaneRole, MachineRole};
use super::running_lanes::{LaneSlot, RunningLanes};
use crate::event::Event;
use crate::event::EventKind;
use crate::id::LaneNumber;
use crate::machine::effect::Effect;
use crate::machine::input::Input;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;

impl Machine {
    /// The machine of a lane over the state that the run has of it.
    pub(super) fn machine_of_lane(&self, number: LaneNumber, path: String) -> Option<Self> {
        let lanes = self.state.lanes.as_deref()?;
        let lane = lanes.lane(number)?;
        let role = LaneRole {
            number,
            shared_step: lane.shared_step,
            settled: lane.settled,
            queued: lane.queued.as_ref().map(|(unit, _)| *unit),
            is_held: false,
            integration: lanes.integration.clone(),
            advanced_to: None,
            drops_work: lane.parked.is_some(),
            is_recorded: lane.path.as_ref() == Some(&path),
            path,
            reserved: None,
            reserved_elsewhere: BTreeSet::new(),
            after_landing: None,
            has_refused_work: lane.refused.is_some(),
            takes_task: false,
            tasks_taken: 0,
        };
        Some(self.child(MachineRole::Lane(Box::new(role)), lane.progress.clone()))
    }

    /// The machine of landing checks over the state of the run.
    pub(super) fn machine_of_checks(&self) -> Self {
        self.child(MachineRole::MergeQueue, self.state.clone())
    }

    /// Passes an input to the place that it concerns.
    pub(in crate::machine) fn handle_at(&mut self, now: Now, place: Workplace, input: Input) {
        match place {
            Workplace::Lane(number) => {
                self.with_lane(number, |machine| machine.dispatch(now, input));
            }
            Workplace::MergeQueue => self.with_checker(|machine| machine.dispatch(now, input)),
        }
    }

    /// Lets the machine of a lane act on the state of that lane, and passes its effects on.
    pub(super) fn with_lane(&mut self, number: LaneNumber, act: impl FnOnce(&mut Self)) {
        let Some(mut running) = self.running_lanes.take() else { return };
        let mut effects = Vec::new();
        let reserved = running.reserved_besides(number);
        if let Some(LaneSlot::Open { machine, due }) = running.machines.get_mut(number.index())
            && let Some(lanes) = self.state.lanes.as_mut()
            && let (integration, Some(lane)) = (lanes.integration.clone(), lanes.lane_mut(number))
        {
            std::mem::swap(&mut machine.state, &mut lane.progress);
            machine.follow(&self.clock, self.cancelled, self.ends_at_once, self.cancelled_again);
            machine.pausing.by_operator = self.pausing.by_operator;
            if let Some(role) = machine.role.lane_mut() {
                role.integration = integration;
                role.reserved_elsewhere = reserved;
                role.has_refused_work = lane.refused.is_some();
                role.queued = lane.queued.as_ref().map(|(unit, _)| *unit);
            }
            act(machine);
            *due = machine.deadline();
            effects = std::mem::take(&mut machine.effects);
            std::mem::swap(&mut machine.state, &mut lane.progress);
            if machine.role.lane_mut().is_some_and(|role| std::mem::take(&mut role.takes_task)) {
                running.note_taken_task();
            }
        }
        self.running_lanes = Some(running);
        self.pass_on(Workplace::Lane(number), effects);
    }

    /// Lets the machine of the landing checks act on the state of the run, and passes its effects on.
    pub(super) fn with_checker(&mut self, act: impl FnOnce(&mut Self)) {
        let Some(mut running) = self.running_lanes.take() else { return };
        let mut effects = Vec::new();
        if let Some(machine) = running.checker.as_mut() {
            std::mem::swap(&mut machine.state, &mut self.state);
            machine.follow(&self.clock, self.cancelled, self.ends_at_once, self.cancelled_again);
            machine.pausing.by_operator = self.pausing.by_operator;
            act(machine);
            running.checker_due = machine.deadline();
            effects = std::mem::take(&mut machine.effects);
            std::mem::swap(&mut machine.state, &mut self.state);
        }
        self.running_lanes = Some(running);
        self.pass_on(Workplace::MergeQueue, effects);
    }

    /// Lets every machine of the stage act, those of lanes first.
    pub(in crate::machine) fn with_each(&mut self, act: impl Fn(&mut Self)) {
        let open = self.running_lanes.as_deref().map(RunningLanes::open_lanes).unwrap_or_default();
        for number in open {
            self.with_lane(number, &act);
        }
        self.with_checker(&act);
    }

    /// Takes over the effects of a machine of the stage.
    fn pass_on(&mut self, place: Workplace, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Emit(event) => {
                    if let Some(lane) = event.lane {
                        self.state.note_event_of_lane(lane, &event);
                    }
                    if let (EventKind::Spent { .. }, Some(running)) =
                        (&event.kind, &mut self.running_lanes)
                    {
                        running.has_spent = true;
                    }
                    self.effects.push(Effect::Emit(event));
                }
                general @ (Effect::Lanes(_) | Effect::Reply { .. } | Effect::SuspendSelf) => {
                    self.effects.push(general);
                }
                effect => self.effects.push(Effect::At { place, effect: Box::new(effect) }),
            }
        }
    }

    /// Emits an event of a lane that its machine does not know of.
    pub(super) fn emit_in_lane(&mut self, now: Now, lane: LaneNumber, kind: EventKind) {
        let elapsed = self.clock.elapsed(now);
        let event = Event::new(now.wall, elapsed, kind).in_lane(Some(lane));
        self.state.apply(&event).expect("the machine's own events fit its state");
        self.effects.push(Effect::Emit(Box::new(event)));
    }
}
