//! When a run will be over, as far as anybody can tell.

use std::time::Duration;

use forkhestra_core::event::Verdict;
use forkhestra_core::history::{History, IterationRecord};
use forkhestra_core::limit::{Limit, Time};
use forkhestra_core::time::Timestamp;

use super::run_view::RunView;

/// So many iterations say how long the next ones take.
const LAST: usize = 9;

/// How long something takes at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Estimate {
    pub(crate) at_most: Duration,
    /// Whether there are further steps, of which nobody knows how long they take.
    pub(crate) is_of_step: bool,
}

/// How long the loop that is at work takes at most: as many iterations as it may still have, each as
/// long as the last ones were. None if nothing is known, or the run does not go on.
pub(crate) fn estimate(view: &RunView, now: Timestamp) -> Option<Estimate> {
    let history = view.history.as_ref().filter(|_| view.is_live())?;
    // Whoever wants it to end does not want to know.
    let is_ending = view.going.cancelled.is_some() || view.going.skips;
    if is_ending || history.steering.stop_requested.is_some() {
        return None;
    }
    let number = history.state.current_step()?;
    let (plan, state) =
        (history.state.plan.steps.get(number - 1)?, &history.state.steps[number - 1]);
    let left = plan.iterations?.get().saturating_sub(state.finished);
    let whole = median(history, number)?.saturating_mul(left);
    let at_work = history.steps[number - 1].at_work.as_ref();
    let begun = at_work.map(|_| view.at_work_for(number, now)).unwrap_or_default();
    let wait = history.steering.waiting.map(|wait| wait.until.saturating_since(now));
    let loops = whole.saturating_sub(begun).saturating_add(wait.unwrap_or_default());
    let run_left = time_left(history.state.plan.limits.time.value, view.elapsed(now));
    let step_left = time_left(plan.limits.time.value, state.elapsed);
    let at_most = [Some(loops), run_left, step_left].into_iter().flatten().min()?;
    let is_bounded = run_left == Some(at_most);
    let is_of_step = number < history.steps.len() && !is_bounded;
    Some(Estimate { at_most, is_of_step })
}

fn time_left(limit: Limit<Time>, elapsed: Duration) -> Option<Duration> {
    match limit {
        Limit::At(time) => Some(time.duration().saturating_sub(elapsed)),
        Limit::Off => None,
    }
}

/// What the last iterations of a step took, with their checks. A crash does not say how long work takes.
fn median(history: &History, number: usize) -> Option<Duration> {
    let says_something = |record: &&IterationRecord| {
        record.report.has_outcome() && record.report.verdict != Verdict::Crashed
    };
    let last = history.steps[number - 1].iterations.iter().rev();
    let mut took: Vec<Duration> = last
        .filter(says_something)
        .take(LAST)
        .map(|record| record.ended.saturating_since(record.started))
        .collect();
    took.sort_unstable();
    took.get(took.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use forkhestra_core::event::{Completion, EventKind, StepEnd};

    use super::*;
    use crate::tests::story::{self, Story, unit};

    fn at_most(story: &Story) -> Option<(u64, bool)> {
        let mut view = RunView::new(story::run());
        view.history = Some(History::of(&story.events).expect("the story fits"));
        (view.liveness, view.is_caught_up) = (story.liveness, true);
        story.events.iter().for_each(|event| view.going.apply(event));
        estimate(&view, story.now).map(|found| (found.at_most.as_secs(), found.is_of_step))
    }

    #[test]
    fn it_is_as_many_iterations_as_are_left_each_as_long_as_the_last_ones() {
        // Seven of 402 seconds are left, of which one has taken 130.
        assert_eq!(at_most(&story::at_work()), Some((7 * 402 - 130, true)));
        // A pause takes nothing from it.
        assert_eq!(at_most(&story::paused()), Some((7 * 402 - 130, true)));
    }

    #[test]
    fn a_wait_comes_before_what_is_left() {
        let story = story::waiting();
        let wait = story::moment("2026-11-15T07:42:00Z").saturating_since(story.now);
        assert_eq!(at_most(&story), Some((7 * 402 + wait.as_secs(), true)));
    }

    #[test]
    fn the_time_of_the_run_ends_it_whatever_is_left() {
        let mut story = Story::of_many();
        story.step(1);
        for iteration in 1..=7 {
            story.iteration(unit(1, iteration), 3600, Verdict::Incomplete);
        }
        story.start(unit(1, 8)).pass(600);
        assert_eq!(at_most(&story), Some((3000, false)));
    }

    #[test]
    fn nobody_guesses_where_nothing_is_known() {
        assert_eq!(at_most(&Story::begin()), None);
        for story in [story::finished(), story::cut_off(), story::stopping(), story::ending()] {
            assert_eq!(at_most(&story), None);
        }
        let mut first = Story::begin();
        first.step(1).start(unit(1, 1)).pass(60);
        assert_eq!(at_most(&first), None);
        let report = first.report(Verdict::Complete(Completion::ExitCode), 60);
        first.tell(EventKind::IterationFinished { unit: unit(1, 1), report });
        let mut crashing = Story::begin();
        crashing.step(1).iteration(unit(1, 1), 1, Verdict::Crashed).start(unit(1, 2));
        assert_eq!(at_most(&crashing), None);
        first.step_over(1, StepEnd::Complete(Completion::ExitCode)).step(2).start(unit(2, 1));
        assert_eq!(at_most(&first), None);
    }
}
