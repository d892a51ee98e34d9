//! Numbers as people read them.

use num_bigint::BigUint;

use crate::source;

/// A number with its digits in groups, as `1,204,331`.
#[must_use]
pub fn thousands(number: u128) -> String {
    grouped(&number.into())
}

/// Digits of the largest number that is written out: longer ones are unreadable, and a line has no room for them.
const DIGITS_MAX: usize = 45;

/// A number of any size with its digits in groups; a very large one approximated, as `about 3.06e614`.
#[must_use]
pub fn grouped(number: &BigUint) -> String {
    let digits = number.to_string();
    if digits.len() > DIGITS_MAX {
        let (first, rest) = (&digits[..1], &digits[1..3]);
        return format!("about {first}.{rest}e{}", digits.len() - 1);
    }
    source::thousands::thousands(digits)
}

/// `1 state`, `2,345 states`
#[must_use]
pub fn counted(n: u64, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {what}{plural}", thousands(n.into()))
}

/// A number of bytes, as `12.3 MiB`.
#[must_use]
pub fn bytes(n: u64) -> String {
    let mib = n as f64 / (1024.0 * 1024.0);
    if mib >= 1024.0 {
        format!("{:.1} GiB", mib / 1024.0)
    } else {
        format!("{mib:.1} MiB")
    }
}

/// Numbers in a text compare as numbers: `N2` comes before `N10`.
#[must_use]
pub fn natural(a: &str, b: &str) -> std::cmp::Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (Some(x), Some(y)) = (left.chars().next(), right.chars().next()) else {
            // Equal as numbers, as `1` and `01`: then by the texts, so that the order is total.
            return left.len().cmp(&right.len()).then_with(|| a.cmp(b));
        };
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (m, rest_left) = digits(left);
            let (n, rest_right) = digits(right);
            // Without leading zeros the longer number is the larger one.
            let order = m.len().cmp(&n.len()).then_with(|| m.cmp(n));
            if order.is_ne() {
                return order;
            }
            (left, right) = (rest_left, rest_right);
        } else {
            if x != y {
                return x.cmp(&y);
            }
            left = &left[x.len_utf8()..];
            right = &right[y.len_utf8()..];
        }
    }
}

/// The leading number without leading zeros, and the rest.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit());
    let (number, rest) = text.split_at(end.unwrap_or(text.len()));
    (number.trim_start_matches('0'), rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(7_770_400_092), "7,770,400,092");
    }

    #[test]
    fn what_nobody_reads_is_not_written_out() {
        let power = |n: u32| BigUint::from(10u32).pow(n) * 3u32;
        assert_eq!(grouped(&power(9)), "3,000,000,000");
        assert_eq!(grouped(&power(44)).len(), 45 + 14);
        assert_eq!(grouped(&power(45)), "about 3.00e45");
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!(counted(1, "state"), "1 state");
        assert_eq!(counted(0, "state"), "0 states");
    }

    #[test]
    fn numbers_are_in_their_order() {
        let mut list = ["c.10", "c.2", "c.1", "N0", "c.01", "c", "c.2.3"];
        list.sort_by(|a, b| natural(a, b));
        assert_eq!(list, ["N0", "c", "c.01", "c.1", "c.2", "c.2.3", "c.10"]);
    }

    proptest! {
        /// The natural order is total, and sorting by it is stable.
        #[test]
        fn natural_order_is_total(mut list in prop::collection::vec("[a0-9]{0,6}", 0..8)) {
            list.sort_by(|a, b| natural(a, b));
            for (at, a) in list.iter().enumerate() {
                for b in &list[at..] {
                    prop_assert_ne!(natural(a, b), std::cmp::Ordering::Greater);
                    prop_assert_eq!(natural(a, b), natural(b, a).reverse());
                }
            }
        }
    }
}
