//! Every acceptance line of the founding documents that this version can meet, and the tests that
//! prove it.

use testkit::TestEnv;

use crate::{headings, planned, project};

/// Each line of a document, and below it the tests that prove it.
const LINES: &str = r##"
# 000 phase 1
Spawns agent binary by name (assumes in PATH)
    run::once::an_agent_on_path_is_run_once_by_its_name
When `loop: false`, runs agent once and returns
    run::once::an_agent_on_path_is_run_once_by_its_name
    run::once::a_failed_agent_is_not_retried
    run::once::the_marker_is_ignored_when_an_agent_runs_once
When `loop: true`, detects `FORKHESTRA_COMPLETE` in stdout
    run::completion::each_of_the_usual_markers_counts
    run::completion::a_marker_on_standard_error_does_not_count
When `loop: true`, stops looping when marker detected
    run::loops::a_loop_stops_at_the_marker
Respects max iterations limit
    run::loops::a_loop_ends_at_its_last_iteration
Passes `--cwd` and custom args to agent
    run::agents::an_agent_works_in_the_working_directory_with_empty_standard_input
    run::agents::arguments_come_from_the_agent_then_the_step_then_the_command_line_and_the_prompt_is_last

# 000 phase 2
Parses single agent without iterations
    config::dsl::without_a_count_an_agent_runs_once_and_with_one_it_loops
Parses single agent with iterations
    config::dsl::without_a_count_an_agent_runs_once_and_with_one_it_loops
Parses pipeline: all run once
    config::dsl::without_a_count_an_agent_runs_once_and_with_one_it_loops
Parses mixed: first runs once, second loops
    config::dsl::without_a_count_an_agent_runs_once_and_with_one_it_loops
Throws on invalid syntax
    config::dsl::an_empty_chain_needs_an_agent
    config::dsl::an_arrow_at_the_end_needs_an_agent_after_it
    config::dsl::an_arrow_at_the_beginning_needs_an_agent_before_it
    config::dsl::two_arrows_in_a_row_need_an_agent_between_them
    config::dsl::two_agents_need_an_arrow_between_them
Throws on non-numeric iterations
    config::dsl::a_count_of_zero_is_too_small
    config::dsl::a_fraction_is_not_a_count
    config::dsl::a_word_as_count_is_explained_as_name_and_as_count

# 000 phase 3
Loads valid config file
    founding_examples::the_chains_of_the_plan_are_planned
Returns null for missing file
    acceptance::a_missing_config_is_no_mistake
Throws on invalid JSON
    config::config_file::a_config_that_ends_too_early_is_not_json
    config::config_file::a_missing_comma_is_refused
Throws on invalid schema
    config::values::chains_must_be_an_object
    config::values::a_step_needs_an_agent
    config::mistakes::all_mistakes_of_a_config_are_shown_at_once_in_the_order_of_the_text
Substitutes variables in args
    config::variables::variables_are_replaced_in_arguments_and_in_the_prompt_of_a_step
Throws on missing variable
    config::variables::every_missing_variable_is_shown_at_once_with_its_place

# 000 phase 4
Executes steps in order
    run::chains::steps_run_in_order
Stops if a step doesn't complete
    run::chains::a_step_that_does_not_complete_stops_the_chain_and_is_named
    run::once::an_exit_code_other_than_zero_stops_the_chain
Merges global args with step args
    run::agents::global_arguments_go_to_every_agent
    run::agents::arguments_come_from_the_agent_then_the_step_then_the_command_line_and_the_prompt_is_last
Returns structured result with per-step details
    run::chains::the_outcome_of_every_step_is_recorded
    run::json::every_line_is_an_event_and_the_last_one_is_the_result
Reports failed step index
    run::chains::a_step_that_does_not_complete_stops_the_chain_and_is_named
    run::json::an_incomplete_run_reports_its_reason

# 000 phase 5
`forkhestra agent:10` works (loop mode)
    founding_examples::the_command_lines_of_the_plan_are_accepted
    run::loops::a_loop_stops_at_the_marker
`forkhestra "a:5 -> b:10"` works (DSL chain)
    founding_examples::the_command_lines_of_the_plan_are_accepted
    run::loops::a_loop_prints_the_lines_of_the_plan
`forkhestra --chain name` loads from config
    founding_examples::the_chains_of_the_plan_are_planned
    run::loops::the_iterations_of_a_config_make_a_loop
`forkhestra --chain name VAR=value` substitutes variables
    founding_examples::the_variable_of_the_plan_is_replaced_and_its_absence_has_the_message_of_the_guide
    run::chains::a_chain_of_the_config_runs_with_its_variables
`--dry-run` shows steps without executing
    dry_run::plan_text::steps_with_their_prompts_are_shown
    cli::usage::wrong_usage_starts_nothing
`--verbose` shows full output
    dry_run::plan_text::verbose_names_the_source_of_every_value
    run::output::verbose_shows_how_everything_was_resolved
    run::output::the_bytes_of_agents_pass_untouched
Prints summary: iterations, completion status
    run::chains::a_step_that_does_not_complete_stops_the_chain_and_is_named
Exit with appropriate code (0 = complete, 1 = incomplete, 2 = error)
    run::json::exit_codes_are_the_same_as_for_the_human_format

# 000 output format
Pipeline mode (no looping)
    run::once::a_pipeline_prints_the_lines_of_the_plan
Loop mode (with iterations)
    run::loops::a_loop_prints_the_lines_of_the_plan

# 000 errors
Agent binary not found
    run::refusals::an_agent_that_is_not_installed
Step doesn't complete
    run::loops::a_loop_ends_at_its_last_iteration
    run::chains::a_step_that_does_not_complete_stops_the_chain_and_is_named
Agent crashes (non-zero exit)
    run::loops::a_crash_is_shown_with_a_wait_and_does_not_stop_the_loop
Config file invalid JSON
    config::config_file::a_config_that_ends_too_early_is_not_json
Chain name not found
    config::chains::an_unknown_name_without_a_similar_one_gets_the_list
Variable not provided
    config::variables::every_missing_variable_is_shown_at_once_with_its_place

# 001
Options
    acceptance::every_option_of_the_guide_is_accepted
Exit codes
    run::json::exit_codes_are_the_same_as_for_the_human_format
    run::refusals::mistakes_of_configs_chains_variables_and_files
Behavior summary
    config::dsl::without_a_count_an_agent_runs_once_and_with_one_it_loops
    run::once::a_pipeline_prints_the_lines_of_the_plan
    run::loops::a_loop_prints_the_lines_of_the_plan
    run::chains::a_chain_mixes_agents_that_run_once_with_loops
Single-run: exit code 0 = success
    run::once::an_exit_code_other_than_zero_stops_the_chain
    run::once::the_marker_is_ignored_when_an_agent_runs_once
Loop: marker or max iterations
    run::completion::each_of_the_usual_markers_counts
    run::loops::an_exit_code_of_zero_alone_does_not_complete_a_loop
The same prompt applies to every iteration of a looping agent
    run::agents::the_prompt_is_the_same_in_every_iteration
Prompt resolution priority
    config::prompts::the_nearest_level_with_a_prompt_wins
    config::prompts::the_command_line_overrides_every_level_of_the_config
Dry run sample
    dry_run::plan_text::the_sample_of_the_guide_is_printed_line_by_line
Prompt file paths are relative to the working directory
    config::prompt_files::prompt_files_are_relative_to_the_working_directory
Field reference
    config::schema::a_config_with_every_key_is_valid_and_accepted
    config::values::chains_must_be_an_object
    config::values::a_chain_needs_steps
Direct spawn fields
    dry_run::details::an_agent_that_is_spawned_directly_is_shown_with_all_its_settings
systemPromptText takes priority over systemPrompt
    dry_run::details::a_system_prompt_may_be_written_in_the_config_and_wins_over_the_file

# 002 phase 1.1
New fields of an agent
    founding_examples::the_agents_of_direct_spawn_are_planned

# 002 phase 1.2
Validation of the new fields
    config::values::every_field_of_an_agent_has_its_type
    config::values::an_invalid_model_is_refused_with_a_suggestion

# 002 phase 1.3
A system prompt makes a direct spawn, anything else a binary
    acceptance::a_system_prompt_makes_a_direct_spawn_and_its_absence_a_program

# 002 decision 4
A missing system prompt fails at load
    config::prompt_files::a_system_prompt_that_does_not_exist_fails_at_load_even_if_the_agent_is_not_used

# 003 task 1
`agents` section with `defaultPrompt` and `defaultPromptFile` fields
    config::prompts::the_nearest_level_with_a_prompt_wins
Chain-level `prompt` and `promptFile` fields
    config::prompts::the_nearest_level_with_a_prompt_wins
Step-level `prompt` and `promptFile` fields
    config::prompts::the_nearest_level_with_a_prompt_wins
Validation rejects invalid types
    config::values::prompts_must_be_strings
Variable substitution works in prompt fields
    config::variables::variables_are_replaced_in_arguments_and_in_the_prompt_of_a_step

# 003 task 2
Reads file content relative to cwd
    config::prompt_files::prompt_files_are_relative_to_the_working_directory
Throws clear error if file not found
    config::prompt_files::a_missing_prompt_file_of_the_command_line_is_refused
Follows priority order correctly
    config::prompts::the_nearest_level_with_a_prompt_wins
`prompt` beats `promptFile` at same level
    config::prompts::the_nearest_level_with_a_prompt_wins
No prompt if none is found at any level
    dry_run::details::no_prompt_an_empty_prompt_and_an_empty_file_are_distinguished

# 003 task 5
`--prompt` / `-p` flag accepts inline prompt
    config::prompts::the_command_line_overrides_every_level_of_the_config
`--prompt-file` flag accepts path to prompt file
    config::prompts::the_command_line_overrides_every_level_of_the_config
Help text documents new flags with examples
    cli::help::help_shows_every_option_and_how_chains_are_written
    cli::help::the_examples_of_the_help_can_be_planned
Dry-run output shows resolved prompts per step
    founding_examples::the_prompts_of_all_levels_are_planned
Error if both `--prompt` and `--prompt-file` provided
    config::prompts::a_prompt_and_a_prompt_file_conflict

# 003 task 6
Variables in step `prompt` fields are substituted
    config::variables::variables_are_replaced_in_arguments_and_in_the_prompt_of_a_step
Variables in step `promptFile` fields are substituted
    config::variables::variables_are_replaced_in_the_names_of_prompt_files_and_not_in_their_contents
Variables in chain-level `prompt` are substituted
    config::variables::variables_are_replaced_in_the_prompt_of_a_chain
Variables in chain-level `promptFile` are substituted
    config::variables::variables_are_replaced_in_the_names_of_prompt_files_and_not_in_their_contents
Missing variables throw clear error
    config::variables::every_missing_variable_is_shown_at_once_with_its_place

# 004 step 1.1
Can spawn any agent binary
    run::once::an_agent_on_path_is_run_once_by_its_name
    run::once::an_agent_is_run_by_its_path
    run::once::a_configured_agent_is_run_with_its_command
Captures stdout/stderr as streams
    run::output::the_bytes_of_agents_pass_untouched
    run::output::standard_error_goes_to_standard_error
Returns exit code and full output on completion
    run::output::everything_an_agent_prints_is_kept
    run::chains::the_outcome_of_every_step_is_recorded
Line-by-line stdout processing
    run::completion::a_marker_that_comes_in_two_writes_counts

# 004 step 1.2
Detects `<promise>COMPLETE</promise>` in stdout stream
    run::completion::each_of_the_usual_markers_counts
Reports which signal triggered completion
    run::completion::the_position_of_the_marker_is_recorded
    run::completion::a_done_file_that_appears_completes
Supports multiple marker patterns
    run::completion::a_marker_of_the_command_line_replaces_the_usual_ones
Can be configured with custom patterns
    run::completion::a_marker_may_be_a_regular_expression
    run::completion::the_markers_of_a_config_replace_the_usual_ones

# 004 step 1.3
Loops until completion marker detected
    run::loops::a_loop_stops_at_the_marker
Respects max iterations limit
    run::loops::a_loop_ends_at_its_last_iteration
Implements circuit breaker for stagnation
    run::stagnation::a_loop_that_changes_nothing_in_its_repository_has_stagnated
    run::stagnation::any_change_of_the_work_tree_is_progress
Returns structured result with all iteration data
    run::json::the_lines_are_those_of_the_journal
    run::json::every_line_is_an_event_and_the_last_one_is_the_result

# 004 step 3.3
Executes steps in sequence
    run::chains::steps_run_in_order
Stops on first failure
    run::chains::a_step_that_does_not_complete_stops_the_chain_and_is_named
Persists state between steps
    run::chains::the_outcome_of_every_step_is_recorded
Can resume interrupted chain
    resume::recovery::after_a_kill_at_any_event_no_finished_iteration_runs_again
"##;

/// The source files of the tests.
const SOURCES: &[(&str, &str)] = &[
    ("acceptance", include_str!("acceptance.rs")),
    ("config::chains", include_str!("config/chains.rs")),
    ("config::config_file", include_str!("config/config_file.rs")),
    ("config::mistakes", include_str!("config/mistakes.rs")),
    ("config::values", include_str!("config/values.rs")),
    ("dry_run::plan_text", include_str!("dry_run/plan_text.rs")),
    ("dry_run::details", include_str!("dry_run/details.rs")),
    ("config::dsl", include_str!("config/dsl.rs")),
    ("founding_examples", include_str!("founding_examples.rs")),
    ("cli::help", include_str!("cli/help.rs")),
    ("config::prompt_files", include_str!("config/prompt_files.rs")),
    ("config::prompts", include_str!("config/prompts.rs")),
    ("resume::recovery", include_str!("resume/recovery.rs")),
    ("run::agents", include_str!("run/agents.rs")),
    ("run::chains", include_str!("run/chains.rs")),
    ("run::completion", include_str!("run/completion.rs")),
    ("run::json", include_str!("run/json.rs")),
    ("run::loops", include_str!("run/loops.rs")),
    ("run::once", include_str!("run/once.rs")),
    ("run::output", include_str!("run/output.rs")),
    ("run::refusals", include_str!("run/refusals.rs")),
    ("run::stagnation", include_str!("run/stagnation.rs")),
    ("config::schema", include_str!("config/schema.rs")),
    ("cli::usage", include_str!("cli/usage.rs")),
    ("config::variables", include_str!("config/variables.rs")),
];

#[test]
fn every_acceptance_line_is_proved_by_a_test_that_exists() {
    let mut unproved = None;
    for line in LINES.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("    ") {
            Some(test) => {
                assert!(exists(test), "there is no test {test}");
                unproved = None;
            }
            None => {
                assert_eq!(unproved, None, "nothing proves this line");
                unproved = (!line.starts_with("# ")).then_some(line);
            }
        }
    }
    assert_eq!(unproved, None, "nothing proves this line");
}

fn exists(test: &str) -> bool {
    let (module, name) = test.rsplit_once("::").unwrap_or_default();
    let source = SOURCES.iter().find(|(file, _)| *file == module).map(|(_, source)| source);
    source.is_some_and(|source| source.contains(&format!("#[test]\nfn {name}() {{\n")))
}

#[test]
fn a_missing_config_is_no_mistake() {
    let env = TestEnv::new();
    env.install("a");
    assert_eq!(headings(&planned(&env, &["a:10"])), "a - loop up to 10 iterations");
}

#[test]
fn every_option_of_the_guide_is_accepted() {
    let env = project(r#"{ "chains": { "c": { "steps": [{ "agent": "a" }] } } }"#);
    env.install("a").write("prompt.md", "text");
    let table: [&[&str]; 8] = [
        &["a", "--cwd", "."],
        &["a", "--verbose"],
        &["a", "-v"],
        &["--chain", "c"],
        &["a", "--prompt", "text"],
        &["a", "-p", "text"],
        &["a", "--prompt-file", "prompt.md"],
        &["a", "--help"],
    ];
    for args in table {
        crate::forkhestra(&env, &[&["--dry-run"], args].concat()).success();
    }
}

#[test]
fn a_system_prompt_makes_a_direct_spawn_and_its_absence_a_program() {
    let env = project(
        r#"{
          "agents": {
            "from-file": { "systemPrompt": "prompt.md" },
            "from-text": { "systemPromptText": "You plan." },
            "prompted": { "defaultPrompt": "Plan." },
            "program": { "command": "tool" },
          },
          "chains": {},
        }"#,
    );
    env.install("claude").install("tool").install("prompted").write("prompt.md", "You plan.");
    for (agent, expected) in [
        ("from-file", "agent: direct spawn of claude ("),
        ("from-text", "agent: direct spawn of claude ("),
        ("prompted", "agent: program $TEST/bin/prompted ("),
        ("program", "agent: program $TEST/bin/tool ("),
    ] {
        let shown = planned(&env, &[agent]);
        assert!(shown.contains(expected), "{shown}");
    }
}
