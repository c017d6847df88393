//! Processes whose keeper was killed.

use rustix::process::Pid;

use super::keeper_command::LaneTag;
use crate::process::system;

/// Finds the processes that killed keepers have left to the runner.
///
/// A process below a living keeper never becomes a child of the runner. So a child of the runner that
/// the runner did not start is from a lost lane, or from the user's own work tree, where programs have
/// no keeper:
///
/// - A process with the tag of a lost lane in its environment belongs to that lane.
/// - One without the tag of any lost lane belongs to the work tree while something runs there, and else
///   to every lost lane: the tag is missing in an emptied environment, and cannot be read in a process
///   that refuses tracing.
#[derive(Debug, Default)]
pub(in crate::process) struct LostProcesses {
    /// The lanes that lost their keeper.
    tags: Vec<LaneTag>,
}

/// To whom a child of the runner belongs that the runner did not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StrangerOwner<'a> {
    Lane(&'a LaneTag),
    /// It has the tag of no lost lane.
    Unknown,
}

impl LostProcesses {
    /// Notes that the keeper of a lane was killed.
    pub(in crate::process) fn add(&mut self, tag: &LaneTag) {
        if !self.tags.contains(tag) {
            self.tags.push(tag.clone());
        }
    }

    /// Notes that nothing is left of a lane.
    pub(in crate::process) fn remove(&mut self, tag: &LaneTag) {
        self.tags.retain(|lost| lost != tag);
    }

    /// The strangers of a lost lane, with their descendants.
    pub(in crate::process) fn of_lane(
        &self,
        tag: &LaneTag,
        strangers: &[Pid],
        is_tree_in_use: bool,
    ) -> Vec<Pid> {
        let belongs = |pid: &Pid| match self.owner(*pid) {
            StrangerOwner::Lane(lane) => lane == tag,
            StrangerOwner::Unknown => !is_tree_in_use,
        };
        with_descendants(strangers.iter().copied().filter(belongs))
    }

    /// The strangers that do not belong to the work tree, without their descendants.
    pub(in crate::process) fn outside_work_tree(
        &self,
        strangers: &[Pid],
        is_tree_in_use: bool,
    ) -> Vec<Pid> {
        let is_outside = |pid: &Pid| match self.owner(*pid) {
            StrangerOwner::Lane(_) => true,
            StrangerOwner::Unknown => !is_tree_in_use,
        };
        strangers.iter().copied().filter(is_outside).collect()
    }

    /// Whether no keeper was killed.
    pub(in crate::process) const fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    fn owner(&self, pid: Pid) -> StrangerOwner<'_> {
        let has_tag = |tag: &&LaneTag| system::has_variable(pid, &tag.name, &tag.value);
        self.tags.iter().find(has_tag).map_or(StrangerOwner::Unknown, StrangerOwner::Lane)
    }
}

fn with_descendants(roots: impl Iterator<Item = Pid>) -> Vec<Pid> {
    roots.flat_map(|root| [vec![root], system::descendants_of(root, &[])].concat()).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// A process with or without the tag of a lane, until its standard input is closed.
    fn process(lane: Option<&str>) -> Child {
        let mut command = Command::new("cat");
        command.stdin(Stdio::piped()).envs(lane.map(|lane| ("LANES", format!("run:{lane}"))));
        command.spawn().expect("cat is there")
    }

    fn tag(lane: &str) -> LaneTag {
        LaneTag { name: "LANES".into(), value: lane.into() }
    }

    #[test]
    fn strangers_belong_to_the_lane_in_their_environment_or_else_to_what_runs() {
        let mut children = [Some("run/1"), Some("run/2"), Some("run/3"), None].map(process);
        let [first, second, third, unknown] = children.each_ref().map(Pid::from_child);
        let strangers = [first, second, third, unknown];
        let mut lost = LostProcesses::default();
        lost.add(&tag("run/1"));
        lost.add(&tag("run/2"));
        // The third lane has not lost its keeper, so its tag says no more than none.
        assert_eq!(lost.of_lane(&tag("run/1"), &strangers, true), [first]);
        assert_eq!(lost.of_lane(&tag("run/2"), &strangers, true), [second]);
        assert_eq!(lost.outside_work_tree(&strangers, true), [first, second]);
        assert_eq!(lost.of_lane(&tag("run/1"), &strangers, false), [first, third, unknown]);
        assert_eq!(lost.outside_work_tree(&strangers, false), strangers);
        lost.remove(&tag("run/1"));
        assert_eq!(lost.outside_work_tree(&strangers, true), [second]);
        for child in &mut children {
            drop(child.stdin.take());
            child.wait().expect("it is our child");
        }
    }
}
