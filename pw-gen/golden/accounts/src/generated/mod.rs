//! Written by `cargo xtask generate`: do not edit. The routes of `pw-gen-golden-accounts`, for the applications that compose them.

/// What `generated!` compares with its own options.
pub const OPTIONS: u64 = 0x3929_14b6_bc02_a76c;

/// What each `#[route]` looks up to know that it is in here, as it is now.
pub const FINGERPRINTS: &[u64] = &[
    0x4f81_f4f0_293b_d726, // accounts.show
    0xa98c_92bc_391e_5655, // accounts.limit
    #[cfg(unix)]
    0xcdbb_4829_f716_a809, // accounts.unix
];

/// What an application compares with the routes it was generated from.
pub const DIGEST: u64 = 0x8ea4_fa2e_6487_5630;
