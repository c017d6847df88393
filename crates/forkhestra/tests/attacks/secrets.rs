//! Secrets that get into files of a run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use testkit::TestEnv;

use crate::FORKHESTRA;
use crate::support::{config, events_of, git, repository, run_directory, run_id};

/// A secret of the user's environment.
const SECRET: &str = "sk-attack-0123456789abcdef";

fn run(env: &TestEnv, args: &[&str]) -> Output {
    let mut command = env.command(FORKHESTRA);
    command.args(args).env("API_TOKEN", SECRET).output().expect("the program can be started")
}

/// The files below a directory that contain the secret.
fn files_with_secret(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the directory is ours").flatten() {
        let path = entry.path();
        let kind = entry.file_type().expect("the file is ours");
        let has_name = path.file_name().is_some_and(|name| contains(name.as_encoded_bytes()));
        let has_content =
            kind.is_file() && contains(&fs::read(&path).expect("the file can be read"));
        if has_name || has_content {
            found.push(path.clone());
        }
        if kind.is_dir() {
            files_with_secret(&path, found);
        }
    }
}

fn contains(bytes: &[u8]) -> bool {
    bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
}

#[track_caller]
fn assert_masked(output: &Output, what: &str) {
    assert!(!contains(&output.stdout) && !contains(&output.stderr), "{what}: {output:?}");
}

/// The state directory of the user and the view in the project.
#[track_caller]
fn assert_no_file_with_secret(env: &TestEnv) {
    let mut found = Vec::new();
    files_with_secret(&env.home(), &mut found);
    files_with_secret(&env.project().join(".agent-state"), &mut found);
    assert!(found.is_empty(), "{found:?}");
}

/// An agent that puts a secret of its environment into names, subjects and the output of a check.
fn careless_project() -> TestEnv {
    let env = repository();
    env.write(".gitignore", ".agent-state\n");
    let agent = "echo x > \"file-$API_TOKEN\"; git add --all; \
                 git commit --quiet --message \"Use $API_TOKEN\"; echo y > \"new-$API_TOKEN.txt\"; \
                 echo z >> README; echo FORKHESTRA_COMPLETE";
    env.agent("builder", agent);
    let text = r#"{
        "agents": {},
        "chains": { "c": {
            "hooks": { "post-iteration": { "run": "echo SECRET >&2; exit 3" } },
            "steps": [{
                "agent": "builder", "iterations": 2,
                "checks": ["command:echo SECRET; exit 1", "command:test -e SECRET"]
            }]
        } }
    }"#;
    config(&env, &text.replace("SECRET", SECRET));
    git(&env, "add --all");
    git(&env, "commit --quiet --message config");
    env
}

#[test]
fn secrets_in_prompts_names_subjects_and_checks_are_masked_everywhere() {
    for mode in [&[][..], &["-v"], &["--output", "json"]] {
        let env = careless_project();
        let prompt = format!("The key is {SECRET}.");
        let output = run(&env, &[&["--chain", "c", "--prompt", &prompt], mode].concat());
        assert_masked(&output, "the run");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let shown = String::from_utf8_lossy(&output.stderr);
        assert!(shown.contains("contains a secret of the environment"), "{shown}");
        for view in [
            &["show"][..],
            &["show", "--json"],
            &["show", "--why"],
            &["events"],
            &["logs"],
            &["runs"],
        ] {
            assert_masked(&run(&env, view), &format!("{view:?}"));
        }
        assert_no_file_with_secret(&env);
        let journal = fs::read_to_string(run_directory(&env).join("journal.jsonl"));
        let journal = journal.expect("it is text");
        let stars = "*".repeat(SECRET.len());
        for masked in [
            format!("The key is {stars}."),
            format!("Use {stars}"),
            format!("echo {stars}; exit 1"),
            format!("test -e {stars}"),
        ] {
            assert!(journal.contains(&masked), "{masked}: {journal}");
        }
        // A resumed run records the message that waited for it.
        assert_masked(&run(&env, &["resume", "--max-iterations", "3", "--tell", SECRET]), "resume");
        assert_no_file_with_secret(&env);
    }
    assert_waiting_messages_are_masked();
}

/// A message for a run that is over waits in a file of its own. The plan of the run has no secret, so that it can be
/// resumed.
#[track_caller]
fn assert_waiting_messages_are_masked() {
    let env = repository();
    env.agent("builder", "exit 1");
    assert_eq!(run(&env, &["builder"]).status.code(), Some(1));
    let told = run(&env, &["tell", &run_id(&env), &format!("Use {SECRET}.")]);
    assert_masked(&told, "tell");
    assert_eq!(told.status.code(), Some(0), "{told:?}");
    let message = format!("Use {}.", "*".repeat(SECRET.len()));
    let waiting = fs::read_to_string(run_directory(&env).join("messages.jsonl"));
    assert!(waiting.expect("it waits").contains(&message));
    assert_no_file_with_secret(&env);
    assert_masked(&run(&env, &["resume", "--tell", SECRET]), "resume");
    assert_no_file_with_secret(&env);
    assert_eq!(events_of(&env, "message_queued").len(), 2, "both were recorded");
}

/// A config with a check that removes a directory by a name from the environment, and then fails.
fn project_with_removal(env: &TestEnv, variable: &str) {
    env.agent("builder", "echo FORKHESTRA_COMPLETE");
    env.write("cache/production/a", "").write("cache/staging123/b", "");
    let text = r#"{
        "agents": { "tool": { "command": "builder", "env": { "VARIABLE": "production" } } },
        "chains": { "c": { "steps": [{
            "agent": "tool", "iterations": 1,
            "checks": ["command:rm -rf cache/production; exit 1"]
        }] } }
    }"#;
    config(env, &text.replace("VARIABLE", variable));
}

/// The mask consists of asterisks, which the shell would replace by the names of other files.
#[test]
fn the_mask_of_a_secret_is_not_executed() {
    let env = repository();
    project_with_removal(&env, "DEPLOY_TOKEN");
    let output = run(&env, &["--chain", "c"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(!env.project().join("cache/production").exists(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the run cannot be resumed"), "{said}");
    let output = run(&env, &["resume", "--max-iterations", "2"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("cannot be resumed") && said.contains("name the variable"), "{said}");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(env.project().join("cache/staging123/b").exists(), "the mask was executed");
}

#[test]
fn ordinary_variables_of_the_config_are_no_secrets() {
    let env = repository();
    project_with_removal(&env, "NODE_ENV");
    assert_eq!(run(&env, &["--chain", "c"]).status.code(), Some(1));
    env.write("cache/production/a", "");
    let output = run(&env, &["resume", "--max-iterations", "2"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(!env.project().join("cache/production").exists(), "{output:?}");
    assert!(env.project().join("cache/staging123/b").exists(), "{output:?}");
}

#[test]
fn files_that_look_like_secrets_are_left_out_of_snapshots() {
    let env = repository();
    let key = "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n";
    let left_out = [
        (".env".to_owned(), "A=b\n".to_owned()),
        ("deploy/.env.production".to_owned(), "A=b\n".to_owned()),
        ("server.pem".to_owned(), "x".to_owned()),
        ("id_ed25519".to_owned(), "x".to_owned()),
        ("credentials.json".to_owned(), "{}".to_owned()),
        (".npmrc".to_owned(), "//registry.npmjs.org/:_authToken=abc\n".to_owned()),
        ("notes.txt".to_owned(), format!("the key is {SECRET}\n")),
        ("backup".to_owned(), format!("some text\n{key}")),
        (format!("name-{SECRET}"), "x".to_owned()),
    ];
    let kept = [
        (".env.example", "A=\n"),
        ("plain.txt", "text\n"),
        ("deploy/.npmrc", "engine-strict=true\n"),
        ("key.rs", "fn key() {}\n"),
    ];
    let files = left_out.iter().map(|(name, text)| (name.as_str(), text.as_str())).chain(kept);
    files.for_each(|(name, text)| {
        env.write(name, text);
    });
    // What is committed already is no secret of this run.
    env.write("tracked/.env", "A=b\n");
    git(&env, "add --force tracked/.env");
    git(&env, "commit --quiet --message tracked");
    // The agent puts a secret into a file that was kept before.
    env.agent("builder", "echo \"$API_TOKEN\" >> plain.txt; echo FORKHESTRA_COMPLETE");
    let output = run(&env, &["builder:1"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let id = run_id(&env);
    let listed =
        |number: u32| git(&env, &format!("ls-tree -r --name-only refs/forkhestra/{id}/{number}"));
    let expected = ".env.example\nREADME\ndeploy/.npmrc\nkey.rs\nplain.txt\ntracked/.env\n";
    assert_eq!(listed(0), expected);
    assert_eq!(listed(1), expected.replace("plain.txt\n", ""));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("look like secrets"), "{said}");
    let names: Vec<&str> = said.split([' ', ',', '\n']).collect();
    for (name, _) in left_out.iter().filter(|(name, _)| !name.contains(SECRET)) {
        assert_eq!(names.iter().filter(|word| *word == name).count(), 1, "{name}: {said}");
    }
    assert!(!said.contains("key.rs") && !said.contains("tracked"), "{said}");
    assert_masked(&output, "the run");
}

/// Ten files of 45 MB each are below the limit of one file.
#[test]
fn untracked_files_do_not_grow_the_repository_without_bound() {
    let env = repository();
    let agent = "i=0; while [ $i -lt 4 ]; do \
                 head -c 45000000 /dev/zero > data-$i.bin; i=$((i+1)); done; \
                 echo FORKHESTRA_COMPLETE";
    env.agent("builder", agent);
    let output = run(&env, &["builder:1"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let listed = git(&env, &format!("ls-tree -r --name-only refs/forkhestra/{}/1", run_id(&env)));
    assert_eq!(listed, "README\ndata-0.bin\ndata-1.bin\n");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("data-2.bin") && said.contains("100 MiB"), "{said}");
}

/// The agent removes a file that was never committed, and everything of git that refers to it.
#[test]
fn a_removed_file_can_be_restored_although_its_snapshots_were_pruned() {
    let env = repository();
    env.write("docs/notes.txt", "never committed\n");
    let agent = "rm docs/notes.txt; echo new > other.txt; git add --all; git commit --quiet -m other; \
                 git for-each-ref --format='delete %(refname)' refs/forkhestra | git update-ref --stdin; \
                 git reflog expire --expire=now --all; git gc --quiet --prune=now; \
                 echo FORKHESTRA_COMPLETE";
    env.agent("builder", agent);
    let output = run(&env, &["builder:1"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let id = run_id(&env);
    let gone =
        env.run("/bin/sh", &["-c", &format!("git show refs/forkhestra/{id}/0:docs/notes.txt")]);
    assert_ne!(gone.code, Some(0), "{gone}");
    // `show` names the command.
    let shown = String::from_utf8_lossy(&run(&env, &["show", "-v"]).stdout).into_owned();
    let command = shown.lines().find(|line| line.contains("snapshots.git")).expect("it is shown");
    let command = &command[command.find("git --git-dir").expect("it is a command")..];
    let restored = env.run("/bin/sh", &["-c", &command.replace("PATH", "docs/notes.txt")]);
    assert_eq!(restored.code, Some(0), "{command}: {restored}");
    assert_eq!(env.read("docs/notes.txt"), "never committed\n");
    // Later snapshots are copied as well, although the objects that they share with it are gone.
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("kept only in the repository"), "{said}");
    let later =
        command.replace(&format!("{id}/0"), &format!("{id}/1")).replace("PATH", "other.txt");
    let restored = env.run("/bin/sh", &["-c", later.split(" > ").next().expect("it is a command")]);
    assert_eq!(restored.stdout, "new\n", "{later}: {restored}");
    // They are removed with the run.
    let directory = run_directory(&env);
    assert_eq!(run(&env, &["runs", "rm", &id]).status.code(), Some(0));
    assert!(!directory.exists());
}
