//! Names in a project that a shell would execute.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use testkit::{TestEnv, report_skipped};

use super::special::ends;
use crate::FORKHESTRA;

/// Completes a line as bash does after TAB, and executes it as after Enter.
const BASH: &str = r#"
eval "$(forkhestra completions bash)"
entered() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _clap_complete_forkhestra forkhestra "${COMP_WORDS[COMP_CWORD]}"
    for candidate in "${COMPREPLY[@]}"; do eval ": $candidate"; echo "$candidate"; done
}
entered forkhestra --chain x
entered forkhestra x
entered forkhestra ./x
entered forkhestra --cwd x
entered forkhestra --config ./x
"#;

#[test]
fn a_completed_name_executes_nothing() {
    if !Path::new("/bin/bash").exists() {
        return report_skipped("bash is not installed");
    }
    let env = TestEnv::new();
    symlink(FORKHESTRA, env.bin().join("forkhestra")).expect("the directory is ours");
    env.link_system_program("touch");
    env.write(
        "forge/orch/chains.json",
        r#"{
            "agents": { "x`touch agent`": { "systemPromptText": "a" }, "xenon": { "systemPromptText": "a" } },
            "chains": { "x$(touch chain)": { "steps": [{ "agent": "xenon" }] }, "xylem": { "steps": [{ "agent": "xenon" }] } }
        }"#,
    );
    env.write("x$(touch file)", "").write("x;touch second/keep", "");
    fs::create_dir(env.project().join("x$(touch directory)")).expect("it is ours");
    let completed = env.run("/bin/bash", &["--norc", "-c", BASH]);
    assert_eq!(completed.code, Some(0), "{completed}");
    for name in ["agent", "chain", "file", "second", "directory"] {
        assert!(!env.has(name), "{name}: {completed}");
    }
    for name in ["xylem", "xenon"] {
        assert!(completed.stdout.contains(name), "other names are still offered: {completed}");
    }
}

/// A program of the repository is not started to ask for its version.
#[test]
fn doctor_starts_no_program_of_the_project() {
    for entry in [".", "", "tools"] {
        let env = TestEnv::new();
        for name in
            ["claude", "codex", "gemini", "opencode", "git", "forkhestra", "forge-tasks", "node"]
        {
            env.agent_file(name, "touch started")
                .agent_file(&format!("tools/{name}"), "touch started");
        }
        // A script of an absolute directory whose interpreter is searched on PATH.
        env.link_system_program("env");
        fs::write(env.bin().join("gemini"), "#!/usr/bin/env node\n").expect("it is ours");
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(env.bin().join("gemini"), permissions).expect("it is ours");
        let path = format!("{entry}:{}", env.bin().display());
        let checked = env.output_of(env.command(FORKHESTRA).env("PATH", path).arg("doctor"));
        assert!(!env.has("started"), "{entry}: {checked}");
        assert_eq!(checked.stdout.matches("PATH has relative directories").count(), 1, "{checked}");
    }
    let env = TestEnv::new();
    assert!(!ends(&env, &["doctor"]).stdout.contains("relative directories"));
}
