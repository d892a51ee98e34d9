//! Numbers in words.

/// `1st`, `2nd`, `3rd`, `4th`, …, `11th`, …: which of several that look alike.
#[must_use]
pub fn ordinal(n: usize) -> String {
    let end = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{end}")
}

#[cfg(test)]
mod tests {
    use super::ordinal;

    #[test]
    fn numbers_end_as_they_are_spoken() {
        let all = [1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111].map(ordinal);
        let said = "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 101st 111th";
        assert_eq!(all.join(" "), said);
    }
}
