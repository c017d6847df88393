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
use rustix::io::Errno;
use typeset::style::{DIM, paint};

use super::answer_dialog::{AnswerDialog, AnswerDialogOutcome, DialogRemark};
use super::prompt_input::PromptInput;
use super::typed_lines::{MAX_LINE_BYTES, TypedLine, TypedLines};
use crate::report::run::ScreenAction;
use crate::report::text::run_commands::RunCommands;

/// Interval at which a run in the background checks whether it has the terminal again. No signal
/// reports that.
const FOREGROUND_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The prompt of a run at its own terminal.
#[derive(Debug)]
pub(crate) struct TerminalPrompt<I = TerminalInput> {
    input: I,
    /// The stream on which the prompt is shown.
    stream: OutputStream,
    /// The prefix of report lines.
    prefix: &'static str,
    commands: RunCommands,
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
    typed: TypedLines,
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

impl<I: PromptInput> TerminalPrompt<I> {
    pub(crate) const fn new(
        input: I,
        stream: OutputStream,
        prefix: &'static str,
        commands: RunCommands,
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
                    typed: TypedLines::default(),
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
        if !self.input.is_in_foreground() {
            return Vec::new();
        }
        if let Err(error) = self.discard_typed() {
            return self.fail_input(&error);
        }
        self.set_state(PromptState::Shown);
        self.prompt().into_iter().collect()
    }

    /// Reads what was typed at the shown prompt. Returns what happens on the screen, and the answer
    /// if there is one.
    pub(crate) fn read(&mut self) -> (Vec<ScreenAction>, Option<ControlRequest>) {
        let mut bytes = [0; 4096];
        if !self.input.is_in_foreground() {
            // The keys belong to another job, and so does the screen.
            self.set_state(PromptState::Hidden);
            return (Vec::new(), None);
        }
        match self.input.read(&mut bytes) {
            Ok(0) => (self.end_input("End of input"), None),
            Ok(count) => self.take_bytes(&bytes[..count]),
            Err(error) => (self.fail_input(&error), None),
        }
    }

    /// Takes the reply of the run to an answer.
    pub(crate) fn take_reply(&mut self, reply: ControlReply) -> Vec<ScreenAction> {
        self.set_state(PromptState::Hidden);
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
        let Some(question) = &mut self.question else { return (Vec::new(), None) };
        question.typed.push(bytes);
        let Some(outcome) = question.take_line() else { return (Vec::new(), None) };
        let mut actions = Vec::new();
        if self.input.has_echo() {
            actions.push(ScreenAction::LineTyped(self.stream));
        }
        match outcome {
            AnswerDialogOutcome::Answer { approves, comment } => {
                (actions, self.request(approves, comment))
            }
            AnswerDialogOutcome::AskAgain(remark) => {
                actions.extend(remark.into_iter().flat_map(|remark| self.remark(remark)));
                // The rest of a paste was not typed at the prompt that follows.
                actions.extend(match self.discard_typed() {
                    Ok(()) => self.prompt().into_iter().collect(),
                    Err(error) => self.fail_input(&error),
                });
                (actions, None)
            }
        }
    }

    /// Discards what was typed and not taken.
    fn discard_typed(&mut self) -> io::Result<()> {
        if let Some(question) = &mut self.question {
            question.typed.clear();
        }
        self.input.discard()
    }

    /// The request, which the run refuses if it asks another question by then.
    fn request(&mut self, approves: bool, comment: Option<String>) -> Option<ControlRequest> {
        let question = self.question.as_mut()?;
        question.state = PromptState::Sent;
        let (step, number) = (question.step, Some(question.number));
        let request = AnswerRequest { step, question: number, approves, text: comment };
        Some(ControlRequest::Answer(request))
    }

    /// Stops to read, for this reason. The question stays open.
    fn end_input(&mut self, why: &str) -> Vec<ScreenAction> {
        self.set_state(PromptState::InputEnded);
        let mut lines = vec![self.line(&format!("{why}: the question stays open"))];
        if let Some([approve, deny]) = self.answer_commands() {
            lines.push(self.line(&format!("To answer: {approve} or {deny}")));
        }
        lines
    }

    /// The commands that approve and deny the open question.
    fn answer_commands(&self) -> Option<[String; 2]> {
        let number = self.question.as_ref()?.number;
        Some([self.commands.approve(number), self.commands.deny(number)])
    }

    /// Stops to read after an error, unless the next attempt can succeed.
    fn fail_input(&mut self, error: &io::Error) -> Vec<ScreenAction> {
        if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) {
            return Vec::new();
        }
        if is_hang_up(error) {
            // The terminal is gone, and cannot show anything.
            self.set_state(PromptState::InputEnded);
            return Vec::new();
        }
        self.end_input(&format!("The terminal cannot be read ({error})"))
    }

    fn set_state(&mut self, state: PromptState) {
        if let Some(question) = &mut self.question {
            question.state = state;
        }
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
            AnswerSource::Person | AnswerSource::YesOption => {
                actions.push(self.line("Answered elsewhere"));
            }
            AnswerSource::Timeout => actions.push(self.line("The question has timed out")),
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

    fn remark(&self, remark: DialogRemark) -> Vec<ScreenAction> {
        match remark {
            DialogRemark::NotAnAnswer => {
                vec![self.line("Not an answer: type `a` to approve, or `d` to deny")]
            }
            DialogRemark::Watch => {
                vec![self.line(&format!("In another terminal: {}", self.commands.watch))]
            }
            DialogRemark::CutOff => {
                let mut lines = vec![self.line(&format!(
                    "Not taken: a terminal cuts off a line at {MAX_LINE_BYTES} bytes"
                ))];
                if let Some([approve, deny]) = self.answer_commands() {
                    let how = "With a longer comment, from a file, in another terminal:";
                    lines.push(self.line(how));
                    lines.push(self.line(&format!("{approve} - < FILE, or {deny} - < FILE")));
                }
                lines
            }
        }
    }

    /// The prompt for the next line.
    fn prompt(&self) -> Option<ScreenAction> {
        let question = self.question.as_ref()?;
        Some(self.text(question.dialog.prompt(self.input.columns()).to_owned()))
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
    fn take_line(&mut self) -> Option<AnswerDialogOutcome> {
        Some(match self.typed.next_line()? {
            TypedLine::Whole(line) => self.dialog.take_line(&line),
            TypedLine::CutOff => self.dialog.refuse_cut_off_line(),
        })
    }
}

#[cfg(test)]
impl<I> TerminalPrompt<I> {
    pub(super) const fn input(&self) -> &I {
        &self.input
    }

    pub(super) const fn input_mut(&mut self) -> &mut I {
        &mut self.input
    }
}

/// Whether the error is that of a terminal which was closed.
fn is_hang_up(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::IO | Errno::NXIO))
}

impl<I: AsFd> AsFd for TerminalPrompt<I> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.input.as_fd()
    }
}
