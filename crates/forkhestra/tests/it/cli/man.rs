//! `forkhestra man`: manual pages.

use std::fs;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::forkhestra;

#[test]
fn a_page_begins_with_its_name_and_has_no_date() {
    let page = forkhestra(&TestEnv::new(), &["man", "forkhestra-runs-rm"]).success();
    assert_snapshot!(page.lines().take(14).collect::<Vec<_>>().join("\n"), @r#"
    .ie \n(.g .ds Aq \(aq
    .el .ds Aq '
    .TH forkhestra-runs-rm 1  "rm " 
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
fn a_page_has_all_options_and_the_end_of_the_help() {
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
    .SH SANDBOX
    .SH "RECORD AND REPLAY"
    .SH "LIMITS (EACH MAY BE `OFF`)"
    .SH BACKGROUND
    .SH OUTPUT
    .SH SUBCOMMANDS
    .SH EXTRA
    .SH VERSION
    "#);
    assert!(
        page.contains("Exit codes: 0 complete") && !page.contains("play\\-recording"),
        "{page}"
    );
    let verb = forkhestra(&env, &["man", "resume.1"]).success();
    assert_eq!(verb, forkhestra(&env, &["man", "forkhestra-resume"]).success());
}

/// A heading is an argument of a macro, in which `\n` reads a register.
#[test]
fn no_heading_has_a_backslash() {
    let page = forkhestra(&TestEnv::new(), &["man", "forge-tasks-edit"]).success();
    let headings = page.lines().filter(|line| line.starts_with(".SH"));
    let broken: Vec<&str> = headings.filter(|line| line.contains('\\')).collect();
    assert_eq!(broken, [""; 0]);
}

#[test]
fn all_pages_are_written_and_old_ones_replaced() {
    let env = TestEnv::new();
    env.write("share/man1/forkhestra.1", "old");
    let output = forkhestra(&env, &["man", "--dir", "share/man1"]);
    assert_snapshot!(output.stderr, @"Wrote 51 manual pages to share/man1");
    let place = env.project().join("share/man1");
    assert!(env.read("share/man1/forkhestra.1").contains(".SH NAME"));
    let entries = fs::read_dir(&place).expect("it is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it can be read").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    assert_snapshot!(names.join(" "), @"forge-tasks-archive.1 forge-tasks-board.1 forge-tasks-check.1 forge-tasks-claim.1 forge-tasks-create.1 forge-tasks-delete.1 forge-tasks-edit.1 forge-tasks-graph.1 forge-tasks-init.1 forge-tasks-list.1 forge-tasks-merge-file.1 forge-tasks-release.1 forge-tasks-search.1 forge-tasks-unarchive.1 forge-tasks-view.1 forge-tasks.1 forkhestra-approve.1 forkhestra-bisect.1 forkhestra-completions.1 forkhestra-continue.1 forkhestra-demo.1 forkhestra-deny.1 forkhestra-diff.1 forkhestra-doctor.1 forkhestra-events.1 forkhestra-fork.1 forkhestra-init.1 forkhestra-list.1 forkhestra-logs.1 forkhestra-man.1 forkhestra-pause.1 forkhestra-plan.1 forkhestra-resume.1 forkhestra-rewind.1 forkhestra-run.1 forkhestra-runs-prune.1 forkhestra-runs-rebuild.1 forkhestra-runs-rm.1 forkhestra-runs.1 forkhestra-schema.1 forkhestra-set.1 forkhestra-show-agent.1 forkhestra-show.1 forkhestra-skip.1 forkhestra-stats.1 forkhestra-stop.1 forkhestra-tell.1 forkhestra-watch.1 forkhestra-what-if.1 forkhestra.1 ralph-runner.1");
}

#[test]
fn a_missing_page_and_an_invalid_directory_are_reported() {
    let env = TestEnv::new();
    env.write("file", "");
    let message = forkhestra(&env, &["man", "forkhestra-resum"]).failure(2);
    assert_snapshot!(message.lines().take(2).collect::<Vec<_>>().join("\n"), @"
    error: there is no manual page `forkhestra-resum`
    hint: did you mean `forkhestra-resume`?
    ");
    for (page, suggested) in [
        ("resum", Some("forkhestra-resume")),
        ("forge-tasks lst", Some("forge-tasks-list")),
        ("nope", None),
    ] {
        let message = forkhestra(&env, &["man", page]).failure(2);
        let hint = suggested.map(|page| format!("hint: did you mean `{page}`?\n"));
        assert_eq!(
            hint.as_ref().is_some_and(|hint| message.contains(hint)),
            suggested.is_some(),
            "{message}"
        );
        assert_eq!(message.contains("did you mean"), suggested.is_some(), "{message}");
    }
    assert_snapshot!(forkhestra(&env, &["man", "--dir", "file"]).failure(2), @"
    error: cannot write `file`: File exists (os error 17)
    hint: `--dir` takes a directory that you can write to, such as ~/.local/share/man/man1
    ");
    assert_snapshot!(forkhestra(&env, &["man", "x", "--dir", "y"]).failure(2), @"
    error: the argument '[PAGE]' cannot be used with '--dir <DIR>'
    hint: for the options and their values see `forkhestra man --help`
    ");
}
