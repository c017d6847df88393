//! Tests of requests to a run.

use forkhestra_core::control::{AcceptedRequest, ControlReply, ControlRequest, MAX_MESSAGE_BYTES};
use forkhestra_core::event::LimitChanges;
use forkhestra_core::limit::Limit;

use super::run_script::{self, RunScript};
use super::test_screen::TestScreen;
use crate::msg::{Cmd, Msg};

/// The requests that some keys send to a run.
fn asked(script: &RunScript, keys: &str) -> Vec<ControlRequest> {
    let mut screen = TestScreen::of_run((80, 24), script);
    screen.press(keys);
    let requests = screen.take_cmds().into_iter().filter_map(|cmd| match cmd {
        Cmd::SendRequest { run, request } => {
            assert_eq!(run, run_script::run());
            Some(request)
        }
        _ => None,
    });
    requests.collect()
}

#[test]
fn keys_send_their_requests() {
    let message = ControlRequest::tell("Mind the\ngap");
    for (keys, expected) in [
        ("s", ControlRequest::Stop),
        ("p", ControlRequest::Pause),
        ("Sy", ControlRequest::StopNow),
        ("S<Left><Enter>", ControlRequest::StopNow),
        ("ky", ControlRequest::Skip),
        ("tMind the<Enter>gap  <C-s>", message),
    ] {
        assert_eq!(asked(&run_script::at_work(), keys), [expected], "{keys}");
    }
    assert_eq!(asked(&run_script::paused(), "p"), [ControlRequest::Continue]);
}

#[test]
fn nothing_is_destroyed_by_one_key() {
    for keys in ["S", "S<Enter>", "Sn", "S<Esc>", "Sq", "k", "k<Enter>", "kx", "t<C-s>", "thi<Esc>"]
    {
        assert_eq!(asked(&run_script::at_work(), keys), [], "{keys}");
    }
}

#[test]
fn a_question_that_is_not_visible_takes_no_answer() {
    for (script, question) in [(run_script::at_work(), "S"), (run_script::failed(), "W")] {
        let mut screen = TestScreen::of_run((39, 24), &script);
        screen.take_cmds();
        screen.press(question).press("y").press("tis<C-s>s");
        assert_eq!(screen.take_cmds(), [], "{question}");
        screen.resize((80, 24));
        assert!(screen.app.dialog.is_none(), "{}", screen.text());
        // An open question waits until it is visible again.
        screen.press(question).resize((80, 9)).press("y<Left><Enter>");
        assert_eq!(screen.take_cmds(), [], "{question}");
        screen.press("<C-l><C-z><C-c>");
        assert_eq!(screen.take_cmds(), [Cmd::Redraw, Cmd::Suspend, Cmd::Quit]);
        screen.resize((80, 24)).press("y");
        assert_eq!(screen.take_cmds().len(), 1, "{question}");
    }
}

#[test]
fn a_finished_run_accepts_no_request_and_gives_the_reason() {
    for script in [run_script::finished(), run_script::failed(), run_script::cut_off()] {
        for key in ["s", "S", "p", "k", "e"] {
            let mut screen = TestScreen::of_run((80, 24), &script);
            screen.take_cmds();
            screen.press(key);
            assert_eq!(screen.take_cmds(), [], "{key}");
            let text = screen.text();
            let last = text.lines().last().unwrap_or_default();
            assert!(last.contains("R or `forkhestra resume k3v9x2ab` resumes it"), "{text}");
        }
    }
}

#[test]
fn a_message_is_kept_for_a_run_that_can_be_resumed() {
    for script in [run_script::failed(), run_script::cut_off()] {
        let request = ControlRequest::tell("Mind the gap");
        assert_eq!(asked(&script, "tMind the gap<C-s>"), vec![request.clone()]);
        let mut screen = TestScreen::of_run((80, 24), &script);
        let result = Ok(ControlReply::Accepted(AcceptedRequest::Queued { number: 1 }));
        screen.send(Msg::Replied { run: run_script::run(), request, result });
        let text = screen.text();
        assert!(text.contains("message 1 is kept; R resumes the run with it"), "{text}");
    }
}

#[test]
fn a_message_has_limits() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    screen.press("t<C-s>");
    assert!(screen.text().contains("the message is empty"), "{}", screen.text());
    let long = "x".repeat(MAX_MESSAGE_BYTES + 1);
    screen.send(Msg::Terminal(crossterm::event::Event::Paste(long))).take_cmds();
    screen.press("<C-s>");
    assert!(screen.text().contains("the message is longer than 16 KiB"), "{}", screen.text());
    assert_eq!(screen.take_cmds(), []);
    // The text in the editor is kept.
    screen.press("<Backspace><C-s>");
    assert!(
        matches!(&screen.take_cmds()[..], [Cmd::SendRequest { request: ControlRequest::Tell { text, lane: None }, .. }]
        if text.len() == MAX_MESSAGE_BYTES)
    );
}

#[test]
fn pasted_text_is_never_read_as_keys() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    screen.take_cmds();
    screen.send(Msg::Terminal(crossterm::event::Event::Paste("sSyp\n".to_owned())));
    assert_eq!(screen.take_cmds(), []);
    assert!(screen.text().contains("nothing to paste into"), "{}", screen.text());
}

#[test]
fn only_limits_that_were_changed_are_set() {
    let cost = Some(Limit::parse("7.50").expect("a limit"));
    let time = Some(Limit::Off);
    let iterations = forkhestra_core::text::count::Count::parse("100").ok();
    for (keys, changes) in [
        ("e0<Enter>", LimitChanges { iterations, ..LimitChanges::default() }),
        (
            "e<Up><Up><Up><Up><C-u>7.50<Enter>",
            LimitChanges { run_cost: cost, ..LimitChanges::default() },
        ),
        (
            "e<Tab><Tab><Tab><Tab><C-u>off<Enter>",
            LimitChanges { run_time: time, ..LimitChanges::default() },
        ),
    ] {
        assert_eq!(asked(&run_script::at_work(), keys), [ControlRequest::Set(changes)], "{keys}");
    }
    assert_eq!(asked(&run_script::at_work(), "e<Enter>"), []);
    assert_eq!(asked(&run_script::at_work(), "e0<Esc>"), []);
}

#[test]
fn an_invalid_limit_is_reported_at_its_field() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    screen.press("e<C-u>0<Tab><C-u>90<Up><Up><Up><Up><C-u>much<Enter>");
    for (message, keys) in [
        ("must be at least 1", "<Tab>"),
        ("needs a unit, as in `90s`, `30m` or `1h 30m`", "<Up><Up><Up><Up>"),
        ("is not an amount in US dollars; write it as `5` or `2.50`, or `off`", "<Esc>"),
    ] {
        assert!(screen.text().contains(message), "{}", screen.text());
        screen.press(keys);
    }
}

#[test]
fn the_command_that_resumes_a_run_is_copied_and_shown() {
    for size in [(80, 24), (40, 10)] {
        let mut screen = TestScreen::of_run(size, &run_script::failed());
        screen.take_cmds();
        screen.press("y");
        let copy = Cmd::Copy("forkhestra resume k3v9x2ab".to_owned());
        // The mouse is released, so that the command can be selected.
        assert_eq!(screen.take_cmds(), [copy, Cmd::CaptureMouse(false)]);
        assert!(screen.text().contains("forkhestra resume k3v9x2ab"), "{}", screen.text());
        screen.press("x");
        assert_eq!(screen.take_cmds(), [Cmd::CaptureMouse(true)]);
        assert!(!screen.text().contains("Resume command"), "{}", screen.text());
    }
}

#[test]
fn a_run_is_resumed_after_a_yes_and_nothing_else() {
    for (keys, expected) in [
        ("Ry", vec![Cmd::Resume(run_script::run())]),
        ("R<Left><Enter>", vec![Cmd::Resume(run_script::run())]),
        ("R<Enter>", Vec::new()),
        ("Rn", Vec::new()),
        ("R<Esc>", Vec::new()),
    ] {
        let mut screen = TestScreen::of_run((80, 24), &run_script::failed());
        screen.take_cmds();
        screen.press(keys);
        assert_eq!(screen.take_cmds(), expected, "{keys}");
    }
    let mut screen = TestScreen::of_run((80, 24), &run_script::failed());
    let text = screen.press("R").text();
    for expected_text in
        ["forkhestra resume k3v9x2ab", "in the background", "step 2 of 3", "(builder)"]
    {
        assert!(text.contains(expected_text), "{expected_text}:\n{text}");
    }
}

#[test]
fn the_result_of_a_resume_is_shown() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::failed());
    let resumed = |result| Msg::Resumed { run: run_script::run(), result };
    screen.press("Ry").send(resumed(Ok(())));
    assert!(screen.text().contains("the run continues in the background"), "{}", screen.text());
    screen.press("Ry").take_cmds();
    let why = "error: another run works in this directory\nhint: stop it first\u{1b}[2J".to_owned();
    screen.send(resumed(Err(why)));
    let text = screen.text();
    for expected_text in
        ["The run was not resumed", "another run works", "hint: stop it first\\u{1b}[2J"]
    {
        assert!(text.contains(expected_text), "{expected_text}:\n{text}");
    }
    assert_eq!(screen.take_cmds(), [Cmd::CaptureMouse(false)]);
}

#[test]
fn a_run_that_cannot_be_resumed_gives_the_reason() {
    let mut complete = run_script::finished().news();
    complete.resume = None;
    let mut over = TestScreen::of_run((80, 24), &run_script::finished());
    over.send(Msg::News(complete));
    for (screen, expected_text) in [
        (&mut over, "the run cannot be resumed"),
        (&mut TestScreen::of_run((80, 24), &run_script::at_work()), "the run is active"),
    ] {
        screen.take_cmds();
        for key in ["R", "y"] {
            screen.press(key);
            assert_eq!(screen.take_cmds(), [], "{key}");
            assert!(screen.text().contains(expected_text), "{}", screen.text());
        }
    }
}
