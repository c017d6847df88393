//! The styles. Words have the default colour of the terminal, so that they are readable on any
//! background; the sixteen colours are for signs, lines and bars. Colour never carries information
//! that no sign or word carries.

use ratatui::style::{Color, Modifier, Style};

/// Names and titles.
pub(crate) const NAME: Style = Style::new().add_modifier(Modifier::BOLD);
/// Lines and hints. Essential text is not dim.
pub(crate) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
/// The selection.
pub(crate) const SELECTED: Style =
    Style::new().add_modifier(Modifier::REVERSED).remove_modifier(Modifier::DIM);
/// The title of the pane that receives the keys.
pub(crate) const FOCUSED: Style =
    Style::new().add_modifier(Modifier::BOLD).add_modifier(Modifier::REVERSED);
/// The title of the open tab while another pane receives the keys.
pub(crate) const OPEN: Style =
    Style::new().add_modifier(Modifier::BOLD).add_modifier(Modifier::UNDERLINED);
/// The accent colour, for signs and bars of current activity.
pub(crate) const ACCENT: Style = Style::new().fg(Color::Cyan);
/// Sign of success.
pub(crate) const GOOD: Style = Style::new().fg(Color::Green);
/// Sign of a warning.
pub(crate) const WARNING: Style = Style::new().fg(Color::Yellow);
/// Sign of a failure.
pub(crate) const BAD: Style = Style::new().fg(Color::Red);
/// A line that a diff adds. Lines of a diff have colours as git gives them, besides their signs.
pub(crate) const ADDED: Style = Style::new().fg(Color::Green);
/// A line that a diff removes.
pub(crate) const REMOVED: Style = Style::new().fg(Color::Red);
/// A key that can be pressed.
pub(crate) const KEY: Style = Style::new().add_modifier(Modifier::BOLD);
/// A search match.
pub(crate) const FOUND: Style = Style::new().add_modifier(Modifier::REVERSED);
/// The current search match.
pub(crate) const FOUND_HERE: Style =
    Style::new().fg(Color::Yellow).add_modifier(Modifier::REVERSED).add_modifier(Modifier::BOLD);
/// No particular style.
pub(crate) const PLAIN: Style = Style::new();
