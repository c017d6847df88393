mod endings;
mod fake_terminal;
mod live_line;
mod progress;
mod real_terminal;
mod shown;
mod story;
mod streams;
