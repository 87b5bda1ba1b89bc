//! The binder of one transport: `Service` for the application, and the call of every handler.
//!
//! One `match` with direct calls. Traits are called by path: rustc then says which type lacks which trait, and does not propose the
//! method of a part of it. Beyond [`GROUP`] routes it is split into groups of neighbours, each an `async fn` of its own:
//! one future over a thousand handlers takes rustc minutes and gigabytes.

use proc_macro2::TokenStream;
use pw_syntax::{Segment, names};
use quote::quote;

use super::ident;
use super::print::File;
use crate::name::{Names, function};
use crate::route_set::{Application, Argument, Route, RouteSet};
use crate::transport::Transport;

/// The most routes in one `match`.
const GROUP: usize = 32;

/// The file of a transport.
pub(crate) fn emit(set: &RouteSet, application: &Application, transport: &Transport) -> String {
    let header = format!(
        "{} The handlers of `{}` on the {} transport.",
        names::WRITTEN_BY,
        set.package,
        transport.name
    );
    let mut file = File::new(&header);
    let module = ident(transport.name);
    let timed = set.routes.iter().any(|r| r.timeout.is_some()).then(|| {
        quote!(
            use std::time::Duration;
        )
    });
    if timed.is_some() {
        file.group(quote!(#timed));
    }
    let found = (!set.routes.is_empty()).then(|| quote!(Match,));
    let respond = (!set.routes.is_empty()).then(|| quote!(Respond,));
    file.group(quote! {
        use polywire::codegen::#module::{Exchange, Head, Service};
        use polywire::codegen::{self, Exchange as _, #found Middleware, Next, Problem, #respond Table};
    });
    let at = (!set.routes.is_empty()).then(|| quote!(, at));
    file.group(quote!(use super::{Routes, TABLE #at};));
    let uses_state = application.state.is_some() && set.routes.iter().any(|r| r.arguments.contains(&Argument::State));
    let (field, handlers, lifetime) = match uses_state {
        true => (quote!((&'a Routes)), quote!(Handlers(self)), quote!(<'_>)),
        false => (TokenStream::new(), quote!(Handlers), TokenStream::new()),
    };
    let parameter = uses_state.then(|| quote!(<'a>));
    file.item(quote! {
        impl Service for Routes {
            fn table(&self) -> &'static Table {
                &TABLE
            }
            async fn call(&self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
                Middleware::around(&self.chain, head, cx, #handlers).await
            }
        }
    });
    file.item(quote! {
        /// The end of the chain: the handler of the route that was found.
        struct Handlers #parameter #field;
    });
    let groups = groups(&set.routes);
    match groups.as_slice() {
        [] | [_] => {
            let arms = set.routes.iter().map(|route| {
                let (cfg, at, body) = (
                    route.condition.attribute(),
                    ident(&route.constant),
                    body(route, application),
                );
                quote!(#cfg Match::Route(at::#at) => #body,)
            });
            let dispatch = match set.routes.is_empty() {
                true => quote!(codegen::unrouted(head, cx.reply())),
                false => quote! {
                    match codegen::found(head) {
                        #(#arms)*
                        _ => codegen::unrouted(head, cx.reply()),
                    }
                },
            };
            file.item(quote! {
                impl Next<Exchange> for Handlers #lifetime {
                    async fn run(self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
                        #dispatch
                    }
                }
            });
        }
        groups => {
            file.item(dispatch(groups, &lifetime));
            file.item(functions(groups, application, &lifetime));
        }
    }
    let comments: Vec<_> = set.routes.iter().map(comment).collect();
    file.with_comments(&comments)
}

/// What a call says at the end of its line, for whoever reads rustc's error about it.
fn comment(route: &Route) -> (String, String) {
    let call = route.call.to_string().replace(' ', "");
    let source = match &route.fragment {
        Some(name) => format!("`{name}`, {}", route.source),
        None => route.source.to_string(),
    };
    (call, format!("{source}; moved or gone? Run `{}`", names::COMMAND))
}

/// The expression that answers with a route.
fn body(route: &Route, application: &Application) -> TokenStream {
    let answer = match route.arguments.last() {
        Some(Argument::Body) => answer_with_body(route, application, quote!(codegen::body())),
        Some(Argument::Last) => answer_with_body(route, application, quote!(codegen::last())),
        _ => {
            let call = &route.call;
            let arguments = route.arguments.iter().map(|argument| value(argument, application));
            quote! {
                let answer = #call(#(#arguments),*).await;
                Respond::respond_to(answer, head, cx.reply())
            }
        }
    };
    match route.timeout {
        None => quote!({ #answer }),
        Some(timeout) => {
            let timeout = super::duration(timeout);
            quote!({
                let handler = async { #answer };
                codegen::within(#timeout, handler).await
            })
        }
    }
}

/// The same for a handler that takes, or may take, the body: what the head gives is made first, so that a body is read only
/// for a head that was found good.
fn answer_with_body(route: &Route, application: &Application, last: TokenStream) -> TokenStream {
    let mut names = Names::without(&["answer", "body", "bytes", "cx", "head", "last", "reply", "route"]);
    let (mut made, mut arguments) = (Vec::new(), Vec::new());
    for argument in &route.arguments {
        let value = value(argument, application);
        match argument {
            Argument::Head(name) => {
                let name = ident(&names.take((*name).to_owned()));
                made.push(quote!(let #name = #value;));
                arguments.push(quote!(#name));
            }
            _ => arguments.push(value),
        }
    }
    let call = &route.call;
    quote! {
        let (body, reply) = cx.split();
        #(#made)*
        let last = #last;
        let bytes = codegen::read(body, last.wants_body(head)?).await?;
        let answer = #call(#(#arguments),*).await;
        Respond::respond_to(answer, head, reply)
    }
}

fn value(argument: &Argument, application: &Application) -> TokenStream {
    match argument {
        Argument::Head(_) => quote!(codegen::head(head)?),
        Argument::WholeHead => quote!(head),
        Argument::Exchange => quote!(cx),
        Argument::State if application.state.is_some() => quote!(codegen::state(&self.0.state)),
        Argument::State => quote!(codegen::state(&())),
        Argument::Body | Argument::Last => quote!(last.make(head, bytes)?),
    }
}

/// Neighbours in the table, under one condition.
struct Group<'a> {
    name: String,
    /// What its patterns begin with, for its comment.
    about: String,
    routes: &'a [Route],
}

/// Cuts the table at the borders of first segments where it can, and of conditions where it must.
fn groups(routes: &[Route]) -> Vec<Group<'_>> {
    if routes.len() <= GROUP {
        return match routes {
            [] => Vec::new(),
            _ => vec![Group {
                name: String::new(),
                about: String::new(),
                routes,
            }],
        };
    }
    let mut names = Names::default();
    let mut groups = Vec::new();
    let mut rest = routes;
    while let Some(first) = rest.first() {
        let same = |r: &&Route| r.condition.to_string() == first.condition.to_string();
        let limit = rest.iter().take(GROUP).take_while(same).count();
        let whole = match rest.get(limit) {
            Some(next) => {
                let border = rest[..limit]
                    .iter()
                    .rposition(|r| first_segment(r) != first_segment(next));
                border.map_or(limit, |at| at + 1)
            }
            None => limit,
        };
        let (group, after) = rest.split_at(whole);
        let (from, to) = (first_segment(&group[0]), first_segment(&group[group.len() - 1]));
        let (name, about) = match from == to {
            true => (function(&from), format!("`/{from}`")),
            false => (
                format!(
                    "{}_to_{}",
                    function(&from).trim_end_matches('_'),
                    function(&to).trim_end_matches('_')
                ),
                format!("`/{from}` to `/{to}`"),
            ),
        };
        groups.push(Group {
            name: names.take(name),
            about,
            routes: group,
        });
        rest = after;
    }
    groups
}

fn first_segment(route: &Route) -> String {
    match route.segments.first() {
        Some(Segment::Literal(text)) => text.clone(),
        Some(Segment::Param(name)) => format!("{{{name}}}"),
        Some(Segment::Rest(name)) => format!("{{*{name}}}"),
        None => String::new(),
    }
}

fn dispatch(groups: &[Group<'_>], lifetime: &TokenStream) -> TokenStream {
    let arms = groups.iter().map(|group| {
        let cfg = group.routes[0].condition.attribute();
        let name = ident(&group.name);
        let first = ident(&group.routes[0].constant);
        let last = ident(&group.routes[group.routes.len() - 1].constant);
        let range = match group.routes.len() {
            1 => quote!(at::#first),
            _ => quote!(at::#first..=at::#last),
        };
        quote!(#cfg Match::Route(route @ #range) => self.#name(route, head, cx).await,)
    });
    quote! {
        impl Next<Exchange> for Handlers #lifetime {
            async fn run(self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
                match codegen::found(head) {
                    #(#arms)*
                    _ => codegen::unrouted(head, cx.reply()),
                }
            }
        }
    }
}

fn functions(groups: &[Group<'_>], application: &Application, lifetime: &TokenStream) -> TokenStream {
    let functions = groups.iter().map(|group| {
        let cfg = group.routes[0].condition.attribute();
        let (name, doc) = (
            ident(&group.name),
            format!(" {}: {}.", group.about, super::count(group.routes)),
        );
        let arms = group.routes.iter().map(|route| {
            let (at, body) = (ident(&route.constant), body(route, application));
            quote!(at::#at => #body,)
        });
        quote! {
            #[doc = #doc]
            #cfg
            async fn #name(self, route: usize, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
                match route {
                    #(#arms)*
                    _ => codegen::unrouted(head, cx.reply()),
                }
            }
        }
    });
    quote! {
        impl Handlers #lifetime {
            #(#functions)*
        }
    }
}
