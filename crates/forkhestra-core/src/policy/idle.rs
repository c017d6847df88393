//! When an agent counts as idle: it prints nothing, its processes use no processor, and it is not
//! us who keep it from printing.

use std::time::Duration;

/// What was seen of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// How long it has been silent.
    pub silent: Duration,
    /// How much processor time all its processes have used.
    pub cpu: Duration,
    /// Whether it waits for us to take its output.
    pub blocked: bool,
}

/// Half a percent of one core is what a waiting event loop needs.
const BUSY: u32 = 200;

/// An agent is looked at so many times before it is called idle.
const LOOKS: u32 = 8;
const MOST_OFTEN: Duration = Duration::from_millis(50);
const LEAST_OFTEN: Duration = Duration::from_secs(30);

/// Watches one agent. All times are those of the run's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleWatch {
    limit: Duration,
    interval: Duration,
    quiet_since: Duration,
    next_look: Duration,
    last: Option<(Duration, Duration)>,
}

impl IdleWatch {
    /// Begins to watch an agent that was started at this moment.
    pub fn new(limit: Duration, started: Duration) -> Self {
        let interval = interval(limit);
        Self { limit, interval, quiet_since: started, next_look: started + interval, last: None }
    }

    /// Goes on watching with another limit.
    #[must_use]
    pub fn with_limit(self, limit: Duration, now: Duration) -> Self {
        let interval = interval(limit);
        let next_look = self.next_look.min(now + interval);
        Self { limit, interval, next_look, ..self }
    }

    /// When to look next.
    pub const fn next_look(&self) -> Duration {
        self.next_look
    }

    /// Says that a look is being taken; the next one is due later.
    pub fn looking(&mut self, now: Duration) {
        self.next_look = now + self.interval;
    }

    /// Takes in what was seen, and says whether the agent has been idle for too long.
    pub fn observe(&mut self, now: Duration, probe: Probe) -> bool {
        let spoke_at = now.saturating_sub(probe.silent);
        self.quiet_since = self.quiet_since.max(spoke_at);
        if probe.blocked || self.worked(now, probe.cpu) {
            self.quiet_since = now;
        }
        self.last = Some((now, probe.cpu));
        let idle_at = self.quiet_since + self.limit;
        self.next_look = self.next_look.min(idle_at.max(now));
        now >= idle_at
    }

    /// Whether the processor was used since the last look. Less time in all than before means that
    /// a process has ended, which is a sign of life, too.
    fn worked(&self, now: Duration, cpu: Duration) -> bool {
        let Some((then, before)) = self.last else { return !cpu.is_zero() };
        cpu.abs_diff(before) * BUSY >= now.saturating_sub(then).max(Duration::from_millis(1))
    }
}

/// How often to look.
fn interval(limit: Duration) -> Duration {
    (limit / LOOKS).clamp(MOST_OFTEN, LEAST_OFTEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn probe(silent: u64, cpu: Duration) -> Probe {
        Probe { silent: at(silent), cpu, blocked: false }
    }

    /// Looks every second, with what an agent shows at each, until it is called idle.
    fn idle_after(limit: u64, seen: impl Fn(u64) -> Probe) -> Option<u64> {
        let mut watch = IdleWatch::new(at(limit), Duration::ZERO);
        (1..1000).find(|second| watch.observe(at(*second), seen(*second)))
    }

    #[test]
    fn a_silent_agent_that_does_nothing_is_idle_at_its_limit() {
        assert_eq!(idle_after(10, |second| probe(second, Duration::ZERO)), Some(10));
    }

    #[test]
    fn output_counts_from_when_it_came() {
        assert_eq!(idle_after(10, |now| probe(now.saturating_sub(5), Duration::ZERO)), Some(15));
    }

    #[test]
    fn a_silent_agent_that_works_is_not_idle() {
        assert_eq!(
            idle_after(10, |now| probe(now, SECOND * u32::try_from(now).unwrap_or(0))),
            None
        );
    }

    #[test]
    fn half_a_percent_of_a_core_is_work_and_less_is_not() {
        let using = |millis: u64| {
            move |now| probe(now, Duration::from_millis(millis) * u32::try_from(now).unwrap_or(0))
        };
        assert_eq!(idle_after(10, using(5)), None);
        assert!(idle_after(10, using(4)).is_some());
    }

    #[test]
    fn an_agent_that_waits_for_us_is_not_idle() {
        let blocked = |now| Probe { silent: at(now), cpu: Duration::ZERO, blocked: true };
        assert_eq!(idle_after(10, blocked), None);
    }

    #[test]
    fn an_agent_that_stops_working_is_idle_a_limit_later() {
        let seen = |now: u64| probe(now, SECOND * u32::try_from(now.min(100)).unwrap_or(0));
        assert_eq!(idle_after(10, seen), Some(110));
    }

    #[test]
    fn looks_are_neither_too_many_nor_too_few() {
        for (limit, first) in [(at(1800), at(30)), (at(8), at(1)), (SECOND / 100, SECOND / 20)] {
            assert_eq!(IdleWatch::new(limit, Duration::ZERO).next_look(), first);
        }
    }
}
