//! A folder whose files are served: what it is set up with, and how a path becomes an answer.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use pw_core::problem::kind;
use pw_core::{FieldValue, Problem, RequestHead};

use crate::answer::FileAnswer;
use crate::cache::{Cache, CacheSize, Hit, Source};
use crate::error::FolderError;
use crate::folder::{self, Folder};
use crate::load::{self, Loaded, Shape, Stamps};
use crate::name::{self, Name};
use crate::resource::{Resource, Store};
use crate::under::Under;

/// The files beneath a folder.
///
/// As a route, in the application's state:
///
/// ```
/// use pw_core::{Path, Problem, RequestHead, Respond, State};
/// use pw_files::Files;
///
/// // #[route(GET, "/static/{*path}")]
/// async fn assets(
///     Path(path): Path<&str>,
///     head: &impl RequestHead,
///     State(files): State<'_, Files>,
/// ) -> Result<impl Respond, Problem> {
///     files.find(head, path)
/// }
///
/// fn files() -> Result<Files, pw_files::FolderError> {
///     Ok(Files::at("public")?
///         .index("index.html")
///         .cache_control("assets/**", "public, max-age=31536000, immutable"))
/// }
/// ```
///
/// or in the chain, in front of the routes: [`under`](Self::under).
///
/// Wrong: a file per request by `std::fs::read(format!("public/{path}"))`. A path is what a client says: `../../etc/passwd` is one.
///
/// # Opening
/// Opening a file, and reading one of at most 16 KiB, is done where the handler runs, and blocks its thread: a few microseconds for
/// what the kernel has in memory, as in nginx. A folder on a network file system that may hang is not for this type.
///
/// # Validators
/// The `ETag` is strong. It is made of a file's length, of the time of its last writing (which may be set), of the time of its last
/// change (which may not), and of which file it is. It is the same for as long as nobody touches the file, on every thread and after
/// a restart of the same program; it differs between machines, and between the codings of one file. Two writes that leave the length
/// the same, within one tick of the file system's clock (a few milliseconds on Linux), are not told apart by it.
/// Replace files by renaming a new one into their place, never by writing to them: who asks while one is half written gets half of
/// it. A file above 16 KiB that is replaced while it is sent is sent as it was, or ends its connection, and the client asks again. One
/// that is written to in place ends it where that is seen in time, and may otherwise reach a slow client as a mixture: where the
/// kernel sends it (the fast transport), it sends what is there when it leaves. For such a folder there is
/// [`written_in_place`](Self::written_in_place).
#[derive(Debug)]
pub struct Files {
    path: PathBuf,
    folder: Folder,
    index: Option<Box<str>>,
    fallback: Option<Box<str>>,
    hidden: bool,
    shape: Shape,
    cache: Cache,
}

/// How long a kept file is taken to be as it was.
const RECHECK: Duration = Duration::from_secs(1);

/// Setting up.
impl Files {
    /// The files beneath a folder, which is opened now, and stays the same one even if it is renamed. Nothing outside of it is ever
    /// served: no `..`, no symbolic link leads out, and nothing but regular files is sent.
    ///
    /// # Errors
    /// The folder is missing, is none, or may not be read. The error names it.
    pub fn at(folder: impl AsRef<Path>) -> Result<Self, FolderError> {
        let path = folder.as_ref();
        Ok(Self {
            path: path.to_owned(),
            folder: Folder::open(path).map_err(|source| FolderError::new(path, source))?,
            index: None,
            fallback: None,
            hidden: false,
            shape: Shape {
                precompressed: true,
                ..Shape::default()
            },
            cache: Cache::new(CacheSize::default(), RECHECK),
        })
    }

    /// The file that stands for the folder it is in, `index.html` for one. A folder without its slash is then redirected to (308).
    /// Without an index, and where there is no such file, a folder is 404. What is in it is never listed.
    ///
    /// As a route the folder itself needs one of its own: `{*path}` is never empty, so `/app/{*path}` is not `/app/`. Both handlers call
    /// [`find`](Self::find), the other one with `""`. A middleware needs nothing more.
    ///
    /// # Panics
    /// It is no name of a file that would be served.
    pub fn index(mut self, name: &str) -> Self {
        let is_plain = matches!(name::check(name, false), Some(Name::File(_))) && !name.contains('/');
        assert!(is_plain, "an index is the name of a file, and `{name}` is not");
        self.index = Some(name.into());
        self
    }

    /// The file that is sent, with 200, for a path that is none and has no dot in its last segment: the page of a single-page application,
    /// which looks at the path itself. Somebody who reloads `/app/users/7`, or was sent that link, then gets the page, while a missing
    /// `/app/main.js` stays 404: as a page it would be a syntax error in the browser, and stay in its cache. A path that could name
    /// nothing at all (`..`, an escaped slash, a hidden name) is 404 as ever.
    ///
    /// ```
    /// use pw_core::{Path, Problem, RequestHead, Respond, State};
    /// use pw_files::{Files, FolderError};
    ///
    /// // #[route(GET, "/app/")]
    /// async fn page(head: &impl RequestHead, State(app): State<'_, Files>) -> Result<impl Respond, Problem> {
    ///     app.find(head, "")
    /// }
    ///
    /// // #[route(GET, "/app/{*path}")]
    /// async fn file(
    ///     head: &impl RequestHead,
    ///     Path(path): Path<&str>,
    ///     State(app): State<'_, Files>,
    /// ) -> Result<impl Respond, Problem> {
    ///     app.find(head, path)
    /// }
    ///
    /// fn app() -> Result<Files, FolderError> {
    ///     Ok(Files::at("dist")?.index("index.html").fallback("index.html"))
    /// }
    /// ```
    ///
    /// As a [middleware](Self::under) it is not sent where a route is found.
    ///
    /// Wrong: a page whose own files are named relatively (`<script src="main.js">`). At `/app/users/7` that is `/app/users/main.js`;
    /// write `/app/main.js`.
    ///
    /// # Panics
    /// It is no path of a file that would be served.
    pub fn fallback(mut self, path: &str) -> Self {
        let is_file = matches!(name::check(path, false), Some(Name::File(_)));
        assert!(is_file, "a fallback is the path of a file, and `{path}` is not");
        self.fallback = Some(path.into());
        self
    }

    /// Sends files that match a pattern with this `Cache-Control`. Of several rules the first that matches counts; without one it
    /// is `no-cache`: caches may keep a file, and ask each time whether it is still the same (304 without content).
    ///
    /// In a pattern `*` is anything but a slash, `**` anything. One without a slash is for names in any folder (`*.css`), one with a
    /// slash for whole paths (`assets/**`).
    ///
    /// Wrong: `cache_control("*", "public, max-age=31536000, immutable")` for files whose names stay when they change. No browser
    /// asks for them again for a year, and there is no way to tell it.
    ///
    /// # Panics
    /// The value can't be sent: it holds a control byte, or white space at its ends.
    pub fn cache_control(mut self, pattern: &str, value: &str) -> Self {
        self.shape.rules.add(pattern, value);
        self
    }

    /// Whether `app.js.zst`, `app.js.br` and `app.js.gz` are sent in place of `app.js` to clients that take them (default: yes). They
    /// are used if they are shorter; keeping them in step with the original is whoever's made them. All files are then sent with
    /// `Vary: accept-encoding`, and a client that refuses `identity` and takes nothing that is there gets 406.
    pub fn precompressed(mut self, wanted: bool) -> Self {
        self.shape.precompressed = wanted;
        self
    }

    /// Whether names that begin with a dot are served (default: no, they are 404). `.well-known` at the root always is.
    pub fn hidden(mut self, wanted: bool) -> Self {
        self.hidden = wanted;
        self
    }

    /// Whether files are written to, or cut, where they are (default: no). They are then sent by copies on the fast transport, too: a
    /// client gets the file as it was or a broken connection, never a mixture. It costs two to three times the CPU for files above 16 KiB.
    /// Half a file is still sent to who asks while it is half written.
    pub fn written_in_place(mut self, yes: bool) -> Self {
        self.shape.copied = yes;
        self
    }

    /// How much is kept open, and in memory.
    pub fn cache_size(mut self, size: CacheSize) -> Self {
        self.cache = Cache::new(size, self.cache.recheck());
        self
    }

    /// How long a file that is kept is taken to be as it was: one second. After that it is looked at again, by path, when it is asked
    /// for. Zero: at every request.
    pub fn recheck(mut self, after: Duration) -> Self {
        self.cache = Cache::new(self.cache.size(), after);
        self
    }

    /// As a middleware, for GET and HEAD of paths below `prefix`, `/static` for one. Where there is such a file it is answered, in
    /// front of all routes; anything else goes on to the rest of the chain. The [fallback](Self::fallback) is answered where no route was
    /// found.
    ///
    /// ```
    /// use pw_core::{Recover, RequestId};
    /// use pw_files::{Files, FolderError, Under};
    ///
    /// type Chain = (RequestId, (Recover, Under));
    ///
    /// fn chain() -> Result<Chain, FolderError> {
    ///     Ok((RequestId, (Recover, Files::at("public")?.under("/static"))))
    /// }
    /// ```
    ///
    /// # Panics
    /// The prefix does not begin with a slash.
    pub fn under(self, prefix: &str) -> Under {
        Under::new(self, prefix)
    }
}

/// Answering.
impl Files {
    /// The file at a path beneath the folder, or the [fallback](Self::fallback), as the head wants it. The path is decoded and has no slash at its beginning: what
    /// `{*path}` gives. Only GET and HEAD routes should ask.
    ///
    /// # Errors
    /// 404 where there is no file that may be served, whatever the reason; 406, 412 and 416 where the head wants what it can't have;
    /// 503 where no more files can be opened, 500 where the file system fails.
    pub fn find(&self, head: &impl RequestHead, path: &str) -> Result<FileAnswer, Problem> {
        let found = match self.look(head, path)? {
            None => self.fall_back(head, path)?,
            found => found,
        };
        found.ok_or_else(Problem::not_found)
    }

    /// What is sent for a path where there is no file, if anything is.
    pub(crate) fn fall_back(&self, head: &impl RequestHead, path: &str) -> Result<Option<FileAnswer>, Problem> {
        let Some(fallback) = &self.fallback else {
            return Ok(None);
        };
        let (Name::File(name) | Name::Folder(name)) = match name::check(path, self.hidden) {
            Some(name) if !name::has_escaped_slash(head.path(), path) => name,
            _ => return Ok(None),
        };
        if name.rsplit('/').next().is_some_and(|last| last.contains('.')) {
            return Ok(None);
        }
        // Kept for its own path: clients make up any number of others.
        if let Some(resource) = self.kept(fallback)? {
            return FileAnswer::of(resource, head).map(Some);
        }
        match self.open(fallback, fallback)? {
            Opened::File(resource) => FileAnswer::of(resource, head).map(Some),
            Opened::Folder | Opened::Nothing => Ok(None),
        }
    }

    /// As [`find`](Self::find), without the fallback; `None` is 404.
    pub(crate) fn look(&self, head: &impl RequestHead, path: &str) -> Result<Option<FileAnswer>, Problem> {
        if name::has_escaped_slash(head.path(), path) {
            return Ok(None);
        }
        if let Some(resource) = self.kept(path)? {
            return FileAnswer::of(resource, head).map(Some);
        }
        match name::check(path, self.hidden) {
            None => Ok(None),
            Some(Name::File(name)) => match self.open(path, name)? {
                Opened::File(resource) => FileAnswer::of(resource, head).map(Some),
                Opened::Folder => self.to_slash(head, name),
                Opened::Nothing => Ok(None),
            },
            Some(Name::Folder(folder)) => {
                let Some(index) = self.index_of(folder) else {
                    return Ok(None);
                };
                match self.open(path, &index)? {
                    Opened::File(resource) => FileAnswer::of(resource, head).map(Some),
                    Opened::Folder | Opened::Nothing => Ok(None),
                }
            }
        }
    }

    /// A redirect to a folder's path with its slash, if there is something to see. `None` otherwise.
    pub(crate) fn to_slash(&self, head: &impl RequestHead, folder: &str) -> Result<Option<FileAnswer>, Problem> {
        let Some(index) = self.index_of(folder) else {
            return Ok(None);
        };
        let has_index = self.folder.stamp(&index).map_err(failed)?.is_some();
        let path = head.path();
        // `//host/` would lead to another site.
        let is_local = path.starts_with('/') && !path.starts_with("//") && !path.contains('\\') && !path.ends_with('/');
        if !has_index || !is_local {
            return Ok(None);
        }
        let location = match head.query() {
            "" => format!("{path}/"),
            query => format!("{path}/?{query}"),
        };
        if FieldValue::new(&location).is_err() {
            return Ok(None);
        }
        Ok(Some(FileAnswer::redirect(location, self.shape.rules.value(&index))))
    }

    fn index_of(&self, folder: &str) -> Option<String> {
        let index = self.index.as_deref()?;
        Some(match folder {
            "" => index.to_owned(),
            folder => format!("{folder}/{index}"),
        })
    }

    /// What is kept for a path, if it is still right.
    fn kept(&self, path: &str) -> Result<Option<Arc<Resource>>, Problem> {
        match self.cache.find(path) {
            Hit::Fresh(resource) if is_unchanged(&resource).map_err(failed)? => Ok(Some(resource)),
            Hit::Fresh(_) => {
                self.cache.forget(path);
                Ok(None)
            }
            Hit::Due(resource, source) => {
                let is_same = match Stamps::look(&self.folder, &source.name, &self.shape) {
                    // A change that the stamps may not tell is none to rely on.
                    Ok(stamps) => source.settled && stamps == Some(*source.stamps),
                    // Nobody can look now, and what is kept was right a moment ago.
                    Err(error) if folder::is_exhausted(&error) => is_unchanged(&resource).map_err(failed)?,
                    Err(error) => return Err(failed(error)),
                };
                if is_same {
                    return Ok(Some(resource));
                }
                self.cache.forget(path);
                Ok(None)
            }
            Hit::None => Ok(None),
        }
    }

    /// Opens a file, and keeps it for the path it was asked for by.
    fn open(&self, path: &str, name: &str) -> Result<Opened, Problem> {
        let mut loaded = load::load(&self.folder, name, &self.shape);
        for _ in 0..3 {
            match &loaded {
                // Ours are the first to go.
                Err(error) if folder::is_exhausted(error) => self.cache.clear(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => break,
            }
            loaded = load::load(&self.folder, name, &self.shape);
        }
        match loaded.map_err(failed)? {
            Loaded::File(resource, stamps) => {
                let source = Source {
                    name: name.into(),
                    settled: stamps.are_settled(SystemTime::now()),
                    stamps,
                };
                self.cache.keep(path, resource.clone(), source);
                Ok(Opened::File(resource))
            }
            Loaded::Folder => Ok(Opened::Folder),
            Loaded::Nothing => Ok(Opened::Nothing),
        }
    }

    /// The folder, as it was named.
    pub fn folder(&self) -> &Path {
        &self.path
    }
}

enum Opened {
    File(Arc<Resource>),
    Folder,
    Nothing,
}

/// Whether nobody has written to those of its files that are open. One that was written to can't be sent any more, as it was
/// described: its connection would end. What is in memory can.
fn is_unchanged(resource: &Resource) -> io::Result<bool> {
    for representation in resource.representations() {
        if let Store::File(file) = &representation.store
            && !file.is_unchanged()?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

fn failed(error: io::Error) -> Problem {
    let is_passing = folder::is_exhausted(&error) || error.kind() == io::ErrorKind::Interrupted;
    let kind = match is_passing {
        true => &kind::SERVICE_UNAVAILABLE,
        false => &kind::INTERNAL,
    };
    Problem::of(kind).cause(error)
}
