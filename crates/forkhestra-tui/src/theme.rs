//! The few styles. Words have the colours of the terminal, so that they are readable on any background;
//! the sixteen colours are for signs, lines and bars, and none of them says anything that no sign or
//! word says.

use ratatui::style::{Color, Modifier, Style};

/// What is read first.
pub(crate) const NAME: Style = Style::new().add_modifier(Modifier::BOLD);
/// Lines and hints. What a person needs to read is not dim.
pub(crate) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
/// What is selected.
pub(crate) const SELECTED: Style =
    Style::new().add_modifier(Modifier::REVERSED).remove_modifier(Modifier::DIM);
/// The title of the part of the screen that gets the keys.
pub(crate) const FOCUSED: Style =
    Style::new().add_modifier(Modifier::BOLD).add_modifier(Modifier::REVERSED);
/// The title of the view that is shown while another part of the screen gets the keys.
pub(crate) const OPEN: Style =
    Style::new().add_modifier(Modifier::BOLD).add_modifier(Modifier::UNDERLINED);
/// The one accent, for signs and bars of what goes on.
pub(crate) const ACCENT: Style = Style::new().fg(Color::Cyan);
/// The sign of what is as it should be.
pub(crate) const GOOD: Style = Style::new().fg(Color::Green);
/// The sign of what needs attention.
pub(crate) const WARNING: Style = Style::new().fg(Color::Yellow);
/// The sign of what has gone wrong.
pub(crate) const BAD: Style = Style::new().fg(Color::Red);
/// A key that can be pressed.
pub(crate) const KEY: Style = Style::new().add_modifier(Modifier::BOLD);
/// A place that a search has found.
pub(crate) const FOUND: Style = Style::new().add_modifier(Modifier::REVERSED);
/// The place that a search stands at.
pub(crate) const FOUND_HERE: Style =
    Style::new().fg(Color::Yellow).add_modifier(Modifier::REVERSED).add_modifier(Modifier::BOLD);
/// No particular style.
pub(crate) const PLAIN: Style = Style::new();
