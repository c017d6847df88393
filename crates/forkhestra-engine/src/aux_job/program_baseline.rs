//! Programs of checks, hooks and set-ups: their state when the run began, and changes since.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use forkhestra_core::check::{CheckSpec, CommandPrograms};
use forkhestra_core::event::AuxJob;
use forkhestra_core::plan::{PinnedProgram, Plan, PlanCheck, PlanStep};
use forkhestra_core::text::digest::ContentDigest;

use super::aux_job_command::SHELL;
use super::search_path::SearchPath;

/// The largest file whose digest is computed. A larger one is known by its inode, size and times only.
const MAX_DIGEST_BYTES: u64 = 4 << 20;

/// The longest chain of scripts that are interpreters of scripts.
const MAX_INTERPRETERS: usize = 4;

/// The bytes in which a `#!` line is searched.
const HEADER_BYTES: u64 = 256;

/// The programs of all checks, hooks and set-ups of a plan as they are now, found by the `PATH` of an environment.
pub fn program_baseline(plan: &Plan, environment: &[(OsString, OsString)]) -> Vec<PinnedProgram> {
    let search = ProgramSearch { path: &SearchPath::of(environment), directory: directory(plan) };
    let mut found: Vec<PinnedProgram> = Vec::new();
    for program in programs_of(plan).iter().flat_map(|name| search.with_interpreters(name)) {
        if !found.iter().any(|known| known.name == program.name) {
            let digest = program.path.as_deref().and_then(|path| digest(Path::new(path)).ok()?);
            found.push(PinnedProgram { digest, ..program });
        }
    }
    found
}

/// A sentence for each program that differs from the baseline of a plan.
pub fn changed_programs(
    plan: &Plan,
    baseline: &[PinnedProgram],
    now: &[PinnedProgram],
) -> Vec<String> {
    let hooks = plan.hooks.iter().flat_map(|hook| hook_programs(&hook.value.run, plan));
    let hooks: Vec<String> = hooks.collect();
    let work_tree = |name: &String| (!hooks.contains(name)).then(|| directory(plan));
    let changes = now.iter().map(|program| change(baseline, program, work_tree(&program.name)));
    changes.flatten().collect()
}

/// Compares the programs of aux jobs with the baseline of the plan.
pub(crate) struct AuxJobPrograms<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) path: &'a SearchPath,
}

impl AuxJobPrograms<'_> {
    /// Why a job may not be run: one of its programs changed since the baseline. A plan without a baseline has none.
    pub(crate) fn refusal(&self, aux_job: AuxJob, directory: &Path) -> Option<String> {
        let baseline = self.plan.programs.as_deref()?;
        let names = programs_of_job(self.plan, aux_job, directory);
        let search = ProgramSearch { path: self.path, directory };
        let mut programs = names.iter().flat_map(|name| search.with_interpreters(name));
        // Hooks run as the user, so no program of theirs may change.
        let is_hook = matches!(aux_job, AuxJob::Hook { .. });
        let work_tree = (!is_hook).then(|| self::directory(self.plan));
        let change = programs.find_map(|program| change(baseline, &program, work_tree))?;
        Some(format!(
            "{change}; it is not run; if the change is intended, `forkhestra resume` accepts it"
        ))
    }
}

fn programs_of_job(plan: &Plan, aux_job: AuxJob, directory: &Path) -> Vec<String> {
    match aux_job {
        AuxJob::Setup { unit } => {
            let room = plan.step(unit.step).and_then(|step| step.clean_room.as_ref());
            let setup = room.and_then(|room| room.value.setup.as_ref());
            setup
                .into_iter()
                .chain(lane_setup(plan, unit.step))
                .flat_map(|setup| shell_programs(setup))
                .collect()
        }
        AuxJob::Check { unit, number } => {
            let check = plan.step(unit.step).and_then(|step| step.check(number));
            check.map(|check| check_programs(&check.value, directory)).unwrap_or_default()
        }
        AuxJob::Hook { number, .. } => {
            let hook = plan.hook(number);
            hook.map(|hook| hook_programs(&hook.run, plan)).unwrap_or_default()
        }
    }
}

/// The programs of a check that runs a process.
fn check_programs(check: &PlanCheck, directory: &Path) -> Vec<String> {
    match (&check.check, &check.runner) {
        (CheckSpec::Command(command), _) => shell_programs(command),
        (CheckSpec::Script(_), Some(runner)) => vec![runner.path.clone()],
        (CheckSpec::Script(_), None) if check.check.is_shell_script() => script_shells(),
        (CheckSpec::Script(path), None) => interpreters(&directory.join(path)),
        (
            CheckSpec::File(_)
            | CheckSpec::Marker(_)
            | CheckSpec::ExitCode
            | CheckSpec::Tasks
            | CheckSpec::Task(_)
            | CheckSpec::Planned,
            _,
        ) => Vec::new(),
    }
}

/// A hook is a script or a command for the shell. Its scripts in the work tree count as programs: it runs as the user, and
/// an agent must not decide what it does.
fn hook_programs(command: &str, plan: &Plan) -> Vec<String> {
    let directory = directory(plan);
    let scripts = CommandPrograms::parse(command).scripts.into_iter();
    let whole = directory.join(command).is_file().then(|| command.to_owned());
    let scripts = scripts.chain(whole).filter(|_| !plan.scripts_may_change);
    let interpreters = interpreters(&directory.join(command)).into_iter();
    scripts.chain(interpreters).chain(script_shells()).chain(shell_programs(command)).collect()
}

/// The shells that run a script without an interpreter of its own.
fn script_shells() -> Vec<String> {
    vec!["bash".to_owned(), SHELL.to_owned()]
}

/// The shell and the programs that a command for it names. Relative paths lead into the work tree, where files are
/// protected in another way.
fn shell_programs(command: &str) -> Vec<String> {
    let words = CommandPrograms::parse(command).programs.into_iter();
    let named = words.filter(|word| word.starts_with('/') || !word.contains('/'));
    [SHELL.to_owned()].into_iter().chain(named).collect()
}

fn programs_of(plan: &Plan) -> Vec<String> {
    let directory = directory(plan);
    let checks = plan.steps.iter().flat_map(PlanStep::all_checks);
    let checks = checks.flat_map(|check| check_programs(&check.value, directory));
    let hooks = plan.hooks.iter().flat_map(|hook| hook_programs(&hook.value.run, plan));
    let setups =
        plan.steps.iter().filter_map(|step| step.clean_room.as_ref()?.value.setup.as_ref());
    let lanes = plan.steps.iter().filter_map(|step| lane_setup(plan, step.number));
    let setups = setups.chain(lanes).flat_map(|setup| shell_programs(setup));
    checks.chain(hooks).chain(setups).collect()
}

/// The command that prepares a new lane of a step.
fn lane_setup(plan: &Plan, step: usize) -> Option<&String> {
    plan.step(step)?.lane_settings.as_ref()?.value.setup.as_ref()
}

fn directory(plan: &Plan) -> &Path {
    Path::new(&plan.working_directory)
}

struct ProgramSearch<'a> {
    path: &'a SearchPath,
    directory: &'a Path,
}

impl ProgramSearch<'_> {
    /// A program as it is now, without its digest, and the interpreters that it needs.
    fn with_interpreters(&self, name: &str) -> Vec<PinnedProgram> {
        let mut found = Vec::new();
        let mut names = vec![name.to_owned()];
        while let Some(name) = names.pop() {
            let path = self.locate(&name);
            if found.len() < MAX_INTERPRETERS {
                names.extend(path.iter().flat_map(|path| interpreters(path)));
            }
            let metadata = path.as_ref().and_then(|path| fs::metadata(path).ok());
            found.push(PinnedProgram {
                name,
                path: path.map(|path| path.to_string_lossy().into_owned()),
                stamp: metadata.as_ref().map(stamp).unwrap_or_default(),
                digest: None,
            });
        }
        found
    }

    fn locate(&self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            Some(self.directory.join(name)).filter(|path| path.is_file())
        } else {
            self.path.find(name)
        }
    }
}

/// How a program differs from the baseline. Programs below `may_change_below` may differ: agents build
/// them, and protected files are compared in another way. It is none for hooks.
fn change(
    baseline: &[PinnedProgram],
    now: &PinnedProgram,
    may_change_below: Option<&Path>,
) -> Option<String> {
    let name = &now.name;
    // A script in the work tree may have got another interpreter with a change of its own.
    let before = baseline.iter().find(|known| known.name == *name)?;
    let is_below = |path: Option<&String>| {
        path.zip(may_change_below).is_some_and(|(path, top)| Path::new(path).starts_with(top))
    };
    let was_elsewhere = before.path.is_some() && !is_below(before.path.as_ref());
    let is_inside = match &now.path {
        Some(path) => is_below(Some(path)),
        None => is_below(before.path.as_ref()),
    };
    if is_inside && !was_elsewhere {
        return None;
    }
    match (before.path.as_ref().map(|path| (before, path)), &now.path) {
        (None, None) => None,
        (None, Some(path)) => Some(format!(
            "the program `{name}` was not there when the run began, and is {path} now"
        )),
        (Some((_, was)), None) => Some(format!("the program `{name}` was {was}, and is gone")),
        (Some((_, was)), Some(path)) if was != path => {
            Some(format!("the program `{name}` was {was} when the run began, and is {path} now"))
        }
        (Some((before, path)), Some(_)) => {
            let is_same = before.stamp == now.stamp || has_digest(Path::new(path), before);
            (!is_same).then(|| format!("the program `{name}` changed since the run began: {path}"))
        }
    }
}

fn has_digest(path: &Path, before: &PinnedProgram) -> bool {
    before.digest.is_some() && digest(path).ok().flatten() == before.digest
}

/// Device, inode, size and times. A process cannot set the change time back.
fn stamp(metadata: &Metadata) -> String {
    format!(
        "{}-{}-{}-{}.{}-{}.{}",
        metadata.dev(),
        metadata.ino(),
        metadata.size(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec()
    )
}

fn digest(path: &Path) -> io::Result<Option<String>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.size() > MAX_DIGEST_BYTES {
        return Ok(None);
    }
    let mut content = Vec::new();
    file.take(MAX_DIGEST_BYTES + 1).read_to_end(&mut content)?;
    Ok(Some(ContentDigest::of(&content).to_string()))
}

/// The programs that the `#!` line of a script names: the interpreter, and what `env` runs.
fn interpreters(path: &Path) -> Vec<String> {
    // Opening a pipe would block.
    if !path.is_file() {
        return Vec::new();
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEADER_BYTES).read_to_end(&mut start));
    let line = start.strip_prefix(b"#!").and_then(|line| line.split(|byte| *byte == b'\n').next());
    let (Ok(_), Some(line)) = (read, line) else { return Vec::new() };
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_whitespace();
    let Some(interpreter) = words.next() else { return Vec::new() };
    let is_env = interpreter.ends_with("/env");
    let run = words.find(|word| !word.starts_with('-') && !word.contains('=')).filter(|_| is_env);
    [interpreter].into_iter().chain(run).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn write(path: &Path, content: &str) {
        fs::write(path, content).expect("the place is ours");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }

    #[test]
    fn a_program_and_its_interpreters_are_compared() {
        let temporary = tempfile::tempdir().expect("there is room");
        let (early, late) = (temporary.path().join("early"), temporary.path().join("late"));
        fs::create_dir(&early).expect("the place is ours");
        fs::create_dir(&late).expect("the place is ours");
        write(&late.join("mytest"), "#!/usr/bin/env interp\n");
        write(&late.join("interp"), "#!/bin/sh\n");
        let path = std::env::join_paths([&early, &late]).expect("no colon is in them");
        let path = SearchPath::of(&[("PATH".into(), path)]);
        let search = ProgramSearch { path: &path, directory: temporary.path() };
        let pinned = || {
            let mut all = search.with_interpreters("mytest");
            for program in &mut all {
                let path = program.path.clone().expect("it is there");
                program.digest = digest(Path::new(&path)).expect("it can be read");
            }
            all
        };
        let before = pinned();
        let names: Vec<&str> = before.iter().map(|program| program.name.as_str()).collect();
        assert_eq!(names, ["mytest", "interp", "/bin/sh", "/usr/bin/env"]);
        let changes = || {
            let now = search.with_interpreters("mytest");
            now.iter().filter_map(|now| change(&before, now, None)).collect::<Vec<_>>()
        };
        assert_eq!(changes(), Vec::<String>::new());
        write(&late.join("interp"), "#!/bin/sh\n");
        assert_eq!(changes(), Vec::<String>::new(), "the same content");
        write(&late.join("interp"), "#!/bin/sh\nexit 0\n");
        assert!(changes()[0].starts_with("the program `interp` changed"), "{:?}", changes());
        write(&early.join("mytest"), "#!/bin/sh\n");
        assert!(changes()[0].contains("/late/mytest when the run began"), "{:?}", changes());
    }
    #[test]
    fn a_program_of_the_work_tree_may_be_built() {
        let program = |path: Option<&str>, stamp: &str| PinnedProgram {
            name: "app".to_owned(),
            path: path.map(str::to_owned),
            stamp: stamp.to_owned(),
            digest: None,
        };
        let (inside, outside) = (Some("/work/out/app"), Some("/usr/bin/app"));
        let top = Some(Path::new("/work"));
        for (before, now, work_tree, is_change) in [
            (inside, inside, top, false),
            (None, inside, top, false),
            (inside, None, top, false),
            (inside, inside, None, true),
            (outside, inside, top, true),
            (inside, outside, top, true),
            (None, outside, top, true),
            (outside, outside, top, true),
            (Some("/workshop/app"), Some("/workshop/app"), top, true),
        ] {
            let found = change(&[program(before, "1")], &program(now, "2"), work_tree);
            assert_eq!(found.is_some(), is_change, "{before:?} {now:?} {work_tree:?}");
        }
    }
}
