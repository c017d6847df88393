//! Settings, hooks and filters in lanes.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::{create, create_with, open_source, try_create};
use crate::LaneClone;
use crate::test_project::{TestProject, git, inherited};

fn git_with(directory: &Path, environment: &[(OsString, OsString)], args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.env_clear().envs(environment.iter().cloned()).arg("-C").arg(directory).args(args);
    let output = command.output().expect("git is there");
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn settings_for_the_directory_of_the_repository_reach_a_lane() {
    let project = TestProject::repository();
    let (global, work) = (project.beside("global"), project.beside("at-work"));
    let top = project.work.display();
    let text = format!(
        "[user]\n\tname = Me\n\temail = me@home\n[includeIf \"gitdir:{top}/\"]\n\tpath = {}\n",
        work.display()
    );
    fs::write(&global, text).expect("it is ours");
    fs::write(&work, "[user]\n\temail = me@work\n").expect("it is ours");
    project.git(&["config", "core.fsmonitor", "/no/such/program"]);
    project.git(&["config", "--unset-all", "core.bare"]);
    project.git(&["config", "merge.ours.driver", "true"]);
    let mut environment = inherited();
    environment.push(("GIT_CONFIG_GLOBAL".into(), global.into()));
    let lane = project.beside("lanes/1");
    create_with(&project.work, &lane, &environment);
    let get = |key: &str| git_with(&lane, &environment, &["config", "--get", key]);
    assert_eq!(get("user.email"), "me@work");
    assert_eq!(get("user.name"), "Me");
    assert_eq!(get("merge.ours.driver"), "true");
    let own = git(&lane, &["config", "--local", "--list"]);
    assert!(!own.contains("user.name") && !own.contains("fsmonitor"), "{own}");
    assert!(!own.contains("include"), "{own}");
}

/// A hook that leaves a file in the directory in which it runs.
fn write_hook(directory: &Path) {
    fs::create_dir_all(directory).expect("it is ours");
    let hook = directory.join("pre-commit");
    fs::write(&hook, "#!/bin/sh\ntouch hook-ran\n").expect("it is ours");
    fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

fn commit_in(lane: &Path) {
    git(lane, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
}

#[test]
fn the_hooks_of_the_repository_run_when_an_agent_commits() {
    let project = TestProject::repository();
    write_hook(&project.work.join(".git/hooks"));
    let lane = create(&project);
    assert!(!lane.join("hook-ran").exists(), "making a lane runs no hook");
    commit_in(&lane);
    assert!(lane.join("hook-ran").exists());
}

#[test]
fn a_directory_of_hooks_that_is_set_holds_in_a_lane() {
    let project = TestProject::repository();
    write_hook(&project.work.join("hooks"));
    project.commit();
    project.git(&["config", "core.hooksPath", "hooks"]);
    // It is not in effect, since another directory is set.
    let trace = project.hook("pre-commit");
    let lane = create(&project);
    commit_in(&lane);
    assert!(lane.join("hook-ran").exists() && !trace.exists());
}

#[test]
fn without_hooks_a_lane_has_its_own_directory_of_hooks() {
    let project = TestProject::repository();
    let hooks = project.work.join(".git/hooks");
    fs::create_dir_all(&hooks).expect("it is ours");
    fs::write(hooks.join("pre-commit.sample"), "").expect("it is ours");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(hooks.join("pre-commit.sample"), mode).expect("it is ours");
    let lane = create(&project);
    assert!(!git(&lane, &["config", "--local", "--list"]).contains("hookspath"));
}

/// A repository with a file whose committed form is a pointer, as git-lfs makes them.
pub(super) fn with_pointers(name: &str) -> TestProject {
    let project = TestProject::repository();
    let script = project.beside("clean.sh");
    let text = "#!/bin/sh\nt=$(mktemp) && cat > \"$t\" && \
        printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n' \
        \"$(sha256sum < \"$t\" | cut -d' ' -f1)\" \"$(($(wc -c < \"$t\")))\"; rm \"$t\"\n";
    fs::write(&script, text).expect("it is ours");
    let clean = format!("sh '{}'", script.display());
    project.git(&["config", &format!("filter.{name}.clean"), &clean]);
    project.git(&["config", &format!("filter.{name}.smudge"), "false"]);
    project.write(".gitattributes", &format!("*.bin filter={name}\n"));
    project.write("large.bin", "the content").commit();
    assert!(project.git(&["cat-file", "blob", "HEAD:large.bin"]).starts_with("version"));
    project
}

#[test]
fn a_filtered_file_has_the_content_of_the_work_tree_and_no_filter_is_run() {
    let project = with_pointers("lfs");
    let lane = create(&project);
    assert_eq!(fs::read_to_string(lane.join("large.bin")).expect("it is there"), "the content");
}

#[test]
fn a_filtered_file_that_is_not_here_is_reported() {
    let project = with_pointers("lfs");
    project.write("large.bin", "changed");
    let made = try_create(&open_source(&project.work), &project.beside("lanes/1"));
    let made = made.expect("it can be made");
    assert_eq!(made.gaps.filtered, [Path::new("large.bin")]);
    let text = fs::read_to_string(project.beside("lanes/1/large.bin")).expect("it is there");
    assert!(text.starts_with("version"), "{text}");
    // Git LFS has stored the content.
    let digest = "cf40d7f77ee1a0b93a8cee8ed0bb6a0cb5b5dc4ab27ef5b5b3ba6e3a6eb0c4ff";
    let oid = text.lines().find_map(|line| line.strip_prefix("oid sha256:")).unwrap_or(digest);
    let store = format!(".git/lfs/objects/{}/{}/{oid}", &oid[..2], &oid[2..4]);
    project.write(&store, "the content");
    let made = try_create(&open_source(&project.work), &project.beside("lanes/2"));
    assert_eq!(made.expect("it can be made").gaps.filtered, [""; 0].map(std::path::PathBuf::from));
    let text = fs::read_to_string(project.beside("lanes/2/large.bin")).expect("it is there");
    assert_eq!(text, "the content");
}

#[test]
fn a_file_of_another_filter_comes_from_an_unchanged_work_tree() {
    let project = TestProject::repository();
    project.git(&["config", "filter.rot.clean", "tr a-z b-za"]);
    project.git(&["config", "filter.rot.smudge", "false"]);
    project.write(".gitattributes", "*.rot filter=rot\n").write("one.rot", "abc");
    project.write("two.rot", "abc").commit();
    // Git trusts no entry that is as recent as its index.
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for name in ["one.rot", "two.rot"] {
        let file = fs::File::options().write(true).open(project.work.join(name));
        file.and_then(|file| file.set_modified(old)).expect("it is ours");
    }
    project.git(&["update-index", "--refresh"]);
    project.write("two.rot", "changed");
    let made = try_create(&open_source(&project.work), &project.beside("lanes/1"));
    assert_eq!(made.expect("it can be made").gaps.filtered, [Path::new("two.rot")]);
    for (name, expected) in [("one.rot", "abc"), ("two.rot", "bcd")] {
        let text = fs::read_to_string(project.beside("lanes/1").join(name));
        assert_eq!(text.expect("it is there"), expected);
    }
}

#[test]
fn stored_content_goes_to_the_repository_if_it_is_what_its_name_says() {
    let project = with_pointers("lfs");
    let lane = project.beside("lanes/1");
    super::create_from(&project.work, &lane);
    let opened = LaneClone::open(&open_source(&project.work), &lane, None).expect("it is a lane");
    let source = open_source(&project.work);
    let copy = || opened.copy_stored_content(&source).expect("it is copied");
    assert_eq!(copy(), 0);
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let store = lane.join(".git/lfs/objects/ba/78");
    fs::create_dir_all(&store).expect("it is ours");
    fs::write(store.join(digest), "abc").expect("it is ours");
    fs::write(store.join(digest.replace("15ad", "0000")), "abc").expect("it is ours");
    fs::write(lane.join(".git/lfs/objects/file"), "x").expect("it is ours");
    assert_eq!(copy(), 1);
    let theirs = project.work.join(".git/lfs/objects/ba/78");
    assert_eq!(fs::read_to_string(theirs.join(digest)).expect("it is there"), "abc");
    assert_eq!(fs::read_dir(theirs).expect("it is there").count(), 1);
    assert_eq!(copy(), 0);
}
