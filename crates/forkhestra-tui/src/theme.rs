//! The few ways things look. Only the sixteen colours of the terminal are used, which a person has
//! chosen to be readable on their background, and none of them says anything that no sign or word says.

use ratatui::style::{Color, Modifier, Style};

/// What is read first.
pub(crate) const NAME: Style = Style::new().add_modifier(Modifier::BOLD);
/// What is less important.
pub(crate) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
/// What is selected.
pub(crate) const SELECTED: Style = Style::new().add_modifier(Modifier::REVERSED);
/// The one accent: what goes on, and where the keys go.
pub(crate) const ACCENT: Style = Style::new().fg(Color::Cyan);
/// What is as it should be.
pub(crate) const GOOD: Style = Style::new().fg(Color::Green);
/// What needs attention.
pub(crate) const WARNING: Style = Style::new().fg(Color::Yellow);
/// What has gone wrong.
pub(crate) const BAD: Style = Style::new().fg(Color::Red);
/// A key that can be pressed.
pub(crate) const KEY: Style = Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD);
/// A place that a search has found.
pub(crate) const FOUND: Style = Style::new().add_modifier(Modifier::REVERSED);
/// The place that a search stands at.
pub(crate) const FOUND_HERE: Style =
    Style::new().fg(Color::Yellow).add_modifier(Modifier::REVERSED).add_modifier(Modifier::BOLD);
/// No particular way.
pub(crate) const PLAIN: Style = Style::new();
