//! Black-box tests of the `forge-tasks` program: what agents and people type, and what becomes of files.

mod archive;
mod bad_input;
mod check;
mod check_fix;
mod check_merge;
mod claim;
mod create;
mod edit;
mod finding;
mod generous;
mod list;
mod lossless;
mod project;
mod screens;
mod search;
mod terminal;
mod together;
mod usage;
mod view;
