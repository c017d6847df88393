//! The profile for the sandbox of macOS.

use std::fmt::Write;
use std::path::Path;

use super::sandbox_paths::SandboxPaths;

/// Devices and directories that every program writes.
const COMMON: &str = "\
(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\")
  (literal \"/dev/ptmx\") (regex #\"^/dev/ttys[0-9]+$\"))
";

/// The profile of a sandbox: everything can be read except hidden directories, only listed paths
/// can be written, and only own processes can be signalled. The last matching rule decides.
pub(super) fn profile(paths: &SandboxPaths) -> String {
    let mut profile = String::from(
        "(version 1)\n(allow default)\n(deny signal)\n(allow signal (target same-sandbox))\n\
         (deny file-write*)\n",
    );
    profile.push_str(COMMON);
    rule(&mut profile, "allow file-write*", &paths.temporary);
    for path in &paths.writable {
        rule(&mut profile, "allow file-write*", path);
    }
    // The shared directories for temporary files stay readable: they cannot be replaced here.
    let shared = ["/tmp", "/var/tmp", "/run", "/private/tmp", "/private/var/tmp"];
    let is_shared = |path: &Path| shared.iter().any(|shared| path == Path::new(shared));
    for path in paths.hidden.iter().filter(|path| !is_shared(path)) {
        rule(&mut profile, "deny file-read* file-write* network-outbound", path);
        let inside = |inner: &&std::path::PathBuf| inner.starts_with(path) && *inner != path;
        for inner in paths.visible.iter().filter(inside) {
            rule(&mut profile, "allow file-read*", inner);
        }
        for inner in paths.writable.iter().chain([&paths.temporary]).filter(inside) {
            rule(&mut profile, "allow file-read* file-write*", inner);
        }
    }
    // A writable path may be inside a hidden one, as the work tree of a forked run is.
    for path in &paths.read_only {
        rule(&mut profile, "deny file-write*", path);
    }
    profile
}

/// Adds a rule for a path and everything below it.
fn rule(profile: &mut String, action: &str, path: &Path) {
    let quoted = quoted(&path.to_string_lossy());
    // Writing to a string cannot fail.
    let _ = writeln!(profile, "({action} (subpath {quoted}))");
}

/// A string literal of the profile language.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn the_last_rule_for_a_path_is_the_most_specific() {
        let set =
            |paths: &[&str]| -> BTreeSet<PathBuf> { paths.iter().map(PathBuf::from).collect() };
        let paths = SandboxPaths {
            writable: set(&["/h/state/forks/p", "/p"]),
            read_only: set(&["/h/state/forks/p/.git/config", "/p/.git/config", "/p/a \"b\\"]),
            hidden: set(&["/h/state", "/tmp"]),
            visible: set(&["/h/state/run/bin", "/elsewhere"]),
            temporary: "/h/state/run/tmp".into(),
            ..SandboxPaths::default()
        };
        insta::assert_snapshot!(profile(&paths), @r#"
        (version 1)
        (allow default)
        (deny signal)
        (allow signal (target same-sandbox))
        (deny file-write*)
        (allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty")
          (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))
        (allow file-write* (subpath "/h/state/run/tmp"))
        (allow file-write* (subpath "/h/state/forks/p"))
        (allow file-write* (subpath "/p"))
        (deny file-read* file-write* network-outbound (subpath "/h/state"))
        (allow file-read* (subpath "/h/state/run/bin"))
        (allow file-read* file-write* (subpath "/h/state/forks/p"))
        (allow file-read* file-write* (subpath "/h/state/run/tmp"))
        (deny file-write* (subpath "/h/state/forks/p/.git/config"))
        (deny file-write* (subpath "/p/.git/config"))
        (deny file-write* (subpath "/p/a \"b\\"))
        "#);
    }
}
