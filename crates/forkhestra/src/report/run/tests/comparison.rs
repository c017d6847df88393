//! The reporter that reads the history prints what the previous one printed.
//!
//! The previous one was wrong, or differed from `show`, in a resumed process. It is not compared
//! there in these points:
//!
//! - The cost of an agent that was cut off is unknown. The previous one added nothing for it.
//! - The time of a step does not include the time between its end and the resume.
//! - A failed agent that runs once is started again, so its step has no finished iteration.
//! - A message is delivered if its agent finished before the resume and was checked after it.
//! - Nothing is at work before the first event of the new process.
//!
//! After the end of a run, no live line is drawn.

use std::time::Duration;

use anstream::adapter::strip_str;
use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::history::{RunActivity, RunHistory};
use forkhestra_store::format::{Decoded, decode};

use super::previous::human_reporter::PreviousReporter;
use super::support::random_run::RandomRun;
use crate::report::plan::dry_run::DryRunDetail;
use crate::report::run::human_reporter::ReporterText;
use crate::report::run::live_line::live_line;
use crate::report::run::{HumanReporter, ReporterFacts};

const DETAILS: [DryRunDetail; 3] =
    [DryRunDetail::Normal, DryRunDetail::Verbose, DryRunDetail::Quiet];

/// Lines of a resumed process that may differ. A line of the table begins with a number.
const MAY_DIFFER: [&str; 7] =
    ["  1  ", "  2  ", "  3  ", "In all: ", "Spent: ", "Note: message", "Warning: message"];

/// Both reporters, behind the same events.
struct BothReporters {
    previous: PreviousReporter,
    current: HumanReporter,
    /// Whether the process was resumed.
    is_resumed: bool,
    /// Whether the process has done anything.
    has_acted: bool,
}

impl BothReporters {
    fn new(recorded: &[Event], first: &Event, detail: DryRunDetail) -> Self {
        let facts = ReporterFacts {
            resume_command: Some("forkhestra resume q7w3k9zt".to_owned()),
            state_directory: Some("/state/q7w3k9zt".to_owned()),
            ..ReporterFacts::default()
        };
        let is_resumed = !recorded.is_empty();
        let begun = if is_resumed { recorded } else { std::slice::from_ref(first) };
        let plan = RunHistory::of(begun).expect("the events fit").state.plan;
        let mut previous = PreviousReporter::new(&plan, detail, facts.clone());
        recorded.iter().for_each(|event| previous.absorb(event));
        let current = HumanReporter::new(detail, facts);
        Self { previous, current, is_resumed, has_acted: !is_resumed }
    }

    /// The texts of both for an event, as far as they have to be equal.
    fn texts(&mut self, event: &Event, run: &RunHistory) -> (Vec<String>, Vec<String>) {
        self.has_acted |= run.activity != RunActivity::Idle;
        let mut old = lines(self.previous.event(event));
        let mut new = lines(self.current.event(event, run));
        if !self.has_acted {
            old.clear();
            new.clear();
        } else if !matches!(event.kind, EventKind::RunFinished { .. }) {
            for later in [0, 61_500].map(Duration::from_millis) {
                old.extend(self.previous.status(event.elapsed + later));
                new.extend(live_line(run, event.elapsed + later));
            }
        }
        if self.is_resumed { (comparable(old), comparable(new)) } else { (old, new) }
    }
}

fn lines(text: Option<ReporterText>) -> Vec<String> {
    let text = match text {
        Some(ReporterText::Out(text)) => text,
        Some(ReporterText::Err(text)) => format!("stderr: {text}"),
        None => String::new(),
    };
    strip_str(&text).to_string().lines().map(str::to_owned).collect()
}

/// The lines of a resumed process without those that may differ, and without costs.
fn comparable(lines: Vec<String>) -> Vec<String> {
    let lines = lines.into_iter().filter(|line| {
        let text = line.trim_start_matches("[forkhestra] ");
        !MAY_DIFFER.iter().any(|start| text.starts_with(start))
    });
    let is_cost = |part: &str| ["$", "cost", "tokens"].iter().any(|word| part.contains(word));
    let without_cost = lines.map(|line| {
        let parts: Vec<&str> = line.split(" | ").filter(|part| !is_cost(part)).collect();
        parts.join(" | ")
    });
    without_cost.collect()
}

#[test]
fn old_and_new_print_the_same_for_random_runs() {
    for seed in 0..10_000 {
        let run = RandomRun::of(seed);
        let detail = DETAILS[usize::try_from(seed % 3).expect("small")];
        for (number, begin) in run.processes.iter().enumerate() {
            let end = run.processes.get(number + 1).copied().unwrap_or(run.events.len());
            let (recorded, events) = run.events[..end].split_at(*begin);
            let mut history = recorded.first().map(|_| RunHistory::of(recorded).expect("they fit"));
            let Some(first) = events.first() else { continue };
            let mut both = BothReporters::new(recorded, first, detail);
            for event in events {
                let run = RunHistory::advance(&mut history, event).expect("the events fit");
                let (old, new) = both.texts(event, run);
                assert_eq!(old, new, "seed {seed} from {begin}: {event:?}");
            }
        }
    }
}

#[test]
fn old_and_new_print_the_same_for_frozen_journals() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../forkhestra-store/tests/fixtures");
    for version in ["1.0", "1.1", "2.0", "2.1"] {
        let text = std::fs::read_to_string(format!("{fixtures}/journal-{version}.jsonl"));
        let text = text.expect("it is there");
        let known = text.lines().filter_map(|line| match decode(line).expect("it can be read") {
            Decoded::Known(event) => Some(event),
            Decoded::Unknown(_) => None,
        });
        let events: Vec<Event> = known.collect();
        for detail in DETAILS {
            let mut both = BothReporters::new(&[], &events[0], detail);
            let mut history = None;
            for event in &events {
                let Ok(run) = RunHistory::advance(&mut history, event) else { continue };
                let (old, new) = both.texts(event, run);
                // A sample behind the end of a run is no event that can happen.
                if run.state.end.is_some() && !matches!(event.kind, EventKind::RunFinished { .. }) {
                    continue;
                }
                // The journals hold one sample of each event. The numbers of their iterations, and
                // what is at work, do not fit together.
                let counts = |line: &String| !line.contains("iteration");
                let old: Vec<String> = comparable(old).into_iter().filter(counts).collect();
                let new: Vec<String> = comparable(new).into_iter().filter(counts).collect();
                assert_eq!(old, new, "{version}: {event:?}");
            }
        }
    }
}
