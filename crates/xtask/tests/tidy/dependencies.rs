//! Enforces the direction of dependencies between packages.

use crate::workspace::finding::Finding;
use crate::workspace::packages::Packages;
use crate::workspace::repository::Repository;

/// What a package must not depend on.
struct Rule {
    package: &'static str,
    forbidden: &'static [&'static str],
}

/// The packages that know about runs.
const RUNS: &[&str] =
    &["forkhestra", "forkhestra-core", "forkhestra-engine", "forkhestra-store", "forkhestra-tui"];

const RULES: &[Rule] = &[
    // It does no IO, so it needs none of these.
    Rule { package: "forkhestra-core", forbidden: &["libc", "nix", "rustix", "tokio"] },
    Rule { package: "forkhestra-engine", forbidden: &["forkhestra", "forkhestra-store"] },
    Rule { package: "forkhestra-store", forbidden: &["forkhestra", "forkhestra-engine"] },
    // It starts and writes nothing: the caller passes its data and its requests' handlers.
    Rule {
        package: "forkhestra-tui",
        forbidden: &["forkhestra", "forkhestra-engine", "forkhestra-store", "forge-tasks"],
    },
    Rule { package: "forge-tasks", forbidden: RUNS },
    Rule { package: "model-server", forbidden: RUNS },
    Rule { package: "typeset", forbidden: RUNS },
];

pub(crate) fn findings(packages: &Packages, repository: &Repository) -> Vec<Finding> {
    let findings = RULES.iter().flat_map(|rule| {
        let manifest = rule.manifest();
        let text = repository.text(&manifest);
        forbidden(rule, &packages.dependencies(rule.package), &text)
    });
    findings.collect()
}

impl Rule {
    fn manifest(&self) -> String {
        format!("crates/{}/Cargo.toml", self.package)
    }
}

fn forbidden(rule: &Rule, dependencies: &[String], manifest: &str) -> Vec<Finding> {
    dependencies
        .iter()
        .filter(|name| rule.forbidden.contains(&name.as_str()))
        .map(|name| Finding {
            path: rule.manifest(),
            line: line_of(name, manifest),
            message: format!("`{}` must not depend on `{name}`", rule.package),
        })
        .collect()
}

/// The line that mentions a name, or the first one: a renamed dependency may be declared anywhere.
fn line_of(name: &str, manifest: &str) -> usize {
    let mut lines = manifest.lines();
    lines.position(|line| line.contains(name)).unwrap_or(0) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(package: &'static str, dependency: &str) -> Vec<String> {
        let rule = RULES.iter().find(|rule| rule.package == package).expect("there is a rule");
        let manifest = format!("[dependencies]\nserde = \"1\"\n{dependency} = \"1\"\n");
        let findings = forbidden(rule, &["serde".to_owned(), dependency.to_owned()], &manifest);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_arrow_that_points_the_wrong_way_is_caught_and_others_are_not() {
        assert_eq!(
            found("forkhestra-core", "tokio"),
            ["crates/forkhestra-core/Cargo.toml:3: `forkhestra-core` must not depend on `tokio`"]
        );
        assert_eq!(found("forge-tasks", "forkhestra-core").len(), 1);
        assert_eq!(found("forkhestra-engine", "forkhestra-store").len(), 1);
        assert_eq!(found("forkhestra-tui", "forkhestra-engine").len(), 1);
        assert_eq!(found("forge-tasks", "typeset"), [""; 0]);
        assert_eq!(found("forkhestra-store", "forkhestra-core"), [""; 0]);
    }
}
