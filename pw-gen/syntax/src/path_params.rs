//! A struct under `#[derive(PathParams)]`: a field for each parameter of a pattern.

use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, GenericParam, Generics, Ident, Lifetime, Type};

use crate::errors::Errors;

/// A struct that was checked: named fields, at most one lifetime, nothing else it is generic over.
#[derive(Clone, Debug)]
pub struct PathParams {
    ident: Ident,
    generics: Generics,
    lifetime: Option<Lifetime>,
    params: Vec<Param>,
}

/// One field.
#[derive(Clone, Debug)]
pub struct Param {
    ident: Ident,
    name: String,
    ty: Type,
}

impl PathParams {
    /// Looks at a struct.
    ///
    /// # Errors
    /// Everything that is wrong with it, combined.
    pub fn check(input: &DeriveInput) -> syn::Result<Self> {
        let mut errors = Errors::of(format!("`{}` with `#[derive(PathParams)]`", input.ident.unraw()));
        let lifetime = generics(&input.generics, &mut errors);
        let params = fields(input, &mut errors);
        errors.finish(Some(Self {
            ident: input.ident.clone(),
            generics: input.generics.clone(),
            lifetime,
            params,
        }))
    }

    /// The struct's name.
    pub fn ident(&self) -> &Ident {
        &self.ident
    }

    /// What it is generic over: nothing, or one lifetime, with its bounds.
    pub fn generics(&self) -> &Generics {
        &self.generics
    }

    /// The lifetime of what its fields borrow.
    pub fn lifetime(&self) -> Option<&Lifetime> {
        self.lifetime.as_ref()
    }

    /// Its fields, in order.
    pub fn params(&self) -> &[Param] {
        &self.params
    }
}

impl Param {
    /// The field, as code names it.
    pub fn ident(&self) -> &Ident {
        &self.ident
    }

    /// The parameter, as a pattern names it: `type` for the field `r#type`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The field's type.
    pub fn ty(&self) -> &Type {
        &self.ty
    }
}

fn generics(generics: &Generics, errors: &mut Errors) -> Option<Lifetime> {
    let mut lifetime: Option<&Lifetime> = None;
    for param in &generics.params {
        match param {
            GenericParam::Lifetime(param) => match lifetime {
                None => lifetime = Some(&param.lifetime),
                Some(first) => errors.on(
                    &param.lifetime,
                    "must have one lifetime at most: all its fields borrow from the same request",
                    format_args!("write `{first}` in its place"),
                ),
            },
            GenericParam::Type(param) => errors.at(
                param.ident.span(),
                format_args!(
                    "must not be generic over `{}`: its fields are what the path has",
                    param.ident
                ),
                "write the type itself",
            ),
            GenericParam::Const(param) => errors.at(
                param.ident.span(),
                format_args!("must not be generic over the constant `{}`", param.ident),
                "write the value itself",
            ),
        }
    }
    lifetime.cloned()
}

fn fields(input: &DeriveInput, errors: &mut Errors) -> Vec<Param> {
    const HELP: &str = "write a struct with a field for each parameter: `struct UserPath { id: u64 }`";
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            errors.at(data.enum_token.span(), "must be a struct, not an enum", HELP);
            return Vec::new();
        }
        Data::Union(data) => {
            errors.at(data.union_token.span(), "must be a struct, not a union", HELP);
            return Vec::new();
        }
    };
    match fields {
        Fields::Named(fields) if !fields.named.is_empty() => fields
            .named
            .iter()
            .filter_map(|field| {
                let ident = field.ident.clone()?;
                let name = ident.unraw().to_string();
                if !crate::segment::is_name(&name) {
                    errors.at(
                        ident.span(),
                        format_args!("must have fields that a pattern can name: `{name}` is not"),
                        "a name is letters, digits and `_`, and begins with no digit",
                    );
                    return None;
                }
                Some(Param {
                    ident,
                    name,
                    ty: field.ty.clone(),
                })
            })
            .collect(),
        Fields::Named(_) => {
            errors.at(
                input.ident.span(),
                "must have a field for each parameter: it has none",
                HELP,
            );
            Vec::new()
        }
        Fields::Unnamed(fields) => {
            errors.on(
                fields,
                "must have named fields: parameters are taken by name",
                "write `struct UserPath { id: u64 }`, or take a tuple as it is: `Path((id, slug)): Path<(u64, &str)>`",
            );
            Vec::new()
        }
        Fields::Unit => {
            errors.at(
                input.ident.span(),
                "must have a field for each parameter: it has none",
                HELP,
            );
            Vec::new()
        }
    }
}
