//! How the lines of a file end.

/// The line breaks of a file. Added lines use those of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newline {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
}

impl Newline {
    /// The line break of a text's first line.
    pub fn of(text: &str) -> Self {
        let first = text.split_inclusive('\n').next().unwrap_or_default();
        if first.ends_with("\r\n") { Self::CrLf } else { Self::Lf }
    }

    /// The characters themselves.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}
