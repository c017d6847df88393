//! The figures as a Markdown table that is readable as plain text, too.

use super::figure::Figure;

const HEADINGS: [&str; 5] = ["work", "measured", "value", "limit", "verdict"];

pub(crate) fn render(figures: &[Figure]) -> String {
    let rows: Vec<[String; 5]> = figures.iter().map(row).collect();
    let mut widths = HEADINGS.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut lines = vec![
        line(&HEADINGS.map(str::to_owned), &widths),
        line(&widths.map(|width| "-".repeat(width)), &widths),
    ];
    lines.extend(rows.iter().map(|row| line(row, &widths)));
    lines.join("\n")
}

fn row(figure: &Figure) -> [String; 5] {
    let verdict = if figure.is_met() { "ok" } else { "MISSED" };
    [
        figure.work.clone(),
        figure.what.to_owned(),
        figure.shown_value(),
        figure.shown_limit(),
        verdict.to_owned(),
    ]
}

fn line(cells: &[String; 5], widths: &[usize; 5]) -> String {
    let padded: Vec<String> =
        cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
    format!("| {} |", padded.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::super::figure::{FigureLimit, FigureUnit};
    use super::*;

    #[test]
    fn columns_are_aligned_and_a_missed_limit_stands_out() {
        let figures = [
            Figure {
                work: "`tool`".to_owned(),
                what: "CPU time",
                value: 2.345,
                limit: FigureLimit::AtMost(3.0),
                unit: FigureUnit::Times,
            },
            Figure {
                work: "`tool --help`".to_owned(),
                what: "peak memory",
                value: 12.06,
                limit: FigureLimit::AtMost(12.0),
                unit: FigureUnit::Mebibytes,
            },
            Figure {
                work: "`tool -x`".to_owned(),
                what: "calls",
                value: 2.0,
                limit: FigureLimit::Exactly(2.0),
                unit: FigureUnit::Calls,
            },
        ];
        let expected = "\
| work          | measured    | value    | limit            | verdict |
| ------------- | ----------- | -------- | ---------------- | ------- |
| `tool`        | CPU time    | 2.35x    | at most 3.00x    | ok      |
| `tool --help` | peak memory | 12.1 MiB | at most 12.0 MiB | MISSED  |
| `tool -x`     | calls       | 2        | exactly 2        | ok      |";
        assert_eq!(render(&figures), expected);
    }
}
