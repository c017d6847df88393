//! libFuzzer calls [`forkhestra_fuzz::config`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| forkhestra_fuzz::config(data));
