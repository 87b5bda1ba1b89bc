//! The transports that binders are written for, as data: a new one is a line here.

/// One transport.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transport {
    /// The name of its module in `polywire::codegen` and of its file in `src/generated`.
    pub(crate) name: &'static str,
    /// The macro of polywire that keeps its input where the transport is built in.
    pub(crate) guard: &'static str,
}

/// All of them, in the order of generated code.
pub(crate) const ALL: &[Transport] = &[
    Transport {
        name: "hyper",
        guard: "if_hyper",
    },
    Transport {
        name: "fast",
        guard: "if_fast",
    },
];
