//! Checked arithmetic: a result that does not fit is a diagnostic, not a wrap.

use super::{ValueError, ValueResult};

/// `a + b`
///
/// # Errors
/// On overflow.
pub fn add(a: i64, b: i64) -> ValueResult<i64> {
    a.checked_add(b).ok_or(ValueError::Overflow("+"))
}

/// `a - b`
///
/// # Errors
/// On overflow.
pub fn sub(a: i64, b: i64) -> ValueResult<i64> {
    a.checked_sub(b).ok_or(ValueError::Overflow("-"))
}

/// `a * b`
///
/// # Errors
/// On overflow.
pub fn mul(a: i64, b: i64) -> ValueResult<i64> {
    a.checked_mul(b).ok_or(ValueError::Overflow("*"))
}

/// `-a`
///
/// # Errors
/// On overflow.
pub fn neg(a: i64) -> ValueResult<i64> {
    a.checked_neg().ok_or(ValueError::Overflow("-"))
}

/// `a / b`, rounded towards minus infinity.
///
/// # Errors
/// If `b` is zero, or on overflow.
pub fn div(a: i64, b: i64) -> ValueResult<i64> {
    if b == 0 {
        return Err(ValueError::DivisionByZero);
    }
    // Only the smallest integer divided by -1 overflows.
    let quotient = a.checked_div(b).ok_or(ValueError::Overflow("/"))?;
    // Machines round towards zero, CSPm downwards: they differ where the result is negative and not
    // exact.
    let inexact = a.checked_rem(b).is_some_and(|r| r != 0);
    let down = inexact && ((a < 0) != (b < 0));
    Ok(if down { quotient - 1 } else { quotient })
}

/// `a % b`: what `div` leaves; it has the sign of `b`.
///
/// # Errors
/// If `b` is zero.
pub fn rem(a: i64, b: i64) -> ValueResult<i64> {
    if b == 0 {
        return Err(ValueError::DivisionByZero);
    }
    // The one overflow (smallest integer, -1) leaves no remainder.
    let r = a.checked_rem(b).unwrap_or(0);
    Ok(if r != 0 && ((r < 0) != (b < 0)) {
        r + b
    } else {
        r
    })
}

#[cfg(test)]
mod tests {
    use super::{div, rem};

    #[test]
    fn division_floors() {
        for (a, b, q, r) in [
            (7, 2, 3, 1),
            (-7, 2, -4, 1),
            (7, -2, -4, -1),
            (-7, -2, 3, -1),
            (6, -3, -2, 0),
        ] {
            assert_eq!(div(a, b), Ok(q));
            assert_eq!(rem(a, b), Ok(r));
        }
        assert!(div(i64::MIN, -1).is_err());
        assert!(div(1, 0).is_err());
    }
}
