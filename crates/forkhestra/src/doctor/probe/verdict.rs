//! Evaluates the result of a trial.

use forkhestra_core::config::Backend;
use serde_json::Value;
use typeset::text::{shortened, visible};

use super::super::finding::{DoctorFinding, FindingSubject};
use super::trial::{ProbeTrial, ShellWork};

/// Texts that mark the line which explains a failure.
const ERROR_PHRASES: [&str; 5] = ["not found", "dentity", "fatal:", "error:", "No such file"];

const SET_PATH: &str =
    "its shell resets PATH: set PATH in ~/.profile, so that `forge-tasks` is found";

const SET_IDENTITY: &str =
    "git config --global user.name NAME; git config --global user.email ADDRESS";

const MANUAL_START_HINT: &str = "start it by hand, and see what it says";

/// The finding about a probed agent.
pub(super) fn finding(backend: Backend, trial: &ProbeTrial) -> DoctorFinding {
    let (title, root_refusal) = (backend.title(), backend.facts().root_refusal);
    let Some(finished) = trial.event("iteration_finished") else {
        if let Some(refusal) = root_refusal.filter(|it| trial.stderr.contains(it.message)) {
            return FindingSubject::Probe
                .broken(format!("{title} was not started: {}", refusal.message))
                .remedy(refusal.remedy);
        }
        let why = trial.last_words().unwrap_or("the run said nothing");
        return FindingSubject::Probe
            .broken(format!("{title} was not started: {why}"))
            .remedy(MANUAL_START_HINT);
    };
    let is_complete = finished["verdict"]["kind"] == "complete";
    let tokens = tokens(&finished["spend"]);
    let committed = if trial.shell.has_commit == Some(true) { " and committed" } else { "" };
    match (is_complete, trial.requests, tokens) {
        (true, 0, _) => FindingSubject::Probe
            .warning(format!(
                "{title} completed without a request to the simulated model: it may have used another model"
            ))
            .remedy(MANUAL_START_HINT),
        (true, _, _) if trial.shell.problem().is_some() => {
            let (problem, remedy) = trial.shell.problem().unwrap_or_default();
            FindingSubject::Probe
                .broken(format!("{title} answers, but cannot work: {problem}"))
                .remedy(remedy)
        }
        (true, _, 0) => FindingSubject::Probe
            .warning(format!("{title} works, but its token usage cannot be read"))
            .remedy("its costs cannot be limited; use a version that forkhestra knows"),
        (true, _, tokens) => FindingSubject::Probe.ok(format!(
            "{title} works: it called the simulated model, its shell used forge-tasks{committed}, its \
             marker was found, {tokens} tokens were counted"
        )),
        (false, asked, _) => {
            let reached = if asked == 0 {
                "it sent no request to the simulated model"
            } else {
                "its marker was not found"
            };
            let instead = failure_reason(finished, trial);
            // The message about root contains the remedy as well.
            let of_root = root_refusal.and_then(|refusal| {
                let why = instead.strip_suffix(refusal.remedy)?.trim_end_matches(": ");
                Some((why, refusal.remedy))
            });
            let (why, remedy) = of_root.unwrap_or((&instead, MANUAL_START_HINT));
            let what = format!("{title} does not work: {why}; {reached}");
            FindingSubject::Probe.broken(what).remedy(remedy)
        }
    }
}

impl ShellWork {
    /// What the agent's shell could not do, with a remedy.
    fn problem(&self) -> Option<(String, String)> {
        let result_of = |call: usize| {
            let text = self.results.get(call).map(String::as_str).unwrap_or_default();
            let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let is_error_line = |line: &&str| ERROR_PHRASES.iter().any(|word| line.contains(word));
            let line = lines.clone().find(is_error_line).or_else(|| lines.next());
            line.map_or_else(String::new, |line| format!(" ({})", shortened(&visible(line), 200)))
        };
        if self.results.is_empty() {
            return Some(("its shell ran no command".to_owned(), MANUAL_START_HINT.to_owned()));
        }
        if !self.has_task {
            let problem = format!("its shell cannot use `forge-tasks`{}", result_of(0));
            let is_missing =
                ["not found", "No such file"].iter().any(|word| result_of(0).contains(word));
            let remedy = if is_missing { SET_PATH } else { MANUAL_START_HINT };
            return Some((problem, remedy.to_owned()));
        }
        if !self.is_task_done {
            let problem = format!("its shell cannot close a task{}", result_of(1));
            return Some((problem, MANUAL_START_HINT.to_owned()));
        }
        if self.has_commit == Some(false) {
            let remedy =
                if result_of(2).contains("dentity") { SET_IDENTITY } else { MANUAL_START_HINT };
            return Some((format!("its shell cannot commit{}", result_of(2)), remedy.to_owned()));
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
        let mut lines = self.stderr.lines().rev().map(str::trim);
        lines.find(|line| !line.is_empty())
    }
}

/// Why the iteration did not end well.
fn failure_reason(finished: &Value, trial: &ProbeTrial) -> String {
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

    fn verdict_text(asked: usize, event: Value, stderr: &str) -> String {
        verdict_text_with_shell(
            asked,
            event,
            stderr,
            ShellWork {
                results: vec![String::new(); 3],
                has_task: true,
                is_task_done: true,
                has_commit: Some(true),
            },
        )
    }

    fn verdict_text_with_shell(
        asked: usize,
        event: Value,
        stderr: &str,
        shell: ShellWork,
    ) -> String {
        let trial =
            ProbeTrial { events: vec![event], stderr: stderr.to_owned(), requests: asked, shell };
        finding(Backend::Codex, &trial).to_string()
    }

    fn finished(kind: &str, spend: &Value) -> Value {
        let end = json!({ "kind": "exited", "code": 1 });
        json!({ "event": "iteration_finished", "verdict": { "kind": kind }, "spend": spend, "end": end })
    }

    #[test]
    fn an_agent_works_if_its_request_marker_and_tokens_arrive() {
        let spend = json!({ "input": 100, "output": 20 });
        assert_eq!(
            verdict_text(1, finished("complete", &spend), ""),
            "ok: Codex works: it called the simulated model, its shell used forge-tasks and committed, its \
             marker was found, 120 tokens were counted"
        );
        assert!(
            verdict_text(0, finished("complete", &spend), "")
                .starts_with("warning: Codex completed without")
        );
        let unknown = verdict_text(1, finished("complete", &Value::Null), "");
        assert!(unknown.starts_with("warning: Codex works, but its token usage"), "{unknown}");
    }

    #[test]
    fn failed_shell_commands_are_named() {
        let spend = json!({ "input": 100, "output": 20 });
        let verdict_for =
            |shell| verdict_text_with_shell(4, finished("complete", &spend), "", shell);
        let results = |texts: [&str; 3]| texts.map(str::to_owned).to_vec();
        let no_program = results(["bash: line 1: forge-tasks: command not found", "", ""]);
        let without_program =
            verdict_for(ShellWork { results: no_program, ..ShellWork::default() });
        let expected = "broken: Codex answers, but cannot work: its shell cannot use `forge-tasks` \
                        (bash: line 1: forge-tasks: command not found) [its shell resets PATH";
        assert!(without_program.starts_with(expected), "{without_program}");
        let no_identity = ShellWork {
            results: results(["TASK-001", "TASK-001", "Exit code 128\nAuthor identity unknown\n"]),
            has_task: true,
            is_task_done: true,
            has_commit: Some(false),
        };
        let expected = "broken: Codex answers, but cannot work: its shell cannot commit (Author identity \
                        unknown) [git config --global user.name NAME";
        assert!(verdict_for(no_identity).starts_with(expected));
        assert!(verdict_for(ShellWork::default()).contains("its shell ran no command"));
    }

    #[test]
    fn the_unexpected_outcome_is_shown() {
        let failed = finished("incomplete", &Value::Null);
        assert_eq!(
            verdict_text(0, failed.clone(), "\nno such option\n\n"),
            "broken: Codex does not work: it ended with exit code 1 (no such option); \
             it sent no request to the simulated model [start it by hand, and see what it says]"
        );
        let mut event = failed;
        event["heard"] =
            json!({ "outcome": { "class": "authentication", "message": "Who are you?" } });
        let verdict_with_outcome = verdict_text(2, event, "noise");
        assert!(
            verdict_with_outcome
                .starts_with("broken: Codex does not work: Who are you?; its marker was not found"),
            "{verdict_with_outcome}"
        );
    }

    #[test]
    fn the_root_message_of_claude_is_split_into_cause_and_remedy() {
        let mut event = finished("blocked", &Value::Null);
        let remedy = Backend::Claude.facts().root_refusal.expect("it refuses root").remedy;
        let message = format!("root may not: {remedy}");
        event["heard"] = json!({ "outcome": { "message": message } });
        let trial = ProbeTrial { events: vec![event], ..ProbeTrial::default() };
        assert_eq!(
            finding(Backend::Claude, &trial).to_string(),
            format!(
                "broken: Claude Code does not work: root may not; it sent no request to the simulated model \
                 [{remedy}]"
            )
        );
    }

    #[test]
    fn a_run_that_failed_to_begin_is_shown_by_its_last_stderr_lines() {
        let verdict =
            verdict_text(0, json!({ "event": "run_started" }), "error: the disk is full\n");
        assert!(
            verdict.starts_with("broken: Codex was not started: error: the disk is full"),
            "{verdict}"
        );
    }
}
