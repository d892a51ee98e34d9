//! Orders of groups: exact at any size, in native arithmetic while they are small.

use num_bigint::BigUint;

/// The order of a group or the size of an orbit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Less than 2^128.
    Small(u128),
    /// Anything else.
    Large(Box<BigUint>),
}

/// `n!` for `n` up to this is less than 2^128.
const FACTORIAL_MAX: usize = 34;

impl Order {
    /// The order of the trivial group.
    pub const ONE: Self = Self::Small(1);

    /// Multiplies by a number.
    pub fn times(&mut self, n: u128) {
        match self {
            Self::Small(order) => match order.checked_mul(n) {
                Some(product) => *order = product,
                None => *self = Self::Large(Box::new(BigUint::from(*order) * n)),
            },
            Self::Large(order) => **order *= n,
        }
    }

    /// Adds another order.
    pub fn plus(&mut self, other: &Self) {
        if let (Self::Small(one), Self::Small(two)) = (&*self, other)
            && let Some(sum) = one.checked_add(*two)
        {
            *self = Self::Small(sum);
            return;
        }
        *self = Self::Large(Box::new(self.to_big() + other.to_big()));
    }

    /// Multiplies by another order.
    pub fn times_order(&mut self, other: &Self) {
        match other {
            Self::Small(n) => self.times(*n),
            Self::Large(n) => *self = Self::Large(Box::new(self.to_big() * &**n)),
        }
    }

    /// Multiplies by `n!`: the order of the symmetric group on `n` values.
    pub fn times_factorial(&mut self, n: usize) {
        if n > 1 {
            // One multiplication for all factors whose product fits 128 bits.
            self.times(factorial(n.min(FACTORIAL_MAX)));
            // Four factors of at most 32 bits each at a time.
            let factors: Vec<u128> = (FACTORIAL_MAX as u128 + 1..=n as u128).collect();
            for four in factors.chunks(4) {
                self.times(four.iter().product());
            }
        }
    }

    /// As a number of any size.
    #[must_use]
    pub fn to_big(&self) -> BigUint {
        match self {
            Self::Small(order) => BigUint::from(*order),
            Self::Large(order) => (**order).clone(),
        }
    }
}

impl From<BigUint> for Order {
    fn from(order: BigUint) -> Self {
        match u128::try_from(&order) {
            Ok(small) => Self::Small(small),
            Err(_) => Self::Large(Box::new(order)),
        }
    }
}

/// `n!`, saturating at the largest 128-bit number.
#[must_use]
pub fn factorial(n: usize) -> u128 {
    (1..=n as u128).fold(1, u128::saturating_mul)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factorials_are_exact_at_any_size() {
        for n in 0..120usize {
            let mut order = Order::ONE;
            order.times_factorial(n);
            let expected: BigUint = (1..=n).map(BigUint::from).product();
            assert_eq!(order.to_big(), expected);
            let mut sum = order.clone();
            (0..2).for_each(|_| sum.plus(&order));
            let mut product = Order::Small(3);
            product.times_order(&order);
            order.times(3);
            assert_eq!(order.to_big(), expected * 3u32);
            assert_eq!((&sum, &product), (&order, &order));
        }
    }
}
