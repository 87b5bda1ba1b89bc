//! `if_hyper!` and `if_fast!`: their input, if this build has that transport, else nothing. Generated code is wrapped in them.
//!
//! Whether a transport is built in is polywire's own feature, not the application's: features unify, and a `cfg` in the
//! application would not see another member's choice.

#[doc(hidden)]
#[cfg(feature = "transport-hyper")]
#[macro_export]
macro_rules! if_hyper {
    ($($item:tt)*) => { $($item)* };
}

#[doc(hidden)]
#[cfg(not(feature = "transport-hyper"))]
#[macro_export]
macro_rules! if_hyper {
    ($($item:tt)*) => {};
}

#[doc(hidden)]
#[cfg(feature = "transport-fast")]
#[macro_export]
macro_rules! if_fast {
    ($($item:tt)*) => { $($item)* };
}

#[doc(hidden)]
#[cfg(not(feature = "transport-fast"))]
#[macro_export]
macro_rules! if_fast {
    ($($item:tt)*) => {};
}
