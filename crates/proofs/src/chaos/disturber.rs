//! Disturbs a run, and records what was done. Agents disturb it as well.

use std::collections::BTreeSet;
use std::fs;
use std::time::Instant;

use rustix::process::{Signal, kill_process};
use testkit::{TIMEOUT, TestProcess};

use crate::survival::world::ProofWorld;

use super::output_reader::OutputReader;
use super::progress;
use super::run_session::ActiveSession;
use super::session_facts;
use crate::chaos::script::disturbance::{Disturbance, DisturbanceAction, DisturbanceTarget, name};

impl ActiveSession<'_> {
    pub(super) fn act(&mut self, disturbance: &Disturbance) {
        let choice = usize::try_from(disturbance.later.as_micros()).unwrap_or(0);
        let pick = |target| {
            let members = self.family.members(target);
            (!members.is_empty()).then(|| members[choice % members.len()])
        };
        match &disturbance.what {
            DisturbanceAction::Signal(target, signal) => match pick(*target) {
                Some(process) => self.send(*target, process, *signal),
                None => self.story.log(format!("there is no target: {disturbance}")),
            },
            DisturbanceAction::Twice(target, signal, apart) => {
                for _ in 0..2 {
                    if let Some(process) = self.family.members(*target).first().copied() {
                        self.send(*target, process, *signal);
                    }
                    self.wait(*apart);
                }
            }
            DisturbanceAction::Stop(target, signal, duration) => {
                if let Some(process) = pick(*target) {
                    self.send(*target, process, *signal);
                    self.stopped.push((Instant::now() + *duration, process));
                }
            }
            DisturbanceAction::KillBoth { standing_still } => self.kill_both(*standing_still),
            DisturbanceAction::Ask(request) => self.ask(*request),
            DisturbanceAction::CloseOutput => {
                self.story.log("the output is not read any more");
                self.facts.closed.get_or_insert(session_facts::now());
                self.stdout.iter().for_each(OutputReader::close);
            }
            DisturbanceAction::LeaveUnread(time) => {
                self.story.log(format!("the output is not read for {time:?}"));
                self.facts.left_unread = true;
                self.stdout.iter().for_each(OutputReader::leave_unread);
                self.unread_until = Some(Instant::now() + *time);
            }
        }
    }

    fn kill_both(&mut self, standing_still: bool) {
        self.family.find_runner();
        let both = [DisturbanceTarget::Runner, DisturbanceTarget::Guard];
        let both = both.map(|target| (target, self.family.members(target).first().copied()));
        let both = both.into_iter().filter_map(|(target, process)| Some((target, process?)));
        let both: Vec<(DisturbanceTarget, TestProcess)> = both.collect();
        for (target, process) in both.iter().filter(|_| standing_still) {
            self.send(*target, *process, Signal::STOP);
            testkit::within(TIMEOUT, || (process.is_stopped() || process.is_gone()).then_some(()));
        }
        for (target, process) in both {
            self.send(target, process, Signal::KILL);
        }
    }

    fn send(&mut self, target: DisturbanceTarget, process: TestProcess, signal: Signal) {
        if matches!(target, DisturbanceTarget::Agent | DisturbanceTarget::Below) {
            // The environment would identify the agent, but one that is just being started has none
            // yet.
            self.facts.hit.extend(progress::current_iteration(self.world));
        }
        let at = session_facts::now();
        let sent = kill_process(process.0, signal).is_ok();
        let process_text = process.describe();
        let missed = if sent { "" } else { ": gone" };
        self.story.log(format!("{} to {target:?} {process_text}{missed}", name(signal)));
        if sent {
            self.facts.sent.push((target, signal, at));
        }
    }

    /// Records the attacks of agents on guard and runner.
    pub(super) fn add_attacks(&mut self, before: &BTreeSet<String>) {
        for attack in attacks(self.world).difference(before) {
            self.story.log(format!("an agent made an attack: {attack}"));
            let [_, _, _, signal, target] = attack.split('-').collect::<Vec<_>>()[..] else {
                continue;
            };
            let signal = match signal {
                "KILL" => Signal::KILL,
                "TERM" => Signal::TERM,
                "HUP" => Signal::HUP,
                _ => Signal::INT,
            };
            let target = if target == "guard" {
                DisturbanceTarget::Guard
            } else {
                DisturbanceTarget::Runner
            };
            self.facts.sent.push((target, signal, session_facts::now()));
            self.facts.attacked = true;
        }
    }
}

/// The attacks of agents so far, each a directory.
pub(super) fn attacks(world: &ProofWorld) -> BTreeSet<String> {
    let entries = fs::read_dir(world.shared_file("")).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.starts_with("attack-")).collect()
}
