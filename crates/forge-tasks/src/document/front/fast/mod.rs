//! The fast reader, for the form that nearly all files have.
//!
//! It knows a small part of YAML: a key on each line, with plain or quoted scalars and lists of
//! them that are unambiguous. Otherwise it returns none, and the general reader takes over. Where
//! it returns a result, that equals the result of the general reader.

mod fast_front_reader;
mod flow_list;
mod is_plain;
mod scalar;

pub(super) use fast_front_reader::read;
