//! What can be written is found before the first agent starts, and files that agents write do not
//! change it.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use testkit::{CommandOutput, TestEnv};

use super::sandboxed_run::{TestedLevel, outside_of_tmp, run_at, victim};
use crate::FORKHESTRA;
use crate::support::{config, events_of, run_id};

/// Runs an agent several times, and resumes the run. In each iteration it tries to write a file in a directory of the home
/// directory.
#[track_caller]
fn run_and_resume(env: &TestEnv, attack: &str, args: &[&str]) -> [CommandOutput; 2] {
    env.agent("attacker", &format!("{attack}\necho evil > $HOME/kept/new"));
    let first = run_at(env, "workspace", &[&["attacker:2"], args].concat());
    // A run is named because the work tree may seem to be another one.
    let resumed = run_at(env, "workspace", &["resume", &run_id(env), "--max-iterations", "3"]);
    assert_eq!(events_of(env, "iteration_started").len(), 3, "{attack}: {first} {resumed}");
    [first, resumed]
}

#[test]
fn files_that_an_agent_writes_make_nothing_else_writable() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let table: [(&str, &[&str]); 5] = [
        ("echo $HOME/kept > .git/commondir", &[]),
        ("echo \"gitdir: $HOME/kept\" > .git", &["--cwd", "sub"]),
        ("ln -s $HOME/kept .git", &["--cwd", "sub"]),
        ("rm -r made/it; ln -s $HOME/kept made/it", &["--writable", "made/it"]),
        ("mkdir new; ln -s $HOME/kept new/it", &["--done-file", "new/it/done"]),
    ];
    for (attack, args) in table {
        let env = victim();
        env.write("sub/file", "").write("made/it/file", "").write_home("kept/file", "");
        let outputs = run_and_resume(&env, attack, args);
        let wrote = env.home().join("kept/new").exists();
        assert!(!wrote, "{attack}: {} {}", outputs[0], outputs[1]);
    }
    files_of_a_weaker_sandbox_make_nothing_else_writable();
}

/// In `workspace`, a path that can be written is a mount, which cannot be replaced. An agent in `guard` can replace it.
#[track_caller]
fn files_of_a_weaker_sandbox_make_nothing_else_writable() {
    if !TestedLevel::Guard.works() {
        return;
    }
    let env = victim();
    env.write("made/it/file", "").write_home("kept/file", "");
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "first"},
            {"agent": "attacker", "sandbox": "workspace"}]}}}"#,
    );
    env.agent("first", "rm -r made/it && ln -s $HOME/kept made/it");
    env.agent("attacker", "echo evil > $HOME/kept/new; echo evil > made/it/new; touch tried");
    let output = run_at(&env, "guard", &["--chain", "c", "--writable", "made/it"]);
    assert!(env.has("tried") && env.project().join("made/it").is_symlink(), "{output}");
    assert!(!env.home().join("kept/new").exists(), "{output}");
}

#[test]
fn a_link_in_the_work_tree_is_not_followed_out_of_it() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    fs::create_dir(env.home().join("notes")).expect("the home is ours");
    symlink(env.home().join("notes"), env.project().join("notes")).expect("there is room");
    env.agent("attacker", "echo evil > $HOME/notes/a");
    let output = run_at(&env, "workspace", &["attacker", "--writable", "notes"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.contains("a link in the work tree leads to"), "{output}");
    let output = run_at(&env, "workspace", &["attacker", "--done-file", "notes/done"]);
    assert!(!env.home().join("notes/a").exists(), "{output}");
}

#[test]
fn the_home_directory_is_no_work_tree() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    env.agent("attacker", "echo wrote > $HOME/wrote");
    let run = |level: &str, directory: &Path, args: &[&str]| {
        let mut command = env.command(FORKHESTRA);
        command.env("FORKHESTRA_SANDBOX", level).current_dir(directory);
        env.output_of(command.arg("attacker").args(args))
    };
    for level in ["guard", "workspace", "strict"] {
        let output = run(level, &env.home(), &[]);
        assert_eq!(output.code, Some(2), "{level} {output}");
        assert!(output.stderr.contains("agents may write the working directory"), "{output}");
        for wide in ["/", "~", "/proc"] {
            let output = run(level, &env.project(), &["--writable", wide]);
            assert_eq!(output.code, Some(2), "{level} {wide} {output}");
            assert!(output.stderr.contains("agents cannot be allowed to write"), "{output}");
        }
    }
    // The directory of the file is the home directory.
    let done = env.home().join("done");
    let output = run("workspace", &env.project(), &["--done-file", &done.to_string_lossy()]);
    assert!(output.stdout.contains("Sandbox: workspace"), "{output}");
    assert!(!env.home().join("wrote").exists());
    let output = run("auto", &env.home(), &[]);
    assert!(!output.stdout.contains("Sandbox:"), "{output}");
    assert!(output.stderr.contains("agents run without a sandbox: agents may write"), "{output}");
}

#[test]
fn a_missing_path_cannot_be_allowed() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    env.agent("attacker", "touch ran");
    let output = run_at(&env, "workspace", &["attacker", "--writable", "~/missing"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.contains("agents cannot be allowed to write `~/missing`"), "{output}");
    assert!(!env.has("ran"));
}

#[test]
fn a_resumed_run_may_write_a_further_path() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    fs::create_dir(env.home().join("notes")).expect("the home is ours");
    env.agent("attacker", "echo a >> $HOME/notes/a || exit 1\nexit 3");
    let resume = |args: &[&str]| {
        let mut command = env.command(FORKHESTRA);
        env.output_of(command.env_remove("FORKHESTRA_SANDBOX").args(args))
    };
    let output = run_at(&env, "workspace", &["attacker"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr.contains("`--writable PATH` allows a path"), "{output}");
    let output = resume(&["resume", "--writable", "~/missing"]);
    assert_eq!(output.code, Some(2), "{output}");
    let output = resume(&["resume", "--writable", "~/notes"]);
    let resumed = events_of(&env, "run_resumed").pop().expect("it was resumed");
    assert!(resumed["sandboxes"].to_string().contains("~/notes"), "{resumed} {output}");
    let output = resume(&["resume"]);
    let resumed = events_of(&env, "run_resumed").pop().expect("it was resumed");
    assert!(resumed.get("sandboxes").is_none(), "{resumed}");
    let written = fs::read_to_string(env.home().join("notes/a")).unwrap_or_default();
    assert_eq!(written, "a\na\n", "a later resume keeps it: {output}");
}

#[test]
fn settings_that_an_agent_creates_are_reported() {
    let attack = "mkdir -p $HOME/.claude; echo {} > $HOME/.claude/settings.json
                  echo ../x > .git/commondir; exit 1";
    for level in [TestedLevel::Guard, TestedLevel::Workspace] {
        if !level.works() {
            continue;
        }
        let env = victim();
        env.write_home(".claude/history", "");
        env.agent("attacker", attack);
        let output = run_at(&env, level.word(), &["attacker:2"]);
        for name in [".claude/settings.json", ".git/commondir"] {
            let notice = format!("{name} changed during the run; programs outside of the sandbox");
            assert_eq!(output.stderr.matches(&notice).count(), 1, "{name}: {output}");
        }
        if level == TestedLevel::Workspace {
            let output = run_at(&env, level.word(), &["attacker:1"]);
            assert!(!output.stderr.contains("settings.json changed"), "it exists: {output}");
        }
    }
}

#[test]
fn a_link_to_settings_that_an_agent_replaces_is_reported() {
    for level in [TestedLevel::Guard, TestedLevel::Workspace] {
        if !level.works() {
            continue;
        }
        let env = victim();
        env.write_home(".claude/history", "").write_home("dotfiles/settings.json", "{}");
        let link = env.home().join(".claude/settings.json");
        symlink("../dotfiles/settings.json", &link).expect("the home is ours");
        env.agent(
            "attacker",
            "rm $HOME/.claude/settings.json; echo evil > $HOME/.claude/settings.json",
        );
        let output = run_at(&env, level.word(), &["attacker"]);
        assert!(output.stderr.contains(".claude/settings.json changed during the run"), "{output}");
    }
}

#[test]
fn guard_reports_settings_that_an_agent_changes() {
    if !TestedLevel::Guard.works() {
        return;
    }
    let env = victim();
    env.agent("attacker", "git config core.pager evil; exit 1");
    let output = run_at(&env, "guard", &["attacker:1"]);
    assert!(output.stderr.contains(".git/config changed during the run"), "{output}");
}

#[test]
fn variables_of_git_name_the_repository() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    let moved = env.root().join("moved.git");
    fs::rename(env.project().join(".git"), &moved).expect("both are ours");
    env.agent(
        "attacker",
        "echo a > new && git add new && git commit --quiet --message new; \
                           git config core.fsmonitor evil",
    );
    let mut command = env.command(FORKHESTRA);
    command.env("FORKHESTRA_SANDBOX", "workspace").env("GIT_DIR", &moved);
    let output = env.output_of(command.env("GIT_WORK_TREE", env.project()).arg("attacker"));
    let subject = fs::read_to_string(moved.join("COMMIT_EDITMSG")).unwrap_or_default();
    assert_eq!(subject.trim_end(), "new", "{output}");
    let settings = fs::read_to_string(moved.join("config")).expect("it is there");
    assert!(!settings.contains("evil"), "{output}");
}

#[test]
fn sockets_that_variables_name_are_hidden() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    let place = tempfile::tempdir_in("/tmp").expect("there is room");
    let editor = place.path().join("editor");
    let keys = place.path().join("keys");
    let _listeners = [&editor, &keys].map(|path| UnixListener::bind(path).expect("it is new"));
    fs::write(place.path().join("certificate"), "").expect("there is room");
    env.agent(
        "attacker",
        "test -e $NVIM && echo editor >> seen; test -e $SSH_AUTH_SOCK && echo keys >> seen; \
         test -e $SSL_CERT_FILE && echo certificate >> seen",
    );
    let mut command = env.command(FORKHESTRA);
    command
        .env("FORKHESTRA_SANDBOX", "workspace")
        .env("NVIM", &editor)
        .env("SSH_AUTH_SOCK", &keys)
        .env("SSL_CERT_FILE", place.path().join("certificate"));
    let output = env.output_of(command.arg("attacker"));
    assert_eq!(env.read("seen"), "keys\ncertificate\n", "{output}");
}

#[test]
fn guard_keeps_temporary_files_with_the_socket_of_an_ssh_agent() {
    if !TestedLevel::Guard.works() {
        return;
    }
    // The home directory must not be in /tmp, which could not be written then.
    let Some(env) = outside_of_tmp() else { return };
    let place = tempfile::tempdir_in("/tmp").expect("there is room");
    let keys = place.path().join("keys");
    let _listener = UnixListener::bind(&keys).expect("it is new");
    env.agent("attacker", &format!("echo fine > {}/a", place.path().display()));
    let mut command = env.command(FORKHESTRA);
    command.env("FORKHESTRA_SANDBOX", "guard").env("SSH_AUTH_SOCK", &keys);
    let output = env.output_of(command.arg("attacker"));
    assert!(place.path().join("a").exists(), "{output}");
}

#[test]
fn strict_hides_directories_of_all_programs() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    env.write_home(".config/other/token", "secret")
        .write_home(".local/share/other/token", "secret");
    env.agent("attacker", "cat $HOME/.config/other/token $HOME/.local/share/other/token > seen");
    let mut command = env.command(FORKHESTRA);
    command
        .env("FORKHESTRA_SANDBOX", "strict")
        .env("XDG_CONFIG_HOME", env.home().join(".config"))
        .env("XDG_DATA_HOME", env.home().join(".local/share"));
    let output = env.output_of(command.arg("attacker"));
    assert!(env.has("seen"), "{output}");
    assert_eq!(env.read("seen"), "", "{output}");
}

#[test]
fn missing_caches_of_installed_package_managers_are_made() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    env.install("go");
    env.agent("attacker", "echo fine > $HOME/.cache/go-build/a; echo fine > $HOME/go/pkg/mod/a");
    let output = run_at(&env, "workspace", &["attacker"]);
    assert!(env.home().join(".cache/go-build/a").exists(), "{output}");
    assert!(env.home().join("go/pkg/mod/a").exists(), "{output}");
    assert!(!env.home().join(".npm").exists(), "{output}");
}

#[test]
fn programs_of_a_project_below_tmp_can_be_replaced() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    let place = tempfile::tempdir_in("/tmp").expect("there is room");
    let project = place.path().join("project");
    fs::create_dir_all(project.join(".venv/bin")).expect("the place is ours");
    env.agent("attacker", "echo fine > .venv/bin/new");
    let path = format!("{}:{}", env.bin().display(), project.join(".venv/bin").display());
    let mut command = env.command(FORKHESTRA);
    command.env("FORKHESTRA_SANDBOX", "workspace").env("PATH", path).current_dir(&project);
    let output = env.output_of(command.arg("attacker"));
    assert!(project.join(".venv/bin/new").exists(), "{output}");
}

#[test]
fn a_submodule_can_be_committed_to() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    // Parts of git are scripts that need more programs than those of the test.
    let run = |args: &str| {
        let mut command = Command::new("git");
        command.current_dir(env.project()).args(["-c", "protocol.file.allow=always"]);
        command.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
        let status = command.args(args.split(' ')).status();
        assert!(status.is_ok_and(|status| status.success()), "{args}");
    };
    run("init --quiet ../part");
    run("-C ../part commit --quiet --allow-empty --message first");
    run("submodule --quiet add ./../part part");
    env.agent(
        "attacker",
        "echo a > new && git add new && git commit --quiet --message new && \
                           touch worked",
    );
    let mut command = env.command(FORKHESTRA);
    command.env("FORKHESTRA_SANDBOX", "workspace").current_dir(env.project().join("part"));
    let output = env.output_of(command.arg("attacker"));
    assert!(env.has("part/worked"), "{output}");
}
