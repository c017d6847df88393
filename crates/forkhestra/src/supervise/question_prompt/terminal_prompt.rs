//! The prompt below an open question, and what the user types there.
//!
//! The terminal stays in the mode in which the shell left it: the system collects a line, and shows
//! it. So there is nothing to restore, whatever ends the process.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use forkhestra_core::control::{AnswerRequest, ControlReply, ControlRequest};
use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{Answer, AnswerSource, EventKind};
use forkhestra_engine::TerminalInput;
use rustix::termios::tcgetwinsize;
use typeset::style::{DIM, paint};

use super::answer_dialog::{AnswerDialog, AnswerDialogStep, DialogRemark};
use super::prompt_commands::PromptCommands;
use crate::report::run::ScreenAction;

/// Interval at which a run in the background checks whether it has the terminal again. No signal
/// reports that.
const FOREGROUND_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Width of a terminal that does not report its size.
const DEFAULT_COLUMNS: usize = 80;

/// Longest line that is kept while it is not complete. Terminals that collect lines have a shorter
/// limit.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// The prompt of a run at its own terminal.
#[derive(Debug)]
pub(crate) struct TerminalPrompt {
    input: TerminalInput,
    /// The stream on which the prompt is shown.
    stream: OutputStream,
    /// The prefix of report lines.
    prefix: &'static str,
    commands: PromptCommands,
    question: Option<PromptedQuestion>,
    is_paused: bool,
}

/// An open question.
#[derive(Debug)]
struct PromptedQuestion {
    step: usize,
    number: u32,
    dialog: AnswerDialog,
    state: PromptState,
    /// What was typed after the last complete line.
    typed: Vec<u8>,
}

/// The state of the prompt of an open question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PromptState {
    /// It is to be shown when the run has nothing else to do.
    Hidden,
    Shown,
    /// An answer was typed, and the run has not replied to it.
    Sent,
    /// The input has ended. The question is answered elsewhere, or never.
    InputEnded,
}

impl TerminalPrompt {
    pub(crate) const fn new(
        input: TerminalInput,
        stream: OutputStream,
        prefix: &'static str,
        commands: PromptCommands,
    ) -> Self {
        Self { input, stream, prefix, commands, question: None, is_paused: false }
    }

    /// Takes an event. Returns what happens on the screen before the text of the event.
    pub(crate) fn observe_event(&mut self, kind: &EventKind) -> Vec<ScreenAction> {
        match kind {
            EventKind::Asked { step, question, .. } => {
                let actions = self.clear();
                self.question = Some(PromptedQuestion {
                    step: *step,
                    number: *question,
                    dialog: AnswerDialog::new(),
                    state: PromptState::Hidden,
                    typed: Vec::new(),
                });
                actions
            }
            EventKind::Answered { answer, .. } => self.answered(answer),
            EventKind::StepFinished { step, .. } if self.is_about(*step) => self.close(),
            EventKind::Cancelled { .. } | EventKind::RunFinished { .. } => self.close(),
            EventKind::Paused => {
                self.is_paused = true;
                self.clear()
            }
            EventKind::Continued => {
                self.is_paused = false;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Makes room for other text. The prompt is shown again below it, and a partly typed
    /// line is discarded.
    pub(crate) fn clear(&mut self) -> Vec<ScreenAction> {
        match &mut self.question {
            Some(question) if question.state == PromptState::Shown => {
                question.state = PromptState::Hidden;
                vec![ScreenAction::ClearLine(self.stream)]
            }
            _ => Vec::new(),
        }
    }

    /// Whether the prompt is to be shown as soon as the screen has caught up.
    pub(crate) fn is_due(&self) -> bool {
        !self.is_paused && self.state() == Some(PromptState::Hidden)
    }

    /// Whether the prompt is on the screen.
    pub(crate) fn is_shown(&self) -> bool {
        self.state() == Some(PromptState::Shown)
    }

    /// The interval at which [`Self::show`] has to be tried.
    pub(crate) fn interval(&self) -> Option<Duration> {
        self.is_due().then_some(FOREGROUND_POLL_INTERVAL)
    }

    /// Shows the prompt, unless another job has the terminal. What was typed before does not count.
    pub(crate) fn show(&mut self) -> Vec<ScreenAction> {
        if !self.input.is_in_foreground() || self.input.discard().is_err() {
            return Vec::new();
        }
        let Some(question) = &mut self.question else { return Vec::new() };
        question.state = PromptState::Shown;
        question.typed.clear();
        self.prompt().into_iter().collect()
    }

    /// Reads what was typed at the shown prompt. Returns what happens on the screen, and the answer
    /// if there is one.
    pub(crate) fn read(&mut self) -> (Vec<ScreenAction>, Option<ControlRequest>) {
        let mut bytes = [0; 4096];
        if !self.input.is_in_foreground() {
            // The keys belong to another job, and so does the screen.
            if let Some(question) = &mut self.question {
                question.state = PromptState::Hidden;
            }
            return (Vec::new(), None);
        }
        match self.input.read(&mut bytes) {
            Ok(0) => (self.end_input(), None),
            Ok(count) => self.take_bytes(&bytes[..count]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => (Vec::new(), None),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (Vec::new(), None),
            // The terminal is gone, and cannot show anything.
            Err(_) => {
                self.end_input();
                (Vec::new(), None)
            }
        }
    }

    /// Takes the reply of the run to an answer.
    pub(crate) fn take_reply(&mut self, reply: ControlReply) -> Vec<ScreenAction> {
        if let Some(question) = &mut self.question {
            question.state = PromptState::Hidden;
        }
        match reply {
            ControlReply::Accepted(_) => Vec::new(),
            ControlReply::Refused(why) => vec![self.line(&format!("Cannot answer: {why}"))],
        }
    }

    fn is_about(&self, step: usize) -> bool {
        self.question.as_ref().is_some_and(|question| question.step == step)
    }

    fn state(&self) -> Option<PromptState> {
        self.question.as_ref().map(|question| question.state)
    }

    fn take_bytes(&mut self, bytes: &[u8]) -> (Vec<ScreenAction>, Option<ControlRequest>) {
        let mut actions = Vec::new();
        if let Some(question) = &mut self.question {
            question.typed.extend_from_slice(bytes);
        }
        while let Some(step) = self.question.as_mut().and_then(PromptedQuestion::take_line) {
            if self.input.has_echo() {
                actions.push(ScreenAction::LineTyped(self.stream));
            }
            match step {
                AnswerDialogStep::Answer { approves, comment } => {
                    return (actions, self.request(approves, comment));
                }
                AnswerDialogStep::AskAgain(remark) => {
                    actions.extend(remark.map(|remark| self.remark(remark)));
                    actions.extend(self.prompt());
                }
            }
        }
        (actions, None)
    }

    /// The request, which the run refuses if it asks another question by then.
    fn request(&mut self, approves: bool, comment: Option<String>) -> Option<ControlRequest> {
        let question = self.question.as_mut()?;
        question.state = PromptState::Sent;
        let (step, number) = (question.step, Some(question.number));
        let request = AnswerRequest { step, question: number, approves, text: comment };
        Some(ControlRequest::Answer(request))
    }

    /// Stops to read. The question stays open.
    fn end_input(&mut self) -> Vec<ScreenAction> {
        if let Some(question) = &mut self.question {
            question.state = PromptState::InputEnded;
        }
        let PromptCommands { approve, deny, .. } = &self.commands;
        vec![
            self.line("End of input: the question stays open"),
            self.line(&format!("To answer: {approve} or {deny}")),
        ]
    }

    /// Closes the question after an answer, which may have come from elsewhere.
    fn answered(&mut self, answer: &Answer) -> Vec<ScreenAction> {
        if self.question.as_ref().is_none_or(|question| question.number != answer.question) {
            return Vec::new();
        }
        let is_waiting = self.is_shown();
        let mut actions = self.close();
        match answer.by {
            _ if !is_waiting => {}
            AnswerSource::Person | AnswerSource::Option => {
                actions.push(self.line("Answered elsewhere"));
            }
            AnswerSource::Timeout => actions.push(self.line("The time for an answer is up")),
        }
        actions
    }

    /// Removes the prompt for good, with a partly typed line.
    fn close(&mut self) -> Vec<ScreenAction> {
        let actions = self.clear();
        if self.question.take().is_some() && self.input.is_in_foreground() {
            // The keys were meant for a question that is closed. If that fails, a shell gets them.
            let _ = self.input.discard();
        }
        actions
    }

    fn remark(&self, remark: DialogRemark) -> ScreenAction {
        match remark {
            DialogRemark::NotAnAnswer => {
                self.line("Not an answer: type `a` to approve, or `d` to deny")
            }
            DialogRemark::Watch => {
                self.line(&format!("In another terminal: {}", self.commands.watch))
            }
        }
    }

    /// The prompt for the next line.
    fn prompt(&self) -> Option<ScreenAction> {
        let columns = tcgetwinsize(&self.input).map_or(0, |size| usize::from(size.ws_col));
        let columns = if columns == 0 { DEFAULT_COLUMNS } else { columns };
        let question = self.question.as_ref()?;
        Some(self.text(question.dialog.prompt(columns).to_owned()))
    }

    fn line(&self, text: &str) -> ScreenAction {
        self.text(format!("{} {text}\n", paint(DIM, self.prefix)))
    }

    const fn text(&self, text: String) -> ScreenAction {
        match self.stream {
            OutputStream::Stdout => ScreenAction::Report(text),
            OutputStream::Stderr => ScreenAction::ReportError(text),
        }
    }
}

impl PromptedQuestion {
    /// Takes the next complete line, and says what it means.
    fn take_line(&mut self) -> Option<AnswerDialogStep> {
        let Some(end) = self.typed.iter().position(|byte| *byte == b'\n') else {
            if self.typed.len() > MAX_LINE_BYTES {
                self.typed.clear();
            }
            return None;
        };
        let line: Vec<u8> = self.typed.drain(..=end).collect();
        Some(self.dialog.take_line(&String::from_utf8_lossy(&line)))
    }
}

impl AsFd for TerminalPrompt {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.input.as_fd()
    }
}
