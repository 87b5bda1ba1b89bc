//! Files that are part of the program: the same answers as for a folder's, and names that change with what is in them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use bytes::Bytes;
use pw_core::{Exchange, Middleware, Next, Problem, RequestHead, Respond};

use crate::answer::FileAnswer;
use crate::coding::Coding;
use crate::name::{self, Name};
use crate::resource::{Parts, Representation, Resource, Store};
use crate::{media, under};

/// Files that were put into the program when it was built.
///
/// Each has two paths: its own, `/static/css/app.css`, sent with `Cache-Control: no-cache`, and one with a fingerprint of its content,
/// `/static/css/app.3f2a9c6e.css`, sent with `immutable`. Pages name the latter, which [`url`](Self::url) gives: browsers ask for it
/// once, and for another one when the file has changed.
///
/// Where the bytes come from is left open: from a list with `include_bytes!`, or from a crate that embeds a folder. With
/// [rust-embed](https://docs.rs/rust-embed):
///
/// ```
/// use pw_files::Embedded;
/// use rust_embed::RustEmbed;
///
/// #[derive(RustEmbed)]
/// #[folder = "src"]
/// struct Assets;
///
/// fn assets() -> Embedded {
///     let files = Assets::iter().filter_map(|name| Some((name.clone(), Assets::get(&name)?.data)));
///     Embedded::new("/static", files)
/// }
/// # assert!(assets().url("lib.rs").starts_with("/static/lib."));
/// ```
///
/// A list is `[("app.css", &include_bytes!("app.css")[..]), ..]`: slices, as arrays of different lengths are of different types. Whoever
/// writes pages asks for each [`url`](Self::url), or for all [`urls`](Self::urls), before the middleware is handed over.
///
/// It is a middleware, which answers GET and HEAD of what is embedded and lets all else go on; as a route it is asked with
/// [`find`](Self::find). `app.css.zst`, `app.css.br` and `app.css.gz` are sent in place of `app.css` to clients that take them, if they
/// are shorter; they have no paths of their own. There is no `Last-Modified`: the `ETag`, made of the content, says it all.
#[derive(Debug)]
pub struct Embedded {
    /// Without a slash at its end.
    prefix: Box<str>,
    files: HashMap<Box<str>, Arc<Resource>>,
    urls: HashMap<Box<str>, Box<str>>,
}

/// For paths that will never have anything else.
const FOREVER: &str = "public, max-age=31536000, immutable";

impl Embedded {
    /// These files, by names such as `css/app.css`, below a prefix such as `/static`. Of two with one name the last counts.
    ///
    /// # Panics
    /// The prefix does not begin with a slash; or a name has an empty segment, `.`, `..`, a control byte or a backslash, which no path
    /// can name.
    pub fn new<N, B>(prefix: &str, files: impl IntoIterator<Item = (N, B)>) -> Self
    where
        N: AsRef<str>,
        B: Into<Cow<'static, [u8]>>,
    {
        let mut all = BTreeMap::new();
        for (name, bytes) in files {
            let name = name.as_ref();
            let is_plain = matches!(name::check(name, true), Some(Name::File(_)));
            assert!(is_plain, "no path can name the embedded file `{name}`");
            let bytes = match bytes.into() {
                Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                Cow::Owned(bytes) => Bytes::from(bytes),
            };
            // The first clone may allocate: here, not in a request.
            drop(bytes.clone());
            all.insert(name.to_owned(), bytes);
        }
        let mut embedded = Self {
            prefix: under::prefix(prefix),
            files: HashMap::new(),
            urls: HashMap::new(),
        };
        for name in all.keys().filter(|name| !is_coded(name, &all)) {
            let fingerprinted = fingerprinted(name, &all[name]);
            let url = format!("{}/{}", embedded.prefix, escaped(&fingerprinted));
            embedded.urls.insert(name.as_str().into(), url.into());
            for (path, cache_control) in [(name.as_str(), "no-cache"), (&fingerprinted, FOREVER)] {
                let resource = Arc::new(resource(name, &all, cache_control));
                embedded.files.insert(path.into(), resource);
            }
        }
        embedded
    }

    /// Lets a file stand for the folder it is in: with `index.html`, `/static/` is `/static/index.html`.
    pub fn index(mut self, index: &str) -> Self {
        let folders: Vec<_> = self
            .urls
            .keys()
            .filter_map(|name| {
                let folder = name.strip_suffix(index)?;
                let is_whole = folder.is_empty() || folder.ends_with('/');
                is_whole.then(|| (folder.into(), self.files[name].clone()))
            })
            .collect();
        self.files.extend::<Vec<(Box<str>, _)>>(folders);
        self
    }

    /// The path of a file that has its fingerprint: what pages name. It is percent-encoded; quote it in HTML.
    ///
    /// # Panics
    /// No file of this name is embedded.
    pub fn url(&self, name: &str) -> &str {
        match self.urls.get(name) {
            Some(url) => url,
            None => panic!("no file `{name}` is embedded"),
        }
    }

    /// The name of each file and the [`url`](Self::url) of it, in any order: what a page, or the state that templates are filled from,
    /// keeps.
    ///
    /// ```
    /// use std::collections::HashMap;
    /// use pw_files::Embedded;
    /// let assets = Embedded::new("/static", [("app.css", &b"p { color: red }"[..])]);
    /// let urls: HashMap<String, String> = assets.urls().map(|(name, url)| (name.into(), url.into())).collect();
    /// assert_eq!(urls["app.css"], assets.url("app.css"));
    /// ```
    pub fn urls(&self) -> impl Iterator<Item = (&str, &str)> {
        self.urls.iter().map(|(name, url)| (&**name, &**url))
    }

    /// The file at a path below the prefix, as the head wants it. The path is decoded and has no slash at its beginning: what
    /// `{*path}` gives.
    ///
    /// # Errors
    /// 404 where there is no such file; 406, 412 and 416 where the head wants what it can't have.
    pub fn find(&self, head: &impl RequestHead, path: &str) -> Result<FileAnswer, Problem> {
        self.look(head, path).unwrap_or_else(|| Err(Problem::not_found()))
    }

    fn look(&self, head: &impl RequestHead, path: &str) -> Option<Result<FileAnswer, Problem>> {
        if name::has_escaped_slash(head.path(), path) {
            return None;
        }
        let resource = self.files.get(path)?;
        Some(FileAnswer::of(resource.clone(), head))
    }
}

impl Middleware for Embedded {
    async fn around<E: Exchange, N: Next<E>>(&self, head: &E::Head, cx: &mut E, next: N) -> Result<(), Problem> {
        let found = under::asked(head, &self.prefix).and_then(|rest| self.look(head, rest.strip_prefix('/')?));
        match found {
            Some(answer) => answer?.respond(cx.reply()),
            None => next.run(head, cx).await,
        }
    }
}

/// Whether it is another file in a coding.
fn is_coded(name: &str, all: &BTreeMap<String, Bytes>) -> bool {
    Coding::ALL
        .iter()
        .filter_map(|coding| name.strip_suffix(coding.suffix()))
        .any(|original| all.contains_key(original))
}

fn resource(name: &str, all: &BTreeMap<String, Bytes>, cache_control: &str) -> Resource {
    let represent = |bytes: &Bytes, coding| {
        let parts = Parts {
            store: Store::Memory(bytes.clone()),
            media_type: media::of(name),
            coding,
            tag: format!("{:016x}{:x}", hash(bytes), bytes.len()),
            modified: None,
            cache_control,
            negotiated: true,
        };
        Representation::new(parts).expect("media types, tags and our own constants are field values")
    };
    let original = represent(&all[name], None);
    let coded = Coding::ALL.into_iter().filter_map(|coding| {
        let bytes = all.get(&format!("{name}{}", coding.suffix()))?;
        (bytes.len() < all[name].len()).then(|| (coding, represent(bytes, Some(coding))))
    });
    let (codings, coded) = coded.map(|(coding, it)| ((coding, it.length), it)).unzip();
    Resource {
        original,
        codings,
        coded,
        negotiated: true,
    }
}

/// `app.css` as `app.3f2a9c6e.css`.
fn fingerprinted(name: &str, bytes: &[u8]) -> String {
    let fingerprint = hash(bytes) >> 32;
    let (folder, file) = name.split_at(name.rfind('/').map_or(0, |slash| slash + 1));
    match file.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => format!("{folder}{stem}.{fingerprint:08x}.{ending}"),
        _ => format!("{folder}{file}.{fingerprint:08x}"),
    }
}

/// The same for the same content, in every build by one compiler. Nobody else has a say in what is hashed: it need not withstand
/// them.
fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// A path as it stands in a URL.
fn escaped(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' => escaped.push('/'),
            byte if name::is_unreserved(byte) => escaped.push(char::from(byte)),
            byte => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_stand_before_the_ending() {
        let of = |name| fingerprinted(name, b"content");
        let print = format!("{:08x}", hash(b"content") >> 32);
        assert_eq!(of("app.css"), format!("app.{print}.css"));
        assert_eq!(of("a.b/c/app.min.js"), format!("a.b/c/app.min.{print}.js"));
        assert_eq!(of("a.b/LICENSE"), format!("a.b/LICENSE.{print}"));
        assert_eq!(of(".well-known/.x"), format!(".well-known/.x.{print}"));
        assert_ne!(fingerprinted("app.css", b"other"), of("app.css"));
        assert_eq!(escaped("a b/\u{e9}?.css"), "a%20b/%C3%A9%3F.css");
    }
}
