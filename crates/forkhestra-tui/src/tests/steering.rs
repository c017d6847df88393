//! What is asked of a run.

use forkhestra_core::control::{LONGEST_MESSAGE, Request};
use forkhestra_core::event::LimitChanges;
use forkhestra_core::limit::Limit;

use super::story::{self, Story};
use super::terminal::Screen;
use crate::msg::{Cmd, Msg};

/// What is asked of a run by some keys.
fn asked(story: &Story, keys: &str) -> Vec<Request> {
    let mut screen = Screen::of_run((80, 24), story);
    screen.press(keys);
    let requests = screen.take_cmds().into_iter().filter_map(|cmd| match cmd {
        Cmd::Ask { run, request } => {
            assert_eq!(run, story::run());
            Some(request)
        }
        _ => None,
    });
    requests.collect()
}

#[test]
fn keys_ask_what_they_say() {
    let told = Request::Tell("Mind the\ngap".to_owned());
    for (keys, expected) in [
        ("s", Request::Stop),
        ("p", Request::Pause),
        ("Sy", Request::StopNow),
        ("S<Left><Enter>", Request::StopNow),
        ("ky", Request::Skip),
        ("tMind the<Enter>gap  <C-s>", told),
    ] {
        assert_eq!(asked(&story::at_work(), keys), [expected], "{keys}");
    }
    assert_eq!(asked(&story::paused(), "p"), [Request::Continue]);
}

#[test]
fn nothing_is_destroyed_by_one_key() {
    for keys in ["S", "S<Enter>", "Sn", "S<Esc>", "Sq", "k", "k<Enter>", "kx", "t<C-s>", "thi<Esc>"]
    {
        assert_eq!(asked(&story::at_work(), keys), [], "{keys}");
    }
}

#[test]
fn a_run_that_is_over_is_asked_nothing_and_says_why() {
    for story in [story::finished(), story::failed(), story::cut_off()] {
        for key in ["s", "S", "p", "t", "k", "e"] {
            let mut screen = Screen::of_run((80, 24), &story);
            screen.take_cmds();
            screen.press(key);
            assert_eq!(screen.take_cmds(), [], "{key}");
            let text = screen.text();
            let last = text.lines().last().unwrap_or_default();
            assert!(last.contains("`forkhestra resume k3v9x2ab` goes on with it"), "{text}");
        }
    }
}

#[test]
fn a_message_has_limits() {
    let mut screen = Screen::of_run((80, 24), &story::at_work());
    screen.press("t<C-s>");
    assert!(screen.text().contains("the message is empty"), "{}", screen.text());
    let long = "x".repeat(LONGEST_MESSAGE + 1);
    screen.tell(Msg::Terminal(crossterm::event::Event::Paste(long))).take_cmds();
    screen.press("<C-s>");
    assert!(screen.text().contains("the message is longer than 16 KiB"), "{}", screen.text());
    assert_eq!(screen.take_cmds(), []);
    // Nothing that was written is lost by that.
    screen.press("<Backspace><C-s>");
    assert!(matches!(&screen.take_cmds()[..], [Cmd::Ask { request: Request::Tell(text), .. }]
        if text.len() == LONGEST_MESSAGE));
}

#[test]
fn what_is_pasted_is_never_taken_for_keys() {
    let mut screen = Screen::of_run((80, 24), &story::at_work());
    screen.take_cmds();
    screen.tell(Msg::Terminal(crossterm::event::Event::Paste("sSyp\n".to_owned())));
    assert_eq!(screen.take_cmds(), []);
    assert!(screen.text().contains("nothing to paste into"), "{}", screen.text());
}

#[test]
fn only_limits_that_were_changed_are_set() {
    let cost = Some(Limit::parse("7.50").expect("a limit"));
    let time = Some(Limit::Off);
    let iterations = forkhestra_core::count::Count::parse("100").ok();
    for (keys, changes) in [
        ("e0<Enter>", LimitChanges { iterations, ..LimitChanges::default() }),
        ("e<Tab><C-u>7.50<Enter>", LimitChanges { run_cost: cost, ..LimitChanges::default() }),
        ("e<Up><C-u>off<Enter>", LimitChanges { run_time: time, ..LimitChanges::default() }),
    ] {
        assert_eq!(asked(&story::at_work(), keys), [Request::Set(changes)], "{keys}");
    }
    assert_eq!(asked(&story::at_work(), "e<Enter>"), []);
    assert_eq!(asked(&story::at_work(), "e0<Esc>"), []);
}

#[test]
fn what_is_no_limit_is_said_at_its_place() {
    let mut screen = Screen::of_run((80, 24), &story::at_work());
    screen.press("e<C-u>0<Tab><C-u>much<Tab><C-u>90<Enter>");
    let text = screen.text();
    for message in [
        "must be at least 1",
        "is not an amount in US dollars; write it as `5` or `2.50`, or `off`",
        "needs a unit, as in `90s`, `30m` or `1h 30m`",
    ] {
        assert!(text.contains(message), "{text}");
    }
}
