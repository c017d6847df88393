//! How a keeper is started.

use std::ffi::OsString;
use std::path::PathBuf;

/// The word by which forkhestra starts itself as a keeper.
pub const KEEPER_VERB: &str = "__keep";

/// The program that becomes a keeper. It must call [`keep`](super::keep) with the words after `args`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeeperProgram {
    pub path: PathBuf,
    /// The arguments before the program to keep.
    pub args: Vec<OsString>,
}

/// What names a lane in the environment of its processes: a variable, which may list several values
/// separated by colons, and the value of the lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneTag {
    pub name: OsString,
    pub value: OsString,
}

/// The keeper of a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeeperCommand {
    pub program: KeeperProgram,
    pub tag: LaneTag,
}
