//! `#[prompt]`.

use crate::function::Function;
use crate::options::Options;
use crate::tool::{decode, json, refuse_arguments, table};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Error, LitStr, Result};

const OPTIONS: [&str; 6] = ["name", "title", "description", "icons", "meta", "complete"];

/// The type beside the function `function` that makes the prompt's row.
pub fn expand(options: TokenStream, function: &mut Function) -> Result<TokenStream> {
    let mut options =
        (|input: ParseStream<'_>| Options::parse(input, "#[prompt]", &OPTIONS)).parse2(options)?;
    refuse_arguments(function)?;
    let name = options.text("name", "\"name\"")?;
    let name = name.unwrap_or_else(|| LitStr::new(&function.name(), function.item.sig.ident.span()));
    if name.value().is_empty() {
        return Err(Error::new(name.span(), "a prompt needs a name"));
    }
    let about = options.expr("description", "\"What it is\"")?;
    let about = function.about(about)?;
    let title = options.expr("title", "\"Title\"")?.map(|title| quote!(.title(#title)));
    let icons = json(&mut options, "icons", '[', "\"[…]\"")?;
    let meta = json(&mut options, "meta", '{', "\"{…}\"")?;
    let checks = [&icons, &meta].into_iter().flatten().map(|(_, check)| check);
    let table = table(function);
    let texts = texts_only(function);
    let handler = function.handler(&decode(function));
    let complete = complete(&mut options)?;
    let icons = icons.as_ref().map(|(text, _)| quote!(.icons(#text)));
    let meta = meta.as_ref().map(|(text, _)| quote!(.meta(#text)));
    let body = quote! {
        #table
        #texts
        #(#checks)*
        #handler
        ::midge::dispatch::Prompt {
            def: ::midge::dispatch::PromptDef::new(#name).about(#about).args(&__ARGS) #title #icons #meta,
            get: __run,
            complete: #complete,
        }
    };
    Ok(function.beside("prompt", "Prompt", &body))
}

/// The `complete` field: the handler that the option names.
pub fn complete(options: &mut Options) -> Result<TokenStream> {
    Ok(match options.expr("complete", "some_function")? {
        Some(handler) => quote!(::core::option::Option::Some(#handler)),
        None => quote!(::core::option::Option::None),
    })
}

/// Checks that every argument is a text: a prompt's arguments are nothing else on the wire.
fn texts_only(function: &Function) -> TokenStream {
    let checks = function.args.iter().enumerate().map(|(row, arg)| {
        let name = arg.name.value();
        let words = format!("argument `{name}`: a prompt's arguments are texts, so take `&str` and parse it");
        quote_spanned! {arg.ty.span()=>
            const _: () = ::core::assert!(
                ::core::matches!(__ARGS[#row].rule, ::midge::dispatch::args::Rule::Str(_)), #words
            );
        }
    });
    quote!(#(#checks)*)
}
