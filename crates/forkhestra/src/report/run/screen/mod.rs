//! Writing to a terminal: lines, the status line, the cursor.

pub(crate) mod byte_sink;
mod lane_lines;
mod lane_output;
pub(crate) mod line_end;
pub(crate) mod report_output;
pub(crate) mod screen_action;
pub(crate) mod screen_writer;
pub(crate) mod status_line;
pub(crate) mod terminal_cursor;
pub(crate) mod window;
