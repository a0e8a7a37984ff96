//! Random numbers that depend only on their seed.

/// SplitMix64: the only source of random numbers of an execution (UUIDs, unseeded random numbers, jitter).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Creates a generator. Equal seeds give equal sequences.
    pub fn new(seed: u64) -> Rng {
        Rng { state: seed }
    }

    /// The state, for snapshots: `Rng::new(rng.state())` continues the sequence.
    pub fn state(&self) -> u64 {
        self.state
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[0, 1)`.
    pub fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in `[0, bound)`; 0 for a bound of 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// A version 4 UUID.
    pub fn uuid(&mut self) -> String {
        let (a, b) = (self.next_u64(), self.next_u64());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            a >> 32,
            (a >> 16) & 0xffff,
            a & 0xfff,
            0x8000 | ((b >> 48) & 0x3fff),
            b & 0xffff_ffff_ffff
        )
    }
}

/// `java.util.Random`, bit for bit: what AWS's seeded random functions return (spec §4.2, six recordings).
#[derive(Clone, Debug)]
pub struct JavaRandom {
    state: u64,
}

impl JavaRandom {
    const MASK: u64 = (1 << 48) - 1;

    /// Creates a generator like `new java.util.Random(seed)`.
    pub fn new(seed: i64) -> JavaRandom {
        JavaRandom { state: (seed as u64 ^ 0x5_deec_e66d) & Self::MASK }
    }

    fn next(&mut self, bits: u32) -> u32 {
        self.state = self.state.wrapping_mul(0x5_deec_e66d).wrapping_add(0xb) & Self::MASK;
        (self.state >> (48 - bits)) as u32
    }

    /// Returns the same as `nextInt(bound)`, uniform in `[0, bound)`; 0 if `bound` is not positive.
    pub fn next_int(&mut self, bound: i32) -> i32 {
        if bound <= 0 {
            return 0;
        }
        if bound & (bound - 1) == 0 {
            return ((i64::from(bound) * i64::from(self.next(31))) >> 31) as i32;
        }
        loop {
            let bits = self.next(31) as i32;
            let value = bits % bound;
            // Java's overflow test: reject the last, incomplete run of remainders.
            if bits.wrapping_sub(value).wrapping_add(bound - 1) >= 0 {
                return value;
            }
        }
    }

    /// Returns the same as `nextDouble()`, uniform in `[0, 1)`.
    pub fn next_double(&mut self) -> f64 {
        let high = u64::from(self.next(26)) << 27;
        (high + u64::from(self.next(27))) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_random_matches_recordings() {
        for (start, end, seed, expected) in [(1, 100, 42, 63), (1, 1000, 1, 106), (1, 1000, 2, 806), (1, 10, -10, 1), (1, 10, 0, 7)]
        {
            assert_eq!(start + JavaRandom::new(seed).next_int(end - start), expected);
        }
        assert_eq!(JavaRandom::new(42).next_double(), 0.7275636800328681);
        assert_eq!(JavaRandom::new(77).next_double(), 0.7240700207191966);
    }
}
