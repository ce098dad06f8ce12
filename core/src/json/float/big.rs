use core::cmp::Ordering;

/// Words of an integer: 10^769 and 5^1200 take 2786 bits at most, and a shift adds one.
const WORDS: usize = 90;

/// A whole number below 2^2880.
///
/// # Memory
/// 0.36 KiB.
pub(super) struct Big {
    words: [u32; WORDS],
    len: usize,
}

impl Big {
    pub(super) fn new(value: u32) -> Self {
        let mut big = Self { words: [0; WORDS], len: 0 };
        big.push(value);
        big
    }

    fn push(&mut self, word: u32) {
        if word > 0
            && let Some(place) = self.words.get_mut(self.len)
        {
            *place = word;
            self.len = self.len.wrapping_add(1);
        }
    }

    fn used(&self) -> &[u32] {
        self.words.get(..self.len).unwrap_or(&[])
    }

    fn used_mut(&mut self) -> &mut [u32] {
        self.words.get_mut(..self.len).unwrap_or(&mut [])
    }

    pub(super) fn is_zero(&self) -> bool {
        self.len == 0
    }

    pub(super) fn bit_len(&self) -> u32 {
        match self.used().last() {
            Some(top) => (self.len as u32).wrapping_shl(5).wrapping_sub(top.leading_zeros()),
            None => 0,
        }
    }

    /// `self * factor + addend`.
    pub(super) fn times_plus(&mut self, factor: u32, addend: u32) {
        let mut carry = addend;
        for word in self.used_mut() {
            let product = u64::from(*word).wrapping_mul(u64::from(factor)).wrapping_add(u64::from(carry));
            *word = product as u32;
            carry = (product >> 32) as u32;
        }
        self.push(carry);
    }

    pub(super) fn times_five_to(&mut self, mut power: u32) {
        /// The largest power of five in a word.
        const FIVE_TO_13: u32 = 1_220_703_125;
        while power >= 13 {
            self.times_plus(FIVE_TO_13, 0);
            power = power.wrapping_sub(13);
        }
        for _ in 0..power {
            self.times_plus(5, 0);
        }
    }

    pub(super) fn shift_left(&mut self, bits: u32) {
        let low = bits & 31;
        if low > 0 {
            self.times_plus(1_u32.wrapping_shl(low), 0);
        }
        let whole = (bits >> 5) as usize;
        if whole == 0 {
            return;
        }
        let len = self.len.wrapping_add(whole).min(WORDS);
        for i in (0..len).rev() {
            let word = match i.checked_sub(whole) {
                Some(from) => self.words.get(from).copied().unwrap_or(0),
                None => 0,
            };
            if let Some(place) = self.words.get_mut(i) {
                *place = word;
            }
        }
        self.len = len;
    }

    pub(super) fn cmp(&self, other: &Self) -> Ordering {
        let words = self.used().iter().rev().cmp(other.used().iter().rev());
        self.len.cmp(&other.len).then(words)
    }

    /// Takes `other` away, which is not larger.
    pub(super) fn subtract(&mut self, other: &Self) {
        let mut borrow = false;
        for (word, less) in self.used_mut().iter_mut().zip(other.words) {
            let (part, under) = word.overflowing_sub(less);
            let (rest, below) = part.overflowing_sub(u32::from(borrow));
            *word = rest;
            borrow = under | below;
        }
        while self.used().last() == Some(&0) {
            self.len = self.len.wrapping_sub(1);
        }
    }
}
