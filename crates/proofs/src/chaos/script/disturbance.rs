//! Disturbances of a run, and their times.

use std::fmt;
use std::time::Duration;

use rustix::process::Signal;

use super::random::Random;
use crate::chaos::steering::SteeringRequest;

/// A disturbance and its time.
#[derive(Debug, Clone)]
pub(in crate::chaos) struct Disturbance {
    pub(in crate::chaos) when: DisturbanceTime,
    /// The delay after the previous disturbance if that time does not come.
    pub(in crate::chaos) at_the_latest: Duration,
    /// An additional delay.
    pub(in crate::chaos) later: Duration,
    pub(in crate::chaos) what: DisturbanceAction,
}

/// The time of a disturbance.
#[derive(Debug, Clone)]
pub(in crate::chaos) enum DisturbanceTime {
    /// This long after the previous one.
    After(Duration),
    /// When the journal has this number of new events whose kind starts with the text.
    Event(&'static str, usize),
    /// When agents have written this number of notes.
    Notes(usize),
}

/// The kind of a disturbance.
#[derive(Debug, Clone)]
pub(in crate::chaos) enum DisturbanceAction {
    Signal(DisturbanceTarget, Signal),
    /// The same signal twice.
    Twice(DisturbanceTarget, Signal, Duration),
    /// Stopped by this signal, and continued later.
    Stop(DisturbanceTarget, Signal, Duration),
    /// Kills both processes of the run: stopped first, so that neither reacts to the other's death,
    /// or one right after the other.
    KillBoth {
        standing_still: bool,
    },
    /// Sends a request to the run.
    Ask(SteeringRequest),
    CloseOutput,
    /// The output is not read for a while.
    LeaveUnread(Duration),
}

/// The target of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::chaos) enum DisturbanceTarget {
    Guard,
    Runner,
    /// A child of the runner.
    Agent,
    /// A descendant of an agent.
    Below,
}

const EVENTS: &[(u64, &str)] = &[
    (4, "run_"),
    (3, "step_started"),
    (6, "iteration_started"),
    (10, "agent_started"),
    (6, "iteration_finished"),
    (3, "step_finished"),
    (3, "backing_off"),
    (3, "agent_ending"),
    (3, "completion_requested"),
    (2, "cancelled"),
    (1, "run_finished"),
];

impl Disturbance {
    /// The disturbances of one session.
    pub(in crate::chaos) fn some(random: &mut Random) -> Vec<Self> {
        let many = random.weighted(&[(5, 1), (3, 2), (2, 3)]);
        (0..many).map(|_| Self::random(random)).collect()
    }

    fn random(random: &mut Random) -> Self {
        let milliseconds = Duration::from_millis;
        let (soon, late) = (random.between(0, 60), random.between(60, 600));
        let event = random.weighted(EVENTS);
        let nth = random.weighted(&[(6, 1), (3, 2), (2, 3), (1, 5)]);
        let notes = random.pick(&[1, 1, 2, 3, 4]);
        let when = random.weighted(&[
            (3, DisturbanceTime::After(milliseconds(soon))),
            (3, DisturbanceTime::After(milliseconds(late))),
            (10, DisturbanceTime::Event(event, nth)),
            (3, DisturbanceTime::Notes(notes)),
        ]);
        let later = random.weighted(&[(3, 0), (3, 500), (2, 3_000), (1, 20_000)]);
        let later = Duration::from_micros(random.between(0, later));
        let at_the_latest = milliseconds(random.between(100, 900));
        Self { when, later, at_the_latest, what: DisturbanceAction::random(random) }
    }
}

impl DisturbanceAction {
    fn random(random: &mut Random) -> Self {
        let milliseconds = Duration::from_millis;
        let ours = random.pick(&[DisturbanceTarget::Guard, DisturbanceTarget::Runner]);
        let theirs = random.pick(&[
            DisturbanceTarget::Agent,
            DisturbanceTarget::Agent,
            DisturbanceTarget::Below,
        ]);
        let any_target = random.pick(&[ours, ours, theirs]);
        let request = random.pick(&[Signal::INT, Signal::TERM, Signal::HUP]);
        let duration = random.weighted(&[(4, 30), (4, 300), (2, 1500)]);
        let duration = milliseconds(random.between(5, duration));
        random.weighted(&[
            (24, Self::Signal(ours, Signal::KILL)),
            (14, Self::Signal(theirs, Signal::KILL)),
            (18, Self::Signal(ours, request)),
            (8, Self::Signal(theirs, request)),
            (7, Self::Twice(ours, request, duration / 3)),
            (10, Self::Stop(any_target, Signal::STOP, duration)),
            (5, Self::Stop(ours, Signal::TSTP, duration)),
            (7, Self::KillBoth { standing_still: true }),
            (5, Self::KillBoth { standing_still: false }),
            (6, Self::CloseOutput),
            (5, Self::Ask(SteeringRequest::Stop)),
            (6, Self::Ask(SteeringRequest::StopNow)),
            (10, Self::Ask(SteeringRequest::PauseFor(duration))),
            (5, Self::Ask(SteeringRequest::Tell)),
            (3, Self::Ask(SteeringRequest::Set)),
            (3, Self::LeaveUnread(duration)),
        ])
    }
}

impl fmt::Display for DisturbanceAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signal(target, signal) => write!(f, "{} to {target:?}", name(*signal)),
            Self::Twice(target, signal, apart) => {
                write!(f, "{} twice to {target:?}, {apart:?} apart", name(*signal))
            }
            Self::Stop(target, signal, duration) => {
                write!(f, "{} to {target:?}, CONT {duration:?} later", name(*signal))
            }
            other => write!(f, "{other:?}"),
        }
    }
}

/// The name of a signal.
pub(in crate::chaos) fn name(signal: Signal) -> &'static str {
    match signal {
        Signal::KILL => "KILL",
        Signal::INT => "INT",
        Signal::TERM => "TERM",
        Signal::HUP => "HUP",
        Signal::STOP => "STOP",
        Signal::TSTP => "TSTP",
        _ => "another signal",
    }
}

impl fmt::Display for Disturbance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { when, later, at_the_latest, what } = self;
        write!(f, "{what}, {later:?} after {when:?} or {at_the_latest:?}")
    }
}
