//! What a prompt needs of the terminal at which a person types.

use std::io;
use std::os::fd::AsFd;

use forkhestra_engine::TerminalInput;
use rustix::termios::tcgetwinsize;

/// Width of a terminal that does not report its size.
const DEFAULT_COLUMNS: usize = 80;

/// The terminal at which a person types; another one in tests.
pub(crate) trait PromptInput: AsFd {
    /// Whether keys are meant for this run, and not for a shell or another job.
    fn is_in_foreground(&self) -> bool;

    /// Whether the terminal itself shows what is typed.
    fn has_echo(&self) -> bool;

    /// Discards what was typed and not read yet.
    fn discard(&self) -> io::Result<()>;

    /// Reads what was typed, without waiting. Zero bytes are the end of the input.
    fn read(&self, bytes: &mut [u8]) -> io::Result<usize>;

    /// The width of the screen.
    fn columns(&self) -> usize {
        let columns = tcgetwinsize(self).map_or(0, |size| usize::from(size.ws_col));
        if columns == 0 { DEFAULT_COLUMNS } else { columns }
    }
}

impl PromptInput for TerminalInput {
    fn is_in_foreground(&self) -> bool {
        Self::is_in_foreground(self)
    }

    fn has_echo(&self) -> bool {
        Self::has_echo(self)
    }

    fn discard(&self) -> io::Result<()> {
        Self::discard(self)
    }

    fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        Self::read(self, bytes)
    }
}
