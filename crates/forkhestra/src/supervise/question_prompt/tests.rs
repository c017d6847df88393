//! Tests of the prompt with a terminal that is simulated.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use anstream::adapter::strip_str;
use forkhestra_core::control::{ControlReply, ControlRequest, RefusedRequest};
use forkhestra_core::event::EventKind;
use forkhestra_core::event::output_stream::OutputStream;
use rustix::io::Errno;

use super::prompt_input::PromptInput;
use super::terminal_prompt::TerminalPrompt;
use crate::report::run::ScreenAction;
use crate::report::text::run_commands::RunCommands;

/// A terminal that hands over prepared input.
struct FakeInput {
    file: File,
    reads: RefCell<VecDeque<io::Result<Vec<u8>>>>,
    discard_error: Option<Errno>,
    /// How often the input was discarded.
    discarded: Cell<usize>,
}

impl AsFd for FakeInput {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl PromptInput for FakeInput {
    fn is_in_foreground(&self) -> bool {
        true
    }

    fn has_echo(&self) -> bool {
        true
    }

    fn discard(&self) -> io::Result<()> {
        self.discarded.set(self.discarded.get() + 1);
        self.discard_error.map_or(Ok(()), |error| Err(error.into()))
    }

    fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        let next = self.reads.borrow_mut().pop_front().expect("there is more input")?;
        bytes[..next.len()].copy_from_slice(&next);
        Ok(next.len())
    }
}

/// The prompt of an open question, with what will be read.
fn prompt(
    reads: Vec<io::Result<Vec<u8>>>,
    discard_error: Option<Errno>,
) -> TerminalPrompt<FakeInput> {
    let file = File::open("/dev/null").expect("it exists");
    let input = FakeInput {
        file,
        reads: RefCell::new(reads.into()),
        discard_error,
        discarded: Cell::default(),
    };
    let commands = RunCommands::example(" --state-dir /s");
    let mut prompt = TerminalPrompt::new(input, OutputStream::Stdout, "[forkhestra]", commands);
    prompt.observe_event(&EventKind::Asked { step: 2, question: 1, text: None, until: None });
    prompt
}

/// The prompt on the screen, with what will be read.
fn shown(reads: Vec<io::Result<Vec<u8>>>) -> TerminalPrompt<FakeInput> {
    let mut prompt = prompt(reads, None);
    assert!(text(&prompt.show()).starts_with("Approve?"));
    prompt
}

fn text(actions: &[ScreenAction]) -> String {
    let texts = actions.iter().filter_map(|action| match action {
        ScreenAction::Report(text) => Some(strip_str(text).to_string()),
        _ => None,
    });
    texts.collect()
}

/// The prompt after all of the input, what it has shown, and its answers.
fn after(
    mut prompt: TerminalPrompt<FakeInput>,
    reads: usize,
) -> (TerminalPrompt<FakeInput>, String, Vec<ControlRequest>) {
    let mut screen = String::new();
    let mut requests = Vec::new();
    for _ in 0..reads {
        let (actions, request) = prompt.read();
        screen.push_str(&text(&actions));
        requests.extend(request);
    }
    (prompt, screen, requests)
}

/// A line that the terminal hands over in pieces, as one that is not collected does.
#[test]
fn the_end_of_a_long_line_does_not_approve() {
    let mut reads: Vec<io::Result<Vec<u8>>> = Vec::new();
    reads.extend((0..17).map(|_| Ok(vec![b'x'; 4096])));
    reads.push(Ok(b"a\n".to_vec()));
    let number = reads.len();
    let (prompt, screen, requests) = after(shown(reads), number);
    assert_eq!(requests, []);
    assert!(prompt.is_shown());
    assert_eq!(
        screen,
        "[forkhestra] Not taken: a terminal cuts off a line at 4095 bytes\n\
         [forkhestra] With a longer comment, from a file, in another terminal:\n\
         [forkhestra] forkhestra approve q7w3k9zt --state-dir /s --question 1 - < FILE, \
         or forkhestra deny q7w3k9zt --state-dir /s --question 1 - < FILE\n\
         Approve? [a]pprove  [d]eny  [c]omment  [w]atch: "
    );
}

#[test]
fn a_comment_that_was_cut_off_is_asked_for_again() {
    let mut line = vec![b'x'; 4095];
    line.push(b'\n');
    let reads = [b"c\n".to_vec(), line, b"short\n".to_vec(), b"a\n".to_vec()];
    let (_, screen, requests) = after(shown(reads.map(Ok).into()), 4);
    assert_eq!(screen.matches("Comment for the next agent").count(), 2, "{screen}");
    let [ControlRequest::Answer(answer)] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!(answer.text.as_deref(), Some("short"));
}

#[test]
fn an_error_of_the_terminal_ends_the_input_with_a_message() {
    let mut discarding = prompt(Vec::new(), Some(Errno::INVAL));
    let reading = || after(shown(vec![Err(Errno::PERM.into())]), 1);
    let shown_by_discarding = text(&discarding.show());
    let (read, shown_by_reading, _) = reading();
    for (prompt, shown) in [(discarding, shown_by_discarding), (read, shown_by_reading)] {
        assert!(shown.starts_with("[forkhestra] The terminal cannot be read ("), "{shown}");
        assert!(
            shown.contains(
                "): the question stays open\n\
                 [forkhestra] To answer: forkhestra approve q7w3k9zt --state-dir /s --question 1 \
                 or forkhestra deny q7w3k9zt --state-dir /s --question 1\n"
            ),
            "{shown}"
        );
        assert!(!prompt.is_shown() && !prompt.is_due());
    }
}

#[test]
fn a_terminal_that_is_gone_is_silent() {
    for error in [Errno::IO, Errno::NXIO] {
        let mut discarding = prompt(Vec::new(), Some(error));
        assert_eq!(discarding.show(), []);
        let (read, screen, _) = after(shown(vec![Err(error.into())]), 1);
        assert_eq!(screen, "");
        for prompt in [discarding, read] {
            assert!(!prompt.is_shown() && !prompt.is_due());
        }
    }
}

#[test]
fn a_read_that_was_interrupted_is_tried_again() {
    for error in [Errno::INTR, Errno::AGAIN] {
        let reads = vec![Err(error.into()), Ok(b"d\n".to_vec())];
        let (_, _, requests) = after(shown(reads), 2);
        let [ControlRequest::Answer(answer)] = requests.as_slice() else { panic!("{error}") };
        assert!(!answer.approves);
    }
}

/// What follows a line that is no answer was typed before the next prompt was shown.
#[test]
fn the_rest_of_a_paste_is_no_answer() {
    let comment = b"c\n".to_vec();
    for (reads, prompts) in [
        (vec![comment.clone(), b"please look at this:\nfirst\na\nlast\na".to_vec()], 2),
        (vec![comment.clone(), b"text\n".to_vec(), b"w\na\n".to_vec()], 3),
        (vec![b"c\na\na\n".to_vec()], 1),
        (vec![b"what?\na\nd\n".to_vec()], 1),
        (vec![b"what?\na".to_vec(), b"\n".to_vec()], 2),
        (vec![b"w\nd\n".to_vec()], 1),
    ] {
        let number = reads.len();
        let (prompt, screen, requests) =
            after(shown(reads.clone().into_iter().map(Ok).collect()), number);
        assert_eq!(requests, [], "{reads:?}");
        assert!(prompt.is_shown(), "{reads:?}");
        // Once before the first prompt, and before each one that followed.
        assert_eq!(prompt.input().discarded.get(), 1 + prompts, "{screen}");
    }
}

#[test]
fn the_first_line_of_a_paste_may_be_the_answer() {
    let (_, _, requests) = after(shown(vec![Ok(b"a\nd\n".to_vec())]), 1);
    let [ControlRequest::Answer(answer)] = requests.as_slice() else { panic!("{requests:?}") };
    assert!(answer.approves);
}

#[test]
fn a_terminal_that_fails_after_a_line_ends_the_input() {
    let mut prompt = shown(vec![Ok(b"what?\n".to_vec())]);
    prompt.input_mut().discard_error = Some(Errno::INVAL);
    let (prompt, screen, requests) = after(prompt, 1);
    assert_eq!(requests, []);
    assert!(screen.contains("the question stays open\n"), "{screen}");
    assert!(!prompt.is_shown() && !prompt.is_due());
}

#[test]
fn a_comment_stays_after_a_refused_answer() {
    let lines = [&b"c\n"[..], b"ALL DONE\n", b"a\n", b"d\n"];
    let reads = lines.map(|line| Ok(line.to_vec()));
    let (mut prompt, _, requests) = after(shown(reads.into()), 3);
    assert_eq!(requests.len(), 1);
    let said = text(&prompt.take_reply(ControlReply::Refused(RefusedRequest::HoldsMarker)));
    assert!(said.contains("Cannot answer: the message contains a completion marker"), "{said}");
    assert!(text(&prompt.show()).starts_with("Approve, with this comment?"));
    let (_, _, requests) = after(prompt, 1);
    let [ControlRequest::Answer(answer)] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!((answer.approves, answer.text.as_deref()), (false, Some("ALL DONE")));
}
