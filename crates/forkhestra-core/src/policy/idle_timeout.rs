//! The idle timeout: an agent is idle if it makes no progress, its processes do not work, and it is
//! not blocked on its output.

use std::collections::VecDeque;
use std::time::Duration;

/// A liveness sample of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LivenessProbe {
    /// Time since its last progress. For an agent whose stream is parsed, progress is text,
    /// thinking, a tool or usage, but no retry and no notice. For any other program it is output.
    pub silent: Duration,
    /// CPU time of all its processes.
    pub cpu: Duration,
    /// Time in which its processes were ready to run and other processes had the processors.
    pub waited: Duration,
    /// Bytes that all its processes have received by TCP.
    pub received: u64,
    /// Whether CPU time, waiting time and received bytes count as work. For an agent whose stream is parsed they
    /// count only while a tool runs: an agent that waits for an answer needs some for its event
    /// loop and for keep-alives.
    pub work_counts: bool,
    /// Whether it is blocked because its output is not being read.
    pub blocked: bool,
}

/// The least average use of one core, in percent, that counts as work. Event loops that wait for an
/// answer were measured at up to 1.9 %.
const WORK_CPU_PERCENT: u32 = 3;

/// The least average wait for a processor, in percent, that counts as work: on an overloaded
/// machine, a busy process may get less than [`WORK_CPU_PERCENT`]. Event loops wait much less.
const WORK_WAIT_PERCENT: u32 = 50;

/// The least average of bytes received per second that counts as work. A slow answer (2 chunks a
/// second) was measured at 280; keep-alives and a repeated request every few minutes stay below
/// twenty.
const WORK_BYTES_PER_SECOND: u64 = 100;

/// Number of observations before an agent counts as idle.
const SAMPLES_PER_LIMIT: u32 = 8;
const MIN_SAMPLE_INTERVAL: Duration = Duration::from_millis(50);
const MAX_SAMPLE_INTERVAL: Duration = Duration::from_secs(30);

/// The idle timeout of one agent. All times are on the run's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleTimeout {
    limit: Duration,
    interval: Duration,
    quiet_since: Duration,
    next_observation: Duration,
    /// The totals at the last observation, whether they counted or not.
    last: Option<WorkTotals>,
    /// Observations of the last `limit`, oldest first.
    samples: VecDeque<ProcessWorkSample>,
}

/// One observation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct ProcessWorkSample {
    at: Duration,
    /// The totals so far that count.
    totals: WorkTotals,
}

/// The figures of [`LivenessProbe`] that show work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct WorkTotals {
    cpu: Duration,
    waited: Duration,
    received: u64,
}

impl WorkTotals {
    const fn of(probe: &LivenessProbe) -> Self {
        Self { cpu: probe.cpu, waited: probe.waited, received: probe.received }
    }

    /// What was added since. The figures of an ended process disappear, except for the CPU time of one
    /// that its parent waited for.
    const fn since(&self, earlier: &Self) -> Self {
        Self {
            cpu: self.cpu.saturating_sub(earlier.cpu),
            waited: self.waited.saturating_sub(earlier.waited),
            received: self.received.saturating_sub(earlier.received),
        }
    }

    const fn add(&mut self, other: &Self) {
        self.cpu = self.cpu.saturating_add(other.cpu);
        self.waited = self.waited.saturating_add(other.waited);
        self.received = self.received.saturating_add(other.received);
    }

    /// Whether this is work if it was done during `span`.
    fn is_work(&self, span: Duration) -> bool {
        let is_received = u128::from(self.received) * 1000
            >= u128::from(WORK_BYTES_PER_SECOND) * span.as_millis();
        self.cpu * 100 >= span * WORK_CPU_PERCENT
            || self.waited * 100 >= span * WORK_WAIT_PERCENT
            || is_received
    }
}

impl IdleTimeout {
    /// The timeout of an agent that starts now.
    pub fn new(limit: Duration, started: Duration) -> Self {
        let start = ProcessWorkSample { at: started, ..Default::default() };
        let (last, samples) = (Some(WorkTotals::default()), VecDeque::from([start]));
        Self { last, samples, ..Self::for_running_agent(limit, started) }
    }

    /// The timeout of an agent that has been running for a while.
    pub fn for_running_agent(limit: Duration, now: Duration) -> Self {
        let interval = interval(limit);
        let (quiet_since, next_observation) = (now, now + interval);
        Self {
            limit,
            interval,
            quiet_since,
            next_observation,
            last: None,
            samples: VecDeque::new(),
        }
    }

    /// Continues with another limit.
    #[must_use]
    pub fn with_limit(self, limit: Duration, now: Duration) -> Self {
        let interval = interval(limit);
        let next_observation = self.next_observation.min(now + interval);
        Self { limit, interval, next_observation, ..self }
    }

    /// Restarts the timeout, as after a pause, in which the agent could do nothing.
    pub fn restart(&mut self, now: Duration) {
        self.quiet_since = self.quiet_since.max(now);
    }

    /// When the next observation is due.
    pub const fn next_observation(&self) -> Duration {
        self.next_observation
    }

    /// Notes that an observation was started and schedules the next one.
    pub fn observation_started(&mut self, now: Duration) {
        self.next_observation = now + self.interval;
    }

    /// Takes an observation and returns whether the agent has been idle for too long.
    pub fn observe(&mut self, now: Duration, probe: LivenessProbe) -> bool {
        self.quiet_since = self.quiet_since.max(now.saturating_sub(probe.silent));
        if probe.blocked {
            self.quiet_since = now;
        }
        self.count_work(now, probe);
        let idle_at = self.quiet_since + self.limit;
        if now < idle_at {
            self.next_observation = self.next_observation.min(idle_at);
            return false;
        }
        self.is_at_rest()
    }

    fn count_work(&mut self, now: Duration, probe: LivenessProbe) {
        let totals = WorkTotals::of(&probe);
        let added = self.last.map_or_else(Default::default, |last| totals.since(&last));
        self.last = Some(totals);
        let mut sample = self.samples.back().copied().unwrap_or_default();
        sample.at = now;
        if probe.work_counts {
            sample.totals.add(&added);
        }
        self.samples.push_back(sample);
        let begin = now.saturating_sub(self.limit);
        while self.samples.get(1).is_some_and(|second| second.at <= begin) {
            self.samples.pop_front();
        }
    }

    /// Whether the processes did hardly any work during the limit. Unknown after a
    /// single observation.
    fn is_at_rest(&self) -> bool {
        let (Some(first), Some(last)) = (self.samples.front(), self.samples.back()) else {
            return false;
        };
        let span = last.at.saturating_sub(first.at);
        !span.is_zero() && !last.totals.since(&first.totals).is_work(span)
    }
}

/// The interval between two observations.
fn interval(limit: Duration) -> Duration {
    (limit / SAMPLES_PER_LIMIT).clamp(MIN_SAMPLE_INTERVAL, MAX_SAMPLE_INTERVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// A program whose output is progress and whose CPU time is work.
    fn program(silent: u64, cpu: Duration) -> LivenessProbe {
        let (waited, received) = (Duration::ZERO, 0);
        LivenessProbe {
            silent: at(silent),
            cpu,
            waited,
            received,
            work_counts: true,
            blocked: false,
        }
    }

    /// CPU time over time at a constant percentage of one core.
    fn percent(percent: u64) -> impl Fn(u64) -> Duration {
        move |now| Duration::from_millis(10 * percent * now)
    }

    /// Observes every second until the agent counts as idle.
    fn idle_after(limit: u64, seen: impl Fn(u64) -> LivenessProbe) -> Option<u64> {
        let mut watch = IdleTimeout::new(at(limit), Duration::ZERO);
        (1..1000).find(|second| watch.observe(at(*second), seen(*second)))
    }

    #[test]
    fn a_silent_agent_that_does_nothing_is_idle_at_its_limit() {
        assert_eq!(idle_after(10, |now| program(now, Duration::ZERO)), Some(10));
    }

    #[test]
    fn progress_counts_from_when_it_came() {
        assert_eq!(idle_after(10, |now| program(now.saturating_sub(5), Duration::ZERO)), Some(15));
    }

    #[test]
    fn three_percent_of_a_core_on_average_are_work_and_less_is_not() {
        let table = [(100, None), (3, None), (2, Some(10)), (1, Some(10)), (0, Some(10))];
        for (load, expected) in table {
            let cpu = percent(load);
            assert_eq!(idle_after(10, |now| program(now, cpu(now))), expected, "{load} %");
        }
    }

    #[test]
    fn half_of_the_time_without_a_processor_is_work_and_less_is_not() {
        for (share, expected) in [(100, None), (50, None), (49, Some(10)), (0, Some(10))] {
            let waited = percent(share);
            let seen = |now| LivenessProbe { waited: waited(now), ..program(now, at(0)) };
            assert_eq!(idle_after(10, seen), expected, "{share} %");
        }
    }

    #[test]
    fn a_hundred_bytes_received_in_a_second_on_average_are_work_and_less_is_not() {
        let receiving = |received: fn(u64) -> u64| {
            move |now| LivenessProbe { received: received(now), ..program(now, Duration::ZERO) }
        };
        assert_eq!(idle_after(10, receiving(|now| 100 * now)), None);
        assert_eq!(idle_after(10, receiving(|now| 99 * now)), Some(10));
        // A repeated request every 50 seconds.
        assert_eq!(idle_after(100, receiving(|now| 3000 * (now / 50))), Some(100));
        // The answer ends after 50 seconds.
        assert_eq!(idle_after(10, receiving(|now| 100 * now.min(50))), Some(51));
        // The first answers came over connections that are closed by now.
        assert_eq!(
            idle_after(10, receiving(|now| if now < 50 { 1000 * now } else { 0 })),
            Some(59)
        );
        // For a parsed stream it counts only while a tool runs.
        let waits =
            |now| LivenessProbe { received: 1000 * now, work_counts: false, ..program(now, at(0)) };
        assert_eq!(idle_after(10, waits), Some(10));
    }

    #[test]
    fn single_looks_above_the_average_do_not_begin_the_limit_anew() {
        // One second of ten is busy with 10 % of a core, like an event loop that collects garbage.
        let cpu = |now: u64| Duration::from_millis(100 * (now / 10));
        assert_eq!(idle_after(100, |now| program(now, cpu(now))), Some(100));
        // One second of ten is busy with half a core, like a build that waits for a disk.
        let cpu = |now: u64| Duration::from_millis(500 * (now / 10));
        assert_eq!(idle_after(100, |now| program(now, cpu(now))), None);
    }

    #[test]
    fn processor_time_of_an_agent_counts_only_while_a_tool_runs() {
        let seen = |tool: fn(u64) -> bool| {
            move |now| LivenessProbe { work_counts: tool(now), ..program(now, at(now)) }
        };
        assert_eq!(idle_after(10, seen(|_| true)), None);
        assert_eq!(idle_after(10, seen(|_| false)), Some(10));
        // The tool ends, and the agent prints nothing after it.
        assert_eq!(idle_after(10, seen(|now| now <= 100)), Some(110));
    }

    #[test]
    fn a_tool_that_hangs_is_idle() {
        let cpu = percent(1);
        assert_eq!(idle_after(10, |now| program(now.saturating_sub(7), cpu(now))), Some(17));
    }

    #[test]
    fn an_agent_that_waits_for_us_is_not_idle() {
        let blocked = |now| LivenessProbe { blocked: true, ..program(now, Duration::ZERO) };
        assert_eq!(idle_after(10, blocked), None);
        let until = |now| LivenessProbe { blocked: now <= 50, ..program(now, Duration::ZERO) };
        assert_eq!(idle_after(10, until), Some(60));
    }

    #[test]
    fn an_agent_is_idle_when_its_average_falls_below_the_threshold() {
        // After a full core for 100 seconds, the average falls below 3 % when 0.3 seconds of it are
        // left in the window.
        let seen = |now: u64| program(now, at(now.min(100)));
        assert_eq!(idle_after(10, seen), Some(110));
    }

    #[test]
    fn time_of_processes_that_have_ended_is_no_work() {
        let cpu = |now: u64| if now < 50 { at(now) } else { Duration::ZERO };
        assert_eq!(idle_after(10, |now| program(now, cpu(now))), Some(59));
    }

    #[test]
    fn a_pause_begins_the_limit_anew() {
        let mut watch = IdleTimeout::new(at(10), Duration::ZERO);
        assert!(!watch.observe(at(9), program(9, Duration::ZERO)));
        watch.restart(at(9));
        let idle = (10..100).find(|now| watch.observe(at(*now), program(*now, Duration::ZERO)));
        assert_eq!(idle, Some(19));
    }

    #[test]
    fn another_limit_counts_from_the_same_start() {
        let cases = [(5, 20, Some(20)), (20, 5, Some(10))];
        for (limit, changed, expected) in cases {
            let mut watch = IdleTimeout::new(at(limit), Duration::ZERO);
            for now in 1..limit.min(10) {
                assert!(!watch.observe(at(now), program(now, Duration::ZERO)));
            }
            let now = limit.min(10);
            watch = watch.with_limit(at(changed), at(now));
            let idle = (now..100).find(|now| watch.observe(at(*now), program(*now, SECOND / 100)));
            assert_eq!(idle, expected, "{limit} {changed}");
        }
    }

    #[test]
    fn a_running_agent_is_judged_by_its_activity_from_now_on() {
        let idle_after = |cpu: fn(u64) -> Duration| {
            let mut watch = IdleTimeout::for_running_agent(at(10), at(100));
            (101..200).find(|now| watch.observe(at(*now), program(*now, cpu(*now))))
        };
        assert_eq!(idle_after(|_| at(90)), Some(110));
        assert_eq!(idle_after(at), None);
    }

    #[test]
    fn looks_are_neither_too_many_nor_too_few() {
        for (limit, first) in [(at(1800), at(30)), (at(8), at(1)), (SECOND / 100, SECOND / 20)] {
            assert_eq!(IdleTimeout::new(limit, Duration::ZERO).next_observation(), first);
        }
    }

    #[test]
    fn an_agent_that_works_beyond_its_limit_is_sampled_as_before() {
        let mut watch = IdleTimeout::new(at(8), Duration::ZERO);
        for now in 1..100 {
            watch.observation_started(at(now));
            assert!(!watch.observe(at(now), program(now, at(now))));
            assert_eq!(watch.next_observation(), at(now + 1).min(at(8).max(at(now + 1))));
        }
    }
}
