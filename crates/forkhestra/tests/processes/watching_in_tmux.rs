//! The whole of watching and steering, as a person does it in a second terminal.

use std::path::PathBuf;
use std::process::Command;

use testkit::{BOUND, say_skipped, within};

use crate::support::{World, eventually};

/// Says which iteration it is and what it was told, and waits to be let go on.
const PATIENT: &str = r#"
    echo "begun $n"
    env | grep -c 'Mind the gap' | sed 's/^/told /'
    read go < "$PLACE/gate"
    echo "ended $n"
"#;

/// A terminal in a terminal multiplexer, and whoever types there.
struct Tmux<'w> {
    world: &'w World,
    socket: PathBuf,
}

impl<'w> Tmux<'w> {
    /// A terminal in which this is run by a shell; none where there is no tmux.
    fn start(world: &'w World, script: &str) -> Option<Self> {
        let tmux = Self { world, socket: world.place("tmux") };
        if world.surrounded("tmux").arg("-V").output().is_err() {
            say_skipped("there is no tmux here");
            return None;
        }
        tmux.order(&["new-session", "-d", "-x", "100", "-y", "30", script]);
        Some(tmux)
    }

    fn command(&self) -> Command {
        let mut command = self.world.surrounded("tmux");
        command.arg("-S").arg(&self.socket).args(["-f", "/dev/null", "-u"]);
        command
    }

    #[track_caller]
    fn order(&self, words: &[&str]) -> String {
        let output = self.command().args(words).output().expect("tmux can be started");
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What is to be seen now.
    #[track_caller]
    fn screen(&self) -> String {
        self.order(&["capture-pane", "-p"])
    }

    #[track_caller]
    fn wait_for(&self, text: &str) {
        let seen = within(BOUND, || self.screen().contains(text).then_some(()));
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
        // It is gone already if all went well.
        let _ = self.command().arg("kill-server").output();
    }
}

#[test]
fn a_run_is_watched_told_paused_continued_and_stopped() {
    let world = World::with_agent(PATIENT);
    world.gate("gate");
    let run = world.start(&["./agent:9"]);
    run.output().wait_for("begun 1.1\n");
    let script = format!("'{}' watch; echo \"left with $?\"; read line", crate::FORKHESTRA);
    let Some(tmux) = Tmux::start(&world, &script) else {
        world.open_gate("gate");
        return;
    };
    tmux.wait_for("begun 1.1");
    tmux.wait_for(&world.run_id());
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
    world.open_gate("gate");
    tmux.wait_for_event("messages_given");
    tmux.wait_for("begun 1.2");
    tmux.press("s");
    tmux.wait_for_event("stop_requested");
    tmux.wait_for("stops after this iteration");
    world.open_gate("gate");
    let ended = run.ended();
    assert!(ended.stdout.contains("ended 1.2"), "{ended}");
    assert_eq!(world.started(), ["1.1", "1.2"]);
    tmux.wait_for("forkhestra resume");
    tmux.press("q");
    tmux.wait_for("left with 0");
    tmux.press("Enter");
    world.wait_until_empty();
}
