//! `forkhestra man`: manual pages.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::forkhestra;

#[test]
fn a_page_begins_with_its_name_and_has_no_date() {
    let page = forkhestra(&TestEnv::new(), &["man", "forkhestra-runs-rm"]).success();
    assert_snapshot!(page.lines().take(14).collect::<Vec<_>>().join("\n"), @r#"
    .ie \n(.g .ds Aq \(aq
    .el .ds Aq '
    .TH FORKHESTRA-RUNS-RM 1 "" "forkhestra 0.1.0" "User Commands"
    .SH NAME
    forkhestra\-runs\-rm \- Remove runs
    .SH SYNOPSIS
    \fBforkhestra runs rm\fR [\fB\-f\fR|\fB\-\-force\fR] [\fB\-\-cwd\fR] [\fB\-\-state\-dir\fR] [\fB\-\-color\fR] [\fB\-h\fR|\fB\-\-help\fR] <\fIRUN\fR> 
    .SH DESCRIPTION
    Remove runs
    .SH OPTIONS
    .TP
    \fB\-f\fR, \fB\-\-force\fR
    Also remove runs that are unfinished, damaged or unreadable
    .TP
    "#);
}

#[test]
fn a_page_says_where_things_are_and_what_exit_codes_mean() {
    let env = TestEnv::new();
    let page = forkhestra(&env, &["man"]).success();
    let headings: Vec<&str> = page.lines().filter(|line| line.starts_with(".SH")).collect();
    assert_snapshot!(headings.join("\n"), @r#"
    .SH NAME
    .SH SYNOPSIS
    .SH DESCRIPTION
    .SH OPTIONS
    .SH "STATE OF RUNS"
    .SH PROMPT
    .SH COMPLETION
    .SH "WORK TREE"
    .SH "RECORD AND REPLAY"
    .SH LIMITS
    .SH BACKGROUND
    .SH OUTPUT
    .SH SUBCOMMANDS
    .SH EXAMPLES
    .SH "EXIT STATUS"
    .SH FILES
    .SH ENVIRONMENT
    .SH "SEE ALSO"
    "#);
    assert!(page.contains("Each may be `off`.") && !page.contains("`OFF`"), "{page}");
    assert!(page.is_ascii(), "not every viewer expects another encoding");
    assert!(!page.contains("complete\\-line") && !page.contains("play\\-recording"), "{page}");
    let verb = forkhestra(&env, &["man", "resume.1"]).success();
    assert!(verb.contains("That of \\fBforkhestra\\fR(1)."), "{verb}");
}

#[test]
fn all_pages_are_written_for_everybody_to_read_and_old_ones_replaced() {
    let env = TestEnv::new();
    env.write("share/man1/forkhestra.1", "old");
    let output = forkhestra(&env, &["man", "--dir", "share/man1"]);
    assert_snapshot!(output.stderr, @"Wrote 42 manual pages to share/man1");
    let place = env.project().join("share/man1");
    let page = place.join("forkhestra.1");
    assert!(env.read("share/man1/forkhestra.1").contains(".SH NAME"));
    let mode = fs::metadata(&page).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
    let entries = fs::read_dir(&place).expect("it is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it can be read").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    assert_snapshot!(names.join(" "), @"forge-tasks-archive.1 forge-tasks-board.1 forge-tasks-check.1 forge-tasks-claim.1 forge-tasks-create.1 forge-tasks-delete.1 forge-tasks-edit.1 forge-tasks-graph.1 forge-tasks-init.1 forge-tasks-list.1 forge-tasks-release.1 forge-tasks-search.1 forge-tasks-unarchive.1 forge-tasks-view.1 forge-tasks.1 forkhestra-completions.1 forkhestra-continue.1 forkhestra-demo.1 forkhestra-doctor.1 forkhestra-events.1 forkhestra-init.1 forkhestra-list.1 forkhestra-logs.1 forkhestra-man.1 forkhestra-pause.1 forkhestra-plan.1 forkhestra-resume.1 forkhestra-run.1 forkhestra-runs-prune.1 forkhestra-runs-rebuild.1 forkhestra-runs-rm.1 forkhestra-runs.1 forkhestra-schema.1 forkhestra-set.1 forkhestra-show-agent.1 forkhestra-show.1 forkhestra-skip.1 forkhestra-stop.1 forkhestra-tell.1 forkhestra-watch.1 forkhestra.1 ralph-runner.1");
}

#[test]
fn a_page_that_is_not_there_and_a_place_that_is_none_are_told() {
    let env = TestEnv::new();
    env.write("file", "");
    let said = forkhestra(&env, &["man", "forkhestra-resum"]).failure(2);
    assert_snapshot!(said.lines().take(2).collect::<Vec<_>>().join("\n"), @"
    error: there is no manual page `forkhestra-resum`
    hint: did you mean `forkhestra-resume`?
    ");
    assert_snapshot!(forkhestra(&env, &["man", "--dir", "file"]).failure(2), @"
    error: cannot write `file`: File exists (os error 17)
    hint: `--dir` takes a directory that you can write to, such as ~/.local/share/man/man1
    ");
    assert_snapshot!(forkhestra(&env, &["man", "x", "--dir", "y"]).failure(2), @"
    error: the argument '[PAGE]' cannot be used with '--dir <DIR>'
    hint: for the options and their values see `forkhestra man --help`
    ");
}

#[test]
fn no_page_makes_a_typesetter_complain() {
    let env = TestEnv::new();
    assert_eq!(forkhestra(&env, &["man", "--dir", "man1"]).code, Some(0));
    let is_there = Command::new("groff").arg("--version").stdout(Stdio::null()).status();
    if !is_there.is_ok_and(|status| status.success()) {
        testkit::say_skipped("groff is not installed");
        return;
    }
    for page in fs::read_dir(env.project().join("man1")).expect("they were written") {
        let page = page.expect("it can be read").path();
        let output =
            Command::new("groff").args(["-man", "-Tutf8", "-ww", "-z"]).arg(&page).output();
        let said = output.expect("groff runs").stderr;
        assert_eq!(String::from_utf8_lossy(&said), "", "{}", page.display());
    }
}
