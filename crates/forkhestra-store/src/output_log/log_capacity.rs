//! How much is kept.

const MIB: u64 = 1024 * 1024;

/// How much of a stream is kept when there is too much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogCapacity {
    /// So many of the first bytes.
    pub head: u64,
    /// So many of the last bytes, and at times a few more.
    pub tail: u64,
}

impl LogCapacity {
    /// For standard output. Both streams together may take 64 MiB.
    pub const STDOUT: Self = Self { head: 32 * MIB, tail: 8 * MIB };

    /// For standard error, of which there is less.
    pub const STDERR: Self = Self { head: 16 * MIB, tail: 8 * MIB };
}
