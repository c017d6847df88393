//! Evaluates the result of a trial.

use forkhestra_core::config::Backend;
use serde_json::Value;
use typeset::text::{shortened, visible};

use super::super::finding::{DoctorFinding, FindingSubject};
use super::trial::{ProbeTrial, ShellWork};

/// Texts that mark the line which explains a failure.
const TELLING: [&str; 5] = ["not found", "dentity", "fatal:", "error:", "No such file"];

const SET_PATH: &str =
    "its shell resets PATH: set PATH in ~/.profile, so that `forge-tasks` is found";

const SET_IDENTITY: &str =
    "git config --global user.name NAME; git config --global user.email ADDRESS";

const BY_HAND: &str = "start it by hand, and see what it says";

/// The finding about a probed agent.
pub(super) fn finding(backend: Backend, trial: &ProbeTrial) -> DoctorFinding {
    let (title, root_refusal) = (backend.title(), backend.facts().root_refusal);
    let Some(finished) = trial.event("iteration_finished") else {
        if let Some(refusal) = root_refusal.filter(|it| trial.complaint.contains(it.message)) {
            return FindingSubject::Probe
                .broken(format!("{title} was not started: {}", refusal.message))
                .remedy(refusal.remedy);
        }
        let why = trial.last_words().unwrap_or("the run said nothing");
        return FindingSubject::Probe
            .broken(format!("{title} was not started: {why}"))
            .remedy(BY_HAND);
    };
    let is_complete = finished["verdict"]["kind"] == "complete";
    let tokens = tokens(&finished["spend"]);
    let committed = if trial.shell.has_commit == Some(true) { " and committed" } else { "" };
    match (is_complete, trial.asked, tokens) {
        (true, 0, _) => FindingSubject::Probe
            .warning(format!(
                "{title} ended well without asking the played model: whom it asked is not known"
            ))
            .remedy(BY_HAND),
        (true, _, _) if trial.shell.problem().is_some() => {
            let (problem, remedy) = trial.shell.problem().unwrap_or_default();
            FindingSubject::Probe
                .broken(format!("{title} answers, but cannot work: {problem}"))
                .remedy(remedy)
        }
        (true, _, 0) => FindingSubject::Probe
            .warning(format!("{title} works, but what it spends is not understood"))
            .remedy("its costs cannot be limited; use a version that forkhestra knows"),
        (true, _, tokens) => FindingSubject::Probe.ok(format!(
            "{title} works: it asked the played model, its shell used forge-tasks{committed}, its \
             marker was understood, {tokens} tokens were counted"
        )),
        (false, asked, _) => {
            let reached = if asked == 0 {
                "it did not ask the played model"
            } else {
                "its marker was not understood"
            };
            let instead = instead(finished, trial);
            // The message about root contains the remedy as well.
            let of_root = root_refusal.and_then(|refusal| {
                let why = instead.strip_suffix(refusal.remedy)?.trim_end_matches(": ");
                Some((why, refusal.remedy))
            });
            let (why, remedy) = of_root.unwrap_or((&instead, BY_HAND));
            let what = format!("{title} does not work: {why}; {reached}");
            FindingSubject::Probe.broken(what).remedy(remedy)
        }
    }
}

impl ShellWork {
    /// What the agent's shell could not do, with a remedy.
    fn problem(&self) -> Option<(String, String)> {
        let said = |call: usize| {
            let text = self.results.get(call).map(String::as_str).unwrap_or_default();
            let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let telling = |line: &&str| TELLING.iter().any(|word| line.contains(word));
            let line = lines.clone().find(telling).or_else(|| lines.next());
            line.map_or_else(String::new, |line| format!(" ({})", shortened(&visible(line), 200)))
        };
        if self.results.is_empty() {
            return Some(("its shell ran no command".to_owned(), BY_HAND.to_owned()));
        }
        if !self.has_task {
            let problem = format!("its shell cannot use `forge-tasks`{}", said(0));
            let is_missing =
                ["not found", "No such file"].iter().any(|word| said(0).contains(word));
            let remedy = if is_missing { SET_PATH } else { BY_HAND };
            return Some((problem, remedy.to_owned()));
        }
        if !self.is_task_done {
            let problem = format!("its shell cannot close a task{}", said(1));
            return Some((problem, BY_HAND.to_owned()));
        }
        if self.has_commit == Some(false) {
            let remedy = if said(2).contains("dentity") { SET_IDENTITY } else { BY_HAND };
            return Some((format!("its shell cannot commit{}", said(2)), remedy.to_owned()));
        }
        None
    }
}

impl ProbeTrial {
    /// The last event of a kind.
    fn event(&self, kind: &str) -> Option<&Value> {
        self.events.iter().rev().find(|event| event["event"] == kind)
    }

    /// The last line of standard error.
    fn last_words(&self) -> Option<&str> {
        let mut lines = self.complaint.lines().rev().map(str::trim);
        lines.find(|line| !line.is_empty())
    }
}

/// Why the iteration did not end well.
fn instead(finished: &Value, trial: &ProbeTrial) -> String {
    let outcome = &finished["heard"]["outcome"];
    if let Some(message) = outcome["message"].as_str() {
        return message.to_owned();
    }
    if let Some(why) = trial.event("agent_ending").and_then(|event| event["why"].as_str()) {
        return format!("it had to be ended ({why})");
    }
    let end = &finished["end"];
    let ended = match (end["code"].as_i64(), end["signal"].as_i64(), end["reason"].as_str()) {
        (_, _, Some(reason)) => reason.to_owned(),
        (Some(code), _, _) => format!("it ended with exit code {code}"),
        (None, Some(signal), _) => format!("it was ended by signal {signal}"),
        (None, None, None) => "how it ended is not known".to_owned(),
    };
    match trial.last_words() {
        Some(words) => format!("{ended} ({words})"),
        None => ended,
    }
}

/// The sum of all counted tokens.
fn tokens(spend: &Value) -> u64 {
    let kinds = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h"];
    kinds.iter().filter_map(|kind| spend[kind].as_u64()).sum()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(asked: usize, event: Value, complaint: &str) -> String {
        told_with(
            asked,
            event,
            complaint,
            ShellWork {
                results: vec![String::new(); 3],
                has_task: true,
                is_task_done: true,
                has_commit: Some(true),
            },
        )
    }

    fn told_with(asked: usize, event: Value, complaint: &str, shell: ShellWork) -> String {
        let trial =
            ProbeTrial { events: vec![event], complaint: complaint.to_owned(), asked, shell };
        finding(Backend::Codex, &trial).to_string()
    }

    fn finished(kind: &str, spend: &Value) -> Value {
        let end = json!({ "kind": "exited", "code": 1 });
        json!({ "event": "iteration_finished", "verdict": { "kind": kind }, "spend": spend, "end": end })
    }

    #[test]
    fn an_agent_works_if_it_asked_was_understood_and_was_counted() {
        let spend = json!({ "input": 100, "output": 20 });
        assert_eq!(
            told(1, finished("complete", &spend), ""),
            "ok: Codex works: it asked the played model, its shell used forge-tasks and committed, its \
             marker was understood, 120 tokens were counted"
        );
        assert!(
            told(0, finished("complete", &spend), "")
                .starts_with("warning: Codex ended well without")
        );
        let unknown = told(1, finished("complete", &Value::Null), "");
        assert!(unknown.starts_with("warning: Codex works, but what it spends"), "{unknown}");
    }

    #[test]
    fn what_its_shell_could_not_do_is_named() {
        let spend = json!({ "input": 100, "output": 20 });
        let told = |shell| told_with(4, finished("complete", &spend), "", shell);
        let results = |texts: [&str; 3]| texts.map(str::to_owned).to_vec();
        let no_program = results(["bash: line 1: forge-tasks: command not found", "", ""]);
        let told_program = told(ShellWork { results: no_program, ..ShellWork::default() });
        let expected = "broken: Codex answers, but cannot work: its shell cannot use `forge-tasks` \
                        (bash: line 1: forge-tasks: command not found) [its shell resets PATH";
        assert!(told_program.starts_with(expected), "{told_program}");
        let no_identity = ShellWork {
            results: results(["TASK-001", "TASK-001", "Exit code 128\nAuthor identity unknown\n"]),
            has_task: true,
            is_task_done: true,
            has_commit: Some(false),
        };
        let expected = "broken: Codex answers, but cannot work: its shell cannot commit (Author identity \
                        unknown) [git config --global user.name NAME";
        assert!(told(no_identity).starts_with(expected));
        assert!(told(ShellWork::default()).contains("its shell ran no command"));
    }

    #[test]
    fn what_came_instead_is_told() {
        let failed = finished("incomplete", &Value::Null);
        assert_eq!(
            told(0, failed.clone(), "\nno such option\n\n"),
            "broken: Codex does not work: it ended with exit code 1 (no such option); \
             it did not ask the played model [start it by hand, and see what it says]"
        );
        let mut heard = failed;
        heard["heard"] =
            json!({ "outcome": { "class": "authentication", "message": "Who are you?" } });
        let told_heard = told(2, heard, "noise");
        assert!(
            told_heard.starts_with(
                "broken: Codex does not work: Who are you?; its marker was not understood"
            ),
            "{told_heard}"
        );
    }

    #[test]
    fn what_claude_says_of_root_is_split_into_what_is_so_and_what_to_do() {
        let mut event = finished("blocked", &Value::Null);
        let remedy = Backend::Claude.facts().root_refusal.expect("it refuses root").remedy;
        let message = format!("root may not: {remedy}");
        event["heard"] = json!({ "outcome": { "message": message } });
        let trial = ProbeTrial { events: vec![event], ..ProbeTrial::default() };
        assert_eq!(
            finding(Backend::Claude, &trial).to_string(),
            format!(
                "broken: Claude Code does not work: root may not; it did not ask the played model \
                 [{remedy}]"
            )
        );
    }

    #[test]
    fn a_run_that_did_not_even_begin_is_told_by_its_last_words() {
        let told = told(0, json!({ "event": "run_started" }), "error: the disk is full\n");
        assert!(
            told.starts_with("broken: Codex was not started: error: the disk is full"),
            "{told}"
        );
    }
}
