//! The colours of the output. All texts are readable without them.

use anstyle::{AnsiColor, Style};

/// Headings and names.
pub const NAME: Style = Style::new().bold();
/// Secondary text.
pub const DIM: Style = Style::new().dimmed();
/// Warnings.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Success.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Running work.
pub const ACTIVE: Style = AnsiColor::Cyan.on_default();
/// Failures.
pub const BAD: Style = AnsiColor::Red.on_default();
/// The word before a hint.
pub const HINT: Style = AnsiColor::BrightCyan.on_default().bold();

/// Adds a style to a text.
pub fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
