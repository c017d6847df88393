//! Checks the parser of the chain language.

use forkhestra_core::dsl::Dsl;

use crate::place;

/// Any text is either a chain that survives a round trip, or errors that point into it.
pub fn dsl(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    match Dsl::parse(text) {
        Ok(dsl) => {
            let printed = dsl.to_string();
            let again = Dsl::parse(&printed).expect("a printed chain is a chain");
            assert_eq!(again.to_string(), printed);
            assert_eq!(again.stages.len(), dsl.stages.len());
            for (again, stage) in again.stages.iter().zip(&dsl.stages) {
                assert_eq!(again.agent.value, stage.agent.value);
                assert_eq!(again.iterations, stage.iterations);
                assert_eq!(text[stage.agent.span.range()], stage.agent.value);
            }
        }
        Err(mistakes) => {
            assert!(!mistakes.is_empty(), "a chain is refused without a reason");
            mistakes.iter().for_each(place::check);
        }
    }
}
