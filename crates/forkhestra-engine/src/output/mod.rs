//! What agents print: copied, scanned and logged beside the machine, never through it.
