//! Tests of programs that cannot be started, and of the error messages.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use forkhestra_engine::process::{
    ChildProcesses, InterpreterFault, KeeperCommand, KeeperProgram, LaneTag, SpawnCommand,
    SpawnError, SpawnStdin, preflight,
};

/// A directory with files that are not valid programs.
struct ProgramDir(tempfile::TempDir);

impl ProgramDir {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("there is room"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).expect("there is room");
        fs::set_permissions(&path, Permissions::from_mode(mode)).expect("it is ours");
        path
    }
}

/// The permanent error of a start. A transient one may precede it: a child of another test may
/// still hold the written file open.
#[track_caller]
fn error_of(program: &Path, args: &[OsString], directory: &Path) -> SpawnError {
    loop {
        let error = first_error_of(program, args, directory);
        if !error.is_transient() {
            return error;
        }
    }
}

#[track_caller]
fn first_error_of(program: &Path, args: &[OsString], directory: &Path) -> SpawnError {
    let command =
        SpawnCommand { program, args, env: &[], directory, stdin: SpawnStdin::Null, keeper: None };
    ChildProcesses::default().start_helper(&command).expect_err("it cannot be started")
}

/// Checks that the start and the preflight fail with the same error and message.
#[track_caller]
fn expect(program: &Path, expected: &SpawnError, output: &str) {
    assert_eq!(&error_of(program, &[], Path::new("/")), expected);
    assert_eq!(preflight(program).as_ref(), Err(expected));
    let program = program.to_str().expect("it is plain");
    assert_eq!(expected.to_string().replace(program, "X"), output);
    assert!(!expected.is_transient());
}

#[test]
#[cfg(target_os = "linux")]
fn a_keeper_that_keeps_nothing_is_reported() {
    let keeper = KeeperCommand {
        program: KeeperProgram { path: "/bin/sh".into(), args: vec!["-c".into(), "exit 3".into()] },
        tag: LaneTag { name: "LANES".into(), value: "1".into() },
    };
    let (program, directory) = (Path::new("/bin/true"), Path::new("/"));
    let stdin = SpawnStdin::Null;
    let keeper = Some(&keeper);
    let command = SpawnCommand { program, args: &[], env: &[], directory, stdin, keeper };
    let error = ChildProcesses::default().start(&command).expect_err("nothing starts it");
    assert_eq!(error, SpawnError::NoKeeper { program: program.to_owned() });
    assert!(error.is_transient());
}

#[test]
fn there_is_no_such_file() {
    let program = ProgramDir::new().path("none");
    let expected = SpawnError::NotFound { program: program.clone() };
    expect(&program, &expected, "`X` does not exist");
}

#[test]
fn a_file_in_place_of_a_parent_directory_is_reported() {
    let programs = ProgramDir::new();
    let program = programs.file("file", "", 0o644).join("program");
    let expected = SpawnError::NotFound { program: program.clone() };
    expect(&program, &expected, "`X` does not exist");
}

#[test]
fn it_is_not_executable() {
    let programs = ProgramDir::new();
    let program = programs.file("plain", "#!/bin/sh\n", 0o644);
    let expected = SpawnError::NotExecutable { program: program.clone() };
    expect(&program, &expected, "`X` is not executable");
}

#[test]
fn it_is_a_directory() {
    let programs = ProgramDir::new();
    let program = programs.0.path().to_owned();
    let expected = SpawnError::IsDirectory { program: program.clone() };
    expect(&program, &expected, "`X` is a directory");
}

#[test]
fn its_interpreter_does_not_exist() {
    let programs = ProgramDir::new();
    let program = programs.file("script", "#!/no/such -x\n", 0o755);
    let fault = InterpreterFault::Missing { interpreter: "/no/such".into() };
    let expected = SpawnError::BadInterpreter { program: program.clone(), fault };
    expect(&program, &expected, "`X` is a script whose interpreter `/no/such` does not exist");
}

#[test]
fn its_first_line_ends_as_on_another_system() {
    let programs = ProgramDir::new();
    let program = programs.file("script", "#!/bin/sh\r\necho\r\n", 0o755);
    let fault = InterpreterFault::Missing { interpreter: "/bin/sh\r".into() };
    let expected = SpawnError::BadInterpreter { program: program.clone(), fault };
    let output = "`X` is a script whose interpreter `/bin/sh\\r` does not exist: \
                the line ends in a carriage return";
    expect(&program, &expected, output);
}

#[test]
fn its_interpreter_cannot_be_run() {
    let programs = ProgramDir::new();
    let interpreter = programs.file("plain", "", 0o644);
    let program = programs.file("script", &format!("#!{}\n", interpreter.display()), 0o755);
    let fault = InterpreterFault::NotRunnable { interpreter: interpreter.clone() };
    let expected = SpawnError::BadInterpreter { program: program.clone(), fault };
    let output = "`X` is a script whose interpreter `Y` cannot be run";
    let output = output.replace('Y', interpreter.to_str().expect("it is plain"));
    expect(&program, &expected, &output);
}

#[test]
fn the_interpreter_of_its_interpreter_does_not_exist() {
    let programs = ProgramDir::new();
    let interpreter = programs.file("interpreter", "#!/no/such\n", 0o755);
    let program = programs.file("script", &format!("#! {}\n", interpreter.display()), 0o755);
    let fault = InterpreterFault::Missing { interpreter: "/no/such".into() };
    let expected = SpawnError::BadInterpreter { program: program.clone(), fault };
    expect(&program, &expected, "`X` is a script whose interpreter `/no/such` does not exist");
}

#[test]
fn it_is_a_binary_for_a_system_with_another_loader() {
    let programs = ProgramDir::new();
    let mut bytes = fs::read("/bin/sh").expect("there is a shell");
    let loader = b"/lib64/ld-linux-x86-64.so.2";
    let Some(at) = bytes.windows(loader.len()).position(|window| window == loader) else {
        // Shells of other Linux systems have other loaders, or none.
        return;
    };
    bytes[at..at + 7].copy_from_slice(b"/nolib/");
    let program = programs.path("binary");
    fs::write(&program, bytes).expect("there is room");
    fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("it is ours");
    let fault = InterpreterFault::LoaderMissing { loader: "/nolib/ld-linux-x86-64.so.2".into() };
    let expected = SpawnError::BadInterpreter { program: program.clone(), fault };
    let output = "`X` is a binary whose loader `/nolib/ld-linux-x86-64.so.2` does not exist";
    expect(&program, &expected, output);
}

#[test]
fn it_is_not_a_program() {
    let programs = ProgramDir::new();
    let program = programs.file("text", "just text\n", 0o755);
    let error = error_of(&program, &[], Path::new("/"));
    assert_eq!(error, SpawnError::NotAProgram { program });
}

#[test]
fn its_arguments_are_too_long() {
    let long = OsString::from("x".repeat(200_000));
    let error = error_of(Path::new("/bin/true"), &[long], Path::new("/"));
    let SpawnError::ArgumentsTooLong { size, longest, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(longest, 200_001);
    assert!(size > longest);
}

#[test]
fn an_argument_contains_a_zero_byte() {
    let error = error_of(Path::new("/bin/true"), &["a\0b".into()], Path::new("/"));
    assert_eq!(error, SpawnError::ZeroByte { program: "/bin/true".into() });
}

#[test]
fn the_working_directory_has_vanished() {
    let directory = ProgramDir::new().path("none");
    let error = error_of(Path::new("/bin/true"), &[], &directory);
    assert_eq!(error, SpawnError::DirectoryMissing { directory });
}

#[test]
fn the_working_directory_is_a_file() {
    let programs = ProgramDir::new();
    let directory = programs.file("file", "", 0o644);
    let error = error_of(Path::new("/bin/true"), &[], &directory);
    assert_eq!(error, SpawnError::DirectoryIsFile { directory });
}

#[test]
fn the_working_directory_may_not_be_entered() {
    let programs = ProgramDir::new();
    let directory = programs.path("closed");
    fs::create_dir(&directory).expect("there is room");
    fs::set_permissions(&directory, Permissions::from_mode(0o000)).expect("it is ours");
    // No directory is closed for root.
    if !rustix::process::geteuid().is_root() {
        let error = error_of(Path::new("/bin/true"), &[], &directory);
        assert_eq!(error, SpawnError::DirectoryClosed { directory });
    }
}

#[test]
fn a_program_that_is_being_written_may_be_tried_again() {
    let programs = ProgramDir::new();
    let program = programs.path("program");
    fs::copy("/bin/true", &program).expect("there is room");
    let writer: File = OpenOptions::new().append(true).open(&program).expect("it is ours");
    let error = first_error_of(&program, &[], Path::new("/"));
    assert!(error.is_transient(), "{error}");
    drop(writer);
}
