//! The stages, cheapest verdicts first.

use super::stage::Tier::{All, Check, Test};
use super::stage::{TestStage, Tier};
use super::{attack_stage, cargo_stages, proof_stages, test_stages};
use crate::{fuzz, generate, licences};

pub(super) const STAGES: &[TestStage] = &[
    TestStage {
        name: "fmt",
        about: "every crate is formatted",
        tiers: &[Check, Test, All],
        beside: &[],
        run: cargo_stages::fmt,
    },
    TestStage {
        name: "clippy",
        about: "no warnings from the compiler or clippy",
        tiers: &[Check, Test, All],
        beside: &[],
        run: cargo_stages::clippy,
    },
    TestStage {
        name: "tidy",
        about: "the rules of this repository that no compiler knows",
        tiers: &[Check, Test, All],
        beside: &[],
        run: test_stages::tidy,
    },
    TestStage {
        name: "unit",
        about: "unit tests",
        tiers: &[Check],
        beside: &[],
        run: test_stages::unit,
    },
    TestStage {
        name: "licences",
        about: "dependencies come from crates.io, are permissively licensed and shipped once",
        tiers: &[Test, All],
        beside: &[],
        run: |context| licences::run(context.workspace),
    },
    TestStage {
        name: "tests",
        about: "unit and integration tests, console blocks, fuzz corpus, real agents",
        tiers: &[Test, All],
        beside: &[],
        run: test_stages::tests,
    },
    TestStage {
        name: "attacks",
        about: "the attacks on a run hold for a user without privileges, too",
        tiers: &[All],
        beside: &[],
        run: attack_stage::attacks_by_another_user,
    },
    TestStage {
        name: "generated",
        about: "generated files are up to date",
        tiers: &[Test, All],
        beside: &[],
        run: |context| generate::check(context.workspace),
    },
    TestStage {
        name: "doctests",
        about: "examples in the documentation",
        tiers: &[Test, All],
        beside: &[],
        run: cargo_stages::doctests,
    },
    TestStage {
        name: "doc",
        about: "no warnings from rustdoc",
        tiers: &[Test, All],
        beside: &[],
        run: cargo_stages::doc,
    },
    TestStage {
        name: "crash",
        about: "killed at a system call, a run resumes as if nothing had happened",
        tiers: &[Test, All],
        beside: &[],
        run: proof_stages::crash,
    },
    TestStage {
        name: "chaos",
        about: "runs survive random agents and signals",
        tiers: &[Test, All],
        // Both wait more than they compute.
        beside: &[Test],
        run: proof_stages::chaos,
    },
    TestStage {
        name: "fuzz",
        about: "a search for inputs that break the parsers",
        tiers: &[All],
        beside: &[],
        run: |context| fuzz::search_all(context.workspace),
    },
    TestStage {
        name: "bench",
        about: "the shipped programs keep their limits",
        tiers: &[All],
        beside: &[],
        run: proof_stages::bench,
    },
];

/// The stages of a tier, or those that are named, in the order of the table.
pub(super) fn selected(tier: Tier, only: &[String]) -> Vec<&'static TestStage> {
    let is_selected = |stage: &&TestStage| {
        if only.is_empty() {
            stage.tiers.contains(&tier)
        } else {
            only.iter().any(|name| name == stage.name)
        }
    };
    STAGES.iter().filter(is_selected).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tier: Tier, only: &[&str]) -> Vec<&'static str> {
        let only: Vec<String> = only.iter().copied().map(str::to_owned).collect();
        selected(tier, &only).iter().map(|stage| stage.name).collect()
    }

    #[test]
    fn each_tier_has_its_stages() {
        assert_eq!(names(Check, &[]), ["fmt", "clippy", "tidy", "unit"]);
        let test = names(Test, &[]);
        for (name, is_there) in [("tests", true), ("crash", true), ("unit", false), ("fuzz", false)]
        {
            assert_eq!(test.contains(&name), is_there, "{name}");
        }
        let all = names(All, &[]);
        assert!(
            test.iter().chain(&["attacks", "fuzz", "bench"]).all(|name| all.contains(name)),
            "{all:?}"
        );
    }

    #[test]
    fn named_stages_run_in_the_order_of_the_table_whatever_the_tier() {
        assert_eq!(names(Test, &["fuzz", "tidy", "fmt"]), ["fmt", "tidy", "fuzz"]);
    }
}
