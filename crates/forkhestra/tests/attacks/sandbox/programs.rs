//! Ordinary work is possible in a sandbox.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::{TestEnv, report_skipped};

use super::sandboxed_run::{TestedLevel, run_at, victim};
use crate::support::{git, repository};

/// The directory of a program on the PATH of the tests.
fn directory_of(program: &str) -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).find(|place| place.join(program).is_file());
    if found.is_none() {
        report_skipped(&format!("{program} is not installed"));
    }
    found.map(|place| place.to_string_lossy().into_owned())
}

/// Runs a script as an agent, with a directory of programs on its PATH.
#[track_caller]
fn works(env: &TestEnv, programs: &str, script: &str) {
    env.agent("attacker", &format!("PATH=$PATH:{programs}\nset -e\n{script}\ntouch worked"));
    let output = run_at(env, "workspace", &["attacker"]);
    assert!(env.has("worked"), "{script}: {output}");
}

#[test]
fn git_commits_and_pushes_to_a_local_remote() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = victim();
    git(&env, "init --quiet --bare ../remote.git");
    git(&env, "remote add origin ../remote.git");
    let remote = env.root().join("remote.git");
    env.agent(
        "attacker",
        "echo new > new && git add new && git commit --quiet --message new && \
         git push --quiet origin main && git log -1 --format=%s origin/main > pushed",
    );
    let output = run_at(&env, "workspace", &["attacker", "--writable", &remote.to_string_lossy()]);
    assert_eq!(env.read("pushed"), "new\n", "{output}");
    let mut there = Command::new("git");
    there.arg("-C").arg(&remote).args(["log", "-1", "--format=%s", "main"]);
    let log = there.output().expect("git is installed");
    assert_eq!(String::from_utf8_lossy(&log.stdout), "new\n");
}

#[test]
fn commits_that_gnupg_signs_are_warned_about() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let warning = "git signs commits with GnuPG, which the sandbox hides";
    let table: [(&str, &str, &[&str], bool); 5] = [
        ("true", "openpgp", &[], true),
        ("true", "openpgp", &["--writable", "~/.gnupg"], false),
        ("true", "openpgp", &["--sandbox", "off"], false),
        ("true", "ssh", &[], false),
        ("false", "openpgp", &[], false),
    ];
    for (signs, format, args, expected) in table {
        let env = victim();
        env.write_home(".gnupg/trustdb.gpg", "");
        git(&env, &format!("config commit.gpgsign {signs}"));
        git(&env, &format!("config gpg.format {format}"));
        env.agent("attacker", "true");
        let output = run_at(&env, "workspace", &[&["attacker"], args].concat());
        assert_eq!(output.stderr.contains(warning), expected, "{signs} {format} {args:?} {output}");
    }
}

#[test]
fn a_linked_work_tree_can_be_committed_to() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = repository();
    git(&env, "worktree add --quiet ../linked");
    let linked = env.root().join("linked");
    env.agent(
        "attacker",
        "echo new > new && git add new && git commit --quiet --message new; \
         git config core.fsmonitor evil; git config --worktree core.fsmonitor evil; true",
    );
    let output =
        run_at(&env, "workspace", &["attacker", "--cwd", linked.to_string_lossy().as_ref()]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(git(&env, "log -1 --format=%s linked"), "new\n", "{output}");
    let config = fs::read_to_string(env.project().join(".git/config")).expect("it is there");
    assert!(!config.contains("evil"), "{config}");
}

#[test]
fn a_subdirectory_of_a_repository_can_be_committed_from() {
    if !TestedLevel::Workspace.works() {
        return;
    }
    let env = repository();
    env.write("sub/file", "1");
    env.agent("attacker", "echo 2 > file; git add --all .. && git commit --quiet --message sub");
    let output = run_at(&env, "workspace", &["attacker", "--cwd", "sub"]);
    assert_eq!(git(&env, "log -1 --format=%s"), "sub\n", "{output}");
}

#[test]
fn cargo_builds() {
    let (true, Some(cargo)) = (TestedLevel::Workspace.works(), directory_of("cargo")) else {
        return;
    };
    let env = repository();
    env.write("Cargo.toml", "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nq = { path = \"q\" }\n");
    env.write("src/main.rs", "fn main() { println!(\"{}\", q::q()); }\n");
    env.write("q/Cargo.toml", "[package]\nname = \"q\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    env.write("q/src/lib.rs", "pub fn q() -> u32 { 7 }\n");
    // The toolchain is where the tests have it.
    let variables = toolchain_variables();
    fs::create_dir_all(env.home().join(".cargo/registry")).expect("the home is ours");
    works(
        &env,
        &cargo,
        &format!("{variables} cargo build --quiet --offline\n./target/debug/p > printed"),
    );
    assert_eq!(env.read("printed"), "7\n");
}

/// Variables by which the programs of rustup find their toolchain.
fn toolchain_variables() -> String {
    let home = std::env::var("HOME").unwrap_or_default();
    let rustup = std::env::var("RUSTUP_HOME").unwrap_or_else(|_| format!("{home}/.rustup"));
    match Path::new(&rustup).is_dir() {
        true => format!("RUSTUP_HOME={rustup} RUSTUP_TOOLCHAIN=${{RUSTUP_TOOLCHAIN:-stable}}"),
        false => String::new(),
    }
}

#[test]
fn npm_installs() {
    let (true, Some(npm)) = (TestedLevel::Workspace.works(), directory_of("npm")) else { return };
    let env = repository();
    fs::create_dir_all(env.home().join(".npm")).expect("the home is ours");
    env.write("dep/package.json", r#"{"name": "dep", "version": "1.0.0", "main": "i.js"}"#);
    env.write("dep/i.js", "module.exports = 7;\n");
    env.write(
        "package.json",
        r#"{"name": "p", "version": "1.0.0", "dependencies": {"dep": "file:dep"}}"#,
    );
    let lock = r#"{"name": "p", "version": "1.0.0", "lockfileVersion": 3, "requires": true,
        "packages": {"": {"name": "p", "version": "1.0.0", "dependencies": {"dep": "file:dep"}},
        "dep": {"version": "1.0.0"}, "node_modules/dep": {"resolved": "dep", "link": true}}}"#;
    env.write("package-lock.json", lock);
    works(
        &env,
        &npm,
        "npm ci --offline --no-audit --no-fund >&2\nnode -e 'console.log(require(\"dep\"))' > printed",
    );
    assert_eq!(env.read("printed"), "7\n");
}

#[test]
fn pip_installs() {
    let (true, Some(python)) = (TestedLevel::Workspace.works(), directory_of("python3")) else {
        return;
    };
    let has_pip = Command::new(format!("{python}/python3")).args(["-m", "venv", "--help"]).output();
    let has_pip = has_pip.is_ok_and(|output| output.status.success());
    let ensurepip =
        Command::new(format!("{python}/python3")).args(["-c", "import ensurepip"]).output();
    if !has_pip || !ensurepip.is_ok_and(|output| output.status.success()) {
        report_skipped("Python has no pip");
        return;
    }
    let env = repository();
    env.write("p/p.py", "SEVEN = 7\n");
    env.write(
        "wheel.py",
        "import zipfile\n\
         w = zipfile.ZipFile('p-1.0-py3-none-any.whl', 'w')\n\
         w.write('p/p.py', 'p.py')\n\
         w.writestr('p-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: p\\nVersion: 1.0\\n')\n\
         w.writestr('p-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n\
         w.writestr('p-1.0.dist-info/RECORD', '')\n\
         w.close()\n",
    );
    works(
        &env,
        &python,
        "python3 wheel.py\npython3 -m venv venv\n\
         venv/bin/pip install --quiet --no-index ./p-1.0-py3-none-any.whl >&2\n\
         venv/bin/python -c 'import p; print(p.SEVEN)' > printed",
    );
    assert_eq!(env.read("printed"), "7\n");
}

#[test]
fn go_builds() {
    let (true, Some(go)) = (TestedLevel::Workspace.works(), directory_of("go")) else { return };
    let env = repository();
    fs::create_dir_all(env.home().join(".cache/go-build")).expect("the home is ours");
    env.write("go.mod", "module p\n\ngo 1.18\n");
    env.write("main.go", "package main\n\nfunc main() { print(7) }\n");
    works(&env, &go, "GOFLAGS=-mod=mod GOTOOLCHAIN=local go build -o p . && ./p 2> printed");
    assert_eq!(env.read("printed"), "7");
}
