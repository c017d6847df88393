//! A simulated terminal: frames go as bytes through an emulator, as on a real one.

use std::io::{self, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Mutex};

use crossterm::event::{
    Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use typeset::color_mode::PrintStyle;
use typeset::local_time::LocalZone;

use crate::app::{App, WatchSettings};
use crate::msg::{Cmd, Msg};
use crate::run_source::RunScope;

use super::run_script::{self, RunScript};

/// A shared byte buffer.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedBytes(Arc<Mutex<Vec<u8>>>);

impl Write for SharedBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no thread panics with it").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The screens on a terminal of some size.
pub(super) struct TestScreen {
    pub(super) app: App,
    terminal: Terminal<CrosstermBackend<SharedBytes>>,
    bytes: SharedBytes,
    parser: vt100::Parser,
    /// Commands that no test has taken yet.
    pub(super) cmds: Vec<Cmd>,
}

impl TestScreen {
    pub(super) fn new(size: (u16, u16), settings: WatchSettings) -> Self {
        let (app, cmds) = App::begin(settings);
        let bytes = SharedBytes::default();
        let mut screen =
            Self { app, terminal: terminal(&bytes, size), bytes, parser: emulator(size), cmds };
        screen.draw();
        screen
    }

    /// A run that was just opened and read.
    pub(super) fn of_run(size: (u16, u16), script: &RunScript) -> Self {
        Self::inked(size, script, PrintStyle::new(true))
    }

    pub(super) fn inked(size: (u16, u16), script: &RunScript, style: PrintStyle) -> Self {
        let run = Some(run_script::run());
        let settings =
            WatchSettings { style, now: script.now, zone: zone(), run, scope: RunScope::Here };
        let mut screen = Self::new(size, settings);
        screen.send(Msg::News(script.news()));
        screen
    }

    /// The list of runs.
    pub(super) fn of_list(size: (u16, u16), scope: RunScope) -> Self {
        let now = run_script::timestamp("2026-11-15T07:00:00Z");
        Self::new(
            size,
            WatchSettings { style: PrintStyle::new(true), now, zone: zone(), run: None, scope },
        )
    }

    pub(super) fn send(&mut self, msg: Msg) -> &mut Self {
        let cmds = crate::update(&mut self.app, msg);
        self.cmds.extend(cmds);
        self.draw();
        self
    }

    /// Presses keys: characters, or names in angle brackets such as `<Esc>` or `<C-s>`.
    pub(super) fn press(&mut self, keys: &str) -> &mut Self {
        let mut rest = keys;
        while let Some(letter) = rest.chars().next() {
            let named = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
            let key = match named.and_then(|(name, after)| Some((key_named(name)?, after))) {
                Some((key, after)) => {
                    rest = after;
                    key
                }
                None => {
                    rest = &rest[letter.len_utf8()..];
                    KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)
                }
            };
            self.send(Msg::Terminal(TerminalEvent::Key(key)));
        }
        self
    }

    /// Clicks on the first occurrence of a text.
    pub(super) fn click(&mut self, text: &str) -> &mut Self {
        self.point(text, MouseEventKind::Down(MouseButton::Left))
    }

    pub(super) fn point(&mut self, text: &str, kind: MouseEventKind) -> &mut Self {
        let shown = self.text();
        let lines = shown.lines().enumerate();
        let mut found = lines.filter_map(|(row, line)| Some((row, line.find(text)?, line)));
        let (row, place, line) = found.next().unwrap_or_else(|| panic!("no {text:?} in\n{shown}"));
        let column = line[..place].chars().count();
        let at = |number: usize| u16::try_from(number).expect("the screen is not that large");
        let (column, row, modifiers) = (at(column), at(row), KeyModifiers::NONE);
        self.send(Msg::Terminal(TerminalEvent::Mouse(MouseEvent { kind, column, row, modifiers })))
    }

    /// Resizes the window.
    pub(super) fn resize(&mut self, size: (u16, u16)) -> &mut Self {
        let (columns, rows) = size;
        self.terminal = terminal(&self.bytes, size);
        self.parser = emulator(size);
        self.send(Msg::Terminal(TerminalEvent::Resize(columns, rows)))
    }

    /// The visible text.
    pub(super) fn text(&self) -> String {
        let rows = self.parser.screen().rows(0, self.parser.screen().size().1.get());
        rows.map(|row| format!("{}\n", row.trim_end())).collect()
    }

    /// The commands since the last call.
    pub(super) fn take_cmds(&mut self) -> Vec<Cmd> {
        std::mem::take(&mut self.cmds)
    }

    /// The cells of the screen.
    pub(super) fn cells(&self) -> impl Iterator<Item = &vt100::Cell> {
        let (rows, columns) = self.parser.screen().size();
        let (rows, columns) = (rows.get(), columns.get());
        let places = (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)));
        places.filter_map(|(row, column)| self.parser.screen().cell(row, column))
    }

    /// The cells of the first occurrence of an ASCII text.
    pub(super) fn cells_of(&self, text: &str) -> Vec<&vt100::Cell> {
        let (rows, columns) = self.parser.screen().size();
        let cell = |row, column| self.parser.screen().cell(row, column);
        let width = u16::try_from(text.len()).expect("it is short");
        for row in 0..rows.get() {
            for column in 0..columns.get().saturating_sub(width) {
                let cells: Vec<_> =
                    (column..column + width).filter_map(|at| cell(row, at)).collect();
                let found: String = cells.iter().map(|cell| cell.contents()).collect();
                if found == text {
                    return cells;
                }
            }
        }
        panic!("no {text:?} in\n{}", self.text())
    }

    fn draw(&mut self) {
        self.terminal.draw(|frame| crate::draw(&self.app, frame)).expect("it goes into memory");
        let bytes = std::mem::take(&mut *self.bytes.0.lock().expect("no thread panics with it"));
        assert_no_foreign_controls(&bytes);
        self.parser.process(&bytes);
    }
}

/// The zone in which times are shown. The scripts use UTC.
pub(super) fn zone() -> LocalZone {
    LocalZone::named("CET-1").expect("a zone")
}

fn terminal(
    bytes: &SharedBytes,
    (columns, rows): (u16, u16),
) -> Terminal<CrosstermBackend<SharedBytes>> {
    let viewport = Viewport::Fixed(Rect::new(0, 0, columns, rows));
    let options = TerminalOptions { viewport };
    Terminal::with_options(CrosstermBackend::new(bytes.clone()), options).expect("there is room")
}

fn emulator((columns, rows): (u16, u16)) -> vt100::Parser {
    let size = |number: u16| NonZeroU16::new(number).expect("no screen is that small");
    vt100::Parser::new(size(rows), size(columns), 0)
}

/// The output contains no control sequences but those that draw a screen: cursor position, colours,
/// and cursor visibility.
fn assert_no_foreign_controls(bytes: &[u8]) {
    let text = str::from_utf8(bytes).expect("screens are text");
    let mut rest = text;
    while let Some(place) = rest.find(typeset::text::is_control_character) {
        let sequence = rest[place..].strip_prefix("\u{1b}[");
        let after = sequence.unwrap_or_else(|| panic!("{:?}", &rest[place..]));
        let end = after.find(|letter: char| letter.is_ascii_alphabetic());
        let end = end.unwrap_or_else(|| panic!("no end: {after:?}"));
        let (parameters, end) = (&after[..end], &after[end..]);
        let is_ours = match end.as_bytes()[0] {
            b'm' | b'H' => parameters.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')),
            b'h' | b'l' => parameters == "?25",
            _ => false,
        };
        assert!(is_ours, "{parameters:?}{end:?}");
        rest = end;
    }
}

fn key_named(name: &str) -> Option<KeyEvent> {
    if let Some(letter) = name.strip_prefix("C-") {
        return Some(KeyEvent::new(KeyCode::Char(letter.chars().next()?), KeyModifiers::CONTROL));
    }
    let code = match name {
        "Esc" => KeyCode::Esc,
        "Enter" => KeyCode::Enter,
        "Tab" => KeyCode::Tab,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "PageUp" => KeyCode::PageUp,
        "PageDown" => KeyCode::PageDown,
        "Backspace" => KeyCode::Backspace,
        _ => return None,
    };
    Some(KeyEvent::new(code, KeyModifiers::NONE))
}
