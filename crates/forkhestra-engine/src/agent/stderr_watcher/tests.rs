use proptest::prelude::*;

use super::*;

/// Feeds standard error in pieces of these lengths, and returns what is displayed and the result.
fn watch(backend: Backend, text: &str, lengths: &[usize]) -> (Vec<String>, StderrResult) {
    let mut shown: Vec<String> = Vec::new();
    let mut sink = |output: StderrOutput<'_>| match output {
        // Adjacent pieces of displayed bytes are joined.
        StderrOutput::Bytes(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            match shown.last_mut() {
                Some(last) if !last.starts_with('#') => last.push_str(&text),
                _ => shown.push(text.into_owned()),
            }
        }
        StderrOutput::Notice(StreamNotice::AgentEvent(event)) => {
            let AgentEventKind::Retry(retry) = event.kind else { panic!("{event:?}") };
            let ProviderRetry { attempt, delay, status, why, .. } = retry;
            let delay = delay.map(|delay| delay.as_millis());
            shown.push(format!("#{attempt} {delay:?} {status:?} {why}"));
        }
        StderrOutput::Notice(StreamNotice::Fact(fact)) => shown.push(format!("#{fact:?}")),
    };
    let mut watcher = stderr_watcher(backend, Arc::default()).expect("it has something to find");
    let mut rest = text.as_bytes();
    for length in lengths.iter().cycle() {
        let (piece, others) = rest.split_at((*length).min(rest.len()));
        watcher.feed(piece, &mut sink);
        rest = others;
        if rest.is_empty() {
            break;
        }
    }
    let watched = watcher.finish(&mut sink);
    (shown, watched)
}

fn all(backend: Backend, text: &str) -> (Vec<String>, StderrResult) {
    watch(backend, text, &[text.len().max(1)])
}

/// The output of Gemini CLI for a failing provider.
const TRACE: &str = r#"YOLO mode is enabled.
Attempt 1 failed with status 500. Retrying with backoff... _ApiError: {"error":{"code":500,"status":"INTERNAL","message":"oops"}}
    at throwErrorIfNotOK (file:///gemini.js:267833:24)
    at async Turn.run (file:///gemini.js:333001:24) {
  status: 500
}
Attempt 2 failed. Retrying with backoff... TypeError: fetch failed
    at node:internal/deps
Ripgrep is not available.
Error when talking to Gemini API Full report available at: /tmp/x.json _ApiError: oops
    at Turn.run (file:///gemini.js:333001:24) {
  status: 500
}
}
"#;

#[test]
fn gemini_repeats_requests_and_its_traces_are_not_shown() {
    let (shown, watched) = all(Backend::Gemini, TRACE);
    assert_eq!(
        shown,
        [
            "YOLO mode is enabled.\n",
            "#1 None Some(500) oops",
            "#2 None None fetch failed",
            "Ripgrep is not available.\nError when talking to Gemini API Full report available at: \
             /tmp/x.json _ApiError: oops\n}\n",
        ]
    );
    assert_eq!(watched, StderrResult { retries: 2, futile: None });
}

#[test]
fn the_delay_stands_behind_a_message_of_several_lines() {
    let text = "Attempt 3 failed: You asked too often.\nSuggested retry after 60s.. Retrying after 61000ms...\nx\n";
    let why = "You asked too often. Suggested retry after 60s.";
    let (shown, _) = all(Backend::Gemini, text);
    assert_eq!(shown, [&format!("#3 Some(61000) None {why}"), "x\n"]);
}

#[test]
fn a_line_that_resembles_a_retry_is_shown() {
    for text in [
        "Attempt 10 failed: no. Max attempts reached\n",
        "Attempt 10 failed: no\none\ntwo\nthree\nfour\n",
        "Attempt 10 failed: no",
        "Attempt one failed. Retrying with backoff...\n",
        "Attempts are made\n",
        "Att",
        "  indented\n}\n",
        "opencode tries again at some time\n",
        "\n",
    ] {
        for backend in [Backend::Gemini, Backend::Opencode] {
            assert_eq!(
                all(backend, text),
                (vec![text.to_owned()], StderrResult::default()),
                "{text}"
            );
        }
    }
    let long = format!("Attempt 1 failed: {}. Retrying after 1ms...\n", "x".repeat(MAX_LINE_BYTES));
    assert_eq!(all(Backend::Gemini, &long).0, [long]);
}

#[test]
fn a_line_without_meaning_is_shown_at_once() {
    let mut watcher =
        stderr_watcher(Backend::Gemini, Arc::default()).expect("it has something to find");
    let mut shown = Vec::new();
    watcher.feed(b"Are you sure? ", &mut |output| {
        let StderrOutput::Bytes(bytes) = output else { panic!("{output:?}") };
        shown.extend_from_slice(bytes);
    });
    assert_eq!(shown, b"Are you sure? ");
}

fn plugin_line(attempt: u32, seconds: u64, why: &str) -> String {
    format!(
        "opencode tries again at 2026-11-15T19:14:58.294Z (attempt {attempt}, in {seconds} s): {why}\n"
    )
}

#[test]
fn opencode_repeats_requests_as_its_plugin_says() {
    let (shown, watched) = all(Backend::Opencode, &plugin_line(2, 4, "Overloaded (really): yes"));
    assert_eq!(shown, ["#2 Some(4000) None Overloaded (really): yes"]);
    assert_eq!(watched, StderrResult { retries: 1, futile: None });
}

#[test]
fn the_texts_of_the_plugin_are_the_ones_we_parse() {
    let plugin = crate::agent::opencode::PLUGIN;
    let line = "`opencode tries again at ${until} (attempt ${status.attempt}, in ${seconds} s): ${why}\\n`";
    assert!(plugin.contains(line), "{plugin}");
    let line = "`opencode is at work, tools running: ${tools.size}\\n`";
    assert!(plugin.contains(line), "{plugin}");
}

#[test]
fn opencode_gets_further_as_its_plugin_says() {
    let progress: Arc<ProgressGauge> = Arc::default();
    let mut watcher =
        stderr_watcher(Backend::Opencode, Arc::clone(&progress)).expect("it has something to find");
    let mut feed = |text: &str| {
        let mut shown = String::new();
        watcher.feed(text.as_bytes(), &mut |output| match output {
            StderrOutput::Bytes(bytes) => shown.push_str(&String::from_utf8_lossy(bytes)),
            StderrOutput::Notice(notice) => panic!("{notice:?}"),
        });
        (shown, progress.is_understood(), progress.is_tool_running())
    };
    let nothing = String::new;
    assert_eq!(feed("a warning\n"), ("a warning\n".to_owned(), false, false));
    assert_eq!(feed("opencode is at work, tools running: 1\n"), (nothing(), true, true));
    assert_eq!(feed("opencode is at work, tools running: 0\n"), (nothing(), true, false));
    let odd = "opencode is at work, tools running: many\n";
    assert_eq!(feed(odd), (odd.to_owned(), true, false));
}

#[test]
fn waiting_is_futile_when_it_takes_too_long_or_changes_nothing() {
    use OutcomeClass as C;
    let quota = "You exceeded your current quota, please check your plan and billing details. For \
                 more information on this error, read the docs: https://platform.openai.com/docs";
    for (attempt, seconds, why, expected) in [
        (1, 3600, "Rate limit reached", Some(C::UsageLimit)),
        (1, 600, "Rate limit reached", None),
        (9, 30, "Rate limit reached", None),
        (10, 30, "Rate limit reached", Some(C::Overloaded)),
        (10, 30, "The usage limit has been reached", Some(C::UsageLimit)),
        (1, 2, "The usage limit has been reached", None),
        (1, 2, "Your credit balance is too low", Some(C::Billing)),
        (1, 2, quota, Some(C::Billing)),
        (1, 2, "invalid x-api-key", Some(C::Authentication)),
    ] {
        let (shown, watched) = all(Backend::Opencode, &plugin_line(attempt, seconds, why));
        assert_eq!(watched.futile.as_ref().map(|outcome| outcome.class), expected, "{why}");
        let Some(outcome) = watched.futile else { continue };
        assert_eq!(shown.last(), Some(&format!("#{:?}", StreamFact::Futile(outcome.clone()))));
        let knows_reset = outcome.class == C::UsageLimit;
        assert_eq!(outcome.resets.is_some(), knows_reset, "{why}");
    }
}

#[test]
fn gemini_is_stopped_only_after_many_retries() {
    let attempt = |number: u32, text: &str| {
        format!("Attempt {number} failed: {text}. Retrying after 5000ms...\n")
    };
    let text: String =
        (1..=12).map(|number| attempt(number, "please check your billing details")).collect();
    let (shown, watched) = all(Backend::Gemini, &text);
    assert_eq!(watched.retries, 12);
    let class = watched.futile.map(|outcome| outcome.class);
    assert_eq!(class, Some(OutcomeClass::Overloaded));
    assert_eq!(shown.iter().filter(|shown| shown.contains("Futile")).count(), 1, "it is said once");
}

#[test]
fn a_line_that_arrives_in_pieces_ends_a_stack_trace() {
    let text = "Attempt 1 failed: a. Retrying after 7ms...\nAttached\n}\n";
    let pieces = [text.find("ached").expect("the text has it") + 1, 1];
    assert_eq!(watch(Backend::Gemini, text, &pieces), all(Backend::Gemini, text));
    let (shown, _) = all(Backend::Gemini, text);
    assert_eq!(shown.last().map(String::as_str), Some("Attached\n}\n"));
}

#[test]
fn other_agents_need_no_stderr_watcher() {
    assert!(stderr_watcher(Backend::Claude, Arc::default()).is_none());
    assert!(stderr_watcher(Backend::Codex, Arc::default()).is_none());
}

proptest! {
    #[test]
    fn how_complaints_are_cut_makes_no_difference(
        lengths in prop::collection::vec(1..40_usize, 1..6),
        order in prop::collection::vec(0..5_usize, 0..6),
    ) {
        let plugin = plugin_line(1, 2, "x");
        let parts = [TRACE, "Attempt 1 failed: a\nb. Retrying after 7ms...\n", &plugin, "Att", "\n}\n"];
        let text: String = order.iter().map(|part| parts[*part]).collect();
        for backend in [Backend::Gemini, Backend::Opencode] {
            prop_assert_eq!(watch(backend, &text, &lengths), all(backend, &text));
        }
    }
}
