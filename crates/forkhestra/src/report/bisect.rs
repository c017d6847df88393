//! Report of `bisect`: progress, the iteration that broke something, and what can be done.

mod bisect_view;
mod first_bad_snapshot;

use forkhestra_core::bisect::{BisectionOutcome, TrialAnswer};
use forkhestra_core::plan::StepSandbox;
use forkhestra_core::text;
use forkhestra_engine::bisect::TrialReport;
use typeset::style::{BAD, GOOD, WARNING, paint};
use typeset::text::{shortened, visible};

use crate::bisect::bisect_range::{BisectRange, BisectSnapshot};
use crate::bisect::bisect_search::BisectResult;
use crate::cli::exit_code::{COMPLETE, INCOMPLETE};
use crate::past_runs::run_snapshots::RunSnapshots;
use crate::project::project_location::ProjectLocation;
use crate::report::bisect::first_bad_snapshot::FirstBadSnapshot;
use crate::report::run::short_duration;
use crate::report::text::shell_word::shell_word;

/// The maximum of candidates that are listed.
const MAX_LISTED: usize = 5;

/// The maximum width of a command in texts.
const MAX_TEST_COLUMNS: usize = 100;

/// A search, for its reports.
pub(crate) struct BisectSubject<'a> {
    pub(crate) run: &'a RunSnapshots,
    pub(crate) range: &'a BisectRange,
    /// What snapshots are tested with.
    pub(crate) test: &'a str,
    /// Whether that is a command, and no check.
    pub(crate) is_command: bool,
    pub(crate) sandbox: Option<&'a StepSandbox>,
    pub(crate) project: &'a ProjectLocation,
}

impl BisectSubject<'_> {
    /// What snapshots are tested with, short and safe to print.
    fn shown_test(&self) -> String {
        shortened(&visible(self.test), MAX_TEST_COLUMNS)
    }
}

/// The first line.
pub(crate) fn start(subject: &BisectSubject<'_>) -> String {
    let BisectSubject { run, range, sandbox, .. } = subject;
    let snapshots = text::count(range.snapshots.len(), "snapshot");
    let place = match sandbox {
        Some(sandbox) => format!("in the sandbox {sandbox}"),
        None => "without a sandbox".to_owned(),
    };
    format!(
        "[forkhestra] Bisecting run {}: {snapshots} from {} to {}, tested by `{}` {place}\n",
        run.run_dir.run(),
        range.good().name(),
        range.bad().name(),
        subject.shown_test(),
    )
}

/// The line about a test, with the number of snapshots that are left if the search goes on.
pub(crate) fn progress(
    snapshot: &BisectSnapshot,
    report: &TrialReport,
    left: Option<usize>,
) -> String {
    let answer = report.answer;
    let style = match answer {
        TrialAnswer::Good => GOOD,
        TrialAnswer::Bad => BAD,
        TrialAnswer::Skip(_) => WARNING,
    };
    let why = match answer {
        TrialAnswer::Skip(why) => format!(", {why}"),
        TrialAnswer::Good | TrialAnswer::Bad => String::new(),
    };
    let left = left.map(|left| format!(", {left} left")).unwrap_or_default();
    let (name, duration) = (snapshot.name(), short_duration(report.duration));
    format!("[forkhestra] {name}: {}{why} ({duration}){left}\n", paint(style, answer.word()))
}

/// The output of a test, indented.
pub(crate) fn output(output: &str) -> String {
    output.lines().map(|line| format!("    {}\n", visible(line))).collect()
}

/// The result for people.
pub(crate) fn render(subject: &BisectSubject<'_>, result: &BisectResult) -> String {
    match result.outcome {
        BisectionOutcome::Found { first_bad } => FirstBadSnapshot::of(subject, first_bad).render(),
        outcome => not_found(subject, result, outcome),
    }
}

/// The result as a JSON object.
pub(crate) fn json(subject: &BisectSubject<'_>, result: &BisectResult) -> String {
    bisect_view::json(subject, result)
}

/// 0 if the iteration is known, otherwise 1.
pub(crate) const fn exit_code(outcome: BisectionOutcome) -> u8 {
    match outcome {
        BisectionOutcome::Found { .. } => COMPLETE,
        _ => INCOMPLETE,
    }
}

fn not_found(
    subject: &BisectSubject<'_>,
    result: &BisectResult,
    outcome: BisectionOutcome,
) -> String {
    let range = subject.range;
    let (good, bad, test) = (range.good().name(), range.bad().name(), subject.shown_test());
    let (why, hints) = match outcome {
        BisectionOutcome::BothGood => {
            (format!("`{test}` passes at both ends, {good} and {bad}"), both_good_hints())
        }
        BisectionOutcome::BothBad => {
            (format!("`{test}` fails at both ends, {good} and {bad}"), both_bad_hints(subject))
        }
        BisectionOutcome::Inverted => {
            let why = format!("`{test}` fails at {good} and passes at {bad}: the run fixed it");
            (why, vec![inverted_hint(subject)])
        }
        BisectionOutcome::EndSkipped(index) => {
            let option = if index == 0 { "--good" } else { "--bad" };
            (
                end_skipped(subject, result, index),
                vec![format!("name another iteration: `{option} N`")],
            )
        }
        BisectionOutcome::OnlySkipped { last_good, bad } => only_skipped(subject, last_good, bad),
        BisectionOutcome::Found { .. } => (String::new(), Vec::new()),
    };
    let hints: String = hints.iter().map(|hint| format!("hint: {hint}\n")).collect();
    format!("{}: {why}\n{hints}", paint(WARNING, "Not found"))
}

fn both_good_hints() -> Vec<String> {
    vec!["if it fails only now and then, test each snapshot more often: `--times 5`".to_owned()]
}

fn both_bad_hints(subject: &BisectSubject<'_>) -> Vec<String> {
    let mut hints = vec![
        "`-v` shows what it prints: the directory of a test has no ignored files, such as installed \
         packages, and an empty home directory"
            .to_owned(),
    ];
    if subject.sandbox.is_some() {
        hints.push("`--sandbox off` tests without the sandbox".to_owned());
    }
    hints.push("if all was well at an earlier or later iteration, name it: `--good N`".to_owned());
    hints
}

fn inverted_hint(subject: &BisectSubject<'_>) -> String {
    let id = subject.run.run_dir.run();
    let inverted = match subject.is_command {
        true => shell_word(&format!("! {}", subject.test)),
        false => "'! CMD'".to_owned(),
    };
    format!(
        "to find the iteration that fixed it, invert the command: `forkhestra bisect {id} -- sh -c {inverted}`"
    )
}

fn end_skipped(subject: &BisectSubject<'_>, result: &BisectResult, index: usize) -> String {
    let skipped = result.tested.iter().find(|tested| tested.index == index);
    let why = match skipped.map(|tested| tested.answer) {
        Some(TrialAnswer::Skip(why)) => format!(": {why}"),
        _ => String::new(),
    };
    format!("{} is neither good nor bad{why}", subject.range.snapshots[index].name())
}

fn only_skipped(
    subject: &BisectSubject<'_>,
    last_good: usize,
    bad: usize,
) -> (String, Vec<String>) {
    let BisectSubject { run, range, .. } = subject;
    let candidates = &range.snapshots[last_good + 1..=bad];
    let labels: Vec<&str> = candidates.iter().map(|candidate| candidate.label.as_str()).collect();
    let which = match labels.as_slice() {
        [first, .., last] if labels.len() > MAX_LISTED => {
            format!("one of {} from {first} to {last}", labels.len())
        }
        labels => text::join_with_or(labels),
    };
    let (last_good, bad) = (&range.snapshots[last_good], &range.snapshots[bad]);
    let why = format!(
        "every snapshot between {}, which is good, and {}, which is bad, was skipped; the first bad one is \
         {which}",
        last_good.name(),
        bad.name(),
    );
    let (id, from, to) =
        (run.run_dir.run(), run.address(&last_good.point), run.address(&bad.point));
    (why, vec![format!("what changed in between: forkhestra diff {id} {from}..{to}")])
}
