// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chance that can be repeated: the same seed gives the same faults and the same waits.

use core::time::Duration;

/// The generator splitmix64 of Steele, Lea and Flood (2014): a counter and a mixing function.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// What follows from this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `limit`; zero if that is zero. For limits as small as here the remainder's
    /// preference for small numbers is not noticeable.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next().checked_rem(limit).unwrap_or(0)
    }

    /// A time up to and including `longest`, in whole microseconds.
    pub fn up_to(&mut self, longest: Duration) -> Duration {
        let micros = u64::try_from(longest.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(self.below(micros.saturating_add(1)))
    }

    /// Whether something that happens in so many of a hundred cases happens now.
    pub fn percent(&mut self, percent: u8) -> bool {
        self.below(100) < u64::from(percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence() {
        // The first outputs for the seed 1234567, as published with the generator.
        let mut chance = Chance::new(1_234_567);
        let published = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([chance.next(), chance.next(), chance.next()], published);
    }

    #[test]
    fn limits_hold() {
        let mut chance = Chance::new(1);
        assert!((0..1000).all(|_| chance.up_to(Duration::from_micros(3)) <= Duration::from_micros(3)));
        assert_eq!(chance.below(0), 0);
        assert!((0..1000).all(|_| chance.percent(100)));
        assert!((0..1000).all(|_| !chance.percent(0)));
    }
}
