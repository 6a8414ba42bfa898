//! One of several equal parts of an experiment.

use std::ops::Range;
use std::str::FromStr;
use thiserror::Error;

/// One of several parts, counted from 1: written `2/3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    count: usize,
}

/// Not a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a shard is written i/n, with 1 <= i <= n")]
pub struct NoShard;

impl Default for Shard {
    /// All of it.
    fn default() -> Self {
        Self {
            number: 1,
            count: 1,
        }
    }
}

impl Shard {
    /// Part `number` of `count`, counted from 1.
    ///
    /// # Errors
    /// There is no such part.
    pub fn new(number: usize, count: usize) -> Result<Self, NoShard> {
        match (1..=count).contains(&number) {
            true => Ok(Self { number, count }),
            false => Err(NoShard),
        }
    }

    /// Its part of a list; lengths of parts differ by one at most.
    pub(super) fn range(self, length: usize) -> Range<usize> {
        // In wide numbers, so that no product wraps around; the result is not larger than the length.
        let end = |number: usize| (length as u128 * number as u128 / self.count as u128) as usize;
        end(self.number - 1)..end(self.number)
    }
}

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Self, NoShard> {
        let (number, count) = text.split_once('/').ok_or(NoShard)?;
        let parse = |text: &str| text.trim().parse().map_err(|_| NoShard);
        Self::new(parse(number)?, parse(count)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_all_of_the_list_and_disjoint() -> Result<(), NoShard> {
        for length in [0, 1, 5, 102] {
            for count in 1..8 {
                let mut next = 0;
                for number in 1..=count {
                    let range = Shard::new(number, count)?.range(length);
                    assert_eq!(range.start, next);
                    assert!(range.len() <= length / count + 1);
                    next = range.end;
                }
                assert_eq!(next, length);
            }
        }
        assert_eq!("2/3".parse::<Shard>(), Shard::new(2, 3));
        for wrong in ["0/3", "4/3", "1", "a/b", "1/0", "-1/2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
        Ok(())
    }
}
