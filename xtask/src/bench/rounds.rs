//! Rounds: everything once, in an order of its own, and again. A machine that slows down for a while charges everybody.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::run::Table;
use super::servers::Server;

/// A table, and how its rows come about.
pub(super) struct Measure<'a> {
    /// Without rows.
    pub(super) table: Table,
    /// Who is in it.
    pub(super) takes_part: Box<dyn Fn(&Server) -> bool + 'a>,
    /// The figures of a round, one for each column. None: it says nothing here, and so in all rounds.
    pub(super) sample: Box<dyn Fn(&Server) -> Figures + 'a>,
}

pub(super) type Figures = Result<Vec<Option<f64>>, String>;

/// Fills the tables.
///
/// # Errors
/// The first that a measure gave.
pub(super) fn in_rounds(
    layer: &str,
    rounds: usize,
    servers: &[Arc<Server>],
    measures: Vec<Measure<'_>>,
) -> Result<Vec<Table>, String> {
    let mut dice = Dice::seeded();
    let absent = |measure: &Measure<'_>| vec![vec![None::<Vec<f64>>; measure.table.columns.len()]; servers.len()];
    let mut samples: Vec<_> = measures.iter().map(absent).collect();
    for round in 1..=rounds {
        eprintln!("{layer}: round {round} of {rounds}");
        for at in dice.order(measures.len()) {
            for row in dice.order(servers.len()) {
                if !(measures[at].takes_part)(&servers[row]) {
                    continue;
                }
                let figures = (measures[at].sample)(&servers[row])?;
                for (column, figure) in samples[at][row].iter_mut().zip(figures) {
                    if let Some(figure) = figure {
                        column.get_or_insert_default().push(figure);
                    }
                }
            }
        }
    }
    let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
    let filled = measures.into_iter().zip(samples).map(|(measure, samples)| {
        let mut table = measure.table;
        table.fill(&names, &samples);
        table
    });
    Ok(filled.collect())
}

/// Numbers in no order worth speaking of (xorshift).
struct Dice(u64);

impl Dice {
    fn seeded() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Nothing but zero comes of zero.
        Self(now.as_nanos() as u64 | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }

    /// The numbers below this, shuffled.
    fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for at in (1..count).rev() {
            order.swap(at, self.below(at + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_has_everything_once_and_differs() {
        let mut dice = Dice(1);
        let orders: Vec<_> = (0..20).map(|_| dice.order(5)).collect();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
        }
        assert!(orders.iter().any(|order| *order != orders[0]));
        assert!((0..5).all(|first| orders.iter().any(|order| order[0] == first)));
        assert!(dice.order(0).is_empty());
    }
}
