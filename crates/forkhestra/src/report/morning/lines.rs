//! The morning report as lines of text.

use forkhestra_core::cost::Spend;
use forkhestra_core::event::{CheckReport, Commit};
use forkhestra_core::words;
use typeset::text::{shortened, visible};

use super::{IterationLine, MorningReport, TaskFate, TaskLine, TaskSection};
use crate::report::run::{reason, spoken};
use crate::report::{checks, iteration_words, spent};

/// No line is wider.
const WIDTH: usize = 80;

/// A screen of an ordinary terminal.
pub(crate) const SCREEN: usize = 24;

/// At least so many lines are shown, however little room there is.
const LEAST: usize = 6;

/// More lines of a check than this are for `show -v`.
const MOST_TAIL: usize = 5;

/// No more warnings are shown.
const MOST_WARNINGS: usize = 2;

/// No more of a title is shown beside something else.
const TITLE: usize = 20;

/// So many letters of a commit's id are enough.
const ID_LETTERS: usize = 7;

/// Where the report is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportPlace {
    /// Below the output of the run, which has the warnings and the iterations. Iterations of a run
    /// without tasks are listed only if their commits are known.
    RunEnd,
    /// On a page of its own.
    Page,
}

/// A heading with the lines below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReportSection {
    pub(crate) heading: String,
    /// The lines, indented, without line breaks.
    pub(crate) lines: Vec<String>,
}

impl ReportSection {
    const fn height(&self) -> usize {
        1 + self.lines.len()
    }
}

impl MorningReport {
    /// The report in sections of no more than so many lines together.
    pub(crate) fn lines(&self, room: usize, place: ReportPlace) -> Vec<ReportSection> {
        let room = room.max(LEAST);
        let check = self.failed_check.as_ref().map(|check| check_section(check, MOST_TAIL));
        let warnings = (!self.warnings.is_empty()).then(|| self.warning_section(place));
        let below: usize = check.iter().chain(&warnings).map(ReportSection::height).sum();
        let rest = room.saturating_sub(below).max(LEAST / 2);
        let work = match &self.tasks {
            Some(tasks) => Some(tasks.section(rest)),
            None if place == ReportPlace::Page || self.names_commits() => {
                iteration_section(&self.iterations, rest)
            }
            None => None,
        };
        work.into_iter().chain(check).chain(warnings).collect()
    }

    /// What became of each task, if there are any, however many lines that takes.
    pub(crate) fn tasks_in_full(&self) -> Option<ReportSection> {
        self.tasks.as_ref().map(|tasks| tasks.section(usize::MAX / 2))
    }

    /// The report for a notification: the tasks in one line, what blocks them, and the failing check.
    pub(crate) fn brief(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(tasks) = &self.tasks {
            lines.push(tasks.heading());
            let done = tasks.with(TaskFate::Done).filter(|task| !task.commits.is_empty());
            let done: Vec<&TaskLine> = done.collect();
            lines.extend(
                done.iter()
                    .rev()
                    .take(3)
                    .rev()
                    .map(|task| format!("done: {} {}", visible(&task.id), visible(&task.title))),
            );
            lines.extend(
                tasks
                    .with(TaskFate::Blocked)
                    .take(3)
                    .map(|task| format!("blocked: {} {}", visible(&task.id), with_reason(task))),
            );
        }
        if let Some(check) = &self.failed_check {
            let section = check_section(check, 3);
            lines.push(section.heading);
            lines.extend(section.lines);
        }
        lines.iter().map(|line| shortened(line, WIDTH)).collect()
    }

    fn warning_section(&self, place: ReportPlace) -> ReportSection {
        let number = self.warnings.len();
        match place {
            ReportPlace::RunEnd => ReportSection {
                heading: format!("Warnings: {number} (see above)"),
                lines: Vec::new(),
            },
            ReportPlace::Page => {
                let shown = self.warnings.iter().take(MOST_WARNINGS);
                let lines = shown.map(|text| line(&format!("  {}", visible(text)))).collect();
                ReportSection { heading: format!("Warnings: {number}"), lines }
            }
        }
    }
}

impl TaskSection {
    /// `Tasks: 7 of 14 done, 2 blocked, 5 left`.
    fn heading(&self) -> String {
        let counts = self.counts;
        let mut said = vec![format!("Tasks: {} of {} done", counts.done, counts.total)];
        let left = counts.to_do + counts.in_progress;
        said.extend((counts.blocked > 0).then(|| format!("{} blocked", counts.blocked)));
        said.extend((left > 0).then(|| format!("{left} left")));
        said.join(", ")
    }

    fn with(&self, fate: TaskFate) -> impl Iterator<Item = &TaskLine> {
        self.tasks.iter().filter(move |task| task.fate == fate)
    }

    fn section(&self, room: usize) -> ReportSection {
        let mut last = Vec::new();
        let blocked: Vec<&TaskLine> = self.with(TaskFate::Blocked).collect();
        let mut room = room.saturating_sub(1);
        let most_blocked = blocked.len().min((room / 3).max(1));
        last.extend(
            blocked.iter().take(most_blocked).map(|task| {
                line(&format!("  blocked  {}  {}", visible(&task.id), with_reason(task)))
            }),
        );
        last.extend(more(blocked.len() - most_blocked, "blocked"));
        last.extend(self.begun());
        last.extend(self.waiting());
        last.extend(self.others());
        room = room.saturating_sub(last.len()).max(2);
        let done: Vec<&TaskLine> = self.with(TaskFate::Done).collect();
        let left_out = if done.len() > room { done.len() + 1 - room } else { 0 };
        let has_cost = done.iter().any(|task| spent::known(task.spend).is_some());
        let mut lines: Vec<String> = more(left_out, "done").into_iter().collect();
        let shown = done.iter().skip(left_out);
        lines.extend(shown.map(|task| done_line(task, has_cost)));
        lines.extend(last);
        ReportSection { heading: self.heading(), lines }
    }

    /// The tasks that were begun and are not finished.
    fn begun(&self) -> Option<String> {
        let begun: Vec<&TaskLine> = self.with(TaskFate::Begun).collect();
        let first = begun.first()?;
        let title = visible(&first.title);
        Some(match begun.len() {
            1 => {
                let tries = words::count(first.iterations as usize, "iteration");
                let cost = cost(first.spend).map(|cost| format!(", {cost}")).unwrap_or_default();
                line(&format!("  begun    {}  {title} ({tries}{cost})", visible(&first.id)))
            }
            _ => line(&format!("  begun    {}", ids(&begun, 5))),
        })
    }

    fn waiting(&self) -> Option<String> {
        let waiting: Vec<&TaskLine> = self.with(TaskFate::Waiting).collect();
        (!waiting.is_empty()).then(|| line(&format!("  to do    {}", ids(&waiting, 5))))
    }

    /// What belongs to no task.
    fn others(&self) -> Option<String> {
        let cost = cost(self.other);
        if cost.is_none() && self.other_commits.is_empty() {
            return None;
        }
        let mut said = Vec::new();
        if self.other_iterations > 0 {
            said.push(words::count(self.other_iterations as usize, "iteration"));
        }
        said.extend(
            (!self.other_commits.is_empty())
                .then(|| words::count(self.other_commits.len(), "commit")),
        );
        said.extend(cost);
        Some(line(&format!("  other    {}", said.join(", "))))
    }
}

/// `done     TASK-001  Write the parser  $0.4100  a1b2c3d Add a parser (+1)`.
fn done_line(task: &TaskLine, has_cost: bool) -> String {
    let (id, title) = (visible(&task.id), shortened(&visible(&task.title), TITLE));
    let cost = match has_cost {
        true => format!("  {:>8}", cost(task.spend).unwrap_or_default()),
        false => String::new(),
    };
    let commits = of_commits(&task.commits, &task.id).map(|commits| format!("  {commits}"));
    line(&format!("  done     {id}  {title:<TITLE$}{cost}{}", commits.unwrap_or_default()))
}

/// The last commit, and how many there are beside it. A subject that begins with the id of the task is
/// shown without it.
fn of_commits(commits: &[Commit], task: &str) -> Option<String> {
    let last = commits.last()?;
    let id: String = visible(&last.id).chars().take(ID_LETTERS).collect();
    let more = match commits.len() - 1 {
        0 => String::new(),
        more => format!("+{more} "),
    };
    let subject = last.subject.strip_prefix(task).filter(|_| !task.is_empty());
    let subject =
        subject.map_or(last.subject.as_str(), |rest| rest.trim_start_matches([':', ' ', '-']));
    Some(format!("{more}{id} {}", visible(subject)))
}

fn cost(spend: Spend) -> Option<String> {
    spent::known(spend).map(spent::cost)
}

fn with_reason(task: &TaskLine) -> String {
    let title = visible(&task.title);
    match &task.reason {
        Some(reason) => format!("{}: {}", shortened(&title, TITLE), visible(reason)),
        None => title,
    }
}

fn ids(tasks: &[&TaskLine], most: usize) -> String {
    let shown: Vec<String> = tasks.iter().take(most).map(|task| visible(&task.id)).collect();
    match tasks.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn more(number: usize, what: &str) -> Option<String> {
    (number > 0).then(|| format!("  {what:<7}  {number} more"))
}

fn check_section(check: &CheckReport, most: usize) -> ReportSection {
    let why = visible(check.message.as_deref().unwrap_or(check.outcome.word()));
    let tail = checks::tail(check, checks::Extent::All);
    let left_out = tail.len().saturating_sub(most);
    let lines = tail[left_out..].iter().map(|text| line(&format!("  | {text}"))).collect();
    ReportSection {
        heading: line(&format!("Check failed: {}: {why}", checks::name(&check.name))),
        lines,
    }
}

/// The last iterations of a run without tasks, if there are several.
fn iteration_section(iterations: &[IterationLine], room: usize) -> Option<ReportSection> {
    if iterations.len() < 2 {
        return None;
    }
    let most = room.saturating_sub(1).clamp(2, 8);
    let left_out = iterations.len().saturating_sub(most);
    let lines = iterations.iter().skip(left_out).map(iteration_line).collect();
    let heading = match left_out {
        0 => "Iterations".to_owned(),
        _ => format!("The last {} of {} iterations", most, iterations.len()),
    };
    Some(ReportSection { heading, lines })
}

fn iteration_line(entry: &IterationLine) -> String {
    let record = &entry.record;
    let unit = record.unit;
    let place = format!("{}.{}", entry.step, unit.iteration);
    let word = iteration_words::label(&record.report.verdict);
    let time = spoken(record.report.duration);
    let cost = record.report.spend.and_then(cost).map(|cost| format!("  {cost:>8}"));
    let end = record.report.end.as_ref().map(reason::agent_end).unwrap_or_default();
    let what = of_commits(&entry.commits, "").unwrap_or(end);
    line(&format!("  {place:<5}  {word:<11}  {time:<7}{}  {what}", cost.unwrap_or_default()))
}

fn line(text: &str) -> String {
    shortened(text.trim_end(), WIDTH)
}
