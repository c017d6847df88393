//! libFuzzer calls [`forkhestra_fuzz::scan`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| forkhestra_fuzz::scan(data));
