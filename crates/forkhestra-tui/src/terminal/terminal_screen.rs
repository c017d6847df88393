//! The terminal itself: taking it, drawing on it, and giving it back.

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

/// A frame goes out with one write, if it is not larger than this.
const FRAME: usize = 256 * 1024;

/// The terminal, as long as it is ours. It is given back whatever happens.
pub(super) struct TerminalScreen {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    taken: Arc<AtomicBool>,
}

impl TerminalScreen {
    /// Takes the terminal.
    pub(super) fn enter() -> io::Result<Self> {
        let taken = Arc::new(AtomicBool::new(false));
        give_back_on_panic(Arc::clone(&taken));
        let backend = CrosstermBackend::new(BufWriter::with_capacity(FRAME, io::stdout()));
        // Before the terminal is asked for its size, so that whatever fails here gives it back.
        let guard = TerminalGuard(Arc::clone(&taken));
        take(&taken)?;
        let terminal = Terminal::new(backend)?;
        std::mem::forget(guard);
        Ok(Self { terminal, taken })
    }

    /// Draws everything that is different, all of it at once.
    pub(super) fn draw(&mut self, app: &App) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| draw(app, frame))?;
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        self.terminal.backend_mut().flush()
    }

    /// Copies a text to the clipboard of the terminal, if that allows it.
    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        let backend = self.terminal.backend_mut();
        backend.write_all(copy_sequence(text).as_bytes())?;
        Write::flush(backend)
    }

    /// Takes the mouse, or leaves it to the terminal.
    pub(super) fn capture_mouse(&mut self, is_wanted: bool) -> io::Result<()> {
        if is_wanted {
            execute!(self.terminal.backend_mut(), EnableMouseCapture)
        } else {
            execute!(self.terminal.backend_mut(), DisableMouseCapture)
        }
    }

    /// Gives the terminal back for a while.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        give_back(&self.taken)
    }

    /// Takes it again, whatever was done to it meanwhile.
    pub(super) fn resume(&mut self) -> io::Result<()> {
        take(&self.taken)?;
        let Size { width, height } = self.terminal.size()?;
        // Unlike `clear` this does not ask the terminal where its cursor is: whoever reads keys would
        // get the answer.
        self.terminal.resize(Rect::new(0, 0, width, height))
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing.
        let _ = give_back(&self.taken);
    }
}

/// Gives the terminal back if it is not taken to the end.
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

/// Gives the terminal back, if it was taken.
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

/// A message about a broken program belongs on the usual screen.
fn give_back_on_panic(taken: Arc<AtomicBool>) {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |about| {
        let _ = give_back(&taken);
        usual(about);
    }));
}
