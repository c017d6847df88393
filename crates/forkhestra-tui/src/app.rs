//! State of the TUI: all data that the screens show.

pub(crate) mod answer_form;
pub(crate) mod detail_view;
pub(crate) mod dialog;
pub(crate) mod limits_form;
pub(crate) mod local_clock;
pub(crate) mod open_question;
pub(crate) mod output_search;
pub(crate) mod output_view;
pub(crate) mod run_list;
pub(crate) mod run_screen_state;
pub(crate) mod task_groups;
pub(crate) mod task_progress;
pub(crate) mod text_editor;
pub(crate) mod time_estimate;
pub(crate) mod timeline;
pub(crate) mod wrapping;

use std::cell::RefCell;
use std::time::Duration;

use forkhestra_core::id::RunId;
use forkhestra_core::time::Timestamp;
use typeset::color_mode::PrintStyle;
use typeset::local_time::LocalZone;

use self::dialog::{ScreenDialog, Toast, ToastKind};
use self::local_clock::LocalClock;
use self::run_list::RunList;
use self::run_screen_state::RunScreenState;
use self::text_editor::TextEditor;
use crate::hit_map::HitMap;
use crate::msg::Cmd;
use crate::run_source::RunScope;

/// Display time of a toast.
const TOAST_DURATION: Duration = Duration::from_secs(8);

/// Initial settings of the TUI.
#[derive(Debug, Clone)]
pub struct WatchSettings {
    /// Colours and character set.
    pub style: PrintStyle,
    /// The current time.
    pub now: Timestamp,
    /// The zone in which times are shown.
    pub zone: LocalZone,
    /// The run to open; without one, the list of runs is shown.
    pub run: Option<RunId>,
    /// Which runs are listed.
    pub scope: RunScope,
}

/// State of the TUI. `update` changes it, `view` draws it.
#[derive(Debug)]
pub struct App {
    pub(crate) style: PrintStyle,
    pub(crate) now: Timestamp,
    pub(crate) zone: LocalZone,
    pub(crate) list: RunList,
    /// The open run; none if the list is shown.
    pub(crate) run: Option<RunScreenState>,
    /// Whether the run was opened from the list, so that closing it returns there.
    pub(crate) came_from_list: bool,
    pub(crate) dialog: Option<ScreenDialog>,
    /// The search term that is being typed.
    pub(crate) query: Option<TextEditor>,
    pub(crate) toast: Option<Toast>,
    /// Positions of all targets in the last drawn frame.
    pub(crate) hit_map: RefCell<HitMap>,
    pub(crate) has_changed: bool,
}

impl App {
    /// Creates the initial state and the first commands.
    pub fn begin(settings: WatchSettings) -> (Self, Vec<Cmd>) {
        let first = match &settings.run {
            Some(run) => Cmd::OpenRun(run.clone()),
            None => Cmd::ListRuns(settings.scope),
        };
        let app = Self {
            style: settings.style,
            now: settings.now,
            zone: settings.zone,
            list: RunList::new(settings.scope),
            run: settings.run.map(RunScreenState::new),
            came_from_list: false,
            dialog: None,
            query: None,
            toast: None,
            hit_map: RefCell::default(),
            has_changed: true,
        };
        (app, vec![first])
    }

    /// Whether the screen shows something that changes with time, so that it needs ticks.
    pub fn has_clock(&self) -> bool {
        let goes_on =
            self.run.as_ref().map_or_else(|| self.list.shows_ages(), RunScreenState::is_live);
        goes_on || self.toast.is_some()
    }

    /// Whether anything visible changed since the last call.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.has_changed)
    }

    /// Message for a user who leaves a run that is still alive.
    pub fn exit_message(&self) -> Option<String> {
        let run = self.run.as_ref().filter(|run| run.is_live())?;
        Some(format!("Run {0} continues; `forkhestra watch {0}` shows it again.", run.run))
    }

    /// The current time and zone.
    pub(crate) const fn clock(&self) -> LocalClock<'_> {
        LocalClock::new(self.now, &self.zone)
    }

    /// Shows a toast.
    pub(crate) fn show_toast(&mut self, mood: ToastKind, text: impl Into<String>) {
        self.toast = Some(Toast { text: text.into(), kind: mood, since: Some(self.now) });
    }

    /// Shows a toast about something that goes on.
    pub(crate) fn show_progress(&mut self, text: impl Into<String>) {
        self.toast = Some(Toast { text: text.into(), kind: ToastKind::Neutral, since: None });
    }

    /// Removes a toast, unless it is about something that goes on.
    pub(crate) fn dismiss_toast(&mut self) {
        self.toast.take_if(|toast| toast.since.is_some());
    }

    /// Advances the clock and removes an expired toast.
    pub(crate) fn tick(&mut self, now: Timestamp) {
        let showed_clock = self.has_clock();
        self.now = now;
        let is_old = |toast: &Toast| {
            toast.since.is_some_and(|since| now.saturating_since(since) >= TOAST_DURATION)
        };
        if self.toast.as_ref().is_some_and(is_old) {
            self.toast = None;
        }
        self.has_changed |= showed_clock;
    }
}
