//! The few colours we use. Everything reads well without them.

use anstyle::{AnsiColor, Style};

/// Headings and names.
pub const NAME: Style = Style::new().bold();
/// What is less important.
pub const DIM: Style = Style::new().dimmed();
/// What needs attention.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// What is as it should be.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// What is going on.
pub const GOING_ON: Style = AnsiColor::Cyan.on_default();
/// What has gone wrong.
pub const BAD: Style = AnsiColor::Red.on_default();
/// The word before advice.
pub const HINT: Style = AnsiColor::BrightCyan.on_default().bold();

/// Paints a text.
pub fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
