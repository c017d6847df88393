//! Readability on dark and light terminals, with and without colours.

use typeset::color_mode::PrintStyle;

use super::output::print;
use super::run_script;
use super::test_screen::TestScreen;
use crate::msg::Msg;

/// The views of a run, each with the keys that open it.
const VIEWS: [&str; 9] = ["", "[[c", "3", "m", "5", "<Tab>", "[[<Enter>", "3<Enter>", "?"];

fn opened(keys: &str, style: PrintStyle) -> TestScreen {
    let mut screen = TestScreen::inked((120, 40), &run_script::stopping(), style);
    print(&mut screen);
    screen.send(Msg::Tasks { run: run_script::run(), board: Some(Ok(run_script::board())) });
    screen.press(keys);
    screen
}

#[test]
fn the_title_that_has_the_focus_is_not_dim() {
    for (keys, title) in [("", "Output"), ("c", "Checks"), ("<Tab>", "Iterations")] {
        let mut screen = TestScreen::of_run((120, 40), &run_script::at_work());
        screen.press(keys);
        let cells = screen.cells_of(title);
        assert!(cells.iter().all(|cell| !cell.dim()), "{title}");
    }
}

#[test]
fn the_title_that_has_the_focus_stands_out_without_colours() {
    for style in [PrintStyle::new(true), PrintStyle::new(false)] {
        for (keys, focused, other) in [
            ("", "1 Output", "Iterations"),
            ("c", "2 Checks", "1 Output"),
            ("<Tab>", "Iterations", "1 Output"),
        ] {
            let screen = opened(keys, style);
            assert!(screen.cells_of(focused).iter().all(|cell| cell.inverse()), "{focused}");
            assert!(screen.cells_of(other).iter().all(|cell| !cell.inverse()), "{other}");
        }
    }
}

/// Yellow and cyan words are unreadable on most light terminals. A word has the default text colour
/// of the terminal, and the sign beside it is coloured.
#[test]
fn text_has_the_terminals_colour() {
    for keys in VIEWS {
        let screen = opened(keys, PrintStyle::new(true));
        for cell in screen.cells() {
            let is_letter = cell.contents().chars().any(char::is_alphanumeric);
            let is_sign = matches!(cell.contents(), "Δ");
            let is_plain = cell.fgcolor() == vt100::Color::Default;
            assert!(
                !is_letter || is_sign || is_plain,
                "{keys} {:?}\n{}",
                cell.contents(),
                screen.text()
            );
        }
    }
}

/// Dim text is hard to read on some terminals. Only lines and hints are dim.
#[test]
fn hardly_any_text_is_dim() {
    for keys in VIEWS {
        let screen = opened(keys, PrintStyle::new(true));
        let letters: Vec<&vt100::Cell> = screen
            .cells()
            .filter(|cell| cell.contents().chars().any(char::is_alphanumeric))
            .collect();
        let dim = letters.iter().filter(|cell| cell.dim()).count();
        assert!(dim * 10 < letters.len(), "{keys}: {dim} of {}\n{}", letters.len(), screen.text());
    }
}
