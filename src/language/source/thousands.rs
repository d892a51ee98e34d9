//! Digits in groups of three, as people read them.

use std::fmt::Display;

/// `1,204,331`: a whole number, perhaps negative, of any size.
#[must_use]
pub fn thousands(number: impl Display) -> String {
    let digits = number.to_string();
    let (sign, digits) = digits
        .strip_prefix('-')
        .map_or(("", &digits[..]), |digits| ("-", digits));
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    text.push_str(sign);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn groups_begin_at_the_last_digit() {
        let numbers = [0, 999, 1_000, -123, -1_234, 12_345_678];
        let text = numbers.map(thousands);
        assert_eq!(text, ["0", "999", "1,000", "-123", "-1,234", "12,345,678"]);
    }
}
