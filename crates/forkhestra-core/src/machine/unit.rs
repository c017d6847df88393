//! One agent at work, from the intent to start it until nothing of it is left.

use std::time::Duration;

use super::life::{Due, Life, Stage};
use crate::event::{Completion, Ending, Outcome};
use crate::id::UnitId;
use crate::limit::Limit;
use crate::plan::Step;
use crate::policy::{IdleWatch, Patience};

/// How often the done file is looked for while an agent works.
const GLANCE: Duration = Duration::from_secs(5);

/// An agent at work. All times are those of the run's clock.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unit {
    pub(super) id: UnitId,
    pub(super) started: Duration,
    /// How it said that its work is done.
    pub(super) request: Option<Completion>,
    /// How it last said so in an event, since it may take that back.
    pub(super) told: Option<Completion>,
    /// Why nothing will come of it, as its stream says.
    pub(super) futile: Option<Outcome>,
    pub(super) life: Life,
    pub(super) idle: Option<IdleWatch>,
    /// When to look for its done file next, if its step has one.
    next_glance: Option<Duration>,
    timeout_at: Option<Duration>,
    linger_until: Option<Duration>,
    /// How long it may stay now that its stream says that it is through.
    concluded_until: Option<Duration>,
}

impl Unit {
    pub(super) fn new(id: UnitId, now: Duration, step: &Step) -> Self {
        let limits = &step.limits;
        let is_asked = step.iterations.is_some() && step.done_file.is_some();
        let at = |limit| match limit {
            Limit::At(time) => Some(crate::limit::Time::duration(time)),
            Limit::Off => None,
        };
        Self {
            id,
            started: now,
            request: None,
            told: None,
            futile: None,
            life: Life::new(),
            idle: at(limits.idle_timeout.value).map(|limit| IdleWatch::new(limit, now)),
            next_glance: is_asked.then_some(now + GLANCE),
            timeout_at: at(limits.timeout.value).map(|limit| now.saturating_add(limit)),
            linger_until: None,
            concluded_until: None,
        }
    }

    /// Holds it to other limits than those it was started with.
    pub(super) fn hold_to(&mut self, step: &Step, now: Duration) {
        let limits = &step.limits;
        self.timeout_at = match limits.timeout.value {
            Limit::At(time) => Some(self.started.saturating_add(time.duration())),
            Limit::Off => None,
        };
        self.idle = match (limits.idle_timeout.value, self.idle.take()) {
            (Limit::Off, _) => None,
            (Limit::At(time), None) => Some(IdleWatch::of_running(time.duration(), now)),
            (Limit::At(time), Some(idle)) => Some(idle.with_limit(time.duration(), now)),
        };
    }

    /// The agent could do nothing for a while, which must not count as idleness.
    pub(super) fn begin_idle_anew(&mut self, now: Duration) {
        self.idle.iter_mut().for_each(|idle| idle.begin_anew(now));
    }

    /// A look is being taken; the next one is due later.
    pub(super) fn looking(&mut self, now: Duration) {
        self.idle.iter_mut().for_each(|idle| idle.looking(now));
        self.next_glance = self.next_glance.map(|_| now + GLANCE);
    }

    /// The agent said that its work is done, while nobody had told it to go.
    pub(super) fn request(&mut self, request: Completion, now: Duration, patience: &Patience) {
        self.told = Some(request.clone());
        self.request = Some(request);
        self.linger_until = Some(now + patience.after_marker);
    }

    /// Its stream says that it is through.
    pub(super) fn conclude(&mut self, until: Duration) {
        self.concluded_until.get_or_insert(until);
    }

    /// Its stream goes on after all.
    pub(super) const fn go_on(&mut self) {
        self.concluded_until = None;
    }

    /// What it said about its work in its output does not count any more.
    pub(super) fn take_marker_back(&mut self) {
        if matches!(self.request, Some(Completion::Marker(_))) {
            self.request = None;
            self.linger_until = None;
        }
    }

    /// Whether it may go on spending.
    pub(super) fn may_spend(&self) -> bool {
        self.life.stage == Stage::Running && self.concluded_until.is_none()
    }

    pub(super) const fn may_request(&self) -> bool {
        self.request.is_none() && self.life.ending.is_none()
    }

    /// Everything that will be due, soonest first or not.
    fn dues(&self) -> impl Iterator<Item = (Duration, Due)> {
        let running = self.life.is_undisturbed();
        let limits = [
            self.linger_until.map(|at| (at, Due::End(Ending::Lingering))),
            self.concluded_until.map(|at| (at, Due::End(Ending::Lingering))),
            self.timeout_at.map(|at| (at, Due::End(Ending::Timeout))),
            self.idle.as_ref().map(|idle| (idle.next_look(), Due::Look)),
            self.next_glance.filter(|_| self.request.is_none()).map(|at| (at, Due::Look)),
        ];
        let limits = limits.into_iter().flatten().filter(move |_| running);
        limits.chain(self.life.due())
    }

    /// The first thing that is due by now.
    pub(super) fn due(&self, now: Duration) -> Option<Due> {
        let due = self.dues().filter(|(at, _)| *at <= now);
        due.min_by_key(|(at, _)| *at).map(|(_, due)| due)
    }

    /// When something is due next.
    pub(super) fn deadline(&self) -> Option<Duration> {
        self.dues().map(|(at, _)| at).min()
    }
}
