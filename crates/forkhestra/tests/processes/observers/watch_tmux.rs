//! Watching and steering a run in a second terminal.

use std::path::PathBuf;
use std::process::Command;

use testkit::{TIMEOUT, report_skipped, within};

use crate::support::{ProcessProject, eventually};
use crate::work_tree::make_repository;

/// Prints its iteration and its message, and waits at the gate.
const WAITING_AGENT: &str = r#"
    echo "begun $n"
    env | grep -c 'Mind the gap' | sed 's/^/told /'
    read go < "$PLACE/gate"
    echo "ended $n"
"#;

/// A terminal inside tmux.
struct Tmux<'w> {
    world: &'w ProcessProject,
    socket: PathBuf,
}

impl<'w> Tmux<'w> {
    /// A terminal in which a shell runs `script`; none if tmux is not installed.
    fn start(
        project: &'w ProcessProject,
        (columns, rows): (u16, u16),
        script: &str,
    ) -> Option<Self> {
        let tmux = Self { world: project, socket: project.place("tmux") };
        if project.command_in_environment("tmux").arg("-V").output().is_err() {
            report_skipped("there is no tmux here");
            return None;
        }
        let (columns, rows) = (columns.to_string(), rows.to_string());
        tmux.order(&["new-session", "-d", "-x", &columns, "-y", &rows, script]);
        // Text copied by OSC 52 goes to the buffers of tmux.
        tmux.order(&["set-option", "-s", "set-clipboard", "on"]);
        Some(tmux)
    }

    fn command(&self) -> Command {
        let mut command = self.world.command_in_environment("tmux");
        command.arg("-S").arg(&self.socket).args(["-f", "/dev/null", "-u"]);
        command
    }

    #[track_caller]
    fn order(&self, words: &[&str]) -> String {
        let output = self.command().args(words).output().expect("tmux can be started");
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The current screen.
    #[track_caller]
    fn screen(&self) -> String {
        self.order(&["capture-pane", "-p"])
    }

    #[track_caller]
    fn wait_for(&self, text: &str) {
        let seen = within(TIMEOUT, || self.screen().contains(text).then_some(()));
        assert!(seen.is_some(), "in vain: `{text}` on\n{}", self.screen());
    }

    #[track_caller]
    fn press(&self, key: &str) {
        self.order(&["send-keys", key]);
    }

    #[track_caller]
    fn type_in(&self, text: &str) {
        self.order(&["send-keys", "-l", text]);
    }

    /// Waits for an event in the journal.
    #[track_caller]
    fn wait_for_event(&self, name: &str) {
        eventually(&format!("the event {name}"), || {
            self.world.events().iter().any(|event| event["event"] == name).then_some(())
        });
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        // The server is gone already if the test passed.
        let _ = self.command().arg("kill-server").output();
    }
}

#[test]
fn a_run_is_watched_messaged_paused_continued_and_stopped() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    project.gate("gate");
    let run = project.start(&["./agent:9"]);
    run.output().wait_for("begun 1.1\n");
    let script = format!("'{}' watch; echo \"left with $?\"; read line", crate::FORKHESTRA);
    let Some(tmux) = Tmux::start(&project, (100, 30), &script) else {
        project.open_gate("gate");
        return;
    };
    tmux.wait_for("begun 1.1");
    tmux.wait_for(&project.run_id());
    tmux.press("t");
    tmux.wait_for("Tell the next agent");
    tmux.type_in("Mind the gap");
    tmux.wait_for("Mind the gap");
    tmux.press("C-s");
    tmux.wait_for_event("message_queued");
    tmux.wait_for("1 message waits");
    tmux.press("p");
    tmux.wait_for_event("paused");
    tmux.wait_for("paused since");
    tmux.press("p");
    tmux.wait_for_event("continued");
    project.open_gate("gate");
    tmux.wait_for_event("messages_given");
    tmux.wait_for("begun 1.2");
    tmux.press("s");
    tmux.wait_for_event("stop_requested");
    tmux.wait_for("stops after this iteration");
    project.open_gate("gate");
    let ended = run.ended();
    assert!(ended.stdout.contains("ended 1.2"), "{ended}");
    assert_eq!(project.started(), ["1.1", "1.2"]);
    tmux.wait_for("forkhestra resume");
    tmux.press("t");
    tmux.wait_for("Tell the next agent");
    tmux.type_in("Mind the step");
    tmux.wait_for("Mind the step");
    tmux.press("C-s");
    tmux.wait_for("message 2 is kept; R resumes the run with it");
    tmux.press("q");
    tmux.wait_for("left with 0");
    tmux.press("Enter");
    project.wait_until_empty();
    let shown = project.run(&["show"]).success();
    assert!(shown.contains("1 message waits for resume"), "{shown}");
}

/// Creates three tasks, does the one with the number of the iteration, commits it at the gate, and
/// completes with the third.
const TASKER: &str = r#"
    if [ "$n" = 1.1 ]; then
        forge-tasks init > "$PLACE/noise"
        forge-tasks create "Lay the bricks" --description "One above the other" > "$PLACE/noise"
        forge-tasks create "Paint the wall" --depends-on 1 --ac "It is white" > "$PLACE/noise"
        forge-tasks create "Hang the lamp" > "$PLACE/noise"
    fi
    id=TASK-00$FORKHESTRA_ITERATION
    forge-tasks claim "$id" > "$PLACE/noise"
    echo "claimed $id"
    read go < "$PLACE/gate"
    echo "$id" > "work-$FORKHESTRA_ITERATION"
    forge-tasks edit "$id" --status done > "$PLACE/noise"
    git add work-*
    git -c user.name=t -c user.email=t@t -c commit.gpgsign=false commit --quiet -m "Finish $id"
    echo "That was $id."
    if [ "$FORKHESTRA_ITERATION" = 3 ]; then echo FORKHESTRA_COMPLETE; fi
"#;

#[test]
fn tasks_iterations_and_resume_are_reachable() {
    let project = ProcessProject::with_agent(TASKER);
    make_repository(&project);
    project.gate("gate");
    let run = project.start(&["./agent:2"]);
    run.output().wait_for("claimed TASK-001\n");
    let script = format!("'{}' watch; echo \"left with $?\"; read line", crate::FORKHESTRA);
    let Some(tmux) = Tmux::start(&project, (80, 24), &script) else {
        project.open_gate("gate");
        project.open_gate("gate");
        drop(run.ended());
        return;
    };
    // The task is on the screen without a search.
    tmux.wait_for("TASK-001 Lay the bricks");
    tmux.wait_for("0 of 3 tasks done");
    tmux.wait_for("3 Tasks 0/3");
    project.open_gate("gate");
    tmux.wait_for("TASK-002 Paint the wall");
    tmux.wait_for("1 of 3 tasks done");
    tmux.wait_for("3 Tasks 1/3");
    tmux.press("3");
    tmux.press("Enter");
    tmux.wait_for("Task TASK-002");
    tmux.wait_for("It is white");
    tmux.press("Escape");
    tmux.wait_for("In Progress 1");
    tmux.press("[");
    tmux.press("Tab");
    tmux.press("Enter");
    tmux.wait_for("Iteration 1");
    tmux.wait_for("finished TASK-001 Lay the bricks");
    tmux.wait_for("Finish TASK-001");
    tmux.press("End");
    tmux.wait_for("That was TASK-001.");
    tmux.press("Escape");
    project.open_gate("gate");
    assert_eq!(run.ended().code, Some(1));
    tmux.wait_for("R resume");
    tmux.press("y");
    tmux.wait_for("Resume command");
    let command = format!("forkhestra resume {} --max-iterations 4", project.run_id());
    tmux.wait_for(&command);
    let copied = within(TIMEOUT, || (tmux.order(&["show-buffer"]) == command).then_some(()));
    assert!(copied.is_some(), "{}", tmux.order(&["show-buffer"]));
    tmux.press("x");
    tmux.press("R");
    tmux.wait_for("Resume this run?");
    tmux.press("y");
    tmux.wait_for_event("run_resumed");
    tmux.wait_for("TASK-003 Hang the lamp");
    project.open_gate("gate");
    tmux.wait_for("all tasks are done");
    tmux.wait_for("complete");
    assert_eq!(project.started(), ["1.1", "1.2", "1.3"]);
    tmux.press("q");
    tmux.wait_for("left with 0");
    tmux.press("Enter");
    project.wait_until_empty();
}
