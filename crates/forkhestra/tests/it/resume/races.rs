//! Wrong clocks, and concurrent resumes of the same run.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, SystemTime};

use testkit::TestEnv;

use crate::FORKHESTRA;
use crate::resume::recovery::truncate_after_event;
use crate::support::agents_at_work::{
    DONE, id, journal, only_run, run, runs, verdict, without_hashes,
};
use crate::support::run_in_progress::WAIT_FOR_GO;

/// The number of concurrent resumes.
const RACERS: usize = 8;

/// A loop that needs three iterations, cut off in the second.
fn cut_off() -> (TestEnv, String) {
    let env = TestEnv::new();
    env.agent(
        "a",
        &format!("echo working\necho $FORKHESTRA_ITERATION >> ran\n[ $FORKHESTRA_ITERATION -lt 3 ] || {DONE}"),
    );
    assert_eq!(run(&env, &["a:5", "--max-time", "1h"]).code, Some(0));
    let directory = only_run(&env);
    let whole = fs::read_to_string(directory.join("journal.jsonl")).expect("it is there");
    truncate_after_event(&directory, &whole, 7);
    let kept = fs::read_to_string(directory.join("journal.jsonl")).expect("it is there");
    env.write("ran", "");
    (env, kept)
}

/// The journal with these years in its lines, in rotation.
fn with_years(journal: &str, years: &[&str]) -> String {
    let lines = journal.split_inclusive('\n').zip(years.iter().cycle());
    let dated = |(line, year): (&str, &&str)| {
        let at = line.find("\"at\":\"").expect("every line has a moment") + 6;
        format!("{}{year}{}", &line[..at], &line[at + 4..])
    };
    lines.map(dated).collect()
}

/// Asserts that the elapsed time never decreases from line to line.
#[track_caller]
fn time_never_goes_back(run: &Path) {
    let elapsed: Vec<u64> =
        journal(run).iter().map(|line| line["elapsedMs"].as_u64().expect("a number")).collect();
    assert!(elapsed.is_sorted(), "{elapsed:?}");
    assert!(elapsed.last().is_some_and(|last| *last < 3_600_000), "{elapsed:?}");
}

#[test]
fn clock_jumps_between_events_and_resumes_do_not_matter() {
    let years: [&[&str]; 5] =
        [&["1970"], &["2099"], &["2099", "1971"], &["1999", "2098", "2001"], &["0001", "9998"]];
    for years in years {
        let (env, kept) = cut_off();
        let directory = only_run(&env);
        fs::write(directory.join("journal.jsonl"), with_years(&without_hashes(&kept), years))
            .expect("it is ours");
        // The timestamps of the output come from another clock than those of the journal.
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(86_400);
        let output = fs::File::options().append(true).open(directory.join("output/1-2-1/stdout"));
        output.and_then(|file| file.set_modified(long_ago)).expect("it is ours");
        let output = run(&env, &["resume"]);
        assert_eq!(
            verdict(&output),
            "[forkhestra] Chain complete (1/1 steps)",
            "{years:?}: {output}"
        );
        assert_eq!(env.read("ran"), "2\n3\n", "{years:?}");
        time_never_goes_back(&directory);
    }
}

/// The clock was ahead while the agent printed, and is correct again.
#[test]
fn output_with_a_future_timestamp_uses_no_time() {
    let hour = Duration::from_secs(3600);
    for ahead in [2 * hour, 24 * 6 * hour, 24 * 4000 * hour] {
        let (env, _) = cut_off();
        let directory = only_run(&env);
        let printed = directory.join("output/1-2-1/stdout");
        let file = fs::File::options().append(true).open(printed).expect("it is there");
        file.set_modified(SystemTime::now() + ahead).expect("it is ours");
        let output = run(&env, &["resume"]);
        assert_eq!(output.code, Some(0), "{ahead:?}: {output}");
        time_never_goes_back(&directory);
    }
}

/// The name of the complete run is the newer one by far.
#[test]
fn an_older_unfinished_run_is_found() {
    let (env, _) = cut_off();
    let unfinished = only_run(&env);
    let id = id(&unfinished).to_owned();
    let earlier = unfinished.with_file_name(format!("19700101T000000Z-{id}"));
    fs::rename(&unfinished, &earlier).expect("it is ours");
    env.agent("b", "");
    assert_eq!(run(&env, &["b"]).code, Some(0));
    let output = run(&env, &["resume"]);
    assert_eq!(output.code, Some(0), "{output}");
    let ends = journal(&earlier).iter().filter(|line| line["event"] == "run_finished").count();
    assert_eq!((ends, runs(&env).len()), (1, 2));
}

/// Concurrent resumes of the only run.
struct ResumeRace {
    ended: Receiver<(u32, Output)>,
    at_work: BTreeSet<u32>,
}

impl ResumeRace {
    fn start(env: &TestEnv, options: &[&str]) -> Self {
        let (sender, ended) = mpsc::channel();
        let mut at_work = BTreeSet::new();
        for _ in 0..RACERS {
            let mut command = env.command(FORKHESTRA);
            command.args(["resume", "--timeout", "60s"]).args(options);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            let child = command.spawn().expect("the program can be started");
            let (pid, sender) = (child.id(), sender.clone());
            at_work.insert(pid);
            thread::spawn(move || {
                let output = child.wait_with_output().expect("it is our child");
                sender.send((pid, output)).expect("the test waits for it");
            });
        }
        Self { ended, at_work }
    }

    fn next(&mut self) -> Output {
        let (pid, output) = self.ended.recv().expect("some are at work");
        self.at_work.remove(&pid);
        output
    }

    /// Waits until all but one have ended with a refusal that names the remaining one. Then that
    /// one may continue.
    #[track_caller]
    fn all_but_one_are_refused(mut self, env: &TestEnv) -> Output {
        let refused: Vec<Output> = (1..RACERS).map(|_| self.next()).collect();
        let winner = *self.at_work.first().expect("one is left");
        for output in refused {
            let message = String::from_utf8_lossy(&output.stderr);
            let names_winner = message.contains(&format!("(process {winner}, since "));
            assert_eq!((output.status.code(), names_winner), (Some(2), true), "{message}");
            assert_eq!(output.stdout, b"", "{message}");
        }
        env.write("go", "");
        self.next()
    }
}

#[test]
fn of_many_concurrent_resumes_exactly_one_succeeds() {
    for options in [&[][..], &["--no-lock"]] {
        let (env, _) = cut_off();
        env.agent("a", &format!("echo $FORKHESTRA_ITERATION >> ran\n{WAIT_FOR_GO}\n{DONE}"));
        let output = ResumeRace::start(&env, options).all_but_one_are_refused(&env);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(env.read("ran"), "2\n", "{options:?}");
        let lines = journal(&only_run(&env));
        let resumes = lines.iter().filter(|line| line["event"] == "run_resumed").count();
        assert_eq!(resumes, 1, "{options:?}");
        assert!(lines.iter().enumerate().all(|(seq, line)| line["seq"] == seq));
    }
}

/// All of them find the journal damaged, and one repairs it.
#[test]
fn of_many_concurrent_repairs_exactly_one_succeeds() {
    let (env, kept) = cut_off();
    env.agent("a", &format!("echo $FORKHESTRA_ITERATION >> ran\n{WAIT_FOR_GO}\n{DONE}"));
    let directory = only_run(&env);
    let damaged = kept.replacen("{\"seq\":4", "{\"seq:4", 1);
    fs::write(directory.join("journal.jsonl"), damaged).expect("it is ours");
    let output = ResumeRace::start(&env, &["--repair"]).all_but_one_are_refused(&env);
    assert_eq!((output.status.code(), env.read("ran").as_str()), (Some(0), "1\n"), "{output:?}");
    let entries = fs::read_dir(&directory).expect("it is there").filter_map(Result::ok);
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let kept = names.filter(|name| name.starts_with("journal.")).count();
    assert_eq!(kept, 2, "the journal and the damaged one");
}
