//! Files outside of the work tree, and files that decide what is executed later.

use std::fs;

use testkit::TestEnv;

use super::sandboxed_run::{Attack, TestedLevel, hold, hold_at, outside_of_tmp, run_at, victim};
use crate::support::config;

fn home_has(env: &TestEnv, file: &str, text: &str) -> bool {
    fs::read_to_string(env.home().join(file)).is_ok_and(|found| found.contains(text))
}

fn project_has(env: &TestEnv, file: &str, text: &str) -> bool {
    fs::read_to_string(env.project().join(file)).is_ok_and(|found| found.contains(text))
}

const HOME_FILES: &[Attack] = &[
    Attack {
        name: "a line in ~/.bashrc",
        script: "echo evil >> $HOME/.bashrc",
        succeeded: |env, _| home_has(env, ".bashrc", "evil"),
    },
    Attack {
        name: "~/.bashrc through a link in the work tree",
        script: "ln -s $HOME/.bashrc link; echo evil >> link",
        succeeded: |env, _| home_has(env, ".bashrc", "evil"),
    },
    Attack {
        name: "~/.bashrc through /proc",
        script: "echo evil >> /proc/self/root$HOME/.bashrc || echo evil >> /proc/1/root$HOME/.bashrc",
        succeeded: |env, _| home_has(env, ".bashrc", "evil"),
    },
    Attack {
        name: "a new file in the home directory",
        script: "echo evil > $HOME/.profile",
        succeeded: |env, _| home_has(env, ".profile", "evil"),
    },
    Attack {
        name: "usercustomize.py for every Python check",
        script: "mkdir -p $HOME/.local/lib; echo evil > $HOME/.local/lib/usercustomize.py",
        succeeded: |env, _| home_has(env, ".local/lib/usercustomize.py", "evil"),
    },
    Attack {
        name: "~/.gitconfig",
        script: "git config --global core.fsmonitor evil",
        succeeded: |env, _| home_has(env, ".gitconfig", "evil"),
    },
    Attack {
        name: "a program on PATH",
        script: "printf '#!/bin/sh\\n# evil\\n' > $(command -v tool)",
        succeeded: |env, _| {
            fs::read_to_string(env.bin().join("tool")).is_ok_and(|text| text.contains("evil"))
        },
    },
    Attack {
        name: "a new program on PATH",
        script: "d=$(dirname $(command -v tool)); echo evil > $d/other",
        succeeded: |env, _| env.bin().join("other").exists(),
    },
];

#[test]
fn guard_keeps_the_home_directory_and_programs() {
    hold(TestedLevel::Guard, HOME_FILES);
    keeps_a_home_outside_of_tmp(TestedLevel::Guard);
}

#[test]
fn workspace_keeps_the_home_directory_and_programs() {
    hold(TestedLevel::Workspace, HOME_FILES);
    keeps_a_home_outside_of_tmp(TestedLevel::Workspace);
}

/// The other tests have their home below `/tmp`, which the sandbox replaces and of which it shows only parts.
#[track_caller]
fn keeps_a_home_outside_of_tmp(level: TestedLevel) {
    if !level.works() {
        return;
    }
    let Some(env) = outside_of_tmp() else { return };
    env.write_home(".bashrc", "# mine\n");
    env.agent("attacker", "echo evil >> $HOME/.bashrc; echo evil > $HOME/.profile; touch tried");
    for (word, is_changed) in [(level.word(), false), ("off", true)] {
        let output = run_at(&env, word, &["attacker"]);
        assert!(env.has("tried"), "{word}: {output}");
        for file in [".bashrc", ".profile"] {
            assert_eq!(home_has(&env, file, "evil"), is_changed, "{word} {file}: {output}");
        }
    }
}

#[test]
fn workspace_keeps_what_git_executes() {
    hold(
        TestedLevel::Workspace,
        &[
            Attack {
                name: "a command in .git/config",
                script: "git config core.fsmonitor evil",
                succeeded: |env, _| project_has(env, ".git/config", "evil"),
            },
            Attack {
                name: ".git/config written directly",
                script: "echo '[core] fsmonitor = evil' >> .git/config",
                succeeded: |env, _| project_has(env, ".git/config", "evil"),
            },
            Attack {
                name: "a hook",
                script: "echo evil > .git/hooks/pre-commit",
                succeeded: |env, _| project_has(env, ".git/hooks/pre-commit", "evil"),
            },
            Attack {
                name: "attributes",
                script: "echo '* filter=evil' > .git/info/attributes",
                succeeded: |env, _| project_has(env, ".git/info/attributes", "evil"),
            },
            Attack {
                name: "another repository in the place of .git",
                script: "mv .git old && cp -r old .git && echo '[evil]' >> .git/config",
                succeeded: |env, _| project_has(env, ".git/config", "evil"),
            },
        ],
    );
}

#[test]
fn workspace_keeps_hooks_of_a_repository_that_had_no_directory_for_them() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    fs::remove_dir_all(env.project().join(".git/hooks")).expect("the repository is ours");
    env.agent("attacker", "mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit");
    let output = run_at(&env, "workspace", &["--chain", "c"]);
    assert!(!env.has(".git/hooks/pre-commit"), "{output}");
}

#[test]
fn workspace_keeps_config_prompts_and_checks() {
    hold(
        TestedLevel::Workspace,
        &[
            Attack {
                name: "the config file",
                script: "echo '{\"evil\": 1}' > forge/orch/chains.json",
                succeeded: |env, _| project_has(env, "forge/orch/chains.json", "evil"),
            },
            Attack {
                name: "a file in the place of the config file",
                script: "echo '{\"evil\": 1}' > n; mv n forge/orch/chains.json",
                succeeded: |env, _| project_has(env, "forge/orch/chains.json", "evil"),
            },
            Attack {
                name: "a directory in the place of that of the config file",
                script: "mv forge old; mkdir -p forge/orch; echo evil > forge/orch/chains.json",
                succeeded: |env, _| project_has(env, "forge/orch/chains.json", "evil"),
            },
            Attack {
                name: "the prompt file",
                script: "echo evil > forge/orch/prompts/work.md",
                succeeded: |env, _| project_has(env, "forge/orch/prompts/work.md", "evil"),
            },
            Attack {
                name: "the script of the check",
                script: "printf '#!/bin/sh\\n# evil\\n' > scripts/verify.sh",
                succeeded: |env, _| project_has(env, "scripts/verify.sh", "evil"),
            },
        ],
    );
}

#[test]
fn the_tools_directory_is_read_only() {
    let attack = [Attack {
        name: "sh in the directory that is first on PATH",
        script: "d=$(dirname $(command -v forge-tasks)); echo x > $d/sh && echo wrote > result",
        succeeded: |env, _| env.has("result"),
    }];
    hold(TestedLevel::Workspace, &attack);
    hold(TestedLevel::Guard, &attack);
}

#[test]
fn workspace_hides_the_state_directory_and_the_control_socket() {
    hold(
        TestedLevel::Workspace,
        &[Attack {
            name: "the journal is read",
            script: "cat $HOME/.local/state/forkhestra/*/*/*/journal.jsonl \
                     $HOME/.local/state/forkhestra/*/*/journal.jsonl > journal",
            succeeded: |env, _| project_has(env, "journal", "run_started"),
        }],
    );
    let state = Attack {
        name: "the files of the run are listed",
        script: "ls -AR $HOME/.local/state/forkhestra > names",
        succeeded: |env, _| project_has(env, "names", "journal"),
    };
    hold(TestedLevel::Workspace, &[state]);
}

#[test]
fn workspace_and_guard_keep_the_journal() {
    let attack = || Attack {
        name: "the journal is overwritten",
        script: "for j in $(grep -rl run_started $HOME/.local/state); do echo evil > $j; \
                 done; grep -rl evil $HOME/.local/state > result",
        succeeded: |env, _| project_has(env, "result", "journal"),
    };
    hold(TestedLevel::Guard, &[attack()]);
    hold(TestedLevel::Workspace, &[attack()]);
}

#[test]
fn a_namespace_of_its_own_does_not_free_the_agent() {
    if !std::path::Path::new("/usr/bin/unshare").exists() {
        testkit::report_skipped("unshare is not installed");
        return;
    }
    hold_at(
        TestedLevel::Workspace,
        &[
            Attack {
                name: "the home directory is mounted again, writable",
                script: "unshare --user --map-root-user --mount sh -c 'mount -o remount,rw,bind \
                         $HOME $HOME; mount -o remount,rw,bind / /; echo evil >> $HOME/.bashrc'",
                succeeded: |env, _| home_has(env, ".bashrc", "evil"),
            },
            Attack {
                name: "what covers the state directory is removed",
                script: "unshare --user --map-root-user --mount sh -c 'umount --lazy \
                         $HOME/.local/state/forkhestra; ls -AR $HOME/.local/state/forkhestra' > names",
                succeeded: |env, _| project_has(env, "names", "journal"),
            },
            Attack {
                name: "the covers are removed without a namespace",
                script: "umount --lazy $HOME/.local/state/forkhestra; \
                         mount -o remount,rw,bind $HOME; mount -o remount,rw,bind /; \
                         echo evil >> $HOME/.bashrc; ls -AR $HOME/.local/state/forkhestra > names",
                succeeded: |env, _| {
                    home_has(env, ".bashrc", "evil") || project_has(env, "names", "journal")
                },
            },
        ],
    );
}

#[test]
fn temporary_files_of_others_are_hidden_and_own_ones_are_possible() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    let secret = tempfile::NamedTempFile::new_in("/tmp").expect("there is room");
    let name = format!("of-attack-{}", std::process::id());
    let script = format!(
        "cat {} > seen 2>/dev/null; echo mine > /tmp/{name} && cat /tmp/{name} $TMPDIR/{name} > own",
        secret.path().display()
    );
    fs::write(secret.path(), "secret").expect("the file is ours");
    env.agent("attacker", &script);
    let output = run_at(&env, "workspace", &["--chain", "c"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read("seen"), "");
    assert_eq!(env.read("own"), "mine\nmine\n");
    assert!(!std::path::Path::new("/tmp").join(name).exists());
}

#[test]
fn settings_of_the_kernel_are_kept() {
    let attack = Attack {
        name: "a setting of the kernel",
        script: "cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern && echo x > result",
        succeeded: |env, _| env.has("result"),
    };
    hold_at(TestedLevel::Workspace, &[attack]);
}

#[test]
fn programs_in_a_directory_of_an_agent_are_kept() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    let local = env.home().join(".claude/local");
    fs::create_dir_all(&local).expect("the home is ours");
    testkit::write_executable(&local.join("claude-tool"), "#!/bin/sh\n");
    let path = format!("{}:{}", env.bin().display(), local.display());
    env.agent(
        "attacker",
        "echo evil > $HOME/.claude/local/claude-tool; echo evil > $HOME/.claude/local/new; \
         echo fine > $HOME/.claude/session",
    );
    let mut command = env.command(crate::FORKHESTRA);
    command.env("FORKHESTRA_SANDBOX", "workspace").env("PATH", path);
    let output = env.output_of(command.args(["--chain", "c"]));
    assert!(!home_has(&env, ".claude/local/claude-tool", "evil"), "{output}");
    assert!(!home_has(&env, ".claude/local/new", "evil"), "{output}");
    assert!(home_has(&env, ".claude/session", "fine"), "{output}");
}

#[test]
fn a_build_may_replace_the_program_that_a_check_runs() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    for check in ["cd packages/app && sh ../../target/debug/app", "sh target/debug/app"] {
        let env = victim();
        env.write("target/debug/app", "#!/bin/sh\nexit 1\n").write("packages/app/x", "1");
        env.write(".gitignore", "target/\n");
        let text = r#"{"chains": {"c": {"steps": [{"agent": "attacker", "iterations": 1}],
            "checks": ["command:CHECK"]}}}"#;
        config(&env, &text.replace("CHECK", check));
        env.agent(
            "attacker",
            "rm target/debug/app && echo 'exit 0' > target/debug/app && echo 2 > packages/app/x; \
             echo FORKHESTRA_COMPLETE",
        );
        let output = run_at(&env, "workspace", &["--chain", "c"]);
        assert_eq!(output.code, Some(0), "{check}: {output}");
        assert_eq!(env.read("packages/app/x"), "2\n");
    }
}

#[test]
fn what_the_user_allows_can_be_written() {
    for level in [TestedLevel::Guard, TestedLevel::Workspace] {
        if !level.works() {
            continue;
        }
        let env = victim();
        fs::create_dir(env.home().join("notes")).expect("the home is ours");
        env.agent("attacker", "echo fine > $HOME/notes/a; echo evil >> $HOME/.bashrc");
        let notes = env.home().join("notes");
        let notes = notes.to_string_lossy();
        let output = run_at(&env, level.word(), &["--chain", "c", "--writable", &notes]);
        assert!(home_has(&env, "notes/a", "fine"), "{level:?} {output}");
        assert!(!home_has(&env, ".bashrc", "evil"), "{level:?}");
        let other = victim();
        fs::create_dir(other.home().join("notes")).expect("the home is ours");
        other.write_home(
            ".config/forkhestra/chains.json",
            format!(r#"{{"sandbox": {{"level": "{}", "writable": ["~/notes"]}}}}"#, level.word()),
        );
        other.agent("attacker", "echo fine > $HOME/notes/a");
        let mut command = other.command(crate::FORKHESTRA);
        let output =
            other.output_of(command.env_remove("FORKHESTRA_SANDBOX").args(["--chain", "c"]));
        assert!(home_has(&other, "notes/a", "fine"), "{level:?} {output}");
    }
}
