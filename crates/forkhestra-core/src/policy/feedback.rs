//! Feedback for the next agent: about a refused iteration or round, or about the step that it replaces.

use crate::control::MAX_MESSAGE_BYTES;
use crate::event::{
    CheckReport, IterationReport, LandingRefusal, LandingRefusalKind, PathList, Verdict,
};
use crate::explain;
use crate::text::last_bytes;

/// Upper bound for a check's output, in bytes.
const MAX_TAIL_BYTES: usize = 4 * 1024;

/// Upper bound for the reason for which an agent refuses a round, in bytes.
pub const MAX_REASON_BYTES: usize = 4 * 1024;

/// Upper bound for the feedback without the comment of a person, in bytes: it must fit into an
/// environment variable and into a prompt.
const MAX_FEEDBACK_BYTES: usize = 32 * 1024;

/// Upper bound for the quoted comment of a person, in bytes. Every line of it begins with a bar, so
/// that a comment of empty lines becomes five times as long.
const MAX_QUOTED_COMMENT_BYTES: usize = 5 * MAX_MESSAGE_BYTES;

/// Feedback about earlier work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Feedback {
    /// The sentence at its beginning; none without feedback.
    heading: Option<String>,
    /// What to do about the refusal, and the files in question.
    instruction: Option<(&'static str, PathList)>,
    failed: Vec<CheckReport>,
    /// What another agent or a person said about the work.
    reason: Option<String>,
    is_from_another_step: bool,
}

const CONFLICTS_WITH_LANDED_WORK: &str =
    "Your commits conflict with work that other agents have landed since:";
const FAILS_WITH_LANDED_WORK: &str =
    "Your commits were merged with work that other agents have landed, and then checks failed:";
const UNRELATED_WORK: &str = "Your commits have no common history with the work that has landed:";

/// What to do about work that does not land.
const MERGE_INSTRUCTION: &str = "Run `git merge refs/forkhestra/integration`, resolve the conflicts so that both changes keep their purpose, run the tests, and commit. Do not rebase and do not discard the other changes.";

impl Feedback {
    /// The feedback about an iteration.
    pub fn of(report: &IterationReport) -> Self {
        let refusal = match report.verdict {
            Verdict::Refused(why) => Some(why),
            _ => None,
        };
        let instruction = refusal.and_then(|why| explain::instruction(why, &report.observation));
        let failed: Vec<CheckReport> =
            report.checks.iter().filter(|check| !check.passed()).cloned().collect();
        let heading = match refusal {
            Some(_) => Some("The completion claim of the previous iteration was refused:"),
            None if failed.is_empty() => None,
            None => Some("After the previous iteration not all checks passed:"),
        };
        Self {
            heading: heading.map(str::to_owned),
            instruction: instruction
                .map(|(sentence, paths)| (sentence, paths.cloned().unwrap_or_default())),
            failed,
            reason: None,
            is_from_another_step: false,
        }
    }

    /// The feedback about a round that an agent, or else a person, did not accept.
    pub(crate) fn of_round(round: u32, agent: Option<&str>, reason: Option<&str>) -> Self {
        let by = agent.map_or("A person".to_owned(), |agent| one_line(&format!("`{agent}`")));
        let end = if reason.is_some() { ":" } else { "." };
        let heading = format!("{by} did not accept the work of round {round}{end}");
        let reason = reason.map(str::to_owned);
        Self { heading: Some(heading), reason, is_from_another_step: true, ..Self::default() }
    }

    /// The feedback about a round in which the completion claim of the agent that decides was
    /// refused. Its words would read like an approval.
    pub(crate) fn of_refused_claim(round: u32, agent: &str, report: &IterationReport) -> Self {
        let agent = one_line(&format!("`{agent}`"));
        let heading = format!("After round {round} the completion claim of {agent} was refused:");
        Self { heading: Some(heading), is_from_another_step: true, ..Self::of(report) }
    }

    /// The feedback about work of a lane that does not land. `landed` names what changed the files in
    /// conflict.
    pub(crate) fn of_landing_refusal(refusal: &LandingRefusal, landed: &[String]) -> Self {
        let heading = match refusal.why {
            LandingRefusalKind::Conflict => CONFLICTS_WITH_LANDED_WORK,
            LandingRefusalKind::ChecksFailed => FAILS_WITH_LANDED_WORK,
            LandingRefusalKind::Unrelated => UNRELATED_WORK,
        };
        let reason = (!landed.is_empty())
            .then(|| format!("The files were changed by {}.", landed.join(", ")));
        Self {
            heading: Some(heading.to_owned()),
            instruction: Some((MERGE_INSTRUCTION, refusal.paths.clone())),
            failed: refusal.checks.clone(),
            reason,
            is_from_another_step: true,
        }
    }

    /// The feedback about a completion claim that was refused on the landed work of all lanes.
    pub(crate) fn of_refused_landing(failed: Vec<CheckReport>) -> Self {
        let heading = "The completion claim was refused: checks failed on the landed work of all lanes. The branch of this clone has that work:";
        Self {
            heading: Some(heading.to_owned()),
            failed,
            is_from_another_step: true,
            ..Self::default()
        }
    }

    /// Adds protected files that were changed, unless the feedback says already what to do.
    #[must_use]
    pub fn with_changed_files(mut self, paths: PathList) -> Self {
        if self.instruction.is_none() && !paths.is_empty() {
            self.instruction = Some((explain::RESTORE_FILES, paths));
        }
        self
    }

    /// The feedback about a round whose checks did not all pass.
    pub(crate) fn of_round_checks(round: u32, failed: Vec<CheckReport>) -> Self {
        let heading = format!("After round {round} not all checks passed:");
        Self { heading: Some(heading), failed, is_from_another_step: true, ..Self::default() }
    }

    /// The feedback for an agent that runs instead of another one, whose end is given in words.
    pub(crate) fn instead_of(agent: &str, end: &str, reason: Option<&str>) -> Self {
        let heading = one_line(&format!("`{agent}` did not complete this work ({end})"));
        let stop = if reason.is_some() { ":" } else { "." };
        let reason = reason.map(str::to_owned);
        let heading = Some(format!("{heading}{stop}"));
        Self { heading, reason, is_from_another_step: true, ..Self::default() }
    }

    /// Adds the checks that did not pass, with the end of their output.
    #[must_use]
    pub(crate) fn with_failed_checks(mut self, failed: Vec<CheckReport>) -> Self {
        self.failed = failed;
        self
    }

    /// The feedback about a round whose question timed out.
    pub(crate) fn of_timed_out_question(round: u32) -> Self {
        let heading =
            format!("The question about the work of round {round} timed out without an answer.");
        Self { heading: Some(heading), is_from_another_step: true, ..Self::default() }
    }

    /// The feedback for an agent that runs since a question was not approved, or timed out.
    pub(crate) fn instead_of_question(timed_out: bool, comment: Option<&str>) -> Self {
        let stop = if comment.is_some() { ":" } else { "." };
        let heading = Some(match timed_out {
            true => "The question before this step timed out without an answer.".to_owned(),
            false => format!("A person was asked and did not approve{stop}"),
        });
        let reason = comment.map(str::to_owned);
        Self { heading, reason, is_from_another_step: true, ..Self::default() }
    }

    /// Whether it is the reason for another round, or for an alternative, and not about an iteration
    /// of the same step.
    pub const fn is_from_another_step(&self) -> bool {
        self.is_from_another_step
    }

    /// The text for the agent; none without feedback. No line of it matches a marker, since each
    /// quoted line begins with a bar.
    pub fn text(&self) -> Option<String> {
        let mut text = format!("{}\n", self.heading.as_ref()?);
        if let Some((sentence, paths)) = &self.instruction {
            text.push_str(&format!("\n- {sentence}\n"));
            if !paths.is_empty() {
                quote(&mut text, &listed(paths));
            }
        }
        self.failed.iter().for_each(|check| write_check(&mut text, check));
        let mut text = shortened(&text, MAX_FEEDBACK_BYTES);
        if let Some(reason) = &self.reason {
            let mut quoted = String::new();
            quote(&mut quoted, reason);
            text.push('\n');
            text.push_str(&shortened(&quoted, MAX_QUOTED_COMMENT_BYTES));
        }
        Some(text)
    }
}

fn listed(paths: &PathList) -> String {
    let more = (paths.more > 0).then(|| format!("and {} more", paths.more));
    let lines: Vec<&str> = paths.listed.iter().map(String::as_str).chain(more.as_deref()).collect();
    lines.join("\n")
}

fn write_check(text: &mut String, check: &CheckReport) {
    let message = check.message.as_deref().unwrap_or(check.outcome.as_str());
    text.push_str(&format!(
        "\n- Check {} did not pass: {}\n",
        one_line(&check.name),
        one_line(message)
    ));
    if let Some(tail) = &check.tail {
        text.push_str("  The end of its output:\n");
        quote(text, last_bytes(tail, MAX_TAIL_BYTES));
    }
}

fn one_line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn quote(text: &mut String, quoted: &str) {
    // A carriage return would overprint the bar on a terminal, so it starts a new line.
    for line in quoted.replace("\r\n", "\n").trim_end_matches(['\n', '\r']).split(['\n', '\r']) {
        text.push_str("  | ");
        text.push_str(line);
        text.push('\n');
    }
}

/// The first `limit` bytes of a text that is too long, in whole characters.
fn shortened(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}\n(the rest is left out)\n", &text[..end])
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::event::{CheckOutcome, ClaimRefusal, Observation, OutputSummary};
    use crate::marker::Marker;
    use crate::scan::MarkerScanner;

    fn report(
        verdict: Verdict,
        observation: Observation,
        checks: Vec<CheckReport>,
    ) -> IterationReport {
        IterationReport {
            closing_text: None,
            verdict,
            end: None,
            duration: Duration::ZERO,
            observation,
            output: OutputSummary::default(),
            stream_summary: None,
            spend: None,
            checks,
        }
    }

    fn check(name: &str, message: Option<&str>, tail: Option<&str>) -> CheckReport {
        CheckReport {
            name: name.to_owned(),
            outcome: CheckOutcome::Failed,
            message: message.map(str::to_owned),
            tail: tail.map(str::to_owned),
            duration: Duration::ZERO,
        }
    }

    fn text(
        verdict: Verdict,
        observation: Observation,
        checks: Vec<CheckReport>,
    ) -> Option<String> {
        Feedback::of(&report(verdict, observation, checks)).text()
    }

    #[test]
    fn failing_checks_are_reported_with_their_tail() {
        let passed = CheckReport { outcome: CheckOutcome::Passed, ..check("lint", None, None) };
        let checks = vec![
            passed,
            check("cargo test", Some("exit\n 101"), Some("test a ... FAILED\r\n\nover\rit")),
            CheckReport { outcome: CheckOutcome::TimedOut, ..check("slow", None, None) },
        ];
        let refused = Verdict::Refused(ClaimRefusal::ChecksFailed);
        let expected = "\
The completion claim of the previous iteration was refused:

- Check cargo test did not pass: exit 101
  The end of its output:
  | test a ... FAILED
  | 
  | over
  | it

- Check slow did not pass: timed_out
";
        assert_eq!(
            text(refused, Observation::default(), checks.clone()).as_deref(),
            Some(expected)
        );
        let unasked =
            text(Verdict::Incomplete, Observation::default(), checks).expect("there is one");
        assert!(unasked.starts_with("After the previous iteration not all checks passed:\n\n- "));
    }

    #[test]
    fn files_are_listed_that_stand_against_an_agent() {
        let paths =
            |names: &[&str]| Some(PathList::of(names.iter().map(|name| (*name).to_owned())));
        let many = PathList::of((0..23).map(|number| format!("{number:02}")));
        let observation = Observation {
            protected: paths(&["tests/b.rs", "tests/a.rs"]),
            uncommitted: Some(many),
            ..Observation::default()
        };
        let feedback = |why, observation: &Observation| {
            text(Verdict::Refused(why), observation.clone(), Vec::new())
        };
        let protected = "\
The completion claim of the previous iteration was refused:

- These files are protected and must not be changed. Put them back as they were:
  | tests/a.rs
  | tests/b.rs
";
        assert_eq!(
            feedback(ClaimRefusal::ProtectedFiles, &observation).as_deref(),
            Some(protected)
        );
        let uncommitted =
            feedback(ClaimRefusal::UncommittedWork, &observation).expect("there is one");
        assert!(uncommitted.contains("Commit these changes first, or remove them:\n  | 00\n"));
        assert!(uncommitted.ends_with("  | 19\n  | and 3 more\n"), "{uncommitted}");
        let unseen =
            feedback(ClaimRefusal::ProtectedFiles, &Observation::default()).expect("there is one");
        assert!(unseen.contains("It is not known whether"), "{unseen}");
        let idle = feedback(ClaimRefusal::NoWork, &observation).expect("there is one");
        assert!(idle.ends_with("\n- It used no tool and changed nothing.\n"), "{idle}");
    }

    #[test]
    fn passing_checks_give_no_feedback() {
        let passed = CheckReport { outcome: CheckOutcome::Passed, ..check("lint", None, None) };
        for verdict in [Verdict::Incomplete, Verdict::Crashed] {
            assert_eq!(text(verdict, Observation::default(), vec![passed.clone()]), None);
        }
    }

    #[test]
    fn long_output_is_cut_to_its_tail_and_many_checks_to_the_first() {
        let long = format!("{}the end", "ä".repeat(10_000));
        let one =
            text(Verdict::Incomplete, Observation::default(), vec![check("a", None, Some(&long))]);
        let one = one.expect("there is one");
        assert!(one.len() < MAX_TAIL_BYTES + 200 && one.ends_with("the end\n"), "{}", one.len());
        let checks = vec![check("a", None, Some(&long)); 20];
        let all = text(Verdict::Incomplete, Observation::default(), checks).expect("there is one");
        assert!(all.len() < MAX_FEEDBACK_BYTES + 50 && all.ends_with("\n(the rest is left out)\n"));
    }

    /// Text that looks like a marker, or hides one.
    fn marker_like_text() -> impl Strategy<Value = String> {
        let markers: Vec<String> = Marker::defaults().iter().map(ToString::to_string).collect();
        let piece = prop_oneof![
            4 => prop::sample::select(markers),
            6 => prop::sample::select(vec![
                "\n", "\r", "\r\n", " ", "\t", "\x1b[0m", "\x1b[2K", "`", "```\n", "**", "|", "~~~\n",
                "\x0b", "\u{2028}", "\0",
            ]).prop_map(str::to_owned),
            1 => any::<String>(),
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn no_line_of_the_feedback_is_a_marker(
            refusal in prop::sample::select(vec![
                Verdict::Incomplete,
                Verdict::Refused(ClaimRefusal::ChecksFailed),
                Verdict::Refused(ClaimRefusal::ProtectedFiles),
                Verdict::Refused(ClaimRefusal::UncommittedWork),
                Verdict::Refused(ClaimRefusal::NoWork),
            ]),
            checks in prop::collection::vec(
                (marker_like_text(), prop::option::of(marker_like_text()), prop::option::of(marker_like_text())), 1..4),
            paths in prop::collection::vec(marker_like_text(), 0..4),
            padding in prop::sample::select(vec![0, MAX_TAIL_BYTES, MAX_FEEDBACK_BYTES]),
        ) {
            let checks = checks.iter().map(|(name, message, tail)| {
                let tail = tail.as_ref().map(|tail| format!("{}{tail}", "x".repeat(padding)));
                check(&format!("c{name}"), message.as_deref(), tail.as_deref())
            });
            let paths = Some(PathList::of(paths));
            let observation = Observation { protected: paths.clone(), uncommitted: paths, ..Observation::default() };
            let feedback_text = text(refusal, observation, checks.collect()).expect("a check failed");
            let mut scanner = MarkerScanner::new(&Marker::defaults()).expect("these are markers");
            // A terminal prints text behind a carriage return from the margin.
            let lines = feedback_text.replace('\r', "\n");
            prop_assert_eq!(scanner.feed(lines.as_bytes()), None, "{}", feedback_text);
            prop_assert_eq!(scanner.finish(), None, "{}", feedback_text);
            prop_assert!(feedback_text.len() < MAX_FEEDBACK_BYTES + 50);
        }
    }
}
