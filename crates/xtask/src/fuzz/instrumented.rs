//! Builds the fuzz targets with coverage instrumentation.

use devkit::cargo::{self, Executable, cargo};
use devkit::error::Result;
use devkit::workspace::Workspace;

use super::MANIFEST;

/// What cargo-fuzz passes for `--sanitizer none`: LLVM's coverage pass with a counter for each
/// edge, the table that maps counters to code, and hooks on comparisons, from which libFuzzer
/// learns keywords and numbers.
const RUSTFLAGS: [&str; 7] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--check-cfg=cfg(fuzzing)",
];

pub(super) fn build(workspace: &Workspace, targets: &[&str]) -> Result<Vec<Executable>> {
    println!("building the fuzz targets with coverage");
    let host = cargo::host(workspace)?;
    let mut build =
        cargo(workspace, ["build", "--release", "--locked", "--manifest-path", MANIFEST]);
    build
        // Naming the target keeps the flags away from build scripts and macros, which have no
        // libFuzzer to link to.
        .args(["--target", &host])
        .arg("--target-dir")
        .arg(workspace.target.join("fuzz"))
        .args(targets.iter().flat_map(|target| ["--bin", target]))
        .env("CARGO_ENCODED_RUSTFLAGS", RUSTFLAGS.join("\x1f"));
    cargo::build(&mut build)
}
