//! Whole numbers of any length, which only few doubles need.

use std::cmp::Ordering;

/// A whole number: words of 32 bits, the least significant first, without zeros at the end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Whole(Vec<u32>);

impl Whole {
    pub(super) fn from_u64(number: u64) -> Whole {
        Whole::from_u128(u128::from(number))
    }

    pub(super) fn from_u128(mut number: u128) -> Whole {
        let mut words = Vec::new();
        while number > 0 {
            words.push(number as u32);
            number >>= 32;
        }
        Whole(words)
    }

    /// 5^`exponent`
    pub(super) fn power_of_five(mut exponent: u32) -> Whole {
        let mut power = Whole::from_u64(1);
        while exponent > 0 {
            // 5^13 is the largest power that fits in a word.
            let part = exponent.min(13);
            power.times_plus(5u32.pow(part), 0);
            exponent -= part;
        }
        power
    }

    /// The number modulo 2^64.
    pub(super) fn as_u64(&self) -> u64 {
        self.as_u128() as u64
    }

    /// The number modulo 2^128.
    pub(super) fn as_u128(&self) -> u128 {
        self.0.iter().take(4).rev().fold(0, |number, word| number << 32 | u128::from(*word))
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn is_odd(&self) -> bool {
        self.0.first().is_some_and(|word| word % 2 == 1)
    }

    /// The number of bits.
    pub(super) fn bits(&self) -> u32 {
        self.0.last().map_or(0, |last| self.0.len() as u32 * 32 - last.leading_zeros())
    }

    /// Multiplies by `factor` and adds `more`.
    pub(super) fn times_plus(&mut self, factor: u32, more: u32) {
        let mut carry = u64::from(more);
        for word in &mut self.0 {
            carry += u64::from(*word) * u64::from(factor);
            *word = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    pub(super) fn times(&self, other: &Whole) -> Whole {
        let mut product = Whole(Vec::new());
        for word in other.0.iter().rev() {
            if !product.is_zero() {
                product.0.insert(0, 0);
            }
            let mut part = self.clone();
            part.times_plus(*word, 0);
            part.trim();
            product.add(&part);
        }
        product
    }

    fn add(&mut self, other: &Whole) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut carry = 0;
        for (i, word) in self.0.iter_mut().enumerate() {
            carry += u64::from(*word) + u64::from(other.0.get(i).copied().unwrap_or(0));
            *word = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Returns the number times 2^`by`.
    pub(super) fn shifted(&self, by: u32) -> Whole {
        if self.is_zero() {
            return self.clone();
        }
        let mut words = vec![0; by as usize / 32];
        words.extend_from_slice(&self.0);
        let mut shifted = Whole(words);
        shifted.times_plus(1 << (by % 32), 0);
        shifted
    }

    /// Splits off the lowest `at` bits: returns the rest and these bits.
    pub(super) fn split(&self, at: u32) -> (Whole, Whole) {
        self.divided(&Whole::from_u64(1).shifted(at))
    }

    pub(super) fn compare(&self, other: &Whole) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    /// Returns the quotient and the remainder; `by` must not be zero.
    pub(super) fn divided(&self, by: &Whole) -> (Whole, Whole) {
        let mut rest = self.clone();
        let Some(steps) = self.bits().checked_sub(by.bits()) else { return (Whole(Vec::new()), rest) };
        let mut quotient = Whole(vec![0; steps as usize / 32 + 1]);
        let mut part = by.shifted(steps);
        for step in (0..=steps).rev() {
            if rest.compare(&part).is_ge() {
                rest.subtract(&part);
                if let Some(word) = quotient.0.get_mut(step as usize / 32) {
                    *word |= 1 << (step % 32);
                }
            }
            part.halve();
        }
        quotient.trim();
        (quotient, rest)
    }

    /// Subtracts `other`, which must not be larger.
    fn subtract(&mut self, other: &Whole) {
        let mut borrow = 0;
        for (i, word) in self.0.iter_mut().enumerate() {
            let less = u64::from(other.0.get(i).copied().unwrap_or(0)) + borrow;
            let (result, below) = (u64::from(*word).wrapping_sub(less), u64::from(*word) < less);
            *word = result as u32;
            borrow = u64::from(below);
        }
        self.trim();
    }

    fn halve(&mut self) {
        let mut carry = 0;
        for word in self.0.iter_mut().rev() {
            let low = *word << 31;
            *word = *word >> 1 | carry;
            carry = low;
        }
        self.trim();
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    /// Returns the decimal digits.
    pub(super) fn decimal(&self) -> String {
        let mut rest = self.clone();
        let mut digits = Vec::new();
        while !rest.is_zero() {
            let mut carry = 0;
            for word in rest.0.iter_mut().rev() {
                let part = carry << 32 | u64::from(*word);
                *word = (part / 1_000_000_000) as u32;
                carry = part % 1_000_000_000;
            }
            rest.trim();
            for _ in 0..9 {
                digits.push(char::from(b'0' + (carry % 10) as u8));
                carry /= 10;
            }
        }
        while digits.last() == Some(&'0') {
            digits.pop();
        }
        if digits.is_empty() { "0".into() } else { digits.iter().rev().collect() }
    }
}
