//! The programs and scripts that a shell command names, as far as they can be found without a shell.

/// Shell built-ins, which are no files.
const BUILT_INS: [&str; 35] = [
    ":", ".", "[", "alias", "break", "cd", "continue", "declare", "echo", "eval", "exit", "export",
    "false", "getopts", "hash", "kill", "let", "local", "printf", "pwd", "read", "readonly",
    "return", "set", "shift", "source", "test", "times", "trap", "true", "type", "ulimit", "umask",
    "unset", "wait",
];

/// Words after which a command follows.
const KEYWORDS: [&str; 12] =
    ["!", "{", "}", "if", "then", "else", "elif", "fi", "do", "done", "while", "until"];

/// Words after which no command follows before the next separator.
const OTHER_KEYWORDS: [&str; 4] = ["case", "esac", "for", "function"];

/// Programs and built-ins that run the command behind them.
const WRAPPERS: [&str; 10] =
    ["builtin", "command", "env", "exec", "nice", "nohup", "setsid", "stdbuf", "time", "timeout"];

/// Wrappers that are part of the shell.
const BUILT_IN_WRAPPERS: [&str; 3] = ["builtin", "command", "exec"];

/// Programs whose first operand is a script.
const INTERPRETERS: [&str; 17] = [
    ".", "bash", "bun", "dash", "deno", "fish", "ksh", "lua", "node", "perl", "php", "python",
    "python3", "ruby", "sh", "source", "zsh",
];

/// The subcommands that come before the script of `bun` and `deno`.
const SUBCOMMANDS: [&str; 2] = ["run", "test"];

/// Options of interpreters that are followed by code, by a module or by nothing that is a script.
const CODE_OPTIONS: [&str; 6] = ["-c", "-e", "-E", "-m", "-p", "--eval"];

/// Most command substitutions of a command that are searched.
const MAX_COMMANDS: usize = 64;

/// The programs and scripts of a shell command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandPrograms {
    /// The first words of its simple commands, without shell built-ins.
    pub programs: Vec<String>,
    /// Programs that are given as a path, and the scripts of interpreters.
    pub scripts: Vec<String>,
}

impl CommandPrograms {
    /// Finds the words of a command. Words with variables, patterns or other expansions are left out.
    pub fn parse(command: &str) -> Self {
        let mut found = Self::default();
        let mut commands = vec![command.to_owned()];
        for _ in 0..MAX_COMMANDS {
            let Some(command) = commands.pop() else { break };
            commands.extend(found.add(&command));
        }
        found
    }

    /// Adds the words of a command, and returns its command substitutions.
    fn add(&mut self, command: &str) -> Vec<String> {
        let mut lexer = CommandLexer::new(command);
        let mut state = CommandState::Start;
        while let Some(token) = lexer.next_token() {
            state = match token {
                CommandToken::Separator => CommandState::Start,
                CommandToken::Word(word) => self.take(state, word),
            };
        }
        lexer.inner
    }

    fn take(&mut self, state: CommandState, word: Option<String>) -> CommandState {
        let Some(word) = word else {
            // An expansion may be the program.
            return match state {
                CommandState::Start | CommandState::Wrapped => CommandState::Arguments,
                other => other,
            };
        };
        match state {
            CommandState::Start if is_assignment(&word) || KEYWORDS.contains(&word.as_str()) => {
                CommandState::Start
            }
            CommandState::Start if OTHER_KEYWORDS.contains(&word.as_str()) => {
                CommandState::Arguments
            }
            CommandState::Wrapped
                if is_assignment(&word)
                    || word.starts_with(|first: char| first == '-' || first.is_ascii_digit()) =>
            {
                CommandState::Wrapped
            }
            CommandState::Start | CommandState::Wrapped => self.take_program(word),
            CommandState::Script if CODE_OPTIONS.contains(&word.as_str()) => {
                CommandState::Arguments
            }
            CommandState::Script
                if word.starts_with('-') || SUBCOMMANDS.contains(&word.as_str()) =>
            {
                CommandState::Script
            }
            CommandState::Script => {
                add_once(&mut self.scripts, word);
                CommandState::Arguments
            }
            CommandState::Arguments => CommandState::Arguments,
        }
    }

    fn take_program(&mut self, word: String) -> CommandState {
        let name = word.rsplit('/').next().unwrap_or(&word).to_owned();
        let is_path = word.contains('/');
        let is_built_in = !is_path
            && (BUILT_INS.contains(&name.as_str()) || BUILT_IN_WRAPPERS.contains(&name.as_str()));
        if is_path {
            add_once(&mut self.scripts, word.clone());
        }
        if !is_built_in {
            add_once(&mut self.programs, word);
        }
        if WRAPPERS.contains(&name.as_str()) {
            CommandState::Wrapped
        } else if is_interpreter(&name) {
            CommandState::Script
        } else {
            CommandState::Arguments
        }
    }
}

/// Whether the first operand of a program is a script, as in `python3.12 check.py`.
fn is_interpreter(name: &str) -> bool {
    let version = |letter: char| letter.is_ascii_digit() || letter == '.';
    let plain = name.trim_end_matches(version);
    INTERPRETERS.contains(&name) || (!plain.is_empty() && INTERPRETERS.contains(&plain))
}

fn add_once(words: &mut Vec<String>, word: String) {
    if !words.contains(&word) {
        words.push(word);
    }
}

/// Whether a word sets a variable for the command behind it.
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !name.is_empty()
        && name.chars().all(is_letter)
        && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// What the next word of a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommandState {
    Start,
    /// The program behind a wrapper such as `env`.
    Wrapped,
    /// An option or the script of an interpreter.
    Script,
    Arguments,
}

enum CommandToken {
    Separator,
    /// A word; none if an expansion is part of it.
    Word(Option<String>),
}

/// Splits a command into words.
struct CommandLexer<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    /// Command substitutions.
    inner: Vec<String>,
    /// Whether the next word is the file of a redirection.
    redirects: bool,
}

impl<'a> CommandLexer<'a> {
    fn new(command: &'a str) -> Self {
        Self { rest: command.chars().peekable(), inner: Vec::new(), redirects: false }
    }

    fn next_token(&mut self) -> Option<CommandToken> {
        loop {
            match *self.rest.peek()? {
                ' ' | '\t' | '\r' => {
                    self.rest.next();
                }
                ';' | '&' | '|' | '(' | ')' | '\n' => {
                    self.rest.next();
                    self.redirects = false;
                    return Some(CommandToken::Separator);
                }
                '#' => while self.rest.next_if(|letter| *letter != '\n').is_some() {},
                '<' | '>' => self.redirect(),
                _ => {
                    let word = self.word();
                    if let Some(word) = word {
                        return Some(CommandToken::Word(word));
                    }
                }
            }
        }
    }

    fn redirect(&mut self) {
        while self.rest.next_if(|letter| matches!(letter, '<' | '>' | '&')).is_some() {}
        self.redirects = true;
    }

    /// The next word; none if it belongs to a redirection.
    fn word(&mut self) -> Option<Option<String>> {
        let mut word = String::new();
        let mut is_literal = true;
        while let Some(letter) = self.rest.peek().copied() {
            match letter {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' => break,
                '<' | '>' => {
                    let is_descriptor = word.bytes().all(|byte| byte.is_ascii_digit());
                    if is_descriptor {
                        return None;
                    }
                    break;
                }
                _ => {}
            }
            self.rest.next();
            match letter {
                '\'' => {
                    word.extend(std::iter::from_fn(|| self.rest.next_if(|it| *it != '\'')));
                    self.rest.next();
                }
                '"' => is_literal &= self.quoted(&mut word),
                '\\' => word.extend(self.rest.next().filter(|letter| *letter != '\n')),
                '$' | '`' => {
                    is_literal = false;
                    self.expansion(letter);
                }
                '*' | '?' => is_literal = false,
                '~' if word.is_empty() => is_literal = false,
                letter => word.push(letter),
            }
        }
        if std::mem::take(&mut self.redirects) {
            return None;
        }
        Some(is_literal.then_some(word))
    }

    /// Reads the rest of a double-quoted text. Returns whether it has no expansion.
    fn quoted(&mut self, word: &mut String) -> bool {
        let mut is_literal = true;
        while let Some(letter) = self.rest.next() {
            match letter {
                '"' => break,
                '\\' => word.extend(self.rest.next()),
                '$' | '`' => {
                    is_literal = false;
                    self.expansion(letter);
                }
                letter => word.push(letter),
            }
        }
        is_literal
    }

    /// Reads a command substitution behind its first character.
    fn expansion(&mut self, first: char) {
        let mut inner = String::new();
        if first == '`' {
            inner.extend(std::iter::from_fn(|| self.rest.next_if(|letter| *letter != '`')));
            self.rest.next();
        } else if self.rest.next_if_eq(&'(').is_some() {
            let mut depth = 1_u32;
            for letter in self.rest.by_ref() {
                match letter {
                    '(' => depth += 1,
                    ')' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
                inner.push(letter);
            }
        }
        if !inner.is_empty() {
            self.inner.push(inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn programs_and_scripts_of_a_command() {
        let table: [(&str, &[&str], &[&str]); 24] = [
            ("cargo test --all", &["cargo"], &[]),
            ("sh tests/run.sh", &["sh"], &["tests/run.sh"]),
            ("./check", &["./check"], &["./check"]),
            ("cd x && make test", &["make"], &[]),
            ("RUST_LOG=1 cargo test", &["cargo"], &[]),
            ("env A=b C=d npm test", &["env", "npm"], &[]),
            ("timeout 10 pytest -q", &["timeout", "pytest"], &[]),
            ("exec go test ./...", &["go"], &[]),
            ("a | b; c & d || e", &["a", "b", "c", "d", "e"], &[]),
            ("if test -f x; then ok; else no; fi", &["ok", "no"], &[]),
            ("! grep -q TODO src", &["grep"], &[]),
            ("test \"$(mytool --x)\" = ok", &["mytool"], &[]),
            ("echo `other`", &["other"], &[]),
            ("(cd a; b)", &["b"], &[]),
            ("mytest > out 2>&1", &["mytest"], &[]),
            ("> out mytest", &["mytest"], &[]),
            ("$RUN it", &[], &[]),
            ("'my prog' x", &["my prog"], &[]),
            ("python3 -m pytest x.py", &["python3"], &[]),
            ("python3.12 check.py x.py", &["python3.12"], &["check.py"]),
            ("node --test tests/a.js", &["node"], &["tests/a.js"]),
            ("bun run check.ts", &["bun"], &["check.ts"]),
            ("sh -c 'x y'", &["sh"], &[]),
            (". ./env.sh\nmake # done by hand", &["make"], &["./env.sh"]),
        ];
        for (command, programs, scripts) in table {
            let found = CommandPrograms::parse(command);
            assert_eq!(found.programs, programs, "{command}");
            assert_eq!(found.scripts, scripts, "{command}");
        }
    }

    proptest! {
        #[test]
        fn any_command_can_be_split(command in "[a-z$`'\"()<>&|;#\\\\ \n=~*-]{0,40}") {
            CommandPrograms::parse(&command);
        }
    }
}
