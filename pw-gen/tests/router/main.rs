//! The router, from patterns over the generator's tree to `Table::find`: by example, against two oracles, and counted.

mod cost;
mod examples;
mod oracle;
mod routes;
mod table;
