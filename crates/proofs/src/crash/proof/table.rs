//! The number of points by kind of call and moment.

use super::point::{CallMoment, Point, Victim};
use super::system_call::SystemCall;

/// One column for each moment.
const COLUMNS: usize = CallMoment::ALL.len();

/// A Markdown table that is readable as plain text, too.
pub(super) fn render(points: &[Point]) -> String {
    let mut rows: Vec<(String, [usize; COLUMNS])> = Vec::new();
    for call in SystemCall::ALL {
        let of_kind: Vec<&Point> = points.iter().filter(|one| one.place.call == call).collect();
        if !of_kind.is_empty() {
            rows.push((call.to_string(), count_by_moment(&of_kind)));
        }
    }
    rows.push(("all".to_owned(), count_by_moment(&points.iter().collect::<Vec<_>>())));

    let mut lines = vec![
        line(&["killed at", "before it", "during it", "after it", "all"]),
        line(&["---------", "--------:", "--------:", "--------:", "--------:"]),
    ];
    for (name, counts) in rows {
        let all: usize = counts.iter().sum();
        let numbers: Vec<String> = counts.iter().chain([&all]).map(ToString::to_string).collect();
        let cells: Vec<&str> = std::iter::once(&name).chain(&numbers).map(String::as_str).collect();
        lines.push(line(&cells));
    }
    lines.join("\n")
}

/// The number of kills by victim.
pub(super) fn victims(points: &[Point]) -> String {
    let count = |victim| points.iter().filter(|point| point.victim == victim).count();
    let [maker, other, both] = Victim::ALL.map(count);
    format!(
        "killed: {maker} times who made the call, {other} times the other one, {both} times both"
    )
}

fn count_by_moment(points: &[&Point]) -> [usize; COLUMNS] {
    CallMoment::ALL.map(|moment| points.iter().filter(|point| point.moment == moment).count())
}

fn line(cells: &[&str]) -> String {
    let padded = cells
        .iter()
        .enumerate()
        .map(|(at, cell)| if at == 0 { format!("{cell:<9}") } else { format!("{cell:>9}") });
    format!("| {} |", padded.collect::<Vec<_>>().join(" | "))
}

#[cfg(test)]
mod tests {
    use super::super::point::CallSite;
    use super::*;

    #[test]
    fn points_are_counted_by_kind_and_summed() {
        let point = |call, moment, victim| {
            let site = CallSite { thread: 1, call };
            Point { place: site, number: 1, moment, victim }
        };
        let points = [
            point(SystemCall::Sync, CallMoment::Before, Victim::Maker),
            point(SystemCall::Sync, CallMoment::Before, Victim::Both),
            point(SystemCall::Sync, CallMoment::After, Victim::Both),
            point(SystemCall::Spawn, CallMoment::During, Victim::Other),
        ];
        let expected = "\
| killed at | before it | during it |  after it |       all |
| --------- | --------: | --------: | --------: | --------: |
| sync      |         2 |         0 |         1 |         3 |
| spawn     |         0 |         1 |         0 |         1 |
| all       |         2 |         1 |         1 |         4 |";
        assert_eq!(render(&points), expected);
        assert_eq!(
            victims(&points),
            "killed: 1 times who made the call, 1 times the other one, 2 times both"
        );
    }
}
