//! The few colours we use. Everything reads well without them.

use anstyle::{AnsiColor, Style};

/// Names of agents and chains.
pub(crate) const NAME: Style = Style::new().bold();
/// What is less important.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What needs attention.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// What is as it should be.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What is going on.
pub(crate) const GOING_ON: Style = AnsiColor::Cyan.on_default();
/// What has gone wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();

/// The word before advice.
pub(crate) const HINT: Style = AnsiColor::BrightCyan.on_default().bold();

/// Paints a text.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
