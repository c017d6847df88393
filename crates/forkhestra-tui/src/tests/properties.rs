//! Property tests: for any input nothing panics, and no control characters reach the terminal. Each
//! draw in a test checks the second.

use std::time::Duration;

use crossterm::event::{
    Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use forkhestra_core::event::{
    CheckOutcome, CheckReport, ClaimRefusal, CommitSummary, EventKind, OperatorMessage, TaskChange,
    TaskChangeKind, TaskChanges, TaskCounts, Verdict,
};
use forkhestra_core::plan::Prompt;
use proptest::prelude::*;
use proptest::sample::select;

use super::output::send_patch;
use super::run_script::{self, RunScript, unit};
use super::test_screen::TestScreen;
use crate::msg::Msg;
use crate::output::{BufferPatch, OutputLine, diff_lines};
use crate::run_source::{
    ChangedFile, IterationChanges, IterationDiff, RunListItem, RunScope, TaskBoard, TaskCard,
    TaskDetails,
};

/// An event on a screen.
#[derive(Debug, Clone)]
enum ScreenAct {
    Terminal(TerminalEvent),
    Resize(u16, u16),
    Output(Vec<String>),
    Earlier(Vec<String>),
    Later,
    Tick(u64),
}

fn code() -> impl Strategy<Value = KeyCode> {
    let named = vec![
        KeyCode::Esc,
        KeyCode::Enter,
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Backspace,
        KeyCode::Delete,
    ];
    prop_oneof![
        3 => select("sSptkeRWdynNxarwfg#G/?q[]<>12345locmdua bA日é".chars().collect::<Vec<_>>()).prop_map(KeyCode::Char),
        1 => any::<char>().prop_map(KeyCode::Char),
        2 => select(named),
    ]
}

fn act() -> impl Strategy<Value = ScreenAct> {
    let modifiers = select(vec![
        KeyModifiers::NONE,
        KeyModifiers::NONE,
        KeyModifiers::NONE,
        KeyModifiers::CONTROL,
        KeyModifiers::ALT,
        KeyModifiers::SHIFT,
    ]);
    let kind = select(vec![
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::ScrollUp,
        MouseEventKind::ScrollDown,
        MouseEventKind::Moved,
    ]);
    let key = (code(), modifiers).prop_map(|(code, modifiers)| {
        ScreenAct::Terminal(TerminalEvent::Key(KeyEvent::new(code, modifiers)))
    });
    let mouse = (kind, 0_u16..200, 0_u16..60).prop_map(|(kind, column, row)| {
        let modifiers = KeyModifiers::NONE;
        ScreenAct::Terminal(TerminalEvent::Mouse(MouseEvent { kind, column, row, modifiers }))
    });
    let paste = any::<String>().prop_map(|text| ScreenAct::Terminal(TerminalEvent::Paste(text)));
    let lines = || proptest::collection::vec("[a-c日\u{301} ]{0,90}", 0..40);
    prop_oneof![
        12 => key,
        3 => mouse,
        1 => paste,
        2 => (1_u16..200, 1_u16..60).prop_map(|(columns, rows)| ScreenAct::Resize(columns, rows)),
        2 => lines().prop_map(ScreenAct::Output),
        1 => lines().prop_map(ScreenAct::Earlier),
        1 => Just(ScreenAct::Later),
        1 => (0_u64..100_000).prop_map(ScreenAct::Tick),
    ]
}

fn perform(screen: &mut TestScreen, act: ScreenAct, script: &mut RunScript) {
    let plain = |lines: Vec<String>| lines.into_iter().map(OutputLine::plain).collect();
    let has_output = screen.app.run.as_ref().is_some_and(|run| run.output.unit.is_some());
    match act {
        ScreenAct::Terminal(event) => drop(screen.send(Msg::Terminal(event))),
        ScreenAct::Resize(columns, rows) => drop(screen.resize((columns, rows))),
        ScreenAct::Output(lines) if has_output => {
            send_patch(screen, BufferPatch { after: plain(lines), ..BufferPatch::default() });
        }
        ScreenAct::Earlier(lines) if has_output => {
            let has_earlier = Some(lines.len() % 2 == 0);
            send_patch(
                screen,
                BufferPatch { before: plain(lines), has_earlier, ..BufferPatch::default() },
            );
        }
        ScreenAct::Output(_) | ScreenAct::Earlier(_) => {}
        ScreenAct::Later => {
            let known = script.events.len();
            script.pass(3).event(EventKind::Warning { message: "it goes on".to_owned() });
            let mut news = script.news();
            news.events.drain(..known);
            screen.send(Msg::News(news));
        }
        ScreenAct::Tick(seconds) => {
            let now = script.now.saturating_add(Duration::from_secs(seconds));
            screen.send(Msg::Tick(now));
        }
    }
}

/// Texts that agents, tasks and users may produce.
fn foreign() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a\u{1b}\u{7}\u{9b}\\[\\]0-9;m\r\n\t\u{202e}\u{200d}日🏳\u{fe0f}\u{301}\u{8}]{0,40}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_acts_breaks_a_screen(
        acts in proptest::collection::vec(act(), 1..60),
        begins_with_list in any::<bool>(),
    ) {
        let mut script = run_script::at_work();
        let mut screen = match begins_with_list {
            true => TestScreen::of_list((80, 24), RunScope::Here),
            false => TestScreen::of_run((80, 24), &script),
        };
        screen.send(Msg::Runs(Ok(run_script::listed())));
        screen.send(Msg::Tasks { run: run_script::run(), board: Some(Ok(run_script::board())) });
        for act in acts {
            perform(&mut screen, act, &mut script);
        }
    }

    #[test]
    fn no_text_of_others_is_obeyed(text in foreign(), columns in 40_u16..220) {
        let mut screen = TestScreen::of_run((columns, 24), &run_with_text(&text));
        let task = TaskCard {
            id: text.clone(),
            title: text.clone(),
            status: text.clone(),
            assignee: Some(text.clone()),
            is_of_run: true,
            waits_for: vec![text.clone()],
        };
        let board = Some(Ok(TaskBoard { tasks: vec![task] }));
        screen.send(Msg::Tasks { run: run_script::run(), board });
        for (keys, unit) in [("3<Enter>", None), ("<Esc><Tab>[<Enter>", Some(unit(1, 1)))] {
            screen.press(keys);
            let run = run_script::run();
            screen.send(match unit {
                None => Msg::Task { run, id: text.clone(), task: Ok(Some(Box::new(details(&text)))) },
                Some(unit) => Msg::Changes { run, unit, changes: Ok(changes(&text)) },
            });
            let (run, unit) = (run_script::run(), run_script::unit(1, 1));
            screen.send(Msg::LastMessage { run, unit, message: Ok(Some(text.clone())) });
        }
        let diff = IterationDiff { text: text.clone().into(), is_cut: true, command: text.clone() };
        for lines in [Ok(diff_lines(&diff)), Err(text.clone())] {
            screen.press("d").send(Msg::Diff { run: run_script::run(), unit: unit(1, 1), lines });
            screen.press("wd");
        }
        screen.send(Msg::Rewound(Ok(text.clone()))).press("x");
        let (run, result) = (run_script::run(), Err(text.clone()));
        screen.press("<Esc><Tab>").send(Msg::Resumed { run, result }).press("x]");
        // Not even a line of output that was not sanitized.
        let after = vec![OutputLine::plain(text.clone())];
        send_patch(&mut screen, BufferPatch { after, ..BufferPatch::default() });
        for keys in ["1", "[c", "3", "m", "5", "k<Esc>", "t<Esc>", "e<Esc>", "<Tab>"] {
            screen.press(keys);
        }
        screen.press("/").send(Msg::Terminal(TerminalEvent::Paste(text.clone())));
        screen.press("<Enter>t").send(Msg::Terminal(TerminalEvent::Paste(text.clone())));

        let mut list = TestScreen::of_list((columns, 24), RunScope::Everywhere);
        let listed = |listed: RunListItem| RunListItem { chain: text.clone(), directory: text.clone(), ..listed };
        list.send(Msg::Runs(Ok(run_script::listed().into_iter().map(listed).collect())));
        list.send(Msg::Runs(Err(text.clone())));
    }
}

/// A task in which every field has this text.
fn details(text: &str) -> TaskDetails {
    let text = || text.to_owned();
    TaskDetails {
        id: text(),
        title: text(),
        status: text(),
        priority: Some(text()),
        assignee: Some(text()),
        labels: vec![text()],
        parent: Some(text()),
        dependencies: vec![(text(), None), (text(), Some((text(), text())))],
        description: Some(text()),
        plan: Some(text()),
        notes: Some(text()),
        criteria: vec![(text(), true), (text(), false)],
        file: text(),
    }
}

/// Changes in which every field has this text.
fn changes(text: &str) -> IterationChanges {
    let text = || text.to_owned();
    IterationChanges {
        commits: vec![CommitSummary { id: text(), subject: text() }],
        more_commits: 1,
        files: vec![ChangedFile { path: text(), lines: None }],
        more_files: 1,
    }
}

/// A run in which every field has this text.
fn run_with_text(text: &str) -> RunScript {
    let mut plan = run_script::plan();
    plan.chain = Some(text.to_owned());
    plan.working_directory = text.to_owned();
    for step in &mut plan.steps {
        step.agent.name = text.to_owned();
        step.prompt.value = Prompt::Text(text.to_owned());
    }
    let mut script = RunScript::of(plan);
    script.step(1).start(unit(1, 1));
    let check = CheckReport {
        name: text.to_owned(),
        outcome: CheckOutcome::Failed,
        message: Some(text.to_owned()),
        tail: Some(text.to_owned()),
        duration: Duration::ZERO,
    };
    let mut report = script.report(Verdict::Refused(ClaimRefusal::ChecksFailed), 3);
    report.checks = vec![check];
    let agent = report.clone();
    script.event(EventKind::AgentFinished { unit: unit(1, 1), report: agent });
    let change = TaskChange {
        id: text.to_owned(),
        title: text.to_owned(),
        kind: TaskChangeKind::Blocked,
        reason: Some(text.to_owned()),
    };
    let counts = TaskCounts::default();
    let changes = TaskChanges { changes: vec![change], counts, open: Vec::new() };
    script.event(EventKind::TasksChanged { unit: unit(1, 1), changes });
    script.event(EventKind::IterationFinished { unit: unit(1, 1), report });
    let message = OperatorMessage { number: 1, text: text.to_owned(), lane: None };
    script.event(EventKind::MessageQueued { message });
    script.event(EventKind::Warning { message: text.to_owned() }).start(unit(1, 2));
    script
}
