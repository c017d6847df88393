//! Entering, drawing on and restoring the terminal.

use std::io::{self, BufWriter, Stdout, Write};
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Rect, Size};

use super::clipboard::copy_sequence;
use crate::app::App;
use crate::view::draw;

/// Buffer size: a smaller frame is a single write.
const FRAME_BYTES: usize = 256 * 1024;

/// The terminal in raw mode on the alternate screen. It is restored in every case.
pub(super) struct TerminalScreen {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    taken: Arc<AtomicBool>,
}

impl TerminalScreen {
    /// Enters raw mode and the alternate screen.
    pub(super) fn enter() -> io::Result<Self> {
        let taken = Arc::new(AtomicBool::new(false));
        give_back_on_panic(Arc::clone(&taken));
        let backend = CrosstermBackend::new(BufWriter::with_capacity(FRAME_BYTES, io::stdout()));
        // Created before the size is queried, so that any failure restores the terminal.
        let guard = TerminalGuard(Arc::clone(&taken));
        take(&taken)?;
        let terminal = Terminal::new(backend)?;
        std::mem::forget(guard);
        Ok(Self { terminal, taken })
    }

    /// Draws all changes as one synchronized update.
    pub(super) fn draw(&mut self, app: &App) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| draw(app, frame))?;
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        self.terminal.backend_mut().flush()
    }

    /// Copies a text to the clipboard of the terminal, if it allows that.
    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        let backend = self.terminal.backend_mut();
        backend.write_all(copy_sequence(text).as_bytes())?;
        Write::flush(backend)
    }

    /// Captures the mouse, or releases it to the terminal.
    pub(super) fn capture_mouse(&mut self, is_wanted: bool) -> io::Result<()> {
        if is_wanted {
            execute!(self.terminal.backend_mut(), EnableMouseCapture)
        } else {
            execute!(self.terminal.backend_mut(), DisableMouseCapture)
        }
    }

    /// Restores the terminal temporarily.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        give_back(&self.taken)
    }

    /// Takes the terminal again, whatever its state is.
    pub(super) fn resume(&mut self) -> io::Result<()> {
        take(&self.taken)?;
        let Size { width, height } = self.terminal.size()?;
        // Unlike `clear`, `resize` does not query the cursor position; the key reader would receive
        // the reply.
        self.terminal.resize(Rect::new(0, 0, width, height))
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        // A terminal that is gone needs no restoring.
        let _ = give_back(&self.taken);
    }
}

/// Restores the terminal if entering it fails.
struct TerminalGuard(Arc<AtomicBool>);

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        let _ = give_back(&self.0);
    }
}

fn take(taken: &AtomicBool) -> io::Result<()> {
    taken.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste, Hide)
}

/// Restores the terminal, if it was taken.
fn give_back(taken: &AtomicBool) -> io::Result<()> {
    if !taken.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let written = execute!(
        io::stdout(),
        EndSynchronizedUpdate,
        Show,
        DisableBracketedPaste,
        DisableMouseCapture,
        LeaveAlternateScreen
    );
    disable_raw_mode()?;
    written
}

/// Restores the terminal before a panic message is printed.
fn give_back_on_panic(taken: Arc<AtomicBool>) {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |about| {
        let _ = give_back(&taken);
        usual(about);
    }));
}
