//! Why a text is not a quota limit.

use super::quota_threshold::QuotaThresholdError;
use super::quota_window::QuotaWindow;

/// Why a text such as `5h=90%,7d=even` is not valid. Positions count characters from one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuotaParseError {
    #[error("there is no window at character {position}; write it as `5h=90%,7d=even`, or `off`")]
    NoWindow { position: usize },
    #[error(
        "`{name}` at character {position} is not a window; write `5h` or `7d`, as in `5h=90%,7d=even`"
    )]
    UnknownWindow { name: String, position: usize },
    #[error(
        "`{}` at character {position} has no share; write `{}=90%` or `{}=even`",
        window.word(), window.word(), window.word()
    )]
    NoShare { window: QuotaWindow, position: usize },
    #[error("`{value}` at character {position} {why}")]
    Threshold { value: String, position: usize, why: QuotaThresholdError },
    #[error("`{}` at character {position} is named twice; keep one of them", window.word())]
    Twice { window: QuotaWindow, position: usize },
}
