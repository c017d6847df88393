//! SPDX licence expressions, as far as crates use them: `(MIT OR Apache-2.0 WITH LLVM-exception)
//! AND Unicode-3.0`.

/// A parsed expression. `AND` binds tighter than `OR`.
#[derive(Debug, PartialEq)]
pub(super) enum Expression {
    Licence { id: String, exception: Option<String> },
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum ParseError {
    #[error("expected a licence, found {0}")]
    NoLicence(String),
    #[error("expected an exception after WITH, found {0}")]
    NoException(String),
    #[error("expected `)`, found {0}")]
    Unclosed(String),
    #[error("expected the end, found {0}")]
    Trailing(String),
}

impl Expression {
    pub(super) fn parse(text: &str) -> Result<Self, ParseError> {
        // Before 2018 crates wrote `MIT/Apache-2.0`; crates.io still has many of them, and they
        // mean a choice.
        let spaced = text.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
        let mut tokens = SpdxTokens { rest: spaced.split_whitespace().collect() };
        tokens.rest.reverse();
        let expression = tokens.any()?;
        match tokens.rest.last() {
            None => Ok(expression),
            Some(_) => Err(ParseError::Trailing(tokens.found())),
        }
    }

    /// Whether the licences and exceptions the predicate accepts are enough to use the work.
    pub(super) fn is_satisfied_by(&self, accepts: &impl Fn(&str, Option<&str>) -> bool) -> bool {
        match self {
            Self::Licence { id, exception } => accepts(id, exception.as_deref()),
            Self::All(parts) => parts.iter().all(|part| part.is_satisfied_by(accepts)),
            Self::Any(parts) => parts.iter().any(|part| part.is_satisfied_by(accepts)),
        }
    }
}

/// What is left to read, the next token last.
struct SpdxTokens<'a> {
    rest: Vec<&'a str>,
}

impl SpdxTokens<'_> {
    fn any(&mut self) -> Result<Expression, ParseError> {
        let mut parts = vec![self.all()?];
        while self.accept("OR") {
            parts.push(self.all()?);
        }
        Ok(single_or(parts, Expression::Any))
    }

    fn all(&mut self) -> Result<Expression, ParseError> {
        let mut parts = vec![self.atom()?];
        while self.accept("AND") {
            parts.push(self.atom()?);
        }
        Ok(single_or(parts, Expression::All))
    }

    fn atom(&mut self) -> Result<Expression, ParseError> {
        if self.accept("(") {
            let inner = self.any()?;
            return if self.accept(")") {
                Ok(inner)
            } else {
                Err(ParseError::Unclosed(self.found()))
            };
        }
        let Some(id) = self.word() else {
            return Err(ParseError::NoLicence(self.found()));
        };
        if !self.accept("WITH") {
            return Ok(Expression::Licence { id, exception: None });
        }
        match self.word() {
            Some(exception) => Ok(Expression::Licence { id, exception: Some(exception) }),
            None => Err(ParseError::NoException(self.found())),
        }
    }

    fn accept(&mut self, token: &str) -> bool {
        self.rest.pop_if(|next| *next == token).is_some()
    }

    fn word(&mut self) -> Option<String> {
        self.rest
            .pop_if(|next| !matches!(*next, "(" | ")" | "OR" | "AND" | "WITH"))
            .map(str::to_owned)
    }

    fn found(&self) -> String {
        self.rest.last().map_or_else(|| "the end".to_owned(), |token| format!("`{token}`"))
    }
}

fn single_or(mut parts: Vec<Expression>, several: fn(Vec<Expression>) -> Expression) -> Expression {
    match parts.len() {
        1 => parts.remove(0),
        _ => several(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn satisfied(text: &str, allowed: &[&str]) -> bool {
        let accepts = |id: &str, exception: Option<&str>| {
            let wanted = match exception {
                None => id.to_owned(),
                Some(exception) => format!("{id}+{exception}"),
            };
            allowed.contains(&wanted.as_str())
        };
        Expression::parse(text).expect("a valid expression").is_satisfied_by(&accepts)
    }

    #[test]
    fn one_of_a_choice_is_enough() {
        assert!(satisfied("MIT", &["MIT"]));
        assert!(satisfied("GPL-3.0-only OR MIT", &["MIT"]));
        assert!(satisfied("MIT/Apache-2.0", &["Apache-2.0"]));
        assert!(!satisfied("GPL-3.0-only OR LGPL-3.0-only", &["MIT"]));
    }

    #[test]
    fn all_parts_of_a_conjunction_are_needed() {
        assert!(satisfied("MIT AND ISC", &["MIT", "ISC"]));
        assert!(!satisfied("MIT AND ISC", &["MIT"]));
    }

    #[test]
    fn and_binds_tighter_than_or_and_parentheses_win() {
        assert!(satisfied("MIT OR ISC AND Zlib", &["MIT"]));
        assert!(!satisfied("(MIT OR ISC) AND Zlib", &["MIT"]));
        assert!(satisfied("(MIT OR ISC) AND Zlib", &["ISC", "Zlib"]));
        assert!(satisfied("((MIT))", &["MIT"]));
    }

    #[test]
    fn an_exception_belongs_to_its_licence() {
        let text = "Apache-2.0 WITH LLVM-exception OR ISC";
        assert!(satisfied(text, &["Apache-2.0+LLVM-exception"]));
        assert!(!satisfied(text, &["Apache-2.0"]));
        assert!(satisfied(text, &["ISC"]));
    }

    #[test]
    fn broken_expressions_say_what_is_missing() {
        let cases = [
            ("", ParseError::NoLicence("the end".to_owned())),
            ("MIT OR", ParseError::NoLicence("the end".to_owned())),
            ("AND MIT", ParseError::NoLicence("`AND`".to_owned())),
            ("MIT WITH", ParseError::NoException("the end".to_owned())),
            ("(MIT OR ISC", ParseError::Unclosed("the end".to_owned())),
            ("MIT ISC", ParseError::Trailing("`ISC`".to_owned())),
            ("MIT)", ParseError::Trailing("`)`".to_owned())),
        ];
        for (text, expected) in cases {
            assert_eq!(Expression::parse(text), Err(expected), "{text}");
        }
    }
}
