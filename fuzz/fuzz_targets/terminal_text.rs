//! libFuzzer calls [`fuzz_checks::terminal_text`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_checks::terminal_text(data));
