//! libFuzzer calls [`forkhestra_fuzz::journal`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| forkhestra_fuzz::journal(data));
