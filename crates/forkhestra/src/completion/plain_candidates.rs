//! Leaves out candidates that a shell would interpret.
//!
//! Chains, agents and files are named by the project, and bash and PowerShell put a candidate into the command line as it
//! is. A name such as `x$(cmd)` would execute a command when the line is entered. The other shells quote candidates.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use clap::Command;
use clap_complete::env::EnvCompleter;

/// The separator of candidates, which the script of bash sets.
const SEPARATOR_VARIABLE: &str = "_CLAP_IFS";
/// The position of the completed word, which the script of bash sets.
const INDEX_VARIABLE: &str = "_CLAP_COMPLETE_INDEX";

/// The characters besides letters and digits that no shell interprets inside a word.
const PLAIN: &str = "-_./:@%+,=";

/// The completer of a shell that does not quote candidates.
pub(super) struct PlainCandidates<C>(pub(super) C);

impl<C: EnvCompleter> EnvCompleter for PlainCandidates<C> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn is(&self, name: &str) -> bool {
        self.0.is(name)
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        buf: &mut dyn io::Write,
    ) -> io::Result<()> {
        self.0.write_registration(var, name, bin, completer, buf)
    }

    fn write_complete(
        &self,
        cmd: &mut Command,
        args: Vec<OsString>,
        current_dir: Option<&Path>,
        buf: &mut dyn io::Write,
    ) -> io::Result<()> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let index = variable(INDEX_VARIABLE).and_then(|index| index.parse::<usize>().ok());
        let word = index.map_or_else(|| args.last(), |index| args.get(index));
        let typed = word.map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
        let separator = variable(SEPARATOR_VARIABLE).unwrap_or_else(|| "\n".to_owned());
        let mut all = Vec::new();
        self.0.write_complete(cmd, args, current_dir, &mut all)?;
        let all = String::from_utf8_lossy(&all);
        buf.write_all(plain(&all, &separator, &typed).as_bytes())
    }
}

/// The candidates without those that add characters to the typed word which a shell interprets. A description follows a
/// tab.
fn plain(all: &str, separator: &str, typed: &str) -> String {
    let is_plain = |candidate: &&str| {
        let value = candidate.split('\t').next().unwrap_or_default();
        let added = value.strip_prefix(typed).unwrap_or(value);
        added.chars().all(|c| c.is_alphanumeric() || PLAIN.contains(c))
    };
    all.split(separator).filter(is_plain).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_that_a_shell_interprets_are_left_out() {
        for active in [
            "x$(id)", "x`id`", "x;id", "x|id", "x&id", "x>y", "x y", "x\\y", "x'y", "x\"y", "x*",
            "x!1", "x#", "x\ny",
        ] {
            assert_eq!(
                plain(&format!("{active}\u{b}xylophone"), "\u{b}", "x"),
                "xylophone",
                "{active}"
            );
        }
        for fine in ["my:maker", "a-b_c.d/e", "größe", "--chain=x", "a@1%2+3,4"] {
            assert_eq!(plain(fine, "\u{b}", ""), fine);
        }
    }

    #[test]
    fn what_the_user_typed_stays() {
        assert_eq!(plain("owl:3 -> maker\nowl:3 -> $(id)", "\n", "owl:3 -> "), "owl:3 -> maker");
        assert_eq!(
            plain("maker\tbuilds (a lot)\n$(id)\tno\n", "\n", ""),
            "maker\tbuilds (a lot)\n"
        );
    }
}
