//! `#[resource]`.

use crate::arg::{Argument, local};
use crate::function::{Function, Param};
use crate::options::Options;
use crate::prompt::complete;
use crate::tool::json;
use crate::{types, uri};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Error, LitStr, Result, Token};

const OPTIONS: [&str; 9] =
    ["name", "title", "description", "mime", "size", "annotations", "icons", "meta", "complete"];

/// The type beside the function `function` that makes the resource's or the template's row.
pub fn expand(options: TokenStream, function: &mut Function) -> Result<TokenStream> {
    let (uri, mut options) = parse.parse2(options)?;
    let is_template = uri.value().contains(['{', '}']);
    let vars = uri.value();
    let vars = uri::variables(&vars);
    refuse_parameters(function, &uri, &vars)?;
    let name = options.text("name", "\"name\"")?;
    let name = name.unwrap_or_else(|| LitStr::new(&function.name(), function.item.sig.ident.span()));
    let about = options.expr("description", "\"What it is\"")?;
    let about = function.about(about)?;
    let (builders, checks) = builders(&mut options)?;
    let check = check_uri(&uri);
    let def = quote!(::midge::dispatch::ResourceDef::new(#uri, #name).about(#about) #builders);
    let handler = function.handler(&decode(function));
    if is_template {
        let complete = complete(&mut options)?;
        let body = quote! {
            #check
            #checks
            #handler
            ::midge::dispatch::Template { def: #def, read: __run, complete: #complete }
        };
        return Ok(function.beside("template", "Template", &body));
    }
    if let Some(handler) = options.expr("complete", "some_function")? {
        return Err(Error::new_spanned(handler, "`complete` is of templates: this URI has no variables"));
    }
    let body = quote! {
        #check
        #checks
        #handler
        ::midge::dispatch::Resource { def: #def, source: ::midge::dispatch::Source::Read(__run) }
    };
    Ok(function.beside("resource", "Resource", &body))
}

fn parse(input: ParseStream<'_>) -> Result<(LitStr, Options)> {
    if !input.peek(LitStr) {
        let words = "the URI comes first: write `#[resource(\"home://log\")]` or `#[resource(\"home://rooms/{room}\")]`";
        return Err(input.error(words));
    }
    let uri: LitStr = input.parse()?;
    if input.is_empty() {
        return Ok((uri, Options::default()));
    }
    input.parse::<Token![,]>()?;
    Ok((uri, Options::parse(input, "#[resource]", &OPTIONS)?))
}

/// Each variable has a parameter, and each parameter a variable.
fn refuse_parameters(function: &Function, uri: &LitStr, vars: &[&str]) -> Result<()> {
    if !uri.value().contains(':') {
        return Err(Error::new(uri.span(), "a URI begins with a scheme, such as `home://log`"));
    }
    for arg in &function.args {
        let name = arg.name.value();
        if !vars.contains(&name.as_str()) {
            let words = match vars {
                [] => format!("the URI has no variables: write `{{{name}}}` where `{name}` stands in it"),
                _ => format!("the template has no variable `{{{name}}}`; it has {}", vars.join(", ")),
            };
            return Err(Error::new(arg.name.span(), words));
        }
        if let Some(span) = arg.beyond_a_variable() {
            let words = "a template's variable is not checked: of `#[arg]` it takes `name` only";
            return Err(Error::new(span, words));
        }
    }
    if function.params.iter().any(|param| matches!(param, Param::Raw)) {
        return Ok(());
    }
    match vars.iter().find(|var| !function.args.iter().any(|arg| arg.name.value() == **var)) {
        Some(var) => {
            let words = format!("the template's variable `{var}` has no parameter: add `{var}: &str`");
            Err(Error::new(uri.span(), words))
        }
        None => Ok(()),
    }
}

fn check_uri(uri: &LitStr) -> TokenStream {
    quote_spanned! {uri.span()=>
        const _: () = if let ::core::result::Result::Err(__error) = ::midge::proto::template::check(#uri) {
            ::core::panic!("{}", __error.phrase());
        };
    }
}

/// Calls of the builders of `ResourceDef`, and checks of their values.
fn builders(options: &mut Options) -> Result<(TokenStream, TokenStream)> {
    let (mut calls, mut checks) = (TokenStream::new(), TokenStream::new());
    if let Some(title) = options.expr("title", "\"Title\"")? {
        calls.extend(quote!(.title(#title)));
    }
    if let Some(mime) = options.expr("mime", "\"text/plain\"")? {
        calls.extend(quote!(.mime(#mime)));
    }
    if let Some(size) = options.expr("size", "1024")? {
        calls.extend(quote!(.size(::core::option::Option::Some(#size))));
    }
    for (key, open) in [("annotations", '{'), ("icons", '['), ("meta", '{')] {
        if let Some((text, check)) = json(options, key, open, "\"…\"")? {
            let builder = syn::Ident::new(key, text.span());
            calls.extend(quote!(.#builder(#text)));
            checks.extend(check);
        }
    }
    Ok((calls, checks))
}

/// Statements that bind the variables.
fn decode(function: &Function) -> TokenStream {
    if function.args.is_empty() {
        return TokenStream::new();
    }
    let locals = function.args.iter().enumerate().map(|(index, arg)| variable(index, arg));
    quote! {
        let __vars = match __args.variables(__io) {
            ::core::result::Result::Ok(__vars) => __vars,
            ::core::result::Result::Err(__answered) => return __answered,
        };
        #(#locals)*
    }
}

fn variable(index: usize, arg: &Argument) -> TokenStream {
    let (local, name) = (local(index), &arg.name);
    let (wanted, is_option) = match types::in_option(&arg.ty) {
        Some(inner) => (inner, true),
        None => (&arg.ty, false),
    };
    if types::is_str(wanted) {
        return match is_option {
            true => quote!(let #local = __vars.get(#name);),
            false => quote! {
                let ::core::option::Option::Some(#local) = __vars.get(#name) else { return __io.not_found() };
            },
        };
    }
    let parse = quote_spanned! {wanted.span()=>
        match __vars.parse::<#wanted>(#name, __io) {
            ::core::result::Result::Ok(__value) => __value,
            ::core::result::Result::Err(__answered) => return __answered,
        }
    };
    match is_option {
        false => quote!(let #local = #parse;),
        true => quote! {
            let #local = match __vars.get(#name) {
                ::core::option::Option::Some(_) => ::core::option::Option::Some(#parse),
                _ => ::core::option::Option::None,
            };
        },
    }
}
