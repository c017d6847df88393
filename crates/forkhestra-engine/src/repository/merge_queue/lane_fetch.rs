//! Fetches what an agent committed in its lane. The agent can have changed every file of the lane's
//! repository, so no setting of it names a command that runs, and all objects are hashed again.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::{LaneCommits, MergeQueueError, QueueRepository};
use crate::repository::clean_rooms::{UploadHistory, upload_command};
use crate::repository::git_program::GitError;
use crate::repository::text;

/// Settings for fetching. Objects of agents are checked; defects that are only found in old histories
/// do no harm.
const SETTINGS: [&str; 9] = [
    "core.alternateRefsCommand=:",
    "fetch.fsckObjects=true",
    "fetch.fsck.badTimezone=warn",
    "fetch.fsck.missingSpaceBeforeDate=warn",
    "fetch.fsck.zeroPaddedFilemode=warn",
    "fetch.prune=false",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "submodule.recurse=false",
];

/// The namespace of the fetched commits of lanes below that of the run.
pub(in crate::repository) const LANES: &str = "lane";

/// A lane whose commits are fetched.
#[derive(Debug, Clone, Copy)]
pub struct LaneToFetch<'a> {
    /// Its number, from 1.
    pub number: u32,
    /// The top of its work tree.
    pub directory: &'a Path,
    /// The commit at which the lane was before the agent began.
    pub base: &'a str,
}

/// What a lane has that the integration ref has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchedLane {
    /// Its commit is contained in the integration commit.
    Nothing {
        head: String,
    },
    Commits(LaneCommits),
    /// Its history has no commit in common with the integration commit, so it cannot be merged.
    Unrelated {
        head: String,
    },
}

impl QueueRepository {
    /// The full name of the ref for the fetched commit of a lane.
    pub fn lane_reference(&self, lane: u32) -> String {
        self.reference(&format!("{LANES}/{lane}"))
    }

    /// Fetches the commit that is checked out in a lane, and compares it with the integration commit.
    pub fn fetch_lane(
        &self,
        lane: &LaneToFetch<'_>,
        integration: &str,
    ) -> Result<FetchedLane, MergeQueueError> {
        let reference = self.lane_reference(lane.number);
        let refused = |why: String| MergeQueueError::Lane { lane: lane.number, why };
        let refs = [format!("+HEAD:{reference}")];
        self.fetch(lane.directory, &refs, Some(integration)).map_err(|error| match error {
            GitError::Failed(why) => refused(why),
            other => other.into(),
        })?;
        let head = self.commit_of(&reference)?;
        let head = head.ok_or_else(|| refused("its HEAD is not a commit".to_owned()))?;
        match self.merge_base(integration, &head)? {
            None => Ok(FetchedLane::Unrelated { head }),
            Some(base) if base == head => Ok(FetchedLane::Nothing { head }),
            Some(base) => LaneCommits::read(self, integration, &base, head, lane.base)
                .map(FetchedLane::Commits),
        }
    }

    /// Fetches the snapshots of a lane, so that they can be read without it. What the repository has
    /// already is not replaced: the agent can have changed every ref of its lane.
    pub fn fetch_snapshots(&self, lane: &LaneToFetch<'_>) -> Result<(), MergeQueueError> {
        let place = self.reference("");
        let known = self.snapshot_refs(&place, None)?;
        let theirs = self.snapshot_refs(&place, Some(lane.directory))?;
        let missing: Vec<&String> = theirs.difference(&known).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let refs: Vec<String> = missing.iter().map(|name| format!("{name}:{name}")).collect();
        self.fetch(lane.directory, &refs, None).map_err(|error| match error {
            GitError::Failed(why) => MergeQueueError::Lane { lane: lane.number, why },
            other => other.into(),
        })
    }

    /// The names of snapshots of the run, in the repository or in a lane.
    fn snapshot_refs(
        &self,
        place: &str,
        lane: Option<&Path>,
    ) -> Result<BTreeSet<String>, MergeQueueError> {
        let session = self.session();
        let listed = match lane {
            None => session.require(&["for-each-ref", "--format=%(refname)", place])?,
            Some(lane) => {
                let upload = upload_command(session.git, UploadHistory::AsItIs)?;
                let source = lane.join(".git");
                let mut args: Vec<&OsStr> =
                    ["-c", "core.alternateRefsCommand=:"].map(OsStr::new).to_vec();
                args.extend(["ls-remote", "--quiet", "--refs", "--upload-pack"].map(OsStr::new));
                let pattern = format!("{place}*");
                args.extend([&*upload, OsStr::new("--"), source.as_os_str(), OsStr::new(&pattern)]);
                session.require_with(&allowed_protocol(), &args)?
            }
        };
        let listed = text(&listed);
        let names = listed.lines().filter_map(|line| line.split('\t').next_back());
        let is_snapshot = |name: &&str| {
            let number = name.strip_prefix(place).unwrap_or_default();
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        };
        Ok(names.filter(is_snapshot).map(str::to_owned).collect())
    }

    fn fetch(&self, lane: &Path, refs: &[String], tip: Option<&str>) -> Result<(), GitError> {
        let session = self.session();
        let history = match session.repository.common.join("shallow").exists() {
            true => UploadHistory::AsItIs,
            false => UploadHistory::Whole,
        };
        let upload = upload_command(session.git, history)?;
        let known = tip.map(|tip| format!("--negotiation-tip={tip}"));
        let options = ["fetch", "--quiet", "--force", "--no-tags", "--no-write-fetch-head"];
        let more = ["--no-auto-maintenance", "--no-recurse-submodules", "--no-show-forced-updates"];
        let source = lane.join(".git");
        let settings = SETTINGS.iter().flat_map(|setting| ["-c", *setting]);
        let args = settings.chain(options).chain(more).chain(known.as_deref());
        let mut args: Vec<&OsStr> = args.chain(["--upload-pack"]).map(OsStr::new).collect();
        args.extend([&*upload, OsStr::new("--"), source.as_os_str()]);
        args.extend(refs.iter().map(OsStr::new));
        session.require_with(&allowed_protocol(), &args).map(drop)
    }
}

/// Lanes are on this disk, whatever an agent has configured.
fn allowed_protocol() -> [(&'static str, OsString); 1] {
    [("GIT_ALLOW_PROTOCOL", "file".into())]
}
