//! Tests of answers to the questions of a run.

use forkhestra_core::control::{
    AcceptedRequest, AnswerRequest, ControlReply, ControlRequest, MAX_MESSAGE_BYTES, RefusedRequest,
};
use forkhestra_core::event::{Answer, AnswerSource, CancelCause, EventKind, RunEnd, StepEnd};
use forkhestra_core::history::Liveness;
use forkhestra_core::plan::AgentKind;
use typeset::color_mode::PrintStyle;

use super::run_script::{self, RunScript};
use super::test_screen::TestScreen;
use crate::msg::{Cmd, Msg};

fn screen_of(script: &RunScript) -> TestScreen {
    let mut screen = TestScreen::of_run((80, 24), script);
    screen.take_cmds();
    screen
}

/// The request after some keys, if there is exactly one.
fn request(screen: &mut TestScreen) -> Option<ControlRequest> {
    match screen.take_cmds().as_slice() {
        [Cmd::SendRequest { run, request }] if *run == run_script::run() => Some(request.clone()),
        _ => None,
    }
}

fn answer(approves: bool, text: Option<&str>) -> ControlRequest {
    let text = text.map(str::to_owned);
    ControlRequest::Answer(AnswerRequest { step: 2, question: Some(1), approves, text })
}

#[test]
fn an_answer_names_its_question_and_has_the_comment() {
    for (keys, expected) in [
        ("a<C-s>", answer(true, None)),
        ("x<C-s>", answer(false, None)),
        ("aUse the API.<C-s>", answer(true, Some("Use the API."))),
        ("xtwo<Enter>lines <Enter><C-s>", answer(false, Some("two\nlines"))),
        ("a<Esc>x<C-s>", answer(false, None)),
        ("a \u{7}  <C-s>", answer(true, None)),
    ] {
        let mut screen = screen_of(&run_script::asking());
        screen.press(keys);
        assert_eq!(request(&mut screen), Some(expected.clone()), "{keys}");
        // It is sent once.
        screen.press("x<C-s>").send(Msg::Terminal(crossterm::event::Event::Paste("y".into())));
        assert_eq!(screen.take_cmds(), [], "{keys}");
        let accepted = AcceptedRequest::Answered { step: 2, approved: true };
        let result = Ok(ControlReply::Accepted(accepted));
        screen.send(Msg::Replied { run: run_script::run(), request: expected, result });
        assert!(screen.app.dialog.is_none());
    }
    let mut screen = screen_of(&run_script::asking());
    screen.press("a").click("Ctrl-S approve");
    assert_eq!(request(&mut screen), Some(answer(true, None)));
}

#[test]
fn one_key_answers_nothing() {
    for keys in
        ["a", "x", "aa", "a<Enter>", "ay", "x<Enter><Enter>", "a<Esc>", "a<Esc><C-s>", "axy"]
    {
        let mut screen = screen_of(&run_script::asking());
        screen.press(keys);
        assert_eq!(screen.take_cmds(), [], "{keys}");
    }
}

#[test]
fn a_form_that_is_not_visible_takes_no_answer() {
    let mut screen = screen_of(&run_script::asking());
    screen.press("a").resize((80, 9)).press("<C-s>");
    assert_eq!(screen.take_cmds(), []);
    screen.resize((39, 24)).press("x<C-s>");
    assert_eq!(screen.take_cmds(), []);
    screen.resize((40, 10)).press("<C-s>");
    assert_eq!(request(&mut screen), Some(answer(true, None)));
}

#[test]
fn a_comment_that_is_too_long_stays_in_the_form() {
    let mut screen = screen_of(&run_script::asking());
    let text = "x".repeat(MAX_MESSAGE_BYTES + 1);
    screen.press("a").send(Msg::Terminal(crossterm::event::Event::Paste(text)));
    screen.press("<C-s>");
    assert_eq!(screen.take_cmds(), []);
    assert!(screen.text().contains("the message is longer than 16 KiB"), "{}", screen.text());
    screen.press("<Backspace><C-s>");
    assert!(request(&mut screen).is_some());
}

#[test]
fn a_form_of_an_earlier_question_does_not_answer_the_next_one() {
    let mut script = run_script::asking();
    let mut screen = screen_of(&script);
    screen.press("a");
    let known = script.events.len();
    let by_another = Answer { question: 1, approved: true, text: None, by: AnswerSource::Person };
    script.event(EventKind::Answered { step: 2, answer: by_another });
    script.step_over(2, StepEnd::Skipped).step(3).step_over(3, StepEnd::Skipped).step(4);
    script.ask(4, 2);
    let mut news = script.news();
    news.events.drain(..known);
    screen.send(Msg::News(news)).press("<C-s>");
    let sent = request(&mut screen);
    assert_eq!(sent, Some(answer(true, None)), "the run refuses it");
    assert!(screen.text().contains("Shall it be deployed?"), "{}", screen.text());
    screen.press("<Esc>a<C-s>");
    let Some(ControlRequest::Answer(next)) = request(&mut screen) else { panic!("no answer") };
    assert_eq!((next.step, next.question), (4, Some(2)));
}

#[test]
fn the_reply_to_an_answer_is_shown() {
    let accepted =
        |approved| ControlReply::Accepted(AcceptedRequest::Answered { step: 2, approved });
    for (reply, expected_text) in [
        (accepted(true), "✓ step 2 is approved"),
        (accepted(false), "✓ step 2 is denied"),
        (
            ControlReply::Refused(RefusedRequest::AnsweredAlready),
            "✗ cannot answer: the question was answered already",
        ),
        (
            ControlReply::Refused(RefusedRequest::OtherQuestion),
            "✗ cannot answer: another question is open",
        ),
        (ControlReply::Refused(RefusedRequest::NotAsking), "✗ cannot answer: no question is open"),
    ] {
        let mut screen = screen_of(&run_script::asking());
        screen.press("a<C-s>");
        let request = request(&mut screen).expect("it is sent");
        screen.send(Msg::Replied { run: run_script::run(), request, result: Ok(reply) });
        assert!(screen.text().contains(expected_text), "{}", screen.text());
    }
}

/// The run may have ended while the form was open.
#[test]
fn a_refused_answer_keeps_the_form_and_its_comment() {
    let why = "no process works on the run any more; to resume it with this answer: \
               forkhestra resume k3v9x2ab --approve 'Use the\nAPI.'";
    let refused = ControlReply::Refused(RefusedRequest::NotAsking);
    for (result, expected_texts) in [
        (Ok(refused), &["✗ cannot answer: no question is open"][..]),
        (
            Err(why.to_owned()),
            &["✗ no process works on the run any more", "--approve 'Use the", "│ API.'"],
        ),
    ] {
        for size in [(80, 24), (40, 10)] {
            let mut screen = screen_of(&run_script::asking());
            screen.resize(size).press("aUse the<Enter>API.<C-s>");
            let sent = request(&mut screen).expect("it is sent");
            let (run, again) = (run_script::run(), sent.clone());
            screen.send(Msg::Replied { run, request: sent, result: result.clone() });
            let text = screen.text();
            assert!(
                size.0 == 40 || expected_texts.iter().all(|part| text.contains(part)),
                "{text}"
            );
            assert!(text.contains('✗') && text.contains("API."), "{text}");
            assert!(!text.contains("asking the run"), "{text}");
            screen.press("<C-s>");
            assert_eq!(request(&mut screen), Some(again), "{text}");
        }
    }
}

/// A reply that is late belongs to no form that was opened since.
#[test]
fn a_reply_to_an_earlier_answer_does_not_close_the_form() {
    let mut screen = screen_of(&run_script::asking());
    screen.press("a<C-s>");
    let request = request(&mut screen).expect("it is sent");
    screen.press("<Esc>xno");
    let result = Err("the run does not answer".to_owned());
    screen.send(Msg::Replied { run: run_script::run(), request, result });
    assert!(screen.text().contains("Deny?"), "{}", screen.text());
    assert!(screen.text().contains("✗ the run does not answer"), "{}", screen.text());
}

#[test]
fn the_open_question_of_a_run_that_is_over_is_answered_by_a_command() {
    let mut cut_off = run_script::asking();
    cut_off.liveness = Liveness::Gone;
    let mut stopped = run_script::asking();
    let end = RunEnd::Interrupted(CancelCause::Stop);
    stopped.step_over(2, StepEnd::Cancelled).finish_run(end);
    for script in [cut_off, stopped] {
        let mut screen = TestScreen::of_run((120, 24), &script);
        let text = screen.text();
        let shown = "question open: forkhestra resume k3v9x2ab --approve or --deny";
        assert!(text.contains(shown), "{text}");
        screen.press("x");
        let text = screen.text();
        let shown = "✗ the question is open: `forkhestra resume k3v9x2ab --approve`, or --deny";
        assert!(text.contains(shown), "{text}");
    }
    let mut over = TestScreen::of_run((120, 24), &run_script::failed());
    assert!(!over.text().contains("question open"), "{}", over.text());
    assert!(!over.press("a").text().contains("the question is open"), "{}", over.text());
}

#[test]
fn a_run_without_a_question_is_not_answered() {
    let mut over = run_script::asking();
    over.liveness = Liveness::Gone;
    for (script, expected_text) in
        [(run_script::at_work(), "✗ no question is open"), (over, "✗ the question is open: ")]
    {
        for key in ["a", "x"] {
            let mut screen = screen_of(&script);
            let text = screen.text();
            assert!(!text.contains("a approve") && !text.contains("x deny"), "{text}");
            screen.press(key).press("<C-s>");
            assert_eq!(screen.take_cmds(), []);
            assert!(screen.app.dialog.is_none());
        }
        let mut screen = screen_of(&script);
        screen.press("a");
        assert!(screen.text().contains(expected_text), "{}", screen.text());
    }
}

#[test]
fn a_long_question_is_complete_in_the_messages() {
    let mut screen = TestScreen::of_run((40, 12), &run_script::asking());
    assert!(!screen.text().contains("next question"), "{}", screen.text());
    screen.press("m<End>");
    assert!(screen.text().contains("next question"), "{}", screen.text());
}

/// A run that asks 80 lines.
fn asking_at_length() -> RunScript {
    let mut script = run_script::asking();
    for event in &mut script.events {
        let EventKind::RunStarted { plan, .. } = &mut event.kind else { continue };
        let text: Vec<String> = (1..=80).map(|line| format!("line {line}.")).collect();
        let AgentKind::Question(question) = &mut plan.steps[1].agent.kind else {
            panic!("it asks")
        };
        question.text = Some(text.join("\n"));
    }
    script
}

#[test]
fn the_key_that_shows_the_rest_of_a_long_question_is_named() {
    for size in [(80, 24), (40, 12), (120, 40)] {
        let mut screen = TestScreen::of_run(size, &asking_at_length());
        let text = screen.text();
        assert!(text.contains("line 1.") && !text.contains("line 80."), "{text}");
        assert!(text.contains("m more"), "{text}");
        screen.press("m");
        let mut seen = screen.text();
        for _ in 0..80 {
            seen += &screen.press("<PageDown>").text();
        }
        let missing = (1..=80).find(|line| !seen.contains(&format!("line {line}.")));
        assert_eq!(missing, None, "{size:?}");
    }
    let short = TestScreen::of_run((80, 24), &run_script::asking());
    assert!(!short.text().contains("m more"), "{}", short.text());
}

#[test]
fn a_long_question_is_scrolled_in_the_form() {
    for size in [(80, 24), (40, 10)] {
        let mut screen = TestScreen::of_run(size, &asking_at_length());
        screen.take_cmds();
        let mut seen = screen.press("a").text();
        assert!(seen.contains("PgDn") && !seen.contains("line 80."), "{seen}");
        for _ in 0..100 {
            seen += &screen.press("<PageDown>").text();
        }
        let missing = (1..=80).find(|line| !seen.contains(&format!("line {line}.")));
        assert_eq!(missing, None, "{size:?}");
        assert!(screen.text().contains("line 80."), "{}", screen.text());
        // One page back, wherever the last page began.
        assert!(!screen.press("<PageUp>").text().contains("line 80."), "{}", screen.text());
        screen.press("yes<C-s>");
        let sent = request(&mut screen);
        assert_eq!(sent, Some(answer(true, Some("yes"))), "{size:?}");
    }
    let mut short = TestScreen::of_run((80, 24), &run_script::asking());
    assert!(!short.press("a").text().contains("PgDn"), "{}", short.text());
}

#[test]
fn footer_and_help_list_the_keys_of_an_answer() {
    let mut screen = screen_of(&run_script::asking());
    let text = screen.text();
    let footer = text.lines().last().unwrap_or_default();
    assert!(footer.trim_start().starts_with("a approve  x deny  "), "{text}");
    screen.press("?");
    let text = screen.text();
    assert!(text.contains("a       approve the question of the run"), "{text}");
    assert!(text.contains("x       deny the question of the run"), "{text}");
}

#[test]
fn a_question_is_readable_without_colors() {
    let plain = TestScreen::inked((80, 24), &run_script::asking(), PrintStyle::new(false));
    assert!(plain.text().contains("? asking"), "{}", plain.text());
    assert!(plain.cells().all(|cell| cell.fgcolor() == vt100::Color::Default));
}
