//! Numbers as people read them.

use num_bigint::BigUint;

/// `1,204,331`
#[must_use]
pub fn thousands(number: u128) -> String {
    grouped(&number.into())
}

/// The same for a number of any size.
#[must_use]
pub fn grouped(number: &BigUint) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 state`, `2,345 states`
#[must_use]
pub fn counted(n: u64, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {what}{plural}", thousands(n.into()))
}

/// `12.3 MiB`
#[must_use]
pub fn bytes(n: u64) -> String {
    let mib = n as f64 / (1024.0 * 1024.0);
    if mib >= 1024.0 {
        format!("{:.1} GiB", mib / 1024.0)
    } else {
        format!("{mib:.1} MiB")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(7_770_400_092), "7,770,400,092");
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!(counted(1, "state"), "1 state");
        assert_eq!(counted(0, "state"), "0 states");
    }
}
