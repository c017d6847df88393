//! Standard output that cannot be written to: one message at most, and no silent loss.

use std::fs::File;
use std::io;
use std::process::Command;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{FORKHESTRA, project};

/// Every command that prints data.
const PRINTING: [&[&str]; 8] = [
    &["--help"],
    &["--version"],
    &["schema"],
    &["list"],
    &["list", "--json"],
    &["runs", "--json"],
    &["a:3", "--dry-run"],
    &["a:3", "--dry-run", "--output", "json"],
];

fn forkhestra(env: &TestEnv, args: &[&str]) -> Command {
    let mut command = env.command(FORKHESTRA);
    command.args(args);
    command
}

#[test]
fn a_closed_pipe_ends_the_program_silently() {
    let env = project(r#"{ "chains": {} }"#);
    for args in PRINTING {
        let (reader, writer) = io::pipe().expect("the system gives us a pipe");
        drop(reader);
        let output = env.output_of(forkhestra(&env, args).stdout(writer));
        assert_eq!((output.code, output.stderr.as_str()), (Some(141), ""), "{args:?}");
    }
}

#[test]
fn an_error_is_reported_with_standard_output_closed() {
    let env = TestEnv::new();
    let (reader, writer) = io::pipe().expect("the system gives us a pipe");
    drop(reader);
    let output = env.output_of(forkhestra(&env, &["a:0"]).stdout(writer));
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr.starts_with("error: step 1"), "{output}");
}

#[test]
fn the_exit_code_is_kept_with_standard_error_closed() {
    let env = TestEnv::new();
    let (reader, writer) = io::pipe().expect("the system gives us a pipe");
    drop(reader);
    let output = env.output_of(forkhestra(&env, &["a:0"]).stderr(writer));
    assert_eq!(output.code, Some(2), "{output}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_reported() {
    let env = project(r#"{ "chains": {} }"#);
    for args in PRINTING {
        let full = File::options().write(true).open("/dev/full").expect("Linux has it");
        let output = env.output_of(forkhestra(&env, args).stdout(full));
        assert_eq!(output.code, Some(2), "{args:?}: {output}");
        assert!(output.stderr.starts_with("error: cannot write to standard output: "), "{output}");
    }
    let full = File::options().write(true).open("/dev/full").expect("Linux has it");
    assert_snapshot!(env.output_of(forkhestra(&env, &["--help"]).stdout(full)), @"
    ------- stderr -------
    error: cannot write to standard output: No space left on device (os error 28)
    [exit status: 2]
    ");
}

#[test]
fn a_reader_that_stops_early_gets_correct_output() {
    let env = TestEnv::new();
    let mut command = env.command("/bin/sh");
    command.args(["-c", "\"$0\" schema | head -n 1", FORKHESTRA]).env("PATH", "/usr/bin:/bin");
    assert_eq!(env.output_of(&mut command).success(), "{\n");
}
