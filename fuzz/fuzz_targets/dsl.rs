//! libFuzzer calls [`forkhestra_fuzz::dsl`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| forkhestra_fuzz::dsl(data));
