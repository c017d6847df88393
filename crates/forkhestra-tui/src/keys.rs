//! Key bindings. Footers, the help and clicks on them are derived from this table.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The action of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyAction {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Left,
    Right,
    Open,
    /// Opens the selected task or iteration.
    Inspect,
    Back,
    Help,
    Suspend,
    Redraw,
    Quit,
    Filter,
    Scope,
    Switch,
    /// The tab with this index.
    Tab(usize),
    NextTab,
    PreviousTab,
    NextIteration,
    PreviousIteration,
    Runs,
    Raw,
    Wrap,
    Follow,
    Numbers,
    Search,
    NextMatch,
    PreviousMatch,
    Approve,
    Deny,
    Stop,
    StopNow,
    Pause,
    Tell,
    Skip,
    Limits,
    Resume,
    CopyResume,
    Diff,
    Rewind,
}

/// The context in which a key is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyContext {
    /// On every screen.
    Everywhere,
    /// In the list of runs.
    List,
    /// On the run screen.
    Run,
    /// On the run screen; sends a request to the run.
    Steering,
    /// On the run screen; about the selected iteration.
    Iteration,
    /// Where the output of an agent or a diff is visible.
    Lines,
    /// Where the output of an agent is visible.
    Output,
    /// On the screen of a run that has ended and can be resumed.
    Resuming,
}

/// A key, its context and its action.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyBinding {
    pub(crate) context: KeyContext,
    pub(crate) action: KeyAction,
    /// The key as displayed.
    pub(crate) key: &'static str,
    /// One-word label for the footer.
    pub(crate) label: &'static str,
    /// Description for the help.
    pub(crate) help: &'static str,
    codes: &'static [KeyPress],
}

/// A key as reported by the terminal.
#[derive(Debug, Clone, Copy)]
enum KeyPress {
    Letter(char),
    Named(KeyCode),
    Control(char),
}

use KeyAction as A;
use KeyCode as K;
use KeyContext::{Everywhere, Iteration, Lines, List, Output, Resuming, Run, Steering};
use KeyPress::{Control, Letter, Named};

macro_rules! bindings {
    ($($place:ident $action:expr, $key:literal, $label:literal, $help:literal, [$($code:expr),*];)*) => {
        &[$(KeyBinding {
            context: $place,
            action: $action,
            key: $key,
            label: $label,
            help: $help,
            codes: &[$($code),*],
        }),*]
    };
}

/// All keys, most important first.
pub(crate) const BINDINGS: &[KeyBinding] = bindings! {
    Steering A::Approve, "a", "approve", "approve the question of the run", [Letter('a')];
    Steering A::Deny, "x", "deny", "deny the question of the run", [Letter('x')];
    Steering A::Stop, "s", "stop", "stop the run after this iteration", [Letter('s')];
    Steering A::StopNow, "S", "stop now", "stop the run and its agent at once", [Letter('S')];
    Steering A::Pause, "p", "pause", "pause the run, or continue it", [Letter('p')];
    Steering A::Tell, "t", "tell", "send a message to the next agent", [Letter('t')];
    Steering A::Skip, "k", "skip", "skip the rest of this step", [Letter('k')];
    Steering A::Limits, "e", "limits", "change the limits of the run", [Letter('e')];
    Resuming A::Resume, "R", "resume", "resume the run in the background", [Letter('R')];
    Resuming A::CopyResume, "y", "copy command", "copy the command that resumes the run", [Letter('y')];
    List A::Open, "Enter", "open", "open the run", [Named(K::Enter)];
    List A::Filter, "/", "filter", "show only runs that contain a text", [Letter('/')];
    List A::Scope, "a", "all", "runs of this directory, or all runs", [Letter('a')];
    Run A::Inspect, "Enter", "open", "open the selected task or iteration", [Named(K::Enter)];
    Run A::Switch, "Tab", "focus", "switch between iterations and the view", [Named(K::Tab)];
    Run A::NextTab, "1-5", "view", "output, checks, tasks, messages, details", [];
    Iteration A::Diff, "d", "diff", "what the selected iteration changed", [Letter('d')];
    Iteration A::Rewind, "W", "rewind", "rewind the work tree to the state after it", [Letter('W')];
    Run A::Tab(0), "", "", "", [Letter('1'), Letter('o')];
    Run A::Tab(1), "", "", "", [Letter('2'), Letter('c')];
    Run A::Tab(2), "", "", "", [Letter('3')];
    Run A::Tab(3), "", "", "", [Letter('4'), Letter('m')];
    Run A::Tab(4), "", "", "", [Letter('5')];
    Run A::NextTab, "", "", "", [Letter('>')];
    Run A::PreviousTab, "", "", "", [Letter('<'), Named(K::BackTab)];
    Run A::NextIteration, "]", "later", "the next iteration", [Letter(']')];
    Run A::PreviousIteration, "[", "earlier", "the previous iteration", [Letter('[')];
    Run A::Runs, "l", "runs", "the list of runs", [Letter('l')];
    Lines A::Search, "/", "search", "find text in the output or the diff", [Letter('/')];
    Lines A::NextMatch, "n", "next", "the next match", [Letter('n')];
    Lines A::PreviousMatch, "N", "previous", "the previous match", [Letter('N')];
    Lines A::Wrap, "w", "wrap", "wrap long lines, or cut them", [Letter('w')];
    Lines A::Numbers, "#", "numbers", "show line numbers", [Letter('#')];
    Output A::Follow, "f", "follow", "follow the newest output", [Letter('f')];
    Output A::Raw, "r", "raw", "show raw output, or formatted", [Letter('r')];
    Everywhere A::Up, "Up", "up", "up", [Named(K::Up)];
    Everywhere A::Down, "Down", "down", "down", [Named(K::Down)];
    Everywhere A::PageUp, "PgUp", "page up", "a page up", [Named(K::PageUp), Letter('b')];
    Everywhere A::PageDown, "PgDn", "page down", "a page down", [Named(K::PageDown), Letter(' ')];
    Everywhere A::First, "g", "top", "to the beginning", [Letter('g'), Named(K::Home)];
    Everywhere A::Last, "G", "end", "to the end", [Letter('G'), Named(K::End)];
    Run A::Left, "Left", "left", "the previous step or column, or to the left", [Named(K::Left)];
    Run A::Right, "Right", "right", "the next step or column, or to the right", [Named(K::Right)];
    Everywhere A::Suspend, "Ctrl-Z", "suspend", "suspend to the shell", [Control('z')];
    Everywhere A::Redraw, "Ctrl-L", "redraw", "redraw the screen", [Control('l')];
    Everywhere A::Help, "?", "help", "all keys", [Letter('?'), Named(K::F(1))];
    Everywhere A::Back, "q", "back", "back, or leave; the run continues", [Letter('q'), Named(K::Esc)];
    Everywhere A::Quit, "Ctrl-C", "quit", "leave; the run continues", [Control('c')];
};

/// The action of a key in the active contexts.
pub(crate) fn action(key: KeyEvent, is_here: impl Fn(KeyContext) -> bool) -> Option<KeyAction> {
    let mut here = BINDINGS.iter().filter(|binding| is_here(binding.context));
    here.find(|binding| binding.codes.iter().any(|code| code.is(key))).map(|found| found.action)
}

/// The binding of an action.
pub(crate) fn binding(action: KeyAction) -> Option<&'static KeyBinding> {
    BINDINGS.iter().find(|binding| binding.action == action)
}

impl KeyPress {
    /// Whether the event is this key. Some terminals report shift with an upper-case letter, others
    /// only the letter.
    fn is(self, key: KeyEvent) -> bool {
        let without_shift = key.modifiers - KeyModifiers::SHIFT;
        match self {
            Letter(letter) => without_shift.is_empty() && key.code == K::Char(letter),
            Named(code) => without_shift.is_empty() && key.code == code,
            Control(letter) => {
                let is_letter = matches!(key.code, K::Char(c) if c.eq_ignore_ascii_case(&letter));
                without_shift == KeyModifiers::CONTROL && is_letter
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_does_two_things_on_one_screen() {
        let screens: [&[KeyContext]; 2] =
            [&[Everywhere, List], &[Everywhere, Run, Iteration, Steering, Lines, Output, Resuming]];
        for screen in screens {
            let here = BINDINGS.iter().filter(|binding| screen.contains(&binding.context));
            let mut seen = Vec::new();
            for code in here.flat_map(|binding| binding.codes) {
                let code = format!("{code:?}");
                assert!(!seen.contains(&code), "{code} is there twice");
                seen.push(code);
            }
        }
    }

    #[test]
    fn a_capital_is_a_separate_key_on_every_terminal() {
        let at = |modifiers| action(KeyEvent::new(K::Char('S'), modifiers), |_| true);
        assert_eq!(at(KeyModifiers::NONE), Some(A::StopNow));
        assert_eq!(at(KeyModifiers::SHIFT), Some(A::StopNow));
        assert_eq!(at(KeyModifiers::ALT), None);
        let suspend = KeyEvent::new(K::Char('z'), KeyModifiers::CONTROL);
        assert_eq!(action(suspend, |_| true), Some(A::Suspend));
    }
}
