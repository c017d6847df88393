//! The few colours we use. Everything reads well without them.

use anstyle::{AnsiColor, Style};

/// Names of agents and chains.
pub(crate) const NAME: Style = Style::new().bold();
/// What is less important.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What needs attention.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// The word before advice.
pub(crate) const HINT: Style = AnsiColor::BrightCyan.on_default().bold();

/// Paints a text.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
