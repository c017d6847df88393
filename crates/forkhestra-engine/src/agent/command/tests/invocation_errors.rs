//! Tests of invocations that are impossible.

use forkhestra_core::config::Backend;

use super::CommandCase;

#[track_caller]
fn why_not(case: &CommandCase) -> String {
    case.try_build().expect_err("it cannot be started").to_string()
}

#[test]
fn a_zero_byte_is_refused_anywhere() {
    for backend in Backend::ALL {
        let rest = "contains a NUL character, which no agent can be given";
        let case = || CommandCase::new(backend);
        assert_eq!(why_not(&case().prompt("a\0b")), format!("the prompt {rest}"));
        assert_eq!(why_not(&case().system_prompt("\0")), format!("the system prompt {rest}"));
        assert_eq!(why_not(&case().args(&["a", "\0"])), format!("an argument {rest}"));
    }
}

#[test]
fn a_prompt_that_the_program_itself_does_not_read() {
    for (backend, limit) in [(Backend::Claude, 10_000_000), (Backend::Gemini, 8_388_608)] {
        let at_most = CommandCase::new(backend).prompt("x".repeat(limit));
        assert!(at_most.build().stdin.is_some());
        let error = why_not(&CommandCase::new(backend).prompt("x".repeat(limit + 1)));
        let (title, length) = (backend.title(), limit + 1);
        assert_eq!(
            error,
            format!("the prompt has {length} bytes, and {title} reads at most {limit}")
        );
    }
}

#[test]
fn a_too_long_variable_is_refused() {
    let mut case = CommandCase::new(Backend::Opencode);
    let given = format!(r#"{{"theme": "{}"}}"#, "x".repeat(131_000));
    case.inherited = vec![("OPENCODE_CONFIG_CONTENT", Box::leak(given.into_boxed_str()))];
    let error = why_not(&case);
    assert!(error.starts_with("the variable `OPENCODE_CONFIG_CONTENT` of 131"), "{error}");
}
