//! Maps SGR sequences to styles.

use ratatui::style::{Color, Modifier, Style};

/// The sixteen standard colours by number.
const NAMED_COLORS: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

/// Applies SGR parameters such as `1;31` to a style. Unknown parameters and blinking are ignored.
pub(super) fn changed(style: Style, parameters: &str) -> Style {
    let mut style = style;
    let mut rest = parameters.split(';');
    while let Some(parameter) = rest.next() {
        let mut parts = parameter.split(':');
        let Some(number) = number(parts.next()) else { continue };
        style = match number {
            38 | 48 => {
                // Either `38:5:n` and `38:2::r:g:b`, or the same as separate parameters.
                let color = match parameter.contains(':') {
                    true => color_in(&parts.collect::<Vec<_>>()),
                    false => color_of(&mut rest),
                };
                match color {
                    Some(color) if number == 38 => style.fg(color),
                    Some(color) => style.bg(color),
                    None => style,
                }
            }
            4 if parts.next() == Some("0") => style.remove_modifier(Modifier::UNDERLINED),
            number => simple(style, number),
        };
    }
    style
}

fn simple(style: Style, number: u16) -> Style {
    match number {
        0 => Style::new(),
        1 => style.add_modifier(Modifier::BOLD),
        2 => style.add_modifier(Modifier::DIM),
        3 => style.add_modifier(Modifier::ITALIC),
        4 | 21 => style.add_modifier(Modifier::UNDERLINED),
        7 => style.add_modifier(Modifier::REVERSED),
        // Concealed text (8) is shown, so that an agent cannot hide output.
        9 => style.add_modifier(Modifier::CROSSED_OUT),
        22 => style.remove_modifier(Modifier::BOLD | Modifier::DIM),
        23 => style.remove_modifier(Modifier::ITALIC),
        24 => style.remove_modifier(Modifier::UNDERLINED),
        27 => style.remove_modifier(Modifier::REVERSED),
        29 => style.remove_modifier(Modifier::CROSSED_OUT),
        30..=37 => style.fg(named(number - 30)),
        39 => Style { fg: None, ..style },
        40..=47 => style.bg(named(number - 40)),
        49 => Style { bg: None, ..style },
        90..=97 => style.fg(named(number - 90 + 8)),
        100..=107 => style.bg(named(number - 100 + 8)),
        _ => style,
    }
}

/// A colour in separate parameters.
fn color_of<'a>(rest: &mut impl Iterator<Item = &'a str>) -> Option<Color> {
    match number(rest.next())? {
        5 => Some(indexed(byte(rest.next())?)),
        2 => Some(Color::Rgb(byte(rest.next())?, byte(rest.next())?, byte(rest.next())?)),
        _ => None,
    }
}

/// A colour in one parameter, after its first part.
fn color_in(parts: &[&str]) -> Option<Color> {
    match parts {
        ["5", index] => Some(indexed(byte(Some(index))?)),
        // An optional colour space is ignored.
        ["2", red, green, blue] | ["2", _, red, green, blue, ..] => {
            Some(Color::Rgb(byte(Some(red))?, byte(Some(green))?, byte(Some(blue))?))
        }
        _ => None,
    }
}

fn indexed(index: u8) -> Color {
    NAMED_COLORS.get(usize::from(index)).copied().unwrap_or(Color::Indexed(index))
}

fn named(number: u16) -> Color {
    NAMED_COLORS[usize::from(number)]
}

fn byte(text: Option<&str>) -> Option<u8> {
    number(text).and_then(|number| u8::try_from(number).ok())
}

/// A number; an empty one is zero.
fn number(text: Option<&str>) -> Option<u16> {
    match text? {
        "" => Some(0),
        text => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_what_terminals_make_of_them() {
        let plain = Style::new();
        for (parameters, expected) in [
            ("", plain),
            ("0", plain),
            ("1;31", plain.fg(Color::Red).add_modifier(Modifier::BOLD)),
            ("97;100", plain.fg(Color::White).bg(Color::DarkGray)),
            ("38;5;1", plain.fg(Color::Red)),
            ("38;5;200", plain.fg(Color::Indexed(200))),
            ("48;2;1;2;3", plain.bg(Color::Rgb(1, 2, 3))),
            ("38:2::1:2:3", plain.fg(Color::Rgb(1, 2, 3))),
            ("38:2:1:2:3", plain.fg(Color::Rgb(1, 2, 3))),
            ("38:5:9;4", plain.fg(Color::LightRed).add_modifier(Modifier::UNDERLINED)),
            ("31;39", plain),
            ("31;0;2", plain.add_modifier(Modifier::DIM)),
            // Not understood.
            ("38;5", plain),
            ("38;5;300", plain),
            ("38;9;1", plain.add_modifier(Modifier::BOLD)),
            ("999;99999999999;5;8", plain),
        ] {
            assert_eq!(changed(plain, parameters), expected, "{parameters:?}");
        }
    }

    #[test]
    fn text_attributes_can_be_switched_off() {
        let bold = changed(Style::new(), "1;3;4;7;9");
        let off = changed(bold, "22;23;24;27;29");
        assert!(off.add_modifier.is_empty(), "{off:?}");
        assert!(changed(changed(Style::new(), "4"), "4:0").add_modifier.is_empty());
    }
}
