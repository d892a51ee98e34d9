//! Numbers with units, as people write them on a command line.
//!
//! Counts, sizes and times are written alike, `1_000` and `1.5M`, and errors list the units. Libraries differ in
//! that: `humantime` wants a unit, where `90` means seconds here; `bytesize` takes `8G` for a power of 1000;
//! `parse-size` only says that a digit is invalid.

use std::time::Duration;

fn split(text: &str) -> (&str, &str) {
    let at = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_' || c == ','))
        .unwrap_or(text.len());
    text.split_at(at)
}

fn number(text: &str) -> Result<f64, String> {
    let digits: String = text.chars().filter(|c| *c != '_' && *c != ',').collect();
    match digits.parse::<f64>() {
        // Many digits in a row are read as infinite.
        Ok(n) if n.is_finite() && n >= 0.0 => Ok(n),
        _ => Err(format!("`{text}` is not a number")),
    }
}

/// `1000000`, `1_000_000`, `10k`, `2M`.
pub fn count(text: &str) -> Result<usize, String> {
    let (digits, unit) = split(text);
    let factor = match unit.trim() {
        "" => 1.0,
        "k" | "K" => 1e3,
        "m" | "M" => 1e6,
        "g" | "G" => 1e9,
        other => return Err(format!("`{other}` is not k, M or G")),
    };
    // A number that is too large becomes the largest there is, which is as good as no limit.
    Ok((number(digits)? * factor) as usize)
}

/// `500M`, `8G`, `8GiB`; powers of 1024.
pub fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = split(text);
    let factor = match unit.trim().trim_end_matches("iB").trim_end_matches('B') {
        "" => 1.0,
        "k" | "K" => 1024.0,
        "m" | "M" => 1024.0 * 1024.0,
        "g" | "G" => 1024.0 * 1024.0 * 1024.0,
        other => return Err(format!("`{other}` is not K, M or G")),
    };
    Ok((number(digits)? * factor) as usize)
}

/// A limit on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// This many bytes.
    Bytes(usize),
    /// No limit.
    Unlimited,
}

/// Parses a [`size`], or `none`.
pub fn memory(text: &str) -> Result<Memory, String> {
    if text.trim().eq_ignore_ascii_case("none") {
        return Ok(Memory::Unlimited);
    }
    size(text).map(Memory::Bytes)
}

/// `90`, `90s`, `500ms`, `10m`, `2h`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (digits, unit) = split(text);
    let factor = match unit.trim() {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("`{other}` is not ms, s, m or h")),
    };
    Duration::try_from_secs_f64(number(digits)? * factor).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_as_written() {
        assert_eq!(count("1_000"), Ok(1000));
        assert_eq!(count("2M"), Ok(2_000_000));
        assert_eq!(size("8G"), Ok(8 << 30));
        assert_eq!(size("1.5KiB"), Ok(1536));
        assert_eq!(memory("8G"), Ok(Memory::Bytes(8 << 30)));
        assert_eq!(memory("none"), Ok(Memory::Unlimited));
        assert!(memory("some").is_err());
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
        assert!(
            count("ten").is_err()
                && size("8Q").is_err()
                && duration("1d").is_err()
                && duration("-1").is_err()
        );
    }
}
