//! From how far away an item can be named.

use syn::{Ident, Visibility};

/// The outermost module that may name an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Every crate.
    Everywhere,
    /// This crate's module at a depth, counted from the crate root at 0, and those below it.
    Depth(usize),
}

impl Reach {
    /// That of an item with this visibility, declared in the module `modules` deep.
    pub(crate) fn of(visibility: &Visibility, modules: &[Ident]) -> Self {
        let depth = modules.len();
        match visibility {
            Visibility::Public(_) => Self::Everywhere,
            Visibility::Inherited => Self::Depth(depth),
            Visibility::Restricted(restricted) => {
                let mut at = 0;
                for (position, segment) in restricted.path.segments.iter().enumerate() {
                    if segment.ident == "self" {
                        at = depth;
                    } else if segment.ident == "super" {
                        at = if position == 0 { depth } else { at }.saturating_sub(1);
                    } else if segment.ident != "crate" {
                        at += 1;
                    }
                }
                Self::Depth(at)
            }
        }
    }

    /// Whether the crate root, and with it `crate::generated`, can name it.
    pub(crate) fn is_at_root(self) -> bool {
        matches!(self, Self::Everywhere | Self::Depth(0))
    }

    /// Whether other crates can.
    pub(crate) fn is_everywhere(self) -> bool {
        self == Self::Everywhere
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visibilities() {
        let ident = |name| Ident::new(name, proc_macro2::Span::call_site());
        let modules = [ident("a"), ident("b")];
        let reach = |text| Reach::of(&syn::parse_str(text).unwrap(), &modules);
        assert_eq!(reach("pub"), Reach::Everywhere);
        assert_eq!(reach("pub(crate)"), Reach::Depth(0));
        assert_eq!(reach("pub(super)"), Reach::Depth(1));
        assert_eq!(reach("pub(in super::super)"), Reach::Depth(0));
        assert_eq!(reach("pub(in crate::a)"), Reach::Depth(1));
        assert_eq!(reach("pub(self)"), Reach::Depth(2));
        assert_eq!(reach(""), Reach::Depth(2));
    }
}
