//! Questions of a run that are answered at its own terminal.

use std::num::NonZeroU16;
use std::process::Stdio;

use rustix::process::Signal;
use rustix::termios::{
    LocalModes, OptionalActions, Termios, Winsize, tcgetattr, tcsetattr, tcsetwinsize,
};
use serde_json::Value;

use crate::support::{GuardedRun, ProcessProject, PseudoTerminal, eventually, kill};

/// The end of the prompt on a narrow terminal and on a wide one.
const PROMPT: &str = "omment  [w]atch: ";

const END_OF_INPUT: u8 = 4;
const CONTROL_C: u8 = PseudoTerminal::CONTROL_C;
const CONTROL_Z: u8 = PseudoTerminal::CONTROL_Z;

/// Waits at the gate that is called like its step, if there is one.
const AGENT: &str = r#"
    echo "agent $FORKHESTRA_STEP has begun"
    [ ! -e "$PLACE/gate$FORKHESTRA_STEP" ] || read go < "$PLACE/gate$FORKHESTRA_STEP"
    printf '%s' "$FORKHESTRA_MESSAGE" > "$PLACE/message$FORKHESTRA_STEP"
"#;

/// A run at a terminal, with the words and variables that begin it.
struct RunAtTerminal<'w> {
    project: &'w ProcessProject,
    terminal: PseudoTerminal,
    run: GuardedRun<'w>,
    modes: Termios,
}

impl<'w> RunAtTerminal<'w> {
    fn start(project: &'w ProcessProject, args: &[&str]) -> Self {
        Self::start_with(project, PseudoTerminal::open(), args, &[])
    }

    fn start_with(
        project: &'w ProcessProject,
        mut terminal: PseudoTerminal,
        args: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let mut command = project.command_in_environment("/usr/bin/env");
        command.args(["--default-signal", "setsid", "--ctty", crate::FORKHESTRA]).args(args);
        command.envs(variables.iter().copied());
        command.stdin(terminal.stdio()).stdout(terminal.stdio()).stderr(terminal.stdio());
        let modes = tcgetattr(terminal.screen()).expect("it is a terminal");
        let run = GuardedRun::start_watched(project, command, terminal.screen());
        terminal.hand_over();
        Self { project, terminal, run, modes }
    }

    #[track_caller]
    fn wait_for(&self, text: &str) {
        self.run.output().wait_for(text);
    }

    /// Waits until the prompt was shown so often.
    #[track_caller]
    fn wait_for_prompt(&self, times: usize) {
        eventually(&format!("prompt {times}"), || (self.prompts() >= times).then_some(()));
    }

    fn prompts(&self) -> usize {
        self.text().matches(PROMPT).count()
    }

    fn type_in(&self, keys: &str) {
        self.terminal.type_in(keys.as_bytes());
    }

    fn text(&self) -> String {
        self.run.output().text()
    }

    /// Types a line that is no answer, and waits until the run has said so: it has read all that was
    /// typed before.
    #[track_caller]
    fn drain(&self) {
        let before = self.text().matches("Not an answer").count();
        self.type_in("drained\n");
        eventually("it was read", || {
            (self.text().matches("Not an answer").count() > before).then_some(())
        });
    }

    fn answers(&self) -> Vec<Value> {
        answers(self.project)
    }

    /// Waits for its end. The terminal has the modes that it had before.
    #[track_caller]
    fn ended(&mut self) -> Option<i32> {
        let code = self.run.wait();
        // The modes are readable from this end after the programs have closed theirs.
        let now = tcgetattr(self.terminal.screen()).expect("it is a terminal");
        assert_eq!(now.local_modes, self.modes.local_modes);
        assert_eq!(now.input_modes, self.modes.input_modes);
        code
    }
}

/// The answers of the only run: who answered, how, and with which comment.
fn answers(project: &ProcessProject) -> Vec<Value> {
    let events = project.events();
    events.into_iter().filter(|event| event["event"] == "answered").collect()
}

#[test]
fn an_approval_at_the_terminal_lets_the_run_go_on() {
    let project = ProcessProject::with_agent(AGENT);
    let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent"]);
    run.wait_for_prompt(1);
    run.type_in("a\n");
    assert_eq!(run.ended(), Some(0), "{}", run.text());
    let answers = run.answers();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0]["approved"], true);
    assert_eq!(answers[0]["by"], "person");
    assert_eq!(project.started(), ["1.1", "3.1"]);
    assert!(!run.text().contains("elsewhere"), "{}", run.text());
}

#[test]
fn a_denial_has_the_comment_and_ends_the_run() {
    let project = ProcessProject::with_agent(AGENT);
    let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent"]);
    run.wait_for_prompt(1);
    run.type_in("c\n");
    run.wait_for("Comment for the next agent, in one line: ");
    run.type_in("a\n");
    run.wait_for("Approve, with this comment? ");
    assert!(run.answers().is_empty(), "a comment is no answer");
    run.type_in("DENY\n");
    assert_eq!(run.ended(), Some(1), "{}", run.text());
    let answers = run.answers();
    assert_eq!(answers[0]["approved"], false, "{answers:?}");
    assert_eq!(answers[0]["text"], "a");
    assert_eq!(project.started(), ["1.1"]);
}

#[test]
fn an_approval_gives_its_comment_to_the_next_agent() {
    let project = ProcessProject::with_agent(AGENT);
    let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent"]);
    run.wait_for_prompt(1);
    run.type_in("c\n");
    run.wait_for("Comment for the next agent, in one line: ");
    run.type_in("use the API\n");
    run.wait_for("Approve, with this comment? ");
    run.type_in("approve\n");
    assert_eq!(run.ended(), Some(0), "{}", run.text());
    let message = std::fs::read_to_string(project.place("message3")).expect("the agent wrote it");
    assert!(message.contains("use the API"), "{message}");
}

#[test]
fn the_rest_of_a_pasted_comment_is_no_answer() {
    let project = ProcessProject::with_agent(AGENT);
    let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent"]);
    run.wait_for_prompt(1);
    run.type_in("c\n");
    run.wait_for("Comment for the next agent, in one line: ");
    run.type_in("please look at this:\nfirst\na\nlast line\n");
    run.wait_for("Approve, with this comment? ");
    run.drain();
    assert!(run.answers().is_empty(), "{}", run.text());
    run.type_in("d\n");
    assert_eq!(run.ended(), Some(1), "{}", run.text());
    assert_eq!(run.answers()[0]["text"], "please look at this:");
}

#[test]
fn a_comment_that_the_run_refuses_stays_at_the_prompt() {
    let project = ProcessProject::with_agent(AGENT);
    let chain = "./agent -> ? -> ./agent:2";
    let mut run = RunAtTerminal::start(&project, &[chain, "--marker", "/ALL DONE/"]);
    run.wait_for_prompt(1);
    run.type_in("c\n");
    run.wait_for("Comment for the next agent, in one line: ");
    run.type_in("ALL DONE?\n");
    run.wait_for("Approve, with this comment? ");
    run.type_in("a\n");
    run.wait_for("Cannot answer: the message contains a completion marker");
    eventually("the comment is kept", || {
        (run.text().matches("Approve, with this comment? ").count() == 2).then_some(())
    });
    run.type_in("c\n");
    eventually("it asks for the comment again", || {
        (run.text().matches("Comment for the next agent").count() == 2).then_some(())
    });
    run.type_in("Nearly.\n");
    eventually("the comment is changed", || {
        (run.text().matches("Approve, with this comment? ").count() == 3).then_some(())
    });
    run.type_in("d\n");
    assert_eq!(run.ended(), Some(1), "{}", run.text());
    assert_eq!(run.answers()[0]["text"], "Nearly.");
}

/// The terminal collects no longer line, and drops the rest of it.
#[test]
fn a_comment_that_the_terminal_cuts_off_is_not_taken() {
    let project = ProcessProject::with_agent(AGENT);
    let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent"]);
    run.wait_for_prompt(1);
    run.type_in("c\n");
    run.wait_for("Comment for the next agent, in one line: ");
    run.type_in(&format!("{}\n", "x".repeat(5000)));
    run.wait_for("Not taken: a terminal cuts off a line at 4095 bytes");
    run.wait_for(&format!("forkhestra approve {} --question 1 - < FILE, or ", project.run_id()));
    eventually("it asks for the comment again", || {
        (run.text().matches("Comment for the next agent").count() == 2).then_some(())
    });
    run.type_in("short\n");
    run.wait_for("Approve, with this comment? ");
    run.type_in("d\n");
    assert_eq!(run.ended(), Some(1), "{}", run.text());
    assert_eq!(run.answers()[0]["text"], "short");
}

#[test]
fn enter_and_other_words_answer_nothing() {
    let project = ProcessProject::with_agent(AGENT);
    let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent"]);
    run.wait_for_prompt(1);
    for (number, keys) in (2..).zip(["\n", "y\n", "yes\n", "\u{1b}[A\n", "approved\n", "aa\n"]) {
        run.type_in(keys);
        run.wait_for_prompt(number);
    }
    run.type_in("w\n");
    run.wait_for(&format!("In another terminal: forkhestra watch {}", project.run_id()));
    assert!(run.answers().is_empty(), "{}", run.text());
    run.type_in("d\n");
    assert_eq!(run.ended(), Some(1), "{}", run.text());
    assert_eq!(run.answers()[0]["approved"], false);
}

#[test]
fn the_end_of_the_input_leaves_the_question_open_and_says_how_to_answer() {
    let project = ProcessProject::with_agent(AGENT);
    let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent"]);
    run.wait_for_prompt(1);
    run.terminal.press(END_OF_INPUT);
    let id = project.run_id();
    run.wait_for("End of input: the question stays open");
    run.wait_for(&format!(
        "To answer: forkhestra approve {id} --question 1 or forkhestra deny {id} --question 1"
    ));
    run.type_in("a\n");
    let shown = project.run(&["show", "--json"]);
    assert!(run.answers().is_empty(), "{shown}");
    let approved = project.run(&["approve"]);
    assert_eq!(approved.code, Some(0), "{approved}");
    assert_eq!(run.ended(), Some(0), "{}", run.text());
    assert_eq!(run.prompts(), 1, "{}", run.text());
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let project = ProcessProject::with_agent(AGENT);
    project.gate("gate1");
    let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent"]);
    run.wait_for("agent 1 has begun");
    run.type_in("a\napprove\na");
    project.open_gate("gate1");
    run.wait_for_prompt(1);
    // Only this line is read, without the `a` before it.
    run.type_in("\n");
    run.wait_for_prompt(2);
    run.drain();
    assert!(run.answers().is_empty(), "{}", run.text());
    run.type_in("a\n");
    assert_eq!(run.ended(), Some(0), "{}", run.text());
}

#[test]
fn an_answer_typed_twice_does_not_answer_the_next_question() {
    let project = ProcessProject::with_agent(AGENT);
    for chain in ["? -> ? -> ./agent", "(? -> ?):2 -> ./agent"] {
        let project = ProcessProject::with_agent(AGENT);
        let mut run = RunAtTerminal::start(&project, &[chain]);
        run.wait_for_prompt(1);
        run.type_in("a\na\na\n");
        run.wait_for_prompt(2);
        run.drain();
        assert_eq!(run.answers().len(), 1, "{}", run.text());
        run.type_in("a\n");
        assert_eq!(run.ended(), Some(0), "{}", run.text());
        assert_eq!(run.answers().len(), 2);
    }
    assert!(project.started().is_empty());
}

#[test]
fn an_answer_from_another_terminal_removes_the_prompt() {
    let project = ProcessProject::with_agent(AGENT);
    project.gate("gate3");
    let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent -> ? -> ./agent"]);
    run.wait_for_prompt(1);
    // Half an answer is void.
    run.type_in("a");
    let denied = project.run(&["approve"]);
    assert_eq!(denied.code, Some(0), "{denied}");
    run.wait_for("Answered elsewhere");
    run.type_in("a\n");
    project.open_gate("gate3");
    run.wait_for_prompt(2);
    run.drain();
    assert_eq!(run.answers().len(), 1, "{}", run.text());
    run.type_in("d\n");
    assert_eq!(run.ended(), Some(1), "{}", run.text());
}

#[test]
fn a_question_whose_time_is_up_is_denied_and_the_prompt_says_so() {
    let project = ProcessProject::with_agent(AGENT);
    let config = r#"{ "chains": { "night": { "steps":
        [{ "agent": "./agent" }, { "ask": "Go on?", "timeout": "1s" }, { "agent": "./agent" }] } } }"#;
    let directory = project.project().join("forge/orch");
    std::fs::create_dir_all(&directory).expect("it is ours");
    std::fs::write(directory.join("chains.json"), config).expect("it is ours");
    let mut run = RunAtTerminal::start(&project, &["--chain", "night"]);
    run.wait_for_prompt(1);
    run.wait_for("The question has timed out");
    assert_eq!(run.ended(), Some(1), "{}", run.text());
    assert_eq!(run.answers()[0]["by"], "timeout");
}

#[test]
fn one_of_many_simultaneous_answers_wins_and_the_others_learn_that() {
    let project = ProcessProject::with_agent(AGENT);
    project.gate("gate3");
    let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent"]);
    run.wait_for_prompt(1);
    let verbs = ["approve", "deny", "approve", "approve"];
    let answering: Vec<_> = verbs
        .iter()
        .cycle()
        .take(20)
        .map(|verb| {
            let mut command = project.command(&[verb]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            GuardedRun::start(&project, command)
        })
        .collect();
    run.type_in("a\n");
    let outputs: Vec<_> = answering.into_iter().map(GuardedRun::ended).collect();
    let answers = run.answers();
    assert_eq!(answers.len(), 1, "{answers:?}");
    let is_approved = answers[0]["approved"] == true;
    if is_approved {
        project.open_gate("gate3");
    }
    assert_eq!(run.ended(), Some(i32::from(!is_approved)), "{}", run.text());
    let has_lost =
        run.text().contains("Answered elsewhere") || run.text().contains("Cannot answer");
    let won = outputs.iter().filter(|output| output.code == Some(0)).count();
    assert_eq!(won + usize::from(!has_lost), 1, "{}\n{outputs:?}", run.text());
    for output in outputs.iter().filter(|output| output.code != Some(0)) {
        let reasons =
            ["already", "has no open question", "is over", "is ending", "no run is active"];
        assert!(reasons.iter().any(|reason| output.stderr.contains(reason)), "{output}");
    }
}

#[test]
fn control_c_at_the_prompt_ends_the_run_and_a_resume_asks_again() {
    let project = ProcessProject::with_agent(AGENT);
    let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent"]);
    run.wait_for_prompt(1);
    run.type_in("a");
    run.terminal.press(CONTROL_C);
    assert_eq!(run.ended(), Some(130), "{}", run.text());
    assert!(run.answers().is_empty());
    let mut resumed = RunAtTerminal::start(&project, &["resume"]);
    resumed.wait_for_prompt(1);
    resumed.type_in("a\n");
    assert_eq!(resumed.ended(), Some(0), "{}", resumed.text());
    assert_eq!(project.started(), ["1.1", "3.1"]);
}

#[test]
fn signals_to_the_prompting_run_work_as_at_any_other_time() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let project = ProcessProject::with_agent(AGENT);
        let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent"]);
        run.wait_for_prompt(1);
        run.run.signal(signal);
        assert_eq!(run.ended(), Some(code), "{}", run.text());
        assert!(run.answers().is_empty());
    }
}

#[test]
fn a_runner_killed_at_the_prompt_leaves_the_terminal_as_it_was() {
    let project = ProcessProject::with_agent(AGENT);
    let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent"]);
    run.wait_for_prompt(1);
    kill(run.run.runner(), Signal::KILL);
    run.wait_for("the runner was killed");
    run.ended();
    let resumed = project.run(&["resume", "--approve"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
}

#[test]
fn a_shell_can_stop_and_continue_a_run_at_the_prompt() {
    let project = ProcessProject::with_agent(AGENT);
    let mut terminal = PseudoTerminal::open();
    let mut command = project.command_in_environment("/usr/bin/env");
    command
        .args(["--default-signal", "setsid", "--ctty", "bash"])
        .args(["--norc", "--noprofile", "--noediting", "-i"])
        .env("HISTFILE", "/dev/null")
        .env("FORKHESTRA", crate::FORKHESTRA)
        .stdin(terminal.stdio())
        .stdout(terminal.stdio())
        .stderr(terminal.stdio());
    let mut shell = GuardedRun::start_watched(&project, command, terminal.screen());
    terminal.hand_over();
    let prompts = |shell: &GuardedRun<'_>| shell.output().text().matches(PROMPT).count();
    let wait_for_prompt = |shell: &GuardedRun<'_>, times: usize| {
        eventually("the prompt", || (prompts(shell) >= times).then_some(()));
    };
    terminal.type_in(b"\"$FORKHESTRA\" './agent -> ? -> ./agent'\n");
    wait_for_prompt(&shell, 1);
    for (round, how) in (1..).zip(["fg", "bg; fg", "bg; a; kill -CONT %1; a; fg"]) {
        terminal.press(CONTROL_Z);
        let is_stopped =
            || shell.guard().children().first().is_some_and(|guard| guard.is_stopped());
        eventually("the guard is stopped", || is_stopped().then_some(()));
        // The keys of the shell are no answers. It answers only when it has the terminal back.
        terminal.type_in(format!("a\njobs; echo is$(({round}))\na\n").as_bytes());
        shell.output().wait_for(&format!("is{round}"));
        // In the background it continues, and prompts only when it has the terminal.
        let (in_background, how) = how.split_once("; ").unwrap_or(("", how));
        terminal.type_in(format!("{in_background}\necho back$(({round}))\n").as_bytes());
        shell.output().wait_for(&format!("back{round}"));
        if !in_background.is_empty() {
            let continued = || shell.output().text().matches("[forkhestra] Continued").count();
            eventually("it continues", || (continued() == round).then_some(()));
            assert_eq!(prompts(&shell), round, "{}", shell.output().text());
        }
        terminal.type_in(format!("{how}\n").as_bytes());
        wait_for_prompt(&shell, round + 1);
        assert_eq!(prompts(&shell), round + 1, "{}", shell.output().text());
        assert!(answers(&project).is_empty(), "{}", shell.output().text());
    }
    terminal.type_in(b"a\n");
    shell.output().wait_for("Chain complete (3/3 steps)");
    terminal.type_in(b"echo code=$?; exit\n");
    shell.wait();
    shell.output().wait_for("code=0");
    assert_eq!(answers(&project).len(), 1);
}

#[test]
fn only_a_person_at_a_terminal_is_prompted() {
    let chain = "./agent -> ? -> ./agent";
    let quiet = [chain, "--quiet"];
    let json = [chain, "--output", "json"];
    for (args, ci) in [(&[chain][..], "true"), (&quiet[..], ""), (&json[..], "")] {
        let variables = [("CI", ci)];
        let project = ProcessProject::with_agent(AGENT);
        let terminal = PseudoTerminal::open();
        let mut run = RunAtTerminal::start_with(&project, terminal, args, &variables);
        run.type_in("a\n");
        approve_open_question(&project);
        assert_eq!(run.ended(), Some(0), "{}", run.text());
        assert!(!run.text().contains("[a]pprove"), "{}", run.text());
        assert_eq!(run.answers().len(), 1);
    }
    let project = ProcessProject::with_agent(AGENT);
    let run = project.start(&[chain]);
    approve_open_question(&project);
    let output = run.ended();
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!format!("{output}").contains("[a]pprove"), "{output}");
}

#[test]
fn a_question_with_a_prepared_answer_shows_no_prompt() {
    let project = ProcessProject::with_agent(AGENT);
    let mut approved = RunAtTerminal::start(&project, &["--yes", "./agent -> ? -> ./agent"]);
    assert_eq!(approved.ended(), Some(0), "{}", approved.text());
    assert_eq!(approved.prompts(), 0, "{}", approved.text());
    let project = ProcessProject::with_agent(AGENT);
    let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent -> ? -> ./agent"]);
    run.wait_for_prompt(1);
    run.terminal.press(CONTROL_C);
    assert_eq!(run.ended(), Some(130));
    let mut resumed = RunAtTerminal::start(&project, &["resume", "--approve"]);
    // The prepared answer is for the first question only.
    resumed.wait_for("agent 3 has begun");
    resumed.wait_for_prompt(1);
    resumed.type_in("a\n");
    assert_eq!(resumed.ended(), Some(0), "{}", resumed.text());
    assert_eq!(resumed.prompts(), 1, "{}", resumed.text());
}

#[test]
fn a_question_can_be_answered_while_its_hook_runs() {
    let project = ProcessProject::with_agent(AGENT);
    project.gate("hook");
    let hook = r#"read go < "$PLACE/hook"; echo trouble; exit 3"#;
    let config = format!(
        r#"{{ "chains": {{ "night": {{ "steps": "./agent -> ? -> ./agent -> ? -> ./agent",
            "hooks": {{ "on-question": [{hook:?}] }} }} }} }}"#
    );
    let directory = project.project().join("forge/orch");
    std::fs::create_dir_all(&directory).expect("it is ours");
    std::fs::write(directory.join("chains.json"), config).expect("it is ours");
    let mut run = RunAtTerminal::start(&project, &["--chain", "night"]);
    run.wait_for_prompt(1);
    run.type_in("a\n");
    eventually("it is answered", || (run.answers().len() == 1).then_some(()));
    project.open_gate("hook");
    run.wait_for("agent 3 has begun");
    run.wait_for_prompt(2);
    // The prompt is shown again below the failure of the hook, and what was half typed is void.
    run.type_in("a");
    project.open_gate("hook");
    run.wait_for_prompt(3);
    run.drain();
    assert_eq!(run.answers().len(), 1, "{}", run.text());
    run.type_in("d\n");
    assert_eq!(run.ended(), Some(1), "{}", run.text());
}

#[test]
fn a_stop_from_elsewhere_removes_the_prompt() {
    for (verb, code) in [("stop", 1), ("skip", 0)] {
        let project = ProcessProject::with_agent(AGENT);
        let mut run = RunAtTerminal::start(&project, &["./agent -> ? -> ./agent"]);
        run.wait_for_prompt(1);
        let output = project.run(&[verb]);
        assert_eq!(output.code, Some(0), "{output}");
        let ended = run.ended();
        assert_eq!(ended == Some(0), code == 0, "{ended:?} {}", run.text());
        assert!(run.answers().is_empty());
    }
}

/// Waits for the question, and approves it with a command.
#[track_caller]
fn approve_open_question(project: &ProcessProject) {
    eventually("the run has begun", || (!project.started().is_empty()).then_some(()));
    eventually("the question is asked", || {
        let asked = project.events().iter().any(|event| event["event"] == "asked");
        asked.then_some(())
    });
    let approved = project.run(&["approve"]);
    assert_eq!(approved.code, Some(0), "{approved}");
}

#[test]
fn the_prompt_fits_a_narrow_screen_and_disappears() {
    const ROWS: NonZeroU16 = NonZeroU16::new(12).expect("it is positive");
    const COLUMNS: NonZeroU16 = NonZeroU16::new(40).expect("it is positive");
    let project = ProcessProject::with_agent(AGENT);
    project.gate("gate3");
    let terminal = PseudoTerminal::open();
    let size = Winsize { ws_row: ROWS.get(), ws_col: COLUMNS.get(), ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal.screen(), size).expect("it is a terminal");
    let mut modes = tcgetattr(terminal.screen()).expect("it is a terminal");
    modes.local_modes.insert(LocalModes::ECHO);
    tcsetattr(terminal.screen(), OptionalActions::Now, &modes).expect("it is a terminal");
    let chain = ["./agent -> ? -> ./agent"];
    let mut run = RunAtTerminal::start_with(&project, terminal, &chain, &[("TERM", "xterm")]);
    let screen = |run: &RunAtTerminal<'_>| {
        let mut screen = vt100::Parser::new(ROWS, COLUMNS, 0);
        screen.process(&run.run.output().bytes());
        screen.screen().contents()
    };
    let prompt = "\n[a]pprove [d]eny [c]omment [w]atch:";
    eventually("the prompt", || screen(&run).contains(prompt).then_some(()));
    run.type_in("q\n");
    run.wait_for("Not an answer");
    eventually("the prompt", || screen(&run).trim_end().ends_with(prompt).then_some(()));
    let shown = screen(&run);
    assert!(shown.contains(&format!("{prompt} q\n[forkhestra] Not")), "{shown}");
    run.type_in("app");
    eventually("the echo", || screen(&run).contains(": app").then_some(()));
    let approved = project.run(&["approve"]);
    assert_eq!(approved.code, Some(0), "{approved}");
    run.wait_for("Answered elsewhere");
    run.wait_for("agent 3 has begun");
    let shown = screen(&run);
    assert!(!shown.contains(": app"), "{shown}");
    assert!(shown.contains("deny\n[forkhestra] Answered elsewhere"), "{shown}");
    project.open_gate("gate3");
    assert_eq!(run.ended(), Some(0), "{}", run.text());
}
