//! Tests of the feeds with simulated runs.

use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use forkhestra_core::control::{AcceptedRequest, ControlReply, ControlRequest};
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::history::{Liveness, SnapshotAddress};
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::time::Timestamp;

use super::Feed;
use super::feed_worker::PollPace;
use super::message_sender::MessageSender;
use super::open_run_feed::OpenRunFeed;
use super::output_follower::PAGE_LINES;
use super::run_list_feed::RunListFeed;
use crate::msg::{Cmd, Msg, RunNews};
use crate::output::{BufferPatch, OutputBuffer};
use crate::run_source::{
    FeedChunk, IterationChanges, IterationDiff, OutputFeed, OutputPortion, OutputRendering,
    RunFeed, RunListItem, RunScope, RunSource, TaskBoard, TaskCard, TaskDetails,
};

const UNIT: UnitId = UnitId { step: 1, iteration: 1, attempt: 1 };

/// The readable state, which tests change.
#[derive(Default)]
struct FeedFacts {
    events: Vec<Event>,
    is_alive: bool,
    trouble: Option<String>,
    is_replaced: bool,
    printed: Vec<FeedChunk>,
    runs: Vec<RunListItem>,
    tasks: Option<Result<TaskBoard, String>>,
    asked: Vec<ControlRequest>,
    changes_read: Vec<UnitId>,
    resumed: Vec<RunId>,
    rewound: Vec<SnapshotAddress>,
}

#[derive(Clone, Default)]
struct FakeSource(Arc<Mutex<FeedFacts>>);

impl FakeSource {
    fn facts(&self) -> MutexGuard<'_, FeedFacts> {
        self.0.lock().expect("no thread panicked with it")
    }

    fn happen(&self, kind: EventKind) {
        let at = Timestamp::default();
        self.facts().events.push(Event::new(at, Duration::ZERO, kind));
    }

    fn print(&self, stream: OutputStream, text: &str) {
        self.facts().printed.push(FeedChunk { stream, bytes: text.into(), missing: 0 });
    }
}

impl RunSource for FakeSource {
    fn now(&self) -> Timestamp {
        Timestamp::default()
    }

    fn runs(&self, _: RunScope) -> Result<Vec<RunListItem>, String> {
        Ok(self.facts().runs.clone())
    }

    fn open(&self, _: &RunId) -> Result<Box<dyn RunFeed>, String> {
        self.facts().is_replaced = false;
        self.facts().trouble = None;
        Ok(Box::new(FakeRunFeed { world: self.clone(), read: 0 }))
    }

    fn send_request(&self, _: &RunId, request: ControlRequest) -> Result<ControlReply, String> {
        self.facts().asked.push(request);
        Ok(ControlReply::Accepted(AcceptedRequest::Paused))
    }

    fn resume(&self, run: &RunId) -> Result<(), String> {
        self.facts().resumed.push(run.clone());
        Ok(())
    }

    fn rewind(&self, _: &RunId, to: SnapshotAddress) -> Result<String, String> {
        self.facts().rewound.push(to);
        Ok("Rewound".to_owned())
    }
}

struct FakeRunFeed {
    world: FakeSource,
    read: usize,
}

impl RunFeed for FakeRunFeed {
    fn liveness(&mut self) -> Liveness {
        if self.world.facts().is_alive { Liveness::Alive } else { Liveness::Gone }
    }

    fn events(&mut self, at_most: usize) -> Result<Vec<Event>, String> {
        let facts = self.world.facts();
        if let Some(trouble) = &facts.trouble {
            return Err(trouble.clone());
        }
        let news: Vec<Event> = facts.events.iter().skip(self.read).take(at_most).cloned().collect();
        self.read += news.len();
        Ok(news)
    }

    fn is_replaced(&mut self) -> bool {
        self.world.facts().is_replaced
    }

    fn output(&mut self, _: UnitId, _: OutputRendering) -> Result<Box<dyn OutputFeed>, String> {
        Ok(Box::new(FakeOutputFeed { world: self.world.clone(), read: 0 }))
    }

    fn resume_command(&mut self) -> Option<String> {
        Some("forkhestra resume x".to_owned())
    }

    fn tasks(&mut self) -> Option<Result<TaskBoard, String>> {
        self.world.facts().tasks.clone()
    }

    fn task(&mut self, id: &str) -> Result<Option<TaskDetails>, String> {
        let facts = self.world.facts();
        let board = facts.tasks.as_ref().and_then(|tasks| tasks.as_ref().ok());
        let task = board.and_then(|board| board.tasks.iter().find(|task| task.id == id));
        let details = |task: &TaskCard| TaskDetails {
            id: task.id.clone(),
            title: task.title.clone(),
            ..TaskDetails::default()
        };
        Ok(task.map(details))
    }

    fn changes(&mut self, unit: UnitId) -> Option<Result<IterationChanges, String>> {
        self.world.facts().changes_read.push(unit);
        Some(Ok(IterationChanges::default()))
    }

    fn diff(&mut self, unit: UnitId, at_most: usize) -> Result<IterationDiff, String> {
        match unit {
            UNIT => {
                let text = format!("diff --git a/x b/x\n{at_most}\n").into();
                Ok(IterationDiff { text, is_cut: true, command: "git diff".to_owned() })
            }
            _ => Err("snapshot @3 is gone".to_owned()),
        }
    }

    fn last_message(&mut self, _: UnitId) -> Result<Option<String>, String> {
        Ok(Some("the last word".to_owned()))
    }
}

struct FakeOutputFeed {
    world: FakeSource,
    read: usize,
}

impl OutputFeed for FakeOutputFeed {
    /// One chunk at a time, however large it is.
    fn read(&mut self, _: usize) -> Result<OutputPortion, String> {
        let facts = self.world.facts();
        let chunks: Vec<FeedChunk> =
            facts.printed.iter().skip(self.read).take(1).cloned().collect();
        self.read += chunks.len();
        Ok(OutputPortion { chunks, has_more: self.read < facts.printed.len() })
    }

    fn finish(&mut self) -> Vec<FeedChunk> {
        vec![FeedChunk { stream: OutputStream::Stdout, bytes: b"held back".to_vec(), missing: 0 }]
    }
}

fn id() -> RunId {
    RunId::from_random(1)
}

fn warning(text: &str) -> EventKind {
    EventKind::Warning { message: text.to_owned() }
}

/// An open run with the receiver of its messages.
struct OpenRunCase {
    world: FakeSource,
    run: OpenRunFeed,
    sender: MessageSender,
    messages: Receiver<Msg>,
}

impl OpenRunCase {
    fn new(source: &FakeSource) -> Self {
        let (sender, messages) = mpsc::sync_channel(100);
        let sender = MessageSender::new(sender, || {});
        let feed = source.open(&id()).expect("it can be opened");
        Self { world: source.clone(), run: OpenRunFeed::new(id(), feed), sender, messages }
    }

    fn poll(&mut self) -> (Vec<Msg>, PollPace) {
        let pace = self.run.poll(&self.world, &self.sender).expect("there is a listener");
        (self.messages.try_iter().collect(), pace)
    }

    /// Polls until no further poll is due at once.
    fn poll_all(&mut self) -> Vec<Msg> {
        let mut sent = Vec::new();
        loop {
            let (messages, pace) = self.poll();
            sent.extend(messages);
            if pace != PollPace::AtOnce {
                return sent;
            }
        }
    }

    fn patches(&mut self) -> Vec<BufferPatch> {
        let messages = self.poll_all();
        let patch = |message| match message {
            Msg::Output { patch, .. } => Some(patch.expect("it can be read")),
            _ => None,
        };
        messages.into_iter().filter_map(patch).collect()
    }
}

fn news(messages: Vec<Msg>) -> Vec<RunNews> {
    let news = |message| match message {
        Msg::News(news) => Some(news),
        _ => None,
    };
    messages.into_iter().filter_map(news).collect()
}

#[test]
fn a_long_journal_is_sent_in_portions_and_then_followed() {
    let source = FakeSource::default();
    source.facts().is_alive = true;
    (0..2500).for_each(|number| source.happen(warning(&number.to_string())));
    let mut watched = OpenRunCase::new(&source);
    let sent = news(watched.poll_all());
    let seen: Vec<(usize, bool)> =
        sent.iter().map(|news| (news.events.len(), news.is_caught_up)).collect();
    assert_eq!(seen, [(1024, false), (1024, false), (452, true)]);
    assert_eq!(news(watched.poll_all()).len(), 0, "nothing is sent twice");
    source.happen(warning("more"));
    let (sent, pace) = watched.poll();
    assert_eq!(pace, PollPace::Soon);
    let sent = news(sent);
    assert_eq!((sent[0].events.len(), sent[0].is_caught_up), (1, true));
    assert_eq!(sent[0].resume, None, "it is active");
}

#[test]
fn an_inactive_run_is_polled_rarely() {
    let source = FakeSource::default();
    source.happen(warning("all there is"));
    let mut watched = OpenRunCase::new(&source);
    let (sent, pace) = watched.poll();
    let sent = news(sent);
    assert_eq!((sent[0].liveness, pace), (Liveness::Gone, PollPace::Later));
    assert_eq!(sent[0].resume.as_deref(), Some("forkhestra resume x"));
    // The run is resumed.
    source.facts().is_alive = true;
    source.happen(warning("resumed"));
    let first = news(watched.poll().0);
    let second = news(watched.poll().0);
    let liveness: Vec<Liveness> = first.iter().chain(&second).map(|news| news.liveness).collect();
    assert_eq!(liveness.last(), Some(&Liveness::Alive));
}

#[test]
fn a_read_error_is_reported_once_and_earlier_content_stays() {
    let source = FakeSource::default();
    source.happen(warning("before"));
    let mut watched = OpenRunCase::new(&source);
    assert_eq!(news(watched.poll_all()).len(), 1);
    source.facts().trouble = Some("run x was removed".to_owned());
    let (sent, pace) = watched.poll();
    let sent = news(sent);
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].trouble.as_deref(), Some("run x was removed"));
    assert!(sent[0].events.is_empty());
    assert_eq!(pace, PollPace::Later);
    assert!(watched.poll().0.is_empty());
    // The error may disappear.
    source.facts().trouble = None;
    let sent = news(watched.poll().0);
    assert_eq!((sent.len(), &sent[0].trouble), (1, &None));
}

#[test]
fn a_journal_that_took_the_place_of_another_is_read_from_its_beginning() {
    let source = FakeSource::default();
    source.happen(warning("one"));
    source.happen(warning("two"));
    let mut watched = OpenRunCase::new(&source);
    watched.poll_all();
    source.facts().trouble = Some("the journal was repaired, and is read again".to_owned());
    source.facts().is_replaced = true;
    watched.poll_all();
    let sent = news(watched.poll_all());
    assert_eq!(sent.iter().map(|news| news.events.len()).sum::<usize>(), 2);
}

fn lines(numbers: std::ops::Range<usize>) -> String {
    numbers.map(|number| format!("line {number}\n")).collect()
}

#[test]
fn only_the_tail_of_a_long_output_is_sent_and_the_rest_on_demand() {
    let source = FakeSource::default();
    let total = 3 * PAGE_LINES + 7;
    for begin in (0..total).step_by(1000) {
        source.print(OutputStream::Stdout, &lines(begin..total.min(begin + 1000)));
    }
    source.print(OutputStream::Stderr, "complaint 1\ncomplaint 2\n");
    let mut watched = OpenRunCase::new(&source);
    watched.run.follow(UNIT, OutputRendering::Raw, true);
    let mut buffer = OutputBuffer::default();
    let sent_patches = watched.patches();
    assert_eq!(sent_patches.len(), 1, "nothing is sent before the end is known");
    sent_patches.into_iter().for_each(|patch| buffer.apply(patch));
    // Two lines of standard error and the held-back output come after it.
    assert_eq!(buffer.first_key(), i64::try_from(2 * PAGE_LINES + 10).expect("a small number"));
    assert!(buffer.has_earlier());
    assert_eq!(buffer.get(0).expect("a line").text(), format!("line {}", 2 * PAGE_LINES + 10));
    for _ in 0..4 {
        watched.run.load_earlier(true);
        watched.patches().into_iter().for_each(|patch| buffer.apply(patch));
    }
    assert!(!buffer.has_earlier());
    assert_eq!(buffer.first_key(), 0);
    assert_eq!(buffer.len(), total + 3);
    for number in 0..total {
        assert_eq!(buffer.get(number).expect("a line").text(), format!("line {number}"));
    }
    let error_line = buffer.get(total).expect("a line");
    assert_eq!((error_line.text().as_ref(), error_line.is_error), ("complaint 1", true));
    watched.run.load_earlier(true);
    assert_eq!(watched.patches(), [], "there is nothing before the beginning");
}

#[test]
fn agent_output_is_sent_until_the_agent_is_gone() {
    let source = FakeSource::default();
    source.facts().is_alive = true;
    source.happen(EventKind::IterationStarted { unit: UNIT, fallback: None });
    source.print(OutputStream::Stdout, "one\ntw");
    let mut watched = OpenRunCase::new(&source);
    watched.run.follow(UNIT, OutputRendering::Rendered, true);
    let sent_patches = watched.patches();
    assert_eq!(sent_patches[0].after.len(), 1);
    assert_eq!(
        sent_patches[0].open.as_ref().map(|line| line.text().into_owned()),
        Some("tw".into())
    );
    assert_eq!(watched.patches(), [], "nothing has changed");
    source.print(OutputStream::Stdout, "o\n");
    let sent_patches = watched.patches();
    assert_eq!((sent_patches[0].after[0].text().as_ref(), &sent_patches[0].open), ("two", &None));
    source.facts().events.clear();
    source.facts().is_alive = false;
    let mut gone = OpenRunCase::new(&source);
    gone.run.follow(UNIT, OutputRendering::Rendered, true);
    let sent_patches = gone.patches();
    let last = sent_patches[0].after.last().expect("there are lines");
    assert_eq!(last.text(), "held back", "nothing is held back of one that is gone");
}

#[test]
fn a_gap_is_reported() {
    let source = FakeSource::default();
    source.print(OutputStream::Stdout, "before\n");
    source.facts().printed.push(FeedChunk {
        stream: OutputStream::Stdout,
        bytes: b"behind\n".to_vec(),
        missing: 9,
    });
    let mut watched = OpenRunCase::new(&source);
    watched.run.follow(UNIT, OutputRendering::Raw, true);
    let patches = watched.patches();
    let gaps: Vec<bool> = patches[0].after.iter().map(|line| line.follows_gap).collect();
    assert_eq!(gaps[..2], [false, true]);
}

#[test]
fn tasks_are_read_whenever_a_run_is_open() {
    let source = FakeSource::default();
    let card = TaskCard {
        id: "TASK-1".to_owned(),
        title: "Something".to_owned(),
        status: "To Do".to_owned(),
        assignee: None,
        is_of_run: false,
        waits_for: Vec::new(),
    };
    let board = TaskBoard { tasks: vec![card] };
    source.facts().tasks = Some(Ok(board.clone()));
    let mut watched = OpenRunCase::new(&source);
    let has_tasks = |messages: Vec<Msg>| {
        messages.into_iter().any(
            |message| matches!(message, Msg::Tasks { board: Some(Ok(sent_board)), .. } if sent_board == board),
        )
    };
    assert!(has_tasks(watched.poll_all()));
    assert!(!has_tasks(watched.poll_all()), "they have not changed");
}

#[test]
fn a_task_is_read_in_full_while_it_is_open() {
    let source = FakeSource::default();
    source.facts().tasks = Some(Ok(crate::tests::run_script::board()));
    let mut watched = OpenRunCase::new(&source);
    watched.poll_all();
    let titles = |messages: Vec<Msg>| -> Vec<Option<String>> {
        let title = |message| match message {
            Msg::Task { task: Ok(task), .. } => Some(task.map(|task| task.title)),
            _ => None,
        };
        messages.into_iter().filter_map(title).collect()
    };
    watched.run.read_task(Some("task-3".to_owned()));
    assert_eq!(titles(watched.poll_all()), [Some("Round totals".to_owned())]);
    assert_eq!(titles(watched.poll_all()), [], "nothing has changed");
    watched.run.read_task(Some("task-9".to_owned()));
    assert_eq!(titles(watched.poll_all()), [None]);
    watched.run.read_task(None);
    assert_eq!(titles(watched.poll_all()), []);
}

#[test]
fn changes_of_the_last_iterations_are_read_and_no_others() {
    let source = FakeSource::default();
    let script = crate::tests::run_script::ten_thousand();
    source.facts().events = script.events;
    let mut watched = OpenRunCase::new(&source);
    let sent = watched.poll_all();
    let units = |messages: &[Msg]| -> Vec<u32> {
        let unit = |message: &Msg| match message {
            Msg::Changes { unit, .. } => Some(unit.iteration),
            _ => None,
        };
        messages.iter().filter_map(unit).collect()
    };
    let mut read = units(&sent);
    assert_eq!(read[..4], [9997, 9998, 9999, 10_000], "the last ones come first");
    read.sort_unstable();
    assert_eq!(read, (9801..=10_000).collect::<Vec<u32>>());
    assert!(units(&watched.poll_all()).is_empty(), "nothing is read twice");
    // An older iteration is read when it is opened.
    let (unit, sender) = (UnitId { iteration: 7, ..UNIT }, &watched.sender);
    watched.run.read_iteration(unit, sender).expect("the messages are read");
    let sent: Vec<Msg> = watched.messages.try_iter().collect();
    assert_eq!(units(&sent), [7]);
    assert!(
        matches!(&sent[1], Msg::LastMessage { message: Ok(Some(text)), .. } if text == "the last word")
    );
}

#[test]
fn a_diff_is_read_when_it_is_opened() {
    let mut watched = OpenRunCase::new(&FakeSource::default());
    for unit in [UNIT, UnitId { iteration: 2, ..UNIT }] {
        watched.run.read_diff(unit, &watched.sender).expect("the messages are read");
    }
    let mut sent = watched.messages.try_iter();
    let Some(Msg::Diff { unit: UNIT, lines: Ok(lines), .. }) = sent.next() else {
        panic!("the diff is sent");
    };
    let lines: Vec<String> = lines.iter().map(|line| line.text().into_owned()).collect();
    let notice = "▲ the rest is not shown; to see all of it: git diff";
    assert_eq!(lines, ["diff --git a/x b/x", "2097152", notice]);
    let error = sent.next();
    assert!(
        matches!(&error, Some(Msg::Diff { lines: Err(why), .. }) if why == "snapshot @3 is gone"),
        "{error:?}"
    );
}

#[test]
fn an_unchanged_list_is_not_sent_again() {
    let source = FakeSource::default();
    let mut listing = RunListFeed::new(RunScope::Here);
    assert!(matches!(listing.poll(&source), Some(Msg::Runs(Ok(runs))) if runs.is_empty()));
    assert!(listing.poll(&source).is_none());
}

/// The next message that is not about tasks, with a timeout.
fn next(feed: &Feed, wakes: &Receiver<()>) -> Msg {
    loop {
        if let Some(message) = feed.try_receive() {
            if matches!(message, Msg::Tasks { .. }) {
                continue;
            }
            return message;
        }
        wakes.recv_timeout(Duration::from_secs(20)).expect("a message is sent");
    }
}

#[test]
fn the_threads_read_and_send_and_wake_the_loop() {
    let made_up = FakeSource::default();
    made_up.happen(warning("one"));
    let source: Arc<dyn RunSource> = Arc::new(made_up.clone());
    let (wake, wakes) = mpsc::channel();
    let feed = Feed::start(&source, true, move || {
        let _ = wake.send(());
    });
    let feed = feed.expect("there are threads");
    feed.execute(Cmd::OpenRun(id()));
    assert!(matches!(next(&feed, &wakes), Msg::News(news) if news.events.len() == 1));
    feed.execute(Cmd::SendRequest { run: id(), request: ControlRequest::Pause });
    let answer = next(&feed, &wakes);
    assert!(matches!(answer, Msg::Replied { request: ControlRequest::Pause, result: Ok(_), .. }));
    assert_eq!(made_up.facts().asked, [ControlRequest::Pause]);
    feed.execute(Cmd::Resume(id()));
    assert!(matches!(next(&feed, &wakes), Msg::Resumed { result: Ok(()), .. }));
    assert_eq!(made_up.facts().resumed, [id()]);
    feed.execute(Cmd::Rewind { run: id(), to: SnapshotAddress::Iteration(3) });
    assert!(matches!(next(&feed, &wakes), Msg::Rewound(Ok(text)) if text == "Rewound"));
    assert_eq!(made_up.facts().rewound, [SnapshotAddress::Iteration(3)]);
    feed.execute(Cmd::ReadDiff(UNIT));
    assert!(
        matches!(next(&feed, &wakes), Msg::Diff { unit: UNIT, lines: Ok(lines), .. } if lines.len() == 3)
    );
    feed.execute(Cmd::ListRuns(RunScope::Here));
    assert!(matches!(next(&feed, &wakes), Msg::Runs(Ok(_))));
}
