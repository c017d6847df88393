//! A simulated terminal.

use std::io;
use std::num::NonZeroU16;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use typeset::color_mode::PrintStyle;

use crate::report::run::screen::byte_sink::ByteSink;
use crate::report::run::screen::report_output::{OutputFilter, ReportOutput, ReportStreamState};
use crate::report::run::screen::window::LiveLineWindow;

const ROWS: u16 = 12;

/// All writes and the visible result.
#[derive(Clone)]
pub(crate) struct FakeTerminal {
    parser: Arc<Mutex<vt100::Parser>>,
    columns: Arc<AtomicU16>,
    writes: Arc<Mutex<Vec<Vec<u8>>>>,
    looks: Arc<AtomicUsize>,
}

impl FakeTerminal {
    pub(crate) fn new(columns: u16) -> Self {
        Self::of_size(ROWS, columns)
    }

    pub(crate) fn of_size(rows: u16, columns: u16) -> Self {
        let parser = vt100::Parser::new(positive(rows), positive(columns), 0);
        Self {
            parser: Arc::new(Mutex::new(parser)),
            columns: Arc::new(AtomicU16::new(columns)),
            writes: Arc::default(),
            looks: Arc::default(),
        }
    }

    /// A terminal on which only these bytes were printed.
    pub(crate) fn showing(columns: u16, bytes: &[u8]) -> Self {
        let terminal = Self::new(columns);
        terminal.write_all(bytes).expect("it takes everything");
        terminal
    }

    /// An output whose streams both lead to this terminal.
    pub(crate) fn report_output(&self) -> ReportOutput {
        self.report_output_with(false)
    }

    pub(crate) fn report_output_with(&self, is_colored: bool) -> ReportOutput {
        let side = || ReportStreamState {
            sink: Box::new(self.clone()),
            style: PrintStyle::new(is_colored),
        };
        ReportOutput::new(
            OutputFilter::Everything,
            side(),
            side(),
            true,
            Some(Box::new(self.clone())),
        )
    }

    pub(crate) fn resize(&self, columns: u16) {
        self.columns.store(columns, Ordering::Relaxed);
        let mut parser = self.lock();
        let (rows, _) = parser.screen().size();
        parser.screen_mut().set_size(rows, positive(columns));
    }

    /// The visible text without surrounding blanks.
    pub(crate) fn seen(&self) -> String {
        self.lock().screen().contents()
    }

    /// The visible text with colours and cursor position.
    pub(crate) fn exactly(&self) -> (String, (u16, u16)) {
        let parser = self.lock();
        (parser.screen().state_formatted(), parser.screen().cursor_position())
    }

    /// Prints a text and restores the cursor.
    pub(crate) fn write_behind_cursor(&self, text: &str) {
        self.feed(&format!("\x1b7{text}\x1b8"));
    }

    pub(crate) fn feed(&self, text: &str) {
        self.write_all(text.as_bytes()).expect("it takes everything");
    }

    /// Each write separately.
    pub(crate) fn writes(&self) -> Vec<String> {
        let writes = self.writes.lock().unwrap_or_else(PoisonError::into_inner);
        writes.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect()
    }

    /// How often the width was queried.
    pub(crate) fn looks(&self) -> usize {
        self.looks.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, vt100::Parser> {
        self.parser.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn positive(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).expect("a terminal has a size")
}

impl ByteSink for FakeTerminal {
    fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.writes.lock().unwrap_or_else(PoisonError::into_inner).push(bytes.to_owned());
        // A terminal returns to the start of the line by itself.
        let mut parser = self.lock();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            match part.strip_suffix(b"\n") {
                Some(part) => {
                    parser.process(part);
                    parser.process(b"\r\n");
                }
                None => parser.process(part),
            }
        }
        Ok(())
    }
}

impl LiveLineWindow for FakeTerminal {
    fn columns(&self) -> Option<usize> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        Some(usize::from(self.columns.load(Ordering::Relaxed)))
    }
}
