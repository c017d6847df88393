//! A stream, a name or a text that controls the terminal.
