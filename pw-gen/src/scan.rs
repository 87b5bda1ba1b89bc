//! From source files to the routes that stand in them, module by module, without compiling anything.
//!
//! Every mistake is collected and the scan goes on: a file that does not parse costs its own routes only. What can't be
//! known (a route that a macro makes, a renamed attribute) is refused with its place. What routes of one application mean
//! for each other is not looked at here: see `check`.

mod file;
mod hidden;
mod imports;
mod module;
mod reach;
mod types;

use std::collections::BTreeSet;
use std::rc::Rc;

use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};
use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned;
use syn::{Attribute, Ident, Item, ItemFn, ItemMacro, ItemUse, Meta, Type};

use self::file::Directory;
use self::imports::{Imports, Refused, Verdict};
pub(crate) use self::reach::Reach;
use self::types::Types;
use crate::condition::Condition;
use crate::diagnostic::{Diagnostic, Place, SourceFile};
use crate::sources::Sources;

/// What stands in one crate: one root and all the modules below it.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Every route, in the order of the sources.
    pub(crate) routes: Vec<RouteItem>,
    /// Every `polywire::generated!`.
    pub(crate) invocations: Vec<Invocation>,
    /// Whether one was refused: it is misplaced or says what can't be.
    pub(crate) refused_invocation: bool,
    /// The type aliases at the crate root, by name: what a chain is made of is told from them.
    pub(crate) aliases: Vec<(String, Type)>,
    /// Every file that was read.
    pub(crate) files: BTreeSet<Utf8PathBuf>,
    /// What is wrong.
    pub(crate) errors: Vec<Diagnostic>,
}

/// A route as it stands in the sources. Its attribute is sound; whether it fits the others is not known.
#[derive(Debug)]
pub(crate) struct RouteItem {
    /// What attribute and signature say.
    pub(crate) syntax: pw_syntax::Route,
    /// The function's name.
    pub(crate) function: Ident,
    /// The modules it stands in, from the crate root.
    pub(crate) modules: Vec<Ident>,
    /// The `cfg` of the function and of everything around it.
    pub(crate) condition: Condition,
    /// Where the attribute is.
    pub(crate) place: Place,
    /// Where the function's name is.
    pub(crate) function_place: Place,
    /// Where the function can be named from.
    pub(crate) reach: Reach,
    /// The same of each module it stands in, with the place of its name.
    pub(crate) module_reach: Vec<(Reach, Place)>,
    /// The types of its own module that its signature names.
    pub(crate) types: Vec<NamedType>,
}

/// A type that stands beside the handler that names it.
#[derive(Debug)]
pub(crate) struct NamedType {
    /// `struct`, `enum` or `union`.
    pub(crate) keyword: &'static str,
    /// Its name.
    pub(crate) name: Ident,
    /// Where it can be named from.
    pub(crate) reach: Reach,
    /// Where its declaration has its name.
    pub(crate) declared: Place,
    /// Where the handler's signature has it, or an alias of it.
    pub(crate) named: Place,
}

/// One `polywire::generated!`.
#[derive(Debug)]
pub(crate) struct Invocation {
    /// What it says.
    pub(crate) syntax: pw_syntax::GeneratedArgs,
    /// Where.
    pub(crate) place: Place,
    /// The file, for the places of what it names.
    pub(crate) file: Rc<SourceFile>,
}

/// Scans a crate from its root.
pub(crate) fn scan(sources: &dyn Sources, root: &Utf8Path) -> Scan {
    scan_from(sources, root, Directory::of_root(root))
}

/// Scans a file as what a `mod` would make of it, with the modules below it. Their paths begin here.
pub(crate) fn scan_module(sources: &dyn Sources, file: &Utf8Path) -> Scan {
    scan_from(sources, file, Directory::of_module(file))
}

fn scan_from(sources: &dyn Sources, file: &Utf8Path, directory: Directory) -> Scan {
    let mut scanner = Scanner {
        sources,
        scan: Scan::default(),
        open: Vec::new(),
    };
    scanner.root(file, directory);
    Diagnostic::sort(&mut scanner.scan.errors);
    scanner.scan
}

struct Scanner<'a> {
    sources: &'a dyn Sources,
    scan: Scan,
    /// The files that are being scanned, the innermost last.
    open: Vec<Utf8PathBuf>,
}

/// Where the scanner is.
#[derive(Clone)]
struct Module {
    path: Vec<Ident>,
    condition: Condition,
    file: Rc<SourceFile>,
    directory: Directory,
    reach: Vec<(Reach, Place)>,
}

impl Module {
    fn place(&self, span: Span) -> Place {
        Place::of(&self.file, span)
    }
}

impl Scanner<'_> {
    fn root(&mut self, path: &Utf8Path, directory: Directory) {
        let file = match self.read(path) {
            Ok(Some(file)) => file,
            Ok(None) => {
                let error = Diagnostic::nowhere(format!("the crate root `{path}` does not exist"));
                return self
                    .scan
                    .errors
                    .push(error.help("see the `path` of its target in Cargo.toml"));
            }
            Err(error) => return self.scan.errors.push(error),
        };
        let module = Module {
            path: Vec::new(),
            condition: Condition::default(),
            directory,
            reach: Vec::new(),
            file,
        };
        self.file(module);
    }

    fn read(&mut self, path: &Utf8Path) -> Result<Option<Rc<SourceFile>>, Diagnostic> {
        match self.sources.read(path) {
            Ok(text) => Ok(text.map(|text| {
                let path = Utf8PathBuf::from(path.as_str().replace('\\', "/"));
                self.scan.files.insert(path.clone());
                Rc::new(SourceFile { path, text })
            })),
            Err(error) => Err(Diagnostic::nowhere(format!("`{path}` can't be read: {error}"))),
        }
    }

    /// A file: its path stands in `module` already.
    fn file(&mut self, mut module: Module) {
        let file = Rc::clone(&module.file);
        let parsed = match syn::parse_file(&file.text) {
            Ok(parsed) => parsed,
            Err(error) => {
                let message = format!("this file does not parse: {error}");
                let error = Diagnostic::at(Place::of(&file, error.span()), message);
                return self
                    .scan
                    .errors
                    .push(error.note("its routes are unknown; other files were read"));
            }
        };
        if let Some(condition) = self.condition(&module, &parsed.attrs) {
            module.condition = condition;
        }
        self.open.push(file.path.clone());
        self.items(&parsed.items, &module);
        self.open.pop();
    }

    fn items(&mut self, items: &[Item], module: &Module) {
        let mut imports = Imports::default();
        for item in items {
            if let Item::Use(item) = item {
                self.import(item, &mut imports, module);
            }
        }
        let types = Types::of(items);
        for item in items {
            match item {
                Item::Fn(function) => {
                    self.function(function, &imports, &types, module);
                    self.hidden(item, &imports, module);
                }
                Item::Mod(inner) => self.module(inner, module),
                Item::Macro(mac) => self.invocation(mac, &imports, module),
                Item::Use(_) => {}
                Item::Type(alias) if module.path.is_empty() => {
                    self.scan.aliases.push((alias.ident.to_string(), (*alias.ty).clone()));
                }
                _ => self.hidden(item, &imports, module),
            }
        }
    }

    fn import(&mut self, item: &ItemUse, imports: &mut Imports, module: &Module) {
        let mut refused = Vec::new();
        imports.read(item, &mut refused);
        for refused in refused {
            let error = match refused {
                Refused::Renamed(name) => {
                    Diagnostic::at(module.place(name.span()), "the attribute `route` must keep its name")
                        .note("the generator finds routes by the attribute's name")
                        .help("write `use polywire::route;` and `#[route(..)]`, or `#[polywire::route(..)]`")
                }
                Refused::Exported(name) => Diagnostic::at(
                    module.place(name.span()),
                    "the attribute `route` must not be re-exported",
                )
                .note("the generator can't follow it to the modules that import it from here")
                .help("write `use polywire::route;` without `pub` in each module that has routes"),
            };
            self.scan.errors.push(error);
        }
    }

    fn function<'a>(&mut self, function: &'a ItemFn, imports: &Imports, types: &Types<'a>, module: &Module) {
        let mut first: Option<&Attribute> = None;
        for attribute in &function.attrs {
            match imports.verdict(attribute.path(), &arguments(attribute)) {
                Verdict::Ours => match first {
                    None => {
                        first = Some(attribute);
                        self.route(attribute, function, types, module);
                    }
                    Some(first) => {
                        let message = format!("`{}` has two routes", function.sig.ident);
                        let error = Diagnostic::at(module.place(attribute.span()), message)
                            .note_at(module.place(first.span()), "the first is here")
                            .help("write a second function that calls the first");
                        self.scan.errors.push(error);
                    }
                },
                Verdict::Roundabout => self.scan.errors.push(roundabout(module.place(attribute.path().span()))),
                Verdict::Other => {}
            }
        }
    }

    fn route<'a>(&mut self, attribute: &Attribute, function: &'a ItemFn, types: &Types<'a>, module: &Module) {
        let Some(condition) = self.condition(module, &function.attrs) else {
            return;
        };
        let syntax = match pw_syntax::parse(attribute, &function.sig) {
            Ok(syntax) => syntax,
            Err(errors) => {
                return self.syntax_errors(errors, module);
            }
        };
        self.scan.routes.push(RouteItem {
            syntax,
            function: function.sig.ident.clone(),
            modules: module.path.clone(),
            condition,
            place: module.place(attribute.span()),
            function_place: module.place(function.sig.ident.span()),
            reach: Reach::of(&function.vis, &module.path),
            module_reach: module.reach.clone(),
            types: types.named_in(&function.sig, module),
        });
    }

    fn invocation(&mut self, item: &ItemMacro, imports: &Imports, module: &Module) {
        let path = &item.mac.path;
        let last = path.segments.last().expect("a path has a segment");
        let ours = path.segments.len() == 1 || path.segments[0].ident == "polywire";
        if last.ident != pw_syntax::names::MODULE || !ours {
            return self.macro_body(item, imports, module);
        }
        let place = module.place(path.span());
        if !module.path.is_empty() {
            self.scan.refused_invocation = true;
            let error = Diagnostic::at(place, "`polywire::generated!` must stand in the crate root");
            return self
                .scan
                .errors
                .push(error.help("move it to the file that cargo builds, src/main.rs or src/lib.rs"));
        }
        match pw_syntax::GeneratedArgs::parse(item.mac.tokens.clone()) {
            Ok(syntax) => self.scan.invocations.push(Invocation {
                syntax,
                place,
                file: Rc::clone(&module.file),
            }),
            Err(errors) => {
                self.scan.refused_invocation = true;
                self.syntax_errors(errors, module);
            }
        }
    }

    fn syntax_errors(&mut self, errors: syn::Error, module: &Module) {
        for error in errors {
            let text = error.to_string();
            let message = pw_syntax::Message::parse(&text);
            let diagnostic = Diagnostic::at(module.place(error.span()), message.what);
            self.scan.errors.push(match message.help {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            });
        }
    }

    /// `include!("routes.rs")`: its items are here as if a macro had made them.
    fn included(&mut self, item: &ItemMacro, imports: &Imports, module: &Module) {
        // Anything but a plain path is the compiler's to work out: a route that comes that way is never generated, and
        // its macro says so.
        let Ok(path) = item.mac.parse_body::<syn::LitStr>() else {
            return;
        };
        let folder = module.file.path.parent().unwrap_or(Utf8Path::new(""));
        let file = self.read(&file::join(folder, &path.value())).ok().flatten();
        let tokens: TokenStream = file.map_or_else(TokenStream::new, |file| file.text.parse().unwrap_or_default());
        if imports.hidden_in(tokens).is_some() {
            let error = Diagnostic::at(module.place(path.span()), "routes can't be included")
                .help("make the file a module: `mod routes;`, or `#[path = \"..\"] mod routes;`");
            self.scan.errors.push(error);
        }
    }

    /// A macro's definition or a use of one: both may make routes that the generator can't see.
    fn macro_body(&mut self, item: &ItemMacro, imports: &Imports, module: &Module) {
        if item.mac.path.is_ident("include") {
            return self.included(item, imports, module);
        }
        let Some(found) = imports.hidden_in(item.mac.tokens.clone()) else {
            return;
        };
        let place = module.place(found.span());
        let defines = item.mac.path.is_ident("macro_rules");
        let error = match defines {
            true => Diagnostic::at(place, "a macro can't make a route")
                .note("the generator reads sources and expands no macros")
                .help("write the function with its `#[route(..)]` outside, and let the macro make its body"),
            false => Diagnostic::at(place, "a route can't stand within a macro's braces")
                .note("the generator reads sources and expands no macros")
                .help("move the function out of the macro"),
        };
        self.scan.errors.push(error);
    }

    fn hidden(&mut self, item: &Item, imports: &Imports, module: &Module) {
        if !module.file.text.contains("route") {
            return;
        }
        for (span, message, help) in hidden::find(item, imports) {
            self.scan
                .errors
                .push(Diagnostic::at(module.place(span), message).help(help));
        }
    }

    /// The condition within `module` of what has these attributes; `None` when one does not parse.
    fn condition(&mut self, module: &Module, attributes: &[Attribute]) -> Option<Condition> {
        match module.condition.and(attributes) {
            Ok(condition) => Some(condition),
            Err(error) => {
                let message = format!("this `cfg` does not parse: {error}");
                self.scan
                    .errors
                    .push(Diagnostic::at(module.place(error.span()), message));
                None
            }
        }
    }
}

/// The tokens within an attribute's parentheses.
fn arguments(attribute: &Attribute) -> TokenStream {
    match &attribute.meta {
        Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    }
}

fn roundabout(place: Place) -> Diagnostic {
    Diagnostic::at(place, "this attribute is not known to be Polywire's `route`")
        .note("the generator finds routes by the attribute's name and imports")
        .help("write `use polywire::route;` and `#[route(..)]`, or `#[polywire::route(..)]`")
}
