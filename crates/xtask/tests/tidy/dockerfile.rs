//! Checks that the files the image copies exist and are not ignored by Docker.

use crate::workspace::finding::Finding;

/// Where the image is described, and what is kept from it.
const PATH: &str = "Dockerfile";

pub(crate) fn findings(
    dockerfile: &str,
    ignore: &str,
    exists: &dyn Fn(&str) -> bool,
) -> Vec<Finding> {
    let lines = dockerfile.lines().enumerate();
    let copied = lines.flat_map(|(index, line)| copied(line).map(move |path| (index + 1, path)));
    let wrong = copied.filter_map(|(line, path)| {
        let why = if !exists(path) {
            "does not exist"
        } else if !is_given(path, ignore) {
            "is left out by .dockerignore"
        } else {
            return None;
        };
        Some(Finding { path: PATH.to_owned(), line, message: format!("`{path}` {why}") })
    });
    wrong.collect()
}

/// The files of the repository that a line copies; the last word is the target.
fn copied(line: &str) -> impl Iterator<Item = &str> {
    let words = line.strip_prefix("COPY ").map(str::split_whitespace).into_iter().flatten();
    let words: Vec<&str> = words.collect();
    let is_from_elsewhere = words.first().is_some_and(|word| word.starts_with("--from"));
    let count = if is_from_elsewhere { 0 } else { words.len().saturating_sub(1) };
    words.into_iter().take(count)
}

/// Whether a file or its folder is included. Everything else is ignored.
fn is_given(path: &str, ignore: &str) -> bool {
    let mut let_through = ignore.lines().filter_map(|line| line.strip_prefix('!'));
    let_through.any(|given| path == given || path.starts_with(&format!("{given}/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(dockerfile: &str) -> Vec<String> {
        let exists = |path: &str| ["Cargo.toml", "docs", "crates/forkhestra"].contains(&path);
        let findings = findings(dockerfile, "*\n!Cargo.toml\n!crates\n", &exists);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_missing_or_left_out_is_caught() {
        assert_eq!(
            found("FROM x\nCOPY Cargo.toml gone ./\n"),
            ["Dockerfile:2: `gone` does not exist"]
        );
        assert_eq!(found("COPY docs docs"), ["Dockerfile:1: `docs` is left out by .dockerignore"]);
    }

    #[test]
    fn what_is_there_or_comes_from_another_stage_is_not() {
        assert_eq!(found("COPY Cargo.toml ./\nCOPY crates/forkhestra x\n"), [""; 0]);
        assert_eq!(found("COPY --from=build /programs/bin/ /\nRUN COPY\n"), [""; 0]);
    }
}
