//! A route's fingerprint: 64-bit FNV-1a over what generated code is made of. The macro asserts that it stands in
//! `src/generated`, where the generator has put it.
//!
//! It is taken over what the attribute means (a comma or the order of options changes nothing) and over the tokens of the
//! signature, one by one, because the text of a token stream differs between a compiler and a plain program.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;

/// A hash under construction.
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint(u64);

/// That of nothing.
impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Adds a text and an end mark that no text holds.
    pub fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes()).bytes(&[0xff])
    }

    /// Adds a number, which needs no end mark.
    pub fn number(self, number: u64) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    /// Adds tokens, whatever the white space between them.
    pub(crate) fn tokens(self, tokens: impl ToTokens) -> Self {
        self.stream(tokens.to_token_stream()).bytes(&[0xfe])
    }

    /// The hash of all that was added.
    pub fn value(self) -> u64 {
        self.0
    }

    fn stream(mut self, tokens: TokenStream) -> Self {
        for token in tokens {
            self = match token {
                TokenTree::Group(group) => match group.delimiter() {
                    Delimiter::None => self.stream(group.stream()),
                    Delimiter::Parenthesis => self.text("(").stream(group.stream()).text(")"),
                    Delimiter::Brace => self.text("{").stream(group.stream()).text("}"),
                    Delimiter::Bracket => self.text("[").stream(group.stream()).text("]"),
                },
                TokenTree::Ident(word) => self.text(&word.to_string()),
                TokenTree::Punct(mark) => self.text(mark.as_char().encode_utf8(&mut [0; 4])),
                TokenTree::Literal(literal) => self.text(&literal.to_string()),
            };
        }
        self
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        self
    }
}

/// The fingerprint of a route in its module: its [hash](crate::Route::hash), continued over the path that `module_path!()`
/// has there (`helloworld::users`). The same function as `pw_core::codegen::fingerprint`.
pub fn fingerprint_in(hash: u64, module_path: &str) -> u64 {
    Fingerprint(hash).bytes(module_path.as_bytes()).value()
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn hash_tokens(tokens: impl ToTokens) -> u64 {
        Fingerprint::default().tokens(tokens).value()
    }

    #[test]
    fn white_space_does_not_count_and_tokens_do() {
        let hash = |text: &str| hash_tokens(text.parse::<TokenStream>().expect("tokens"));
        assert_eq!(hash("a : & 'b [ u8 ]"), hash("a:&'b[u8]"));
        for other in ["a:&'c[u8]", "a:&'b(u8)", "a:&'b[u16]", "au:&'b[8]", "a:&'b[u8],"] {
            assert_ne!(hash("a:&'b[u8]"), hash(other), "{other}");
        }
        assert_eq!(hash_tokens(quote!(a)), hash("a"));
    }

    #[test]
    fn the_module_is_part_of_it() {
        assert_ne!(fingerprint_in(7, "a::b"), fingerprint_in(7, "a::c"));
        assert_eq!(fingerprint_in(7, ""), 7);
    }
}
