//! Names that generated code makes up: constants for routes and nodes, functions for groups.

use std::collections::BTreeSet;

/// Gives out names, each once.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    /// All but these.
    pub(crate) fn without(reserved: &[&str]) -> Self {
        Self(reserved.iter().map(|name| (*name).to_owned()).collect())
    }

    /// This name or, if it is taken, the same with a number.
    pub(crate) fn take(&mut self, name: String) -> String {
        let mut unique = name.clone();
        let mut number = 2;
        while !self.0.insert(unique.clone()) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        unique
    }
}

/// `users.show` and `/users/{id}` as the names of constants: `USERS_SHOW`, `USERS_ID`.
pub(crate) fn constant(text: &str) -> String {
    words(text).to_ascii_uppercase()
}

/// The same as the name of a function, `users_show`. Prefixed where it would be a keyword.
pub(crate) fn function(text: &str) -> String {
    let name = words(text).to_ascii_lowercase();
    match syn::parse_str::<syn::Ident>(&name) {
        Ok(_) => name,
        Err(_) => format!("{name}_"),
    }
}

fn words(text: &str) -> String {
    let mut name = String::new();
    let mut low = false;
    for c in text.chars() {
        if !c.is_ascii_alphanumeric() {
            low = false;
            if !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
            continue;
        }
        if c.is_ascii_uppercase() && low {
            name.push('_');
        }
        low = c.is_ascii_lowercase();
        name.push(c);
    }
    let name = name.trim_end_matches('_');
    match name.chars().next() {
        None => "root".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("n{name}"),
        Some(_) => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_makes_a_name() {
        assert_eq!(constant("show_user"), "SHOW_USER");
        assert_eq!(constant("users.show"), "USERS_SHOW");
        assert_eq!(constant("showUser"), "SHOW_USER");
        assert_eq!(constant("/users/{id}/"), "USERS_ID");
        assert_eq!(constant("/"), "ROOT");
        assert_eq!(constant("2fa"), "N2FA");
        assert_eq!(function("type"), "type_");
        assert_eq!(function("Users"), "users");
    }

    #[test]
    fn names_are_given_once() {
        let mut names = Names::without(&["ROOT"]);
        assert_eq!(names.take("ROOT".into()), "ROOT_2");
        assert_eq!(names.take("A".into()), "A");
        assert_eq!(names.take("A".into()), "A_2");
    }
}
