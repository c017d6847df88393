//! The config entry of a lane.

use crate::config::decode::record::record;
use crate::config::decode::relative_path::{PathGlob, RelativePath};
use crate::config::decode::values::CommandText;
use crate::diagnostic::source::Spanned;
use crate::limit::{HumanDuration, Limit};

record! {
    /// What a lane is made with. A lane is a clone of the repository in which one agent at a time works.
    pub struct LaneEntry is "a lane" {
        /// A shell command that prepares a new lane.
        "setup" => setup: Option<Spanned<CommandText>>,
        /// Files that git ignores and that a lane gets a copy of: globs. Without it
        /// `.worktreeinclude` names them.
        "copy" => copy: Option<Spanned<Vec<Spanned<PathGlob>>>>,
        /// Paths of caches that a lane takes over from the last lane of its number.
        "keep" => keep: Option<Spanned<Vec<Spanned<RelativePath>>>>,
        /// How long the set-up may take.
        "timeout" => timeout: Option<Spanned<Limit<HumanDuration>>>,
    }
}
