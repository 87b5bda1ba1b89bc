//! Quality weights (RFC 9110 12.4.2), for all that is negotiated.

/// A weight in thousandths: `0` to `1`, with three decimals at most. `None`: it breaks the grammar.
pub fn thousandths(value: &[u8]) -> Option<u16> {
    let (whole, decimals) = match value {
        [whole] => (*whole, &[][..]),
        [whole, b'.', decimals @ ..] if decimals.len() <= 3 => (*whole, decimals),
        _ => return None,
    };
    let mut weight = match whole {
        b'0' => 0,
        b'1' => 1000,
        _ => return None,
    };
    for (decimal, place) in decimals.iter().zip([100, 10, 1]) {
        let digit = decimal.is_ascii_digit().then(|| u16::from(decimal - b'0'))?;
        weight += digit * place;
    }
    (weight <= 1000).then_some(weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_what_the_grammar_says() {
        for (value, weight) in [
            ("0", 0),
            ("1", 1000),
            ("0.", 0),
            ("1.", 1000),
            ("0.5", 500),
            ("0.05", 50),
            ("0.001", 1),
            ("1.000", 1000),
        ] {
            assert_eq!(thousandths(value.as_bytes()), Some(weight), "{value}");
        }
        for value in ["", ".5", "2", "1.001", "0.1234", "0,5", "-0", "0.x", "00", " 1"] {
            assert_eq!(thousandths(value.as_bytes()), None, "{value}");
        }
    }
}
