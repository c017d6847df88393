//! What was done to a run in one session, by the test or by its agents.

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::Signal;

use crate::chaos::script::disturbance::DisturbanceTarget;

/// What was done in one session.
#[derive(Debug, Default, Clone)]
pub(super) struct SessionFacts {
    /// Signals in order, with the time of day in milliseconds.
    pub(super) sent: Vec<(DisturbanceTarget, Signal, u64)>,
    /// When the output was closed.
    pub(super) closed: Option<u64>,
    /// The output was not read for a while.
    pub(super) left_unread: bool,
    /// Iterations whose agent, or a descendant of it, was sent a signal.
    pub(super) hit: BTreeSet<(u64, u64)>,
    /// Requests to end through the control socket, in order, with the time of day.
    pub(super) asked: Vec<(&'static str, u64)>,
    /// The run was paused for a while.
    pub(super) was_paused: bool,
    /// Agents sent signals to guard or runner.
    pub(super) attacked: bool,
}

impl SessionFacts {
    pub(super) fn was_killed(&self, target: DisturbanceTarget) -> bool {
        self.sent
            .iter()
            .any(|(recipient, signal, _)| *recipient == target && *signal == Signal::KILL)
    }

    /// Whether both processes were killed.
    pub(super) fn were_both_killed(&self) -> bool {
        self.was_killed(DisturbanceTarget::Guard) && self.was_killed(DisturbanceTarget::Runner)
    }

    /// Whether a process was stopped for a while, so that operations may have taken longer.
    pub(super) fn was_stopped(&self) -> bool {
        let stops = [Signal::STOP, Signal::TSTP];
        self.was_paused || self.sent.iter().any(|(_, signal, _)| stops.contains(signal))
    }

    /// The journal's words for all requests to end the run, with the time of day.
    pub(super) fn requests(&self) -> Vec<(&'static str, u64)> {
        let word = |(recipient, signal, at): &(DisturbanceTarget, Signal, u64)| {
            let word = match (*recipient, *signal) {
                (DisturbanceTarget::Guard, Signal::KILL) => "guard_lost",
                (DisturbanceTarget::Guard | DisturbanceTarget::Runner, Signal::INT) => "interrupt",
                (DisturbanceTarget::Guard | DisturbanceTarget::Runner, Signal::TERM) => "terminate",
                (DisturbanceTarget::Guard | DisturbanceTarget::Runner, Signal::HUP) => "hangup",
                _ => return None,
            };
            Some((word, *at))
        };
        let closed = self.closed.map(|at| ("output_closed", at));
        let asked = self.asked.iter().copied();
        self.sent.iter().filter_map(word).chain(closed).chain(asked).collect()
    }

    /// The number of requests to end that guard or runner got.
    pub(super) fn count_of_requests(&self) -> usize {
        self.requests().iter().filter(|(word, _)| *word != "guard_lost").count()
    }
}

const DAY: u64 = 24 * 60 * 60 * 1000;

/// The time of day in milliseconds.
pub(super) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis() % u128::from(DAY)).unwrap_or(0)
}

/// The time of day of a timestamp such as `2026-11-15T09:25:06.181Z`.
pub(super) fn time_of_day(moment: &str) -> Option<u64> {
    let (_, time) = moment.strip_suffix('Z')?.split_once('T')?;
    let [hours, minutes, seconds] = time.split(':').collect::<Vec<_>>().try_into().ok()?;
    let (seconds, milliseconds) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let number = |text: &str| text.parse::<u64>().ok();
    let minutes = number(hours)? * 60 + number(minutes)?;
    Some((minutes * 60 + number(seconds)?) * 1000 + number(milliseconds)?)
}

/// The milliseconds from the first to the second time; `None` if the second is earlier. No
/// difference reaches half a day.
pub(super) fn after(first: u64, second: u64) -> Option<u64> {
    let passed = (second + DAY - first) % DAY;
    (passed < DAY / 2).then_some(passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_compared_around_midnight() {
        let evening = time_of_day("2026-11-15T23:59:59.900Z").expect("a moment");
        let morning = time_of_day("2026-11-16T00:00:00.150Z").expect("a moment");
        assert_eq!(after(evening, morning), Some(250));
        assert_eq!(after(morning, evening), None);
        assert!(now() < DAY);
    }

    #[test]
    fn only_guard_and_runner_can_be_asked_to_end() {
        let mut facts = SessionFacts::default();
        facts.sent.push((DisturbanceTarget::Agent, Signal::TERM, 1));
        facts.sent.push((DisturbanceTarget::Runner, Signal::KILL, 2));
        assert_eq!(facts.requests(), []);
        facts.sent.push((DisturbanceTarget::Guard, Signal::KILL, 3));
        facts.closed = Some(4);
        assert_eq!(facts.requests(), [("guard_lost", 3), ("output_closed", 4)]);
        assert!(facts.were_both_killed());
    }
}
