//! A mark that every process of a run inherits, and that an empty environment does not remove.
//!
//! The mark is the hard value of a resource limit that the kernel does not use, the number of file
//! locks. Processes inherit it through `fork`, `exec`, `setsid` and `env -i`. A process without
//! privileges can lower the value, but it cannot restore it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use forkhestra_core::text::digest::ContentDigest;
use rustix::io::Errno;

use super::system;

/// The number of bits that a run has in the value.
const BITS: u32 = 31;

/// The bits of one run; as a value: no run.
const NONE: u64 = (1 << BITS) - 1;

/// The bit that all marked values have, and that is the highest one of them.
const IS_MARKED: u64 = 1 << (2 * BITS);

/// The mark of a run, derived from its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunMark(u64);

impl RunMark {
    /// The mark of the run with this id.
    pub fn of(run: &OsStr) -> Self {
        let digest = ContentDigest::of(run.as_bytes());
        let number = u64::from_str_radix(&digest.as_str()[..16], 16);
        let number = number.expect("a digest has hexadecimal digits");
        Self(number % NONE)
    }

    /// Marks this process and everything that it starts from now on. A run inside another run keeps
    /// the mark of that one, too; a run inside two others gets no mark of its own.
    pub fn apply(self) -> Result<(), Errno> {
        match self.added_to(system::marked_limit()) {
            Some(value) => system::set_marked_limit(value),
            None => Ok(()),
        }
    }

    /// Removes the mark from this process, whose run is over. The marks of runs around it stay. So a
    /// resume of the run does not take this process for a leftover.
    pub fn remove(self) -> Result<(), Errno> {
        match system::marked_limit().and_then(|limit| self.removed_from(limit)) {
            Some(value) => system::set_marked_limit(value),
            None => Ok(()),
        }
    }

    /// The value without this mark, which must be below the current one.
    fn removed_from(self, limit: u64) -> Option<u64> {
        let is_outermost = (limit >> BITS) & NONE == self.0;
        let value = if is_outermost { IS_MARKED - 1 } else { limit & !NONE };
        self.is_in(limit).then_some(value)
    }

    /// The value with this mark, which must be below the inherited one. `None` if there is no place.
    fn added_to(self, inherited: Option<u64>) -> Option<u64> {
        match inherited {
            None => Some(IS_MARKED | (self.0 << BITS) | NONE),
            Some(outer) if outer & IS_MARKED == 0 || outer >= 2 * IS_MARKED => None,
            Some(outer) => (outer & NONE == NONE).then_some(outer - NONE + self.0),
        }
    }

    /// Whether a limit has this mark.
    pub(super) fn is_in(self, limit: u64) -> bool {
        let is_marked = limit & IS_MARKED != 0 && limit < 2 * IS_MARKED;
        is_marked && (limit & NONE == self.0 || (limit >> BITS) & NONE == self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(run: &str) -> RunMark {
        RunMark::of(run.as_ref())
    }

    #[test]
    fn a_run_and_the_run_around_it_are_found_in_a_limit() {
        let outer = mark("a").added_to(None).expect("there is no other mark");
        assert!(mark("a").is_in(outer) && !mark("b").is_in(outer));
        let inner = mark("b").added_to(Some(outer)).expect("there is a place");
        assert!(inner < outer, "a limit can only be lowered");
        assert!(mark("a").is_in(inner) && mark("b").is_in(inner) && !mark("c").is_in(inner));
        assert_eq!(mark("c").added_to(Some(inner)), None);
    }

    #[test]
    fn a_mark_is_removed_and_the_one_of_the_run_around_it_stays() {
        let outer = mark("a").added_to(None).expect("there is no other mark");
        let inner = mark("b").added_to(Some(outer)).expect("there is a place");
        let left = mark("b").removed_from(inner).expect("it has the mark");
        assert!(left < inner && mark("a").is_in(left) && !mark("b").is_in(left));
        let left = mark("a").removed_from(outer).expect("it has the mark");
        assert!(left < outer && !mark("a").is_in(left));
        assert_eq!(mark("a").removed_from(left), None);
    }

    #[test]
    fn other_limits_have_no_mark() {
        for limit in [0, 1, 1024, NONE, IS_MARKED - 1, 2 * IS_MARKED, u64::MAX] {
            assert_eq!(mark("a").added_to(Some(limit)), None, "{limit}");
            assert!(!mark("a").is_in(limit), "{limit}");
        }
    }
}
