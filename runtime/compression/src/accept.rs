//! Which coding a client gets: the field `Accept-Encoding` (RFC 9110 12.5.3).
//!
//! An element that breaks the grammar is passed over, as if it were not there.

use pw_core::weight::thousandths;

use crate::Coding;

/// What the client likes best among what is offered; of equals the one that is offered first. `None`: the content as it is, which is
/// also for clients that refuse all of it (`identity;q=0`), and accept nothing there is.
pub(crate) fn negotiate<'a>(lines: impl Iterator<Item = &'a [u8]>, offers: &[Coding]) -> Option<Coding> {
    let (mut identity, mut others) = (None, None);
    let mut named = [None; Coding::ALL.len()];
    for (name, weight) in lines
        .flat_map(|line| line.split(|byte| *byte == b','))
        .filter_map(element)
    {
        let place = match name {
            b"*" => &mut others,
            name if name.eq_ignore_ascii_case(b"identity") => &mut identity,
            name => match offers.iter().position(|offer| offer.is_called(name)) {
                Some(at) => &mut named[at],
                None => continue,
            },
        };
        *place = (*place).max(Some(weight));
    }
    let mut best = (0, None);
    for (&offer, &weight) in offers.iter().zip(&named) {
        let weight = weight.or(others).unwrap_or(0);
        if weight > best.0 {
            best = (weight, Some(offer));
        }
    }
    // What is not named is accepted, but liked less than what is.
    best.1.filter(|_| identity.unwrap_or(0) <= best.0)
}

fn element(element: &[u8]) -> Option<(&[u8], u16)> {
    let mut parts = element.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    let name = parts.next().filter(|name| !name.is_empty())?;
    let weight = match parts.next() {
        None => 1000,
        Some([b'q' | b'Q', b'=', value @ ..]) => thousandths(value)?,
        Some(_) => return None,
    };
    parts.next().is_none().then_some((name, weight))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OFFERS: &[Coding] = &[Coding::Br, Coding::Gzip];

    fn of(lines: &[&str]) -> Option<Coding> {
        negotiate(lines.iter().map(|line| line.as_bytes()), OFFERS)
    }

    #[test]
    fn the_client_chooses_and_of_equals_the_server() {
        let (br, gzip) = (Some(Coding::Br), Some(Coding::Gzip));
        for (accept, coding) in [
            ("", None),
            ("gzip", gzip),
            ("GZIP", gzip),
            ("x-gzip", gzip),
            ("x-br", None),
            ("gzip, deflate, br, zstd", br),
            ("gzip, br;q=0.9", gzip),
            ("br;q=0.001", br),
            ("br;q=0", None),
            ("br;q=0.000, gzip;q=0.5", gzip),
            ("*", br),
            ("*;q=0", None),
            ("br;q=0, *", gzip),
            ("gzip;q=0.5, *;q=0.6", br),
            ("identity", None),
            ("identity, gzip", gzip),
            ("identity;q=0.5, gzip;q=0.4", None),
            ("identity;q=0", None),
            ("identity;q=0, *;q=0.1", br),
            ("*;q=0, gzip", gzip),
            ("deflate", None),
            ("br;q=2, gzip", gzip),
            ("br;q=0.1234, gzip;q=0.1", gzip),
            ("br;level=1, gzip;q=0.1", gzip),
            ("br;q=1;q=1, gzip;q=0.1", gzip),
            (" ,, gzip ; q=1.000 ,", gzip),
            ("gzip br", None),
        ] {
            assert_eq!(of(&[accept]), coding, "{accept}");
        }
        assert_eq!(of(&["deflate", "gzip;q=0.5", "br;q=0.6"]), br);
        assert_eq!(of(&[]), None);
    }

    fn name() -> impl Strategy<Value = &'static str> {
        prop_oneof![Just("gzip"), Just("br"), Just("identity"), Just("*"), Just("deflate")]
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_much(line in proptest::collection::vec(any::<u8>(), 0..60)) {
            negotiate([line.as_slice()].into_iter(), OFFERS);
        }

        #[test]
        fn nothing_that_is_liked_better_is_there(
            elements in proptest::collection::btree_map(name(), 0u16..=1000, 0..5),
        ) {
            let print = |(name, weight): (&&str, &u16)| format!("{name};q={}.{:03}", weight / 1000, weight % 1000);
            let accept = elements.iter().map(print).collect::<Vec<_>>().join(",");
            let weight = |name| elements.get(name).or(elements.get("*")).copied().unwrap_or(0);
            let identity = elements.get("identity").copied().unwrap_or(0);
            match of(&[&accept]) {
                Some(coding) => {
                    let chosen = weight(coding.name());
                    prop_assert!(chosen > 0 && chosen >= identity, "{accept}");
                    prop_assert!(OFFERS.iter().all(|offer| weight(offer.name()) <= chosen), "{accept}");
                }
                None => {
                    let refused = |offer: &Coding| weight(offer.name()) == 0 || weight(offer.name()) < identity;
                    prop_assert!(OFFERS.iter().all(refused), "{accept}");
                }
            }
        }

        #[test]
        fn the_order_of_elements_and_lines_is_nothing(
            elements in proptest::collection::vec((name(), 0u16..=10), 0..6), cut in any::<prop::sample::Index>(),
        ) {
            let print = |(name, weight): &(&str, u16)| format!("{name};q={}", f64::from(*weight) / 10.0);
            let mut printed: Vec<_> = elements.iter().map(print).collect();
            let forwards = of(&[&printed.join(", ")]);
            printed.reverse();
            let (one, two) = printed.split_at(cut.index(printed.len() + 1));
            prop_assert_eq!(of(&[&one.join(","), &two.join(",")]), forwards);
        }
    }
}
