//! How much of a stream is kept.

const MIB: u64 = 1024 * 1024;

/// How much of a long stream is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogCapacity {
    /// The number of first bytes.
    pub head: u64,
    /// The minimum number of last bytes.
    pub tail: u64,
}

impl LogCapacity {
    /// The capacity for standard output. Both streams together may take 64 MiB.
    pub const STDOUT: Self = Self { head: 32 * MIB, tail: 8 * MIB };

    /// The capacity for standard error, which is usually shorter.
    pub const STDERR: Self = Self { head: 16 * MIB, tail: 8 * MIB };
}
