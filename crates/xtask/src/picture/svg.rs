//! Screens of a terminal as one SVG file, whose frames follow one another by CSS.
//!
//! The terminal has a dark background in light and in dark pages. Each piece of text has a fixed
//! length, so that columns fit with any monospace font.

use std::fmt::{self, Write as _};

use vt100::{Cell, Color, Screen};

/// The size of a cell, and the margin around the text. The title is above it.
const CELL_WIDTH: f64 = 8.4;
const CELL_HEIGHT: f64 = 19.0;
const MARGIN: f64 = 16.0;
const TITLE_HEIGHT: f64 = 32.0;

const SECONDS_PER_FRAME: usize = 5;

const BACKGROUND: &str = "#16181d";
const FOREGROUND: &str = "#d8dce4";

/// The eight colours of terminals, then their bright variants. Each is readable on the background.
const PALETTE: [&str; 16] = [
    "#5b6270", "#ff7a7a", "#7fd88f", "#e8c46a", "#82aaff", "#d59bf6", "#67d4d4", "#d8dce4",
    "#828997", "#ff9a9a", "#a4e8b0", "#f4da93", "#a9c4ff", "#e5bffa", "#95e5e5", "#ffffff",
];

/// Renders screens of the same size. The last one is shown where animation is disabled.
pub(super) fn render(title: &str, frames: &[Screen]) -> String {
    let (rows, columns) = frames.first().map(size).unwrap_or_default();
    let width = 2.0 * MARGIN + f64::from(columns) * CELL_WIDTH;
    let height = TITLE_HEIGHT + f64::from(rows) * CELL_HEIGHT + MARGIN;
    let groups: String = frames.iter().enumerate().map(|(at, frame)| group(at, frame)).collect();
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1} {height:.1}" width="{width:.0}" height="{height:.0}" role="img" aria-label="{title}">
<!-- Made by `cargo xtask picture`; do not edit. -->
<style>
text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: {FOREGROUND}; white-space: pre }}
.b {{ font-weight: bold }}
.d {{ opacity: .6 }}
{animation}</style>
<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>
<text x="50%" y="21" text-anchor="middle" class="d">{title}</text>
{groups}</svg>
"#,
        title = Escaped(title),
        animation = animation(frames.len()),
    )
}

fn size(screen: &Screen) -> (u16, u16) {
    let (rows, columns) = screen.size();
    (rows.get(), columns.get())
}

/// The rules by which one frame after the other is visible.
fn animation(count: usize) -> String {
    let seconds = count * SECONDS_PER_FRAME;
    let mut rules = format!(
        "g {{ visibility: hidden; animation: {seconds}s step-end infinite }}\n\
         g:last-child {{ visibility: visible }}\n\
         @media (prefers-reduced-motion: reduce) {{ g {{ animation: none }} }}\n"
    );
    for at in 0..count {
        let percent = |frame: usize| 100.0 * frame as f64 / count as f64;
        let before = if at == 0 { "" } else { "0% { visibility: hidden } " };
        let _ = writeln!(
            rules,
            "#f{at} {{ animation-name: k{at} }} @keyframes k{at} {{ {before}{:.2}% {{ visibility: visible }} {:.2}% {{ visibility: hidden }} }}",
            percent(at),
            percent(at + 1),
        );
    }
    rules
}

fn group(at: usize, screen: &Screen) -> String {
    let (rows, columns) = size(screen);
    let mut group = format!("<g id=\"f{at}\">\n");
    for row in 0..rows {
        let cells = (0..columns).filter_map(|column| Some((column, screen.cell(row, column)?)));
        for run in runs(cells) {
            run.write(&mut group, row);
        }
    }
    group.push_str("</g>\n");
    group
}

/// Text of one style in a row, without blanks around it.
struct StyledText {
    column: u16,
    width: u16,
    text: String,
    style: TextStyle,
}

#[derive(Clone, Copy, PartialEq)]
struct TextStyle {
    color: Color,
    is_bold: bool,
    is_dim: bool,
}

impl TextStyle {
    fn of(cell: &Cell) -> Self {
        Self { color: cell.fgcolor(), is_bold: cell.bold(), is_dim: cell.dim() }
    }
}

/// Splits a row at changes of style. Two blanks end a run as well, so that columns stay where they
/// are.
fn runs<'a>(cells: impl Iterator<Item = (u16, &'a Cell)>) -> Vec<StyledText> {
    let mut runs: Vec<StyledText> = Vec::new();
    let mut blanks = 0;
    for (column, cell) in cells.filter(|(_, cell)| !cell.is_wide_continuation()) {
        let text = cell.contents();
        if text.trim().is_empty() {
            blanks += 1;
            continue;
        }
        let width = if cell.is_wide() { 2 } else { 1 };
        let style = TextStyle::of(cell);
        match runs.last_mut() {
            Some(run) if run.style == style && blanks < 2 && column > 0 => {
                let gap = column - run.column - run.width;
                run.text.extend((0..gap).map(|_| ' '));
                run.text.push_str(text);
                run.width += gap + width;
            }
            _ => runs.push(StyledText { column, width, text: text.to_owned(), style }),
        }
        blanks = 0;
    }
    runs
}

impl StyledText {
    fn write(&self, to: &mut String, row: u16) {
        let x = MARGIN + f64::from(self.column) * CELL_WIDTH;
        let y = TITLE_HEIGHT + (f64::from(row) + 0.75) * CELL_HEIGHT;
        let length = f64::from(self.width) * CELL_WIDTH;
        let TextStyle { color, is_bold, is_dim } = self.style;
        let class = match (is_bold, is_dim) {
            (true, true) => " class=\"b d\"",
            (true, false) => " class=\"b\"",
            (false, true) => " class=\"d\"",
            (false, false) => "",
        };
        let fill = match fill(color) {
            Some(fill) => format!(" style=\"fill: {fill}\""),
            None => String::new(),
        };
        let text = Escaped(&self.text);
        let _ = writeln!(
            to,
            r#"<text x="{x:.1}" y="{y:.1}" textLength="{length:.1}"{class}{fill}>{text}</text>"#
        );
    }
}

fn fill(color: Color) -> Option<String> {
    match color {
        Color::Default => None,
        Color::Idx(index) => PALETTE.get(usize::from(index)).map(|fill| (*fill).to_owned()),
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
    }
}

/// Text in XML.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                _ => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(output: &str) -> Screen {
        let mut parser = super::super::frames::parser(3, 40);
        parser.process(output.as_bytes());
        parser.screen().clone()
    }

    fn texts(output: &str) -> Vec<String> {
        let svg = group(0, &screen(output));
        svg.lines().filter(|line| line.starts_with("<text")).map(str::to_owned).collect()
    }

    #[test]
    fn a_row_is_split_at_styles_and_at_columns() {
        assert_eq!(
            texts("\x1b[2mab\x1b[0m \x1b[1;31mc d\x1b[0m\r\n  x  y"),
            [
                r#"<text x="16.0" y="46.2" textLength="16.8" class="d">ab</text>"#,
                r##"<text x="41.2" y="46.2" textLength="25.2" class="b" style="fill: #ff7a7a">c d</text>"##,
                r#"<text x="32.8" y="65.2" textLength="8.4">x</text>"#,
                r#"<text x="58.0" y="65.2" textLength="8.4">y</text>"#,
            ]
        );
    }

    #[test]
    fn wide_characters_take_two_cells_and_markup_is_escaped() {
        assert_eq!(
            texts("茶<&>"),
            [r#"<text x="16.0" y="46.2" textLength="42.0">茶&lt;&amp;&gt;</text>"#]
        );
    }

    #[test]
    fn frames_share_the_time_and_the_last_one_stays_without_motion() {
        let rules = animation(2);
        assert!(rules.contains("animation: 10s step-end infinite"), "{rules}");
        assert!(
            rules.contains("k0 { 0.00% { visibility: visible } 50.00% { visibility: hidden } }")
        );
        assert!(rules.contains(
            "k1 { 0% { visibility: hidden } 50.00% { visibility: visible } 100.00% { visibility: hidden } }"
        ));
        let svg = render("a & b", &[screen("one"), screen("two")]);
        assert_eq!(svg.matches("<g id=").count(), 2);
        assert!(svg.contains("aria-label=\"a &amp; b\""), "{svg}");
        assert!(!svg.contains("<script"));
    }
}
