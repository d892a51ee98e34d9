//! Sets of rules: immutable ones, each as its nonzero words, and a mutable one.

/// Immutable sets, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleSets {
    words: Vec<RuleWord>,
}

/// A nonzero word of a set.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleWord {
    /// Its index.
    pub(super) at: u32,
    pub(super) bits: u64,
}

impl RuleWord {
    /// The word with a single rule.
    #[inline]
    pub(super) fn of(rule: u32) -> Self {
        Self {
            at: rule / 64,
            bits: 1 << (rule % 64),
        }
    }
}

/// A set of [`RuleSets`]; by default the empty one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RuleSet {
    from: u32,
    to: u32,
}

impl RuleSets {
    /// Adds a set of rules, which may come in any order and repeatedly.
    pub(super) fn add(&mut self, rules: impl Iterator<Item = u32>) -> RuleSet {
        let mut rules: Vec<u32> = rules.collect();
        rules.sort_unstable();
        let from = self.words.len();
        for rule in rules {
            let word = RuleWord::of(rule);
            match self.words[from..].last_mut() {
                Some(last) if last.at == word.at => last.bits |= word.bits,
                _ => self.words.push(word),
            }
        }
        RuleSet {
            from: from as u32,
            to: self.words.len() as u32,
        }
    }

    /// The words of a set, ascending.
    #[inline]
    pub(super) fn words(&self, set: RuleSet) -> &[RuleWord] {
        &self.words[set.from as usize..set.to as usize]
    }

    /// The words of the difference of a set and a subset; some may be zero.
    #[inline]
    pub(super) fn without(&self, set: RuleSet, part: RuleSet) -> impl Iterator<Item = RuleWord> {
        let mut rest = self.words(part).iter().peekable();
        self.words(set).iter().map(move |word| {
            let own = rest.next_if(|own| own.at == word.at);
            let bits = word.bits & !own.map_or(0, |own| own.bits);
            RuleWord { bits, ..*word }
        })
    }

    /// Whether a rule is in a set.
    pub(super) fn has(&self, set: RuleSet, rule: u32) -> bool {
        let one = RuleWord::of(rule);
        let mut words = self.words(set).iter();
        words.any(|word| word.at == one.at && word.bits & one.bits != 0)
    }

    /// Its members, ascending.
    pub(super) fn members(&self, set: RuleSet) -> impl Iterator<Item = u32> {
        self.words(set).iter().flat_map(|word| bits_of(*word))
    }

    /// The number of members of a set.
    #[inline]
    pub(super) fn count(&self, set: RuleSet) -> u32 {
        self.words(set).iter().map(|w| w.bits.count_ones()).sum()
    }
}

/// The members in a word, ascending.
#[inline]
pub(super) fn bits_of(word: RuleWord) -> impl Iterator<Item = u32> {
    let mut left = word.bits;
    std::iter::from_fn(move || {
        let next = (left != 0).then(|| word.at * 64 + left.trailing_zeros());
        left &= left.wrapping_sub(1);
        next
    })
}

/// A mutable set of rules. Clearing it takes time in its nonzero words.
#[derive(Debug, Default)]
pub(super) struct ChangingRules {
    words: Vec<u64>,
    /// The words that may be nonzero.
    touched: Vec<u32>,
}

impl ChangingRules {
    /// The empty set, for this number of rules.
    pub(super) fn none_of(rules: usize) -> Self {
        Self {
            words: vec![0; rules.div_ceil(64)],
            touched: Vec::new(),
        }
    }

    /// Whether it has room for this number of rules.
    pub(super) fn is_for(&self, rules: usize) -> bool {
        self.words.len() == rules.div_ceil(64)
    }

    #[inline]
    pub(super) fn word(&self, at: u32) -> u64 {
        self.words[at as usize]
    }

    #[inline]
    pub(super) fn has(&self, rule: u32) -> bool {
        self.word(rule / 64) >> (rule % 64) & 1 == 1
    }

    /// Its words: all nonzero ones, and maybe some zero ones. Words cleared and set again may come twice.
    pub(super) fn words(&self) -> impl Iterator<Item = RuleWord> {
        let words = &self.words;
        self.touched.iter().map(|at| RuleWord {
            at: *at,
            bits: words[*at as usize],
        })
    }

    #[inline]
    pub(super) fn put_word(&mut self, word: RuleWord) {
        let own = &mut self.words[word.at as usize];
        if *own == 0 && word.bits != 0 {
            self.touched.push(word.at);
        }
        *own |= word.bits;
    }

    #[inline]
    pub(super) fn put(&mut self, rule: u32) {
        self.put_word(RuleWord::of(rule));
    }

    #[inline]
    pub(super) fn take_word(&mut self, word: RuleWord) {
        self.words[word.at as usize] &= !word.bits;
    }

    pub(super) fn clear(&mut self) {
        for at in self.touched.drain(..) {
            self.words[at as usize] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sets_have_the_members_that_were_put_in(
            all in proptest::collection::vec(proptest::collection::vec(0_u32..300, 0..20), 1..5),
            taken in 0_usize..5,
        ) {
            let mut sets = RuleSets::default();
            let made: Vec<RuleSet> = all.iter().map(|rules| sets.add(rules.iter().copied())).collect();
            let mut changing = ChangingRules::none_of(300);
            let mut expected = BTreeSet::new();
            for _ in 0..2 {
                for (rules, set) in all.iter().zip(&made) {
                    let own: BTreeSet<u32> = rules.iter().copied().collect();
                    prop_assert_eq!(sets.count(*set) as usize, own.len());
                    prop_assert!(sets.members(*set).eq(own.iter().copied()));
                    prop_assert!((0..300).all(|rule| sets.has(*set, rule) == own.contains(&rule)));
                    sets.words(*set).iter().for_each(|word| changing.put_word(*word));
                    expected.extend(own);
                }
                let taken = made[taken % made.len()];
                for word in sets.words(taken) {
                    changing.take_word(*word);
                }
                sets.members(taken).for_each(|rule| { expected.remove(&rule); });
                prop_assert!((0..300).all(|rule| changing.has(rule) == expected.contains(&rule)));
                changing.clear();
                expected.clear();
                prop_assert!((0..300).all(|rule| !changing.has(rule)));
            }
        }

        #[test]
        fn what_a_part_does_not_have_is_left(all in proptest::collection::btree_map(0_u32..300, any::<bool>(), 0..40)) {
            let mut sets = RuleSets::default();
            let whole = sets.add(all.keys().copied());
            let chosen = |is_part: bool| all.iter().filter(move |of| *of.1 == is_part).map(|of| *of.0);
            let part = sets.add(chosen(true));
            let left = sets.without(whole, part).flat_map(bits_of);
            prop_assert!(left.eq(chosen(false)));
        }
    }
}
