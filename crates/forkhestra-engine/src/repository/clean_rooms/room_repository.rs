//! The repository from which clean rooms are made. It is our own: git's transport fills it, so that
//! every object is hashed again, and it has no setting, hook, replaced object or alternate of the
//! agents' repository.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::CleanRoomError;
use super::committed_files::{CommittedFile, committed_links};
use crate::repository::git_program::config_overrides::key_parts;
use crate::repository::git_program::config_text::add_entry;
use crate::repository::git_program::{GitError, GitProgram, GitQuery, GitSettings};
use crate::repository::own_index::{IndexStamp, stamp};
use crate::repository::worktree_entries::remove_tree;
use crate::repository::{GitSession, names};

/// The branch, tag and remote refs that rooms have, as the agents' repository has them.
const REFS: [&str; 3] =
    ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", "+refs/remotes/*:refs/remotes/*"];

/// The ref for the commit that rooms are made from.
const HEAD_REF: &str = "refs/forkhestra/head";

/// The ref for the commit with which the work began.
const BASE_REF: &str = "refs/forkhestra/base";

/// The prefix of refs that rooms do not have.
const OUR_REFS: &str = "refs/forkhestra/";

/// Settings of our own repositories. The files of a commit are all that decides what is checked out.
const SETTINGS: [(&str, &str); 7] = [
    ("core.attributesFile", "/dev/null"),
    ("core.excludesFile", "/dev/null"),
    ("core.sparseCheckout", "false"),
    ("fetch.unpackLimit", "1"),
    ("fetch.writeCommitGraph", "false"),
    ("init.defaultBranch", "main"),
    ("transfer.credentialsInUrl", "allow"),
];

/// The repository from which clean rooms are made.
#[derive(Debug)]
pub(super) struct RoomRepository {
    path: PathBuf,
    /// Its files when it was last used. Another process may have changed them since.
    files: Option<Vec<(PathBuf, IndexStamp)>>,
    /// How it was filled.
    scope: FetchScope,
    /// The refs for rooms, each with its object.
    refs: Vec<u8>,
}

/// Which part of the agents' repository is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FetchScope {
    /// The whole history of the commit, all branches and tags.
    Everything,
    /// The same as far as it is here, since the repository is shallow.
    Shallow,
    /// The history of the commit without branches and tags.
    Commit,
    /// The files of the commit without its history.
    Files,
}

impl RoomRepository {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self { path, files: None, scope: FetchScope::Everything, refs: Vec::new() }
    }

    /// Fetches a commit, which must be `HEAD` of the agents' repository. Returns a notice if less than
    /// its history, branches and tags can be fetched.
    pub(super) fn update(
        &mut self,
        session: &GitSession<'_>,
        head: &str,
    ) -> Result<Option<String>, CleanRoomError> {
        let is_shallow = session.repository.common.join("shallow").exists();
        let is_partial = session.config()?.is_partial;
        let scopes = [
            (FetchScope::Everything, true),
            (FetchScope::Shallow, is_shallow),
            (FetchScope::Commit, true),
            (FetchScope::Files, is_partial),
        ];
        let scopes = scopes.into_iter().filter(|(_, is_possible)| *is_possible);
        let scopes: Vec<FetchScope> = scopes.map(|(scope, _)| scope).collect();
        let known = scopes.iter().position(|scope| *scope == self.scope).unwrap_or_default();
        let mut failure = None;
        for scope in &scopes[known..] {
            match self.fetch(session, *scope, head) {
                Ok(()) => {
                    self.refs = self.list_refs(session, head)?;
                    self.scope = *scope;
                    self.files = Some(session.git.prepare(|| file_stamps(&self.path))?);
                    return Ok(scope.notice(failure.as_ref()));
                }
                Err(error @ GitError::Failed(_)) => failure = Some(error),
                Err(error) => return Err(error.into()),
            }
        }
        let unknown = || GitError::Failed("fetched nothing".to_owned());
        Err(failure.unwrap_or_else(unknown).into())
    }

    fn fetch(
        &mut self,
        session: &GitSession<'_>,
        scope: FetchScope,
        head: &str,
    ) -> Result<(), GitError> {
        let known = self.files.take().filter(|_| scope == self.scope);
        let now = || session.git.prepare(|| file_stamps(&self.path));
        if known.is_none() || now()? != known.unwrap_or_default() {
            self.initialise(session, head)?;
        }
        let head = format!("+HEAD:{HEAD_REF}");
        let mut refs: Vec<&str> = vec![&head];
        let mut options = Vec::new();
        match scope {
            FetchScope::Everything => refs.extend(REFS),
            FetchScope::Shallow => {
                refs.extend(REFS);
                options.push("--update-shallow");
            }
            FetchScope::Commit => options.push("--update-shallow"),
            FetchScope::Files => options.extend(["--depth=1", "--update-shallow"]),
        }
        self.run_fetch(session, scope, &options, &refs)
    }

    fn run_fetch(
        &self,
        session: &GitSession<'_>,
        scope: FetchScope,
        options: &[&str],
        refs: &[&str],
    ) -> Result<(), GitError> {
        let history = match scope {
            // The whole history must be there, whatever the agents' repository says.
            FetchScope::Everything => UploadHistory::Whole,
            _ => UploadHistory::AsItIs,
        };
        let upload = upload_command(session.git, history)?;
        let fetch =
            ["fetch", "--quiet", "--force", "--prune", "--no-tags", "--no-write-fetch-head"];
        let more = ["--no-auto-maintenance", "--no-recurse-submodules", "--upload-pack"];
        let mut args: Vec<&OsStr> =
            fetch.iter().chain(options).chain(&more).map(OsStr::new).collect();
        args.extend([&upload, OsStr::new("--"), session.repository.git_dir.as_os_str()]);
        args.extend(refs.iter().map(OsStr::new));
        let mut variables = self.variables();
        variables.push(("GIT_ALLOW_PROTOCOL", "file".into()));
        self.run(session, &variables, &args).map(drop)
    }

    /// Replaces whatever is there by an empty repository.
    fn initialise(&self, session: &GitSession<'_>, head: &str) -> Result<(), GitError> {
        let parent = self.path.parent().unwrap_or(Path::new("/"));
        session.git.prepare(|| {
            remove_tree(&self.path)?;
            fs::create_dir_all(parent)
        })?;
        let init = ["init", "--quiet", "--bare", "--template=", object_format(head)];
        let mut args: Vec<&OsStr> = init.iter().map(OsStr::new).collect();
        args.push(self.path.as_os_str());
        run_isolated(session, parent, &[], &args).map(drop)
    }

    /// The refs for rooms, each with its object, after a commit was fetched.
    fn list_refs(&self, session: &GitSession<'_>, head: &str) -> Result<Vec<u8>, CleanRoomError> {
        let listed = self.ask(session, &["for-each-ref", "--format=%(objectname) %(refname)"])?;
        let mut refs = Vec::new();
        let mut found = None;
        for line in listed.split_inclusive(|byte| *byte == b'\n') {
            let text = String::from_utf8_lossy(line);
            match text.trim_end().split_once(' ') {
                Some((object, HEAD_REF)) => found = Some(object.to_owned()),
                Some((_, name)) if !name.starts_with(OUR_REFS) => refs.extend(line),
                _ => {}
            }
        }
        let found = found.unwrap_or_default();
        if found == head {
            return Ok(refs);
        }
        let message = format!("HEAD was moved from {head} to {found} meanwhile");
        Err(io::Error::other(message).into())
    }

    /// Checks a commit out into a new directory, which becomes a repository with our objects.
    pub(super) fn check_out(
        &self,
        session: &GitSession<'_>,
        head: &str,
        room: &Path,
    ) -> Result<(), CleanRoomError> {
        let parent = self.path.parent().unwrap_or(Path::new("/"));
        let init = ["init", "--quiet", "--template=", object_format(head)];
        let mut args: Vec<&OsStr> = init.iter().map(OsStr::new).collect();
        args.push(room.as_os_str());
        run_isolated(session, parent, &[], &args)?;
        let remotes = session.config()?.remotes;
        session.git.prepare(|| self.fill_git_directory(&room.join(".git"), head, &remotes))?;
        let args = ["read-tree", "--reset", "-u", head].map(OsStr::new);
        run_isolated(session, room, &room_variables(room), &args)?;
        Ok(())
    }

    fn fill_git_directory(&self, git: &Path, head: &str, remotes: &GitSettings) -> io::Result<()> {
        fs::create_dir_all(git.join("objects/info"))?;
        let name = self.path.file_name().unwrap_or_default().as_bytes();
        let objects = [b"../../../", name, b"/objects\n"].concat();
        fs::write(git.join("objects/info/alternates"), objects)?;
        fs::write(git.join("packed-refs"), &self.refs)?;
        let shallow = self.path.join("shallow");
        if shallow.exists() {
            fs::copy(shallow, git.join("shallow"))?;
        }
        let config = git.join("config");
        let mut settings = fs::read(&config)?;
        settings.extend(remotes.iter().flat_map(|(key, value)| remote_section(key, value)));
        fs::write(config, settings)?;
        fs::write(git.join("HEAD"), format!("{head}\n"))
    }

    /// Whether the objects of a commit are here or can be fetched.
    fn has_commit(&mut self, session: &GitSession<'_>, base: &str) -> Result<bool, CleanRoomError> {
        let commit = format!("{base}^{{commit}}");
        let is_known =
            |repository: &Self| match repository.ask(session, &["cat-file", "-e", &commit]) {
                Ok(_) => Ok(true),
                Err(GitError::Failed(_)) => Ok(false),
                Err(error) => Err(error),
            };
        if !is_known(self)? {
            let commit = format!("+{base}:{BASE_REF}");
            match self.run_fetch(session, self.scope, &["--update-shallow"], &[&commit]) {
                Ok(()) => self.files = Some(session.git.prepare(|| file_stamps(&self.path))?),
                Err(GitError::Failed(_)) => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(is_known(self)?)
    }

    /// The links of a commit, or none if it is lost or there was none.
    pub(super) fn links(
        &mut self,
        session: &GitSession<'_>,
        commit: Option<&str>,
    ) -> Result<Vec<CommittedFile>, CleanRoomError> {
        let Some(commit) = commit else { return Ok(Vec::new()) };
        if !self.has_commit(session, commit)? {
            return Ok(Vec::new());
        }
        Ok(committed_links(&self.ask(session, &["ls-tree", "-r", "-z", "--full-tree", commit])?))
    }

    /// The files below a directory that differ between two commits, relative to that directory.
    /// Without a first commit these are all files of the second; `None` if the first is lost.
    pub(super) fn changes(
        &mut self,
        session: &GitSession<'_>,
        from: Option<&str>,
        to: &str,
        below: &Path,
    ) -> Result<Option<Vec<PathBuf>>, CleanRoomError> {
        let listed = match from {
            Some(from) if !self.has_commit(session, from)? => return Ok(None),
            Some(from) => {
                let diff = ["diff-tree", "-r", "-z", "--no-renames", "--name-only"];
                let args = [&diff[..], &["--no-ext-diff", "--no-textconv", from, to]].concat();
                self.ask(session, &args)?
            }
            None => self.ask(session, &["ls-tree", "-r", "-z", "--name-only", to])?,
        };
        let paths = names(&listed).map(|name| Path::new(OsStr::from_bytes(name)));
        let paths = paths.filter_map(|path| path.strip_prefix(below).ok());
        Ok(Some(paths.map(Path::to_owned).collect()))
    }

    fn ask(&self, session: &GitSession<'_>, args: &[&str]) -> Result<Vec<u8>, GitError> {
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        self.run(session, &self.variables(), &args)
    }

    fn run(
        &self,
        session: &GitSession<'_>,
        variables: &[(&'static str, OsString)],
        args: &[&OsStr],
    ) -> Result<Vec<u8>, GitError> {
        run_isolated(session, &self.path, variables, args)
    }

    fn variables(&self) -> Vec<(&'static str, OsString)> {
        vec![("GIT_DIR", self.path.clone().into_os_string())]
    }
}

impl FetchScope {
    /// What a room lacks.
    fn notice(self, failure: Option<&GitError>) -> Option<String> {
        let what = match self {
            Self::Everything => return None,
            Self::Shallow => {
                return Some("the repository is shallow, and so are its clean rooms".to_owned());
            }
            Self::Commit => "only the history of the commit, without branches and tags",
            Self::Files => "only the files of the commit, without its history",
        };
        let why = failure.map(|failure| format!(": {failure}")).unwrap_or_default();
        Some(format!("clean rooms have {what}{why}"))
    }
}

/// The option for the kind of object ids, which their length shows.
pub(in crate::repository) const fn object_format(id: &str) -> &'static str {
    match id.len() {
        64 => "--object-format=sha256",
        _ => "--object-format=sha1",
    }
}

/// The variables for git in a clean room.
pub(super) fn room_variables(room: &Path) -> Vec<(&'static str, OsString)> {
    vec![("GIT_DIR", room.join(".git").into()), ("GIT_WORK_TREE", room.into())]
}

/// Runs git on a repository of our own.
pub(in crate::repository) fn run_isolated(
    session: &GitSession<'_>,
    directory: &Path,
    variables: &[(&'static str, OsString)],
    args: &[&OsStr],
) -> Result<Vec<u8>, GitError> {
    let settings = SETTINGS.map(|(key, value)| (OsString::from(key), OsString::from(value)));
    session.git.isolated().require(&GitQuery {
        directory,
        args,
        variables,
        settings: &settings,
        input: &[],
        deadline: session.deadline,
    })
}

/// Which history a repository of agents sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::repository) enum UploadHistory {
    /// All of it, even if the repository says that it is shallow.
    Whole,
    AsItIs,
}

/// The command that sends objects of the agents' repository. It runs in a shell, without our
/// variables for git. Its settings are read, but none of them names a command for it. Objects that
/// are missing there are not fetched: the settings of a remote can name commands.
pub(in crate::repository) fn upload_command(
    git: &GitProgram,
    history: UploadHistory,
) -> Result<OsString, GitError> {
    let missing = || GitError::Failed("is not installed".to_owned());
    let program = git.path().ok_or_else(missing)?;
    let mut command =
        b"GIT_NO_REPLACE_OBJECTS=1 GIT_NO_LAZY_FETCH=1 GIT_GRAFT_FILE=/dev/null/none ".to_vec();
    command.extend(b"GIT_ALLOW_PROTOCOL=none ");
    if history == UploadHistory::Whole {
        command.extend(b"GIT_SHALLOW_FILE= ");
    }
    command.push(b'\'');
    for byte in program.as_os_str().as_bytes() {
        match byte {
            b'\'' => command.extend(b"'\\''"),
            _ => command.push(*byte),
        }
    }
    // The ownership of the repository was checked when it was found.
    command.extend(b"' -c 'safe.directory=*' -c core.hooksPath=/dev/null upload-pack");
    Ok(OsString::from_vec(command))
}

/// A section of a config file with the address of a remote.
fn remote_section(key: &OsStr, value: &OsStr) -> Vec<u8> {
    let mut section = Vec::new();
    if let Some(parts) = key_parts(key.as_bytes()) {
        add_entry(&mut section, parts, value.as_bytes());
    }
    section
}

/// All files below a directory with their stamps, in order.
fn file_stamps(directory: &Path) -> io::Result<Vec<(PathBuf, IndexStamp)>> {
    let mut found = Vec::new();
    let mut todo = vec![directory.to_owned()];
    while let Some(place) = todo.pop() {
        let entries = match fs::read_dir(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && place == directory => continue,
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            let metadata = fs::symlink_metadata(&path)?;
            if metadata.is_dir() {
                todo.push(path);
            } else {
                found.push((path, stamp(&metadata)));
            }
        }
    }
    found.sort();
    Ok(found)
}
