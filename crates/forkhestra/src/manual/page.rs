//! One manual page.

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};

use super::sections::{Help, of_program};
use crate::version;

/// A manual page.
pub(crate) struct Page {
    /// What it is called, as in `forkhestra-resume`.
    pub(crate) name: String,
    /// Its text, for `man`.
    pub(crate) text: String,
}

/// What the page of a command is called.
pub(super) fn name_of(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

impl Page {
    /// The page of a program, or of a verb.
    pub(super) fn of(program: &'static str, command: &Command) -> Self {
        let name = name_of(command);
        let mut text = Roff::new().render() + &title(program, &name) + &generated(command);
        let help = Help::read(command);
        let mut roff = Roff::new();
        for paragraph in &help.paragraphs {
            roff.control("PP", []).text([roman(paragraph)]);
        }
        text.push_str(&body(&roff));
        text.push_str(&options(command));
        let mut roff = Roff::new();
        examples(&mut roff, &help.examples);
        exit_status(&mut roff, help.exit_codes.as_deref(), program);
        if name == program {
            for (heading, entries) in of_program(program) {
                definitions(&mut roff, heading, entries);
            }
        }
        see_also(&mut roff, program, &name, command);
        text.push_str(&body(&roff));
        Self { name, text: in_ascii(&text) }
    }
}

/// The title. It has no date, so that the same program makes the same pages.
fn title(program: &str, name: &str) -> String {
    let name = name.to_uppercase();
    format!(".TH {name} 1 \"\" \"{program} {}\" \"User Commands\"\n", version::CURRENT)
}

/// From the name to the description.
fn generated(command: &Command) -> String {
    let man = Man::new(command.clone());
    written(|out| {
        man.render_name_section(out)?;
        man.render_synopsis_section(out)?;
        man.render_description_section(out)
    })
}

fn options(command: &Command) -> String {
    let man = Man::new(command.clone());
    let mut text = written(|out| {
        if command.get_arguments().any(|arg| !arg.is_hide_set()) {
            man.render_options_section(out)?;
        }
        if command.get_subcommands().any(|verb| !verb.is_hide_set()) {
            man.render_subcommands_section(out)?;
        }
        Ok(())
    });
    for heading in command.get_arguments().filter_map(|arg| arg.get_help_heading()) {
        text = with_remark_below(&text, heading);
    }
    text
}

/// Headings are set in capitals. What stands there in parentheses is no heading, and may name words
/// that are written as they are.
fn with_remark_below(text: &str, heading: &str) -> String {
    let Some((name, remark)) = heading.strip_suffix(')').and_then(|text| text.split_once(" ("))
    else {
        return text.to_owned();
    };
    let section = |heading: &str| body(Roff::new().control("SH", [heading]));
    let mut below = Roff::new();
    below.control("SH", [name.to_uppercase().as_str()]).text([roman(capitalised(remark) + ".")]);
    text.replace(&section(&heading.to_uppercase()), &body(&below))
}

fn examples(roff: &mut Roff, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    roff.control("SH", ["EXAMPLES"]).control("nf", []);
    for line in lines {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
}

fn exit_status(roff: &mut Roff, own: Option<&str>, program: &str) {
    roff.control("SH", ["EXIT STATUS"]);
    match own {
        Some(codes) => roff.text([roman(codes)]),
        None => roff.text([roman("That of "), bold(program), roman("(1).")]),
    };
}

fn definitions(roff: &mut Roff, heading: &str, entries: &[(&str, &str)]) {
    roff.control("SH", [heading]);
    for (name, about) in entries {
        roff.control("TP", []).text([bold(*name)]).text([roman(*about)]);
    }
}

/// The other programs, or the program and the verbs beside this one.
fn see_also(roff: &mut Roff, program: &str, name: &str, command: &Command) {
    let above = name.rsplit_once('-').map(|(above, _)| above);
    let mut others: Vec<String> =
        ["forkhestra", "forge-tasks", "ralph-runner"].map(str::to_owned).into();
    if name != program {
        others = vec![program.to_owned()];
        others.extend(above.filter(|above| above.len() > program.len()).map(str::to_owned));
    }
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    others.extend(verbs.map(name_of));
    others.retain(|other| other != name);
    roff.control("SH", ["SEE ALSO"]);
    let mut line: Vec<Inline> = Vec::new();
    for (index, other) in others.iter().enumerate() {
        line.push(roman(if index == 0 { "" } else { ", " }));
        line.extend([bold(other), roman("(1)")]);
    }
    roff.text(line);
}

/// Not every program that shows pages expects another encoding.
fn in_ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter.is_ascii() {
            true => ascii.push(letter),
            false => ascii.push_str(&format!("\\[u{:04X}]", u32::from(letter))),
        }
    }
    ascii
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// A part of a page: only its beginning says how apostrophes are set.
fn body(roff: &Roff) -> String {
    without_beginning(&roff.render())
}

fn without_beginning(text: &str) -> String {
    text.replace(&Roff::new().render(), "")
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("memory can be written to");
    without_beginning(&String::from_utf8(bytes).expect("it is made of texts"))
}
