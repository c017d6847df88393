//! The shell and the terminal: completions, PATH, and whether texts come out right.

use std::fs;
use std::path::{Path, PathBuf};

use super::finding::{Finding, Subject};
use crate::project::Environment;

/// What is to be said of them.
pub(super) fn findings(environment: &Environment, is_terminal: bool) -> Vec<Finding> {
    let mut findings = vec![completions(environment)];
    findings.extend(path(environment));
    findings.extend(locale(environment));
    findings.extend(terminal(environment).filter(|_| is_terminal));
    findings
}

/// A shell that can complete our command lines. One script is for all three programs, and a shell that
/// loads scripts by the name of a program has to find it under each of these.
struct Shell {
    name: &'static str,
    /// Where a file for it may be; the first one, below the home, is where it belongs.
    files: &'static [&'static str],
    /// What it reads when it starts.
    startup: &'static str,
}

impl Shell {
    /// The command that has the shell complete all three programs from its next start on. A script in a
    /// directory of completions would be found for the one program that its file is named after.
    fn install(&self) -> String {
        let Self { name, startup, .. } = self;
        let directory = Path::new(startup).parent().filter(|path| *path != Path::new(""));
        let make = directory.map(|path| format!("mkdir -p ~/{} && ", path.display()));
        let line = match *name {
            "fish" => "forkhestra completions fish | source",
            "zsh" => "source <(forkhestra completions zsh)",
            _ => "source <(forkhestra completions bash)",
        };
        format!("{}echo '{line}' >> ~/{startup}", make.unwrap_or_default())
    }
}

const SHELLS: [Shell; 3] = [
    Shell {
        name: "bash",
        files: &[
            ".local/share/bash-completion/completions/forkhestra",
            "/etc/bash_completion.d/forkhestra",
            "/usr/share/bash-completion/completions/forkhestra",
            "/usr/local/share/bash-completion/completions/forkhestra",
        ],
        startup: ".bashrc",
    },
    Shell {
        name: "zsh",
        files: &[
            ".zfunc/_forkhestra",
            ".local/share/zsh/site-functions/_forkhestra",
            "/usr/share/zsh/site-functions/_forkhestra",
            "/usr/local/share/zsh/site-functions/_forkhestra",
        ],
        startup: ".zshrc",
    },
    Shell {
        name: "fish",
        files: &[
            ".config/fish/completions/forkhestra.fish",
            "/etc/fish/completions/forkhestra.fish",
            "/usr/share/fish/vendor_completions.d/forkhestra.fish",
        ],
        startup: ".config/fish/config.fish",
    },
];

fn completions(environment: &Environment) -> Finding {
    let subject = Subject::Shell;
    let shell = environment.variable("SHELL").map(PathBuf::from);
    let name = shell.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy());
    let Some(shell) = SHELLS.iter().find(|shell| name.as_deref() == Some(shell.name)) else {
        return subject.note("completions: your shell is not known to be bash, zsh or fish");
    };
    let Shell { name, files, startup } = shell;
    // An absolute path stays what it is.
    let home = environment.variable("HOME").map(PathBuf::from).unwrap_or_default();
    let found = files.iter().map(|file| home.join(file)).find(|file| file.is_file());
    if let Some(file) = found {
        let shown = environment.shortened(&file.to_string_lossy());
        return subject.ok(format!("completions for {name} are installed ({shown})"));
    }
    let startup_file = home.join(startup);
    let text = fs::read_to_string(startup_file).unwrap_or_default();
    if text.lines().any(|line| line.contains("forkhestra") && is_about_completions(line)) {
        return subject.ok(format!("completions for {name} are installed (~/{startup})"));
    }
    subject.note(format!("{name} does not complete the three programs yet")).remedy(shell.install())
}

fn is_about_completions(line: &str) -> bool {
    !line.trim_start().starts_with('#')
        && (line.contains("completions") || line.contains("COMPLETE="))
}

fn path(environment: &Environment) -> Option<Finding> {
    let subject = Subject::Shell;
    let path = environment.path.as_ref().filter(|path| !path.is_empty());
    let Some(path) = path else {
        let what = "PATH is not set, so no program is found by its name";
        return Some(subject.broken(what).remedy("set PATH"));
    };
    let relative: Vec<String> = std::env::split_paths(path)
        .filter(|place| !place.is_absolute())
        .map(|place| format!("`{}`", place.display()))
        .collect();
    let first = relative.first()?;
    let what =
        format!("PATH has the relative entry {first}: which agent is run depends on the directory");
    Some(subject.warning(what).remedy("take it out of PATH, or make it absolute"))
}

fn locale(environment: &Environment) -> Option<Finding> {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let set = names.iter().find_map(|name| Some((name, environment.variable(name)?)));
    let says_utf8 = |value: &str| {
        let value = value.to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    };
    let what = match set {
        Some((_, value)) if says_utf8(&value.to_string_lossy()) => return None,
        Some((name, value)) => {
            format!("the locale is not UTF-8 ({name}={})", value.to_string_lossy())
        }
        None => "no locale is set (LANG)".to_owned(),
    };
    let what = format!("{what}: some agents then print question marks");
    Some(Subject::Shell.note(what).remedy("export LANG=C.UTF-8"))
}

fn terminal(environment: &Environment) -> Option<Finding> {
    let term = environment.term.as_ref().filter(|term| !term.is_empty());
    let what = match term {
        Some(term) if term != "dumb" => return None,
        Some(_) => "TERM is `dumb`",
        None => "TERM is not set",
    };
    Some(Subject::Shell.note(format!("{what}: runs have no live status line")))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let inherited: Vec<(OsString, OsString)> =
            variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let value = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let (path, home, term) = (value("PATH"), value("HOME"), value("TERM"));
        Environment { path, home, term, inherited, ..Environment::default() }
    }

    #[test]
    fn completions_are_found_in_a_file_or_at_the_start_of_the_shell() {
        let home = tempfile::tempdir().expect("there is room");
        let place = home.path().to_str().expect("a plain name");
        let told = |shell: &str| {
            completions(&environment(&[("SHELL", shell), ("HOME", place)])).to_string()
        };
        assert_eq!(
            told("/usr/bin/fish"),
            "note: fish does not complete the three programs yet \
             [mkdir -p ~/.config/fish && echo 'forkhestra completions fish | source' >> \
             ~/.config/fish/config.fish]"
        );
        let files = home.path().join(".config/fish/completions");
        fs::create_dir_all(&files).expect("the home is ours");
        fs::write(files.join("forkhestra.fish"), "").expect("the home is ours");
        assert!(told("/usr/bin/fish").starts_with("ok: "), "{}", told("/usr/bin/fish"));
        let startup = home.path().join(".bashrc");
        fs::write(&startup, "# forkhestra completions bash\n").expect("the home is ours");
        assert!(told("/bin/bash").starts_with("note: "));
        fs::write(&startup, "source <(COMPLETE=bash forkhestra)\n").expect("the home is ours");
        assert!(told("/bin/bash").starts_with("ok: "));
        assert!(told("/bin/rc").starts_with("note: completions: your shell is not known"));
    }

    #[test]
    fn a_path_is_set_and_absolute() {
        assert!(path(&environment(&[("PATH", "/bin:/usr/bin")])).is_none());
        let told = |value| path(&environment(&[("PATH", value)])).expect("a finding").to_string();
        assert!(told("").starts_with("broken: PATH is not set"));
        assert!(told("/bin:bin").starts_with("warning: PATH has the relative entry `bin`"));
    }

    #[test]
    fn the_first_variable_that_is_set_decides_the_locale() {
        for (variables, is_good) in [
            (&[("LANG", "en_GB.UTF-8")][..], true),
            (&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")], false),
            (&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8")], true),
            (&[], false),
        ] {
            assert_eq!(locale(&environment(variables)).is_none(), is_good, "{variables:?}");
        }
    }

    #[test]
    fn a_terminal_that_cannot_erase_is_told() {
        for (term, is_good) in [(Some("xterm"), true), (Some("dumb"), false), (None, false)] {
            let variables: Vec<(&str, &str)> = term.iter().map(|term| ("TERM", *term)).collect();
            assert_eq!(terminal(&environment(&variables)).is_none(), is_good, "{term:?}");
        }
    }
}
