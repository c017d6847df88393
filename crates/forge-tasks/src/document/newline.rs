//! How the lines of a file end.

/// How the lines of a file end. What is added to a file ends its lines as the file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newline {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
}

impl Newline {
    /// What the first line of a text ends with.
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
