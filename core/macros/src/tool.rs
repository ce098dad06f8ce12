//! `#[tool]`.

use crate::function::{Function, Param, check_json};
use crate::options::{Options, Shape, literal_text, quoted};
use crate::types;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use std::collections::HashSet;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Error, Expr, LitStr, Result, Type};

const OPTIONS: [&str; 12] = [
    "name",
    "title",
    "description",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "task",
    "icons",
    "meta",
    "input",
    "output",
];

/// The type beside the function `function` that makes the tool's row.
pub fn expand(options: TokenStream, function: &mut Function) -> Result<TokenStream> {
    let mut options =
        (|input: ParseStream<'_>| Options::parse(input, "#[tool]", &OPTIONS)).parse2(options)?;
    refuse_arguments(function)?;
    let name = name(&mut options, function)?;
    let title = options.expr("title", "\"Title\"")?;
    let about = options.expr("description", "\"What it does\"")?;
    let about = function.about(about)?;
    let hints = hints(&mut options)?;
    let task = task(&mut options)?;
    let (texts, checks, has_input) = texts(&mut options)?;
    let (output_items, output) = output(&mut options, function)?;
    let table = table(function);
    let (entry_items, entry) = match has_input {
        true => (TokenStream::new(), quote!("")),
        false => entry(&name, &about, function),
    };
    let handler = function.handler(&decode(function));
    let title = title.map_or_else(|| quote!(""), |title| quote!(#title));
    let body = quote! {
        #table
        #checks
        #entry_items
        #output_items
        #handler
        ::midge::dispatch::Tool {
            def: ::midge::dispatch::ToolDef {
                name: #name,
                title: #title,
                about: #about,
                args: &__ARGS,
                output: #output,
                hints: #hints,
                task: ::midge::TaskSupport::#task,
                entry: #entry,
                #texts
            },
            run: __run,
        }
    };
    Ok(function.beside("tool", "Tool", &body))
}

/// The fields that are JSON text, checks of them, and whether there is an input schema among them.
fn texts(options: &mut Options) -> Result<(TokenStream, TokenStream, bool)> {
    let (mut fields, mut checks, mut has_input) = (TokenStream::new(), TokenStream::new(), false);
    for (key, open, example) in
        [("input", '{', "\"{…}\""), ("icons", '[', "\"[…]\""), ("meta", '{', "\"{…}\"")]
    {
        let field = syn::Ident::new(key, Span::call_site());
        match json(options, key, open, example)? {
            Some((text, check)) => {
                has_input |= key == "input";
                fields.extend(quote!(#field: #text,));
                checks.extend(check);
            }
            None => fields.extend(quote!(#field: "",)),
        }
    }
    Ok((fields, checks, has_input))
}

/// The static `__ARGS`, and checks of what only the types can tell.
pub fn table(function: &Function) -> TokenStream {
    let len = function.args.len();
    let rows = function.args.iter().map(|arg| arg.row());
    let checks = function.args.iter().enumerate().map(|(row, arg)| arg.check(row));
    quote! {
        static __ARGS: [::midge::dispatch::args::Arg; #len] = [#(#rows),*];
        #(#checks)*
    }
}

/// Statements that check what was sent against `__ARGS` and bind the arguments.
pub fn decode(function: &Function) -> TokenStream {
    if function.params.iter().any(|param| matches!(param, Param::Raw)) {
        return TokenStream::new();
    }
    let len = function.args.len();
    let locals = function.args.iter().enumerate().map(|(index, arg)| arg.decode(index));
    // Without arguments too: an argument that the tool does not know is refused.
    let values = if len == 0 { quote!(_) } else { quote!(__values) };
    quote! {
        let mut __spans = [::midge::dispatch::args::Span::ABSENT; #len];
        let #values = match __args.decode(&__ARGS, &mut __spans, __io) {
            ::core::result::Result::Ok(__values) => __values,
            ::core::result::Result::Err(__answered) => return __answered,
        };
        #(#locals)*
    }
}

/// What the wire forbids: two arguments of one name, two headers of one name.
pub fn refuse_arguments(function: &Function) -> Result<()> {
    let (mut names, mut headers) = (HashSet::new(), HashSet::new());
    for arg in &function.args {
        if !names.insert(arg.name.value()) {
            let words = format!("two arguments are named `{}`: rename one", arg.name.value());
            return Err(Error::new(arg.name.span(), words));
        }
        if let Some((header, span)) = arg.header_name()
            && !headers.insert(header)
        {
            return Err(Error::new(span, "two arguments go into this header: rename one"));
        }
    }
    Ok(())
}

/// The tool's name: the option, or else the function's.
fn name(options: &mut Options, function: &Function) -> Result<LitStr> {
    let name = options.text("name", "\"name\"")?;
    let name = name.unwrap_or_else(|| LitStr::new(&function.name(), function.item.sig.ident.span()));
    let text = name.value();
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    if text.is_empty() || text.len() > 128 || !text.chars().all(is_allowed) {
        let words = "a tool's name is 1 to 128 of A-Z a-z 0-9 _ . -";
        return Err(Error::new(name.span(), words));
    }
    Ok(name)
}

fn hints(options: &mut Options) -> Result<TokenStream> {
    let mut fields = Vec::new();
    for key in ["read_only", "destructive", "idempotent", "open_world"] {
        if let Some(on) = options.flag(key)? {
            let key = syn::Ident::new(key, Span::call_site());
            fields.push(quote!(#key: ::core::option::Option::Some(#on)));
        }
    }
    Ok(match fields.len() {
        0 => quote!(::midge::dispatch::Hints::NONE),
        4 => quote!(::midge::dispatch::Hints { #(#fields),* }),
        _ => quote!(::midge::dispatch::Hints { #(#fields,)* ..::midge::dispatch::Hints::NONE }),
    })
}

/// Whether it may run as a task: a variant of `TaskSupport`.
fn task(options: &mut Options) -> Result<syn::Ident> {
    let words = ["optional", "required", "required_after_input"];
    let variant = match options.word("task", &words)? {
        None => "None",
        Some(0) => "Optional",
        Some(1) => "Required",
        Some(_) => "RequiredAfterInput",
    };
    Ok(syn::Ident::new(variant, Span::call_site()))
}

/// An option that is JSON text, and its check.
pub fn json(
    options: &mut Options,
    key: &str,
    open: char,
    example: &str,
) -> Result<Option<(Expr, TokenStream)>> {
    let Some(text) = options.expr(key, example)? else { return Ok(None) };
    let check = check_json(&text, &format!("`{key}`"), open)?;
    Ok(Some((text, check)))
}

/// The text of the list entry: items and an expression. A literal where everything in it is known here.
fn entry(name: &LitStr, about: &Expr, function: &Function) -> (TokenStream, TokenStream) {
    if let Some(text) = known_entry(name, about, function) {
        return (TokenStream::new(), quote!(#text));
    }
    let items = quote! {
        static __ENTRY: [u8; ::midge::dispatch::render::entry_len(#name, #about, &__ARGS)] =
            ::midge::dispatch::render::entry(#name, #about, &__ARGS);
    };
    (items, quote!(::midge::dispatch::render::text(&__ENTRY)))
}

/// The text that `render::entry` would make.
fn known_entry(name: &LitStr, about: &Expr, function: &Function) -> Option<String> {
    let about = literal_text(about)?.value();
    let mut text = format!("\"name\":{}", quoted(&name.value()));
    if !about.is_empty() {
        text += &format!(",\"description\":{}", quoted(&about));
    }
    let (mut properties, mut required) = (Vec::new(), Vec::new());
    for arg in &function.args {
        let (property, needed) = arg.property()?;
        properties.push(property);
        if needed {
            required.push(quoted(&arg.name.value()));
        }
    }
    text += ",\"inputSchema\":{\"type\":\"object\"";
    if !properties.is_empty() {
        text += &format!(",\"properties\":{{{}}}", properties.join(","));
    }
    if !required.is_empty() {
        text += &format!(",\"required\":[{}]", required.join(","));
    }
    Some(text + ",\"additionalProperties\":false}")
}

/// The static text of the output schema, if it is made from a type, and the expression that reads it.
fn output(options: &mut Options, function: &Function) -> Result<(TokenStream, TokenStream)> {
    let ty = match options.shape("output")? {
        Some(Shape::Raw(text)) => {
            let check = check_json(&text, "`output`", '{')?;
            return Ok((check, quote!(#text)));
        }
        Some(Shape::Type(ty)) => ty,
        None => match function.returns().and_then(types::in_json) {
            Some(ty) => ty.clone(),
            None => return Ok((TokenStream::new(), quote!(""))),
        },
    };
    Ok(output_of(&ty))
}

fn output_of(ty: &Type) -> (TokenStream, TokenStream) {
    let shape = types::with_lifetime(ty, "'static");
    let parts = quote_spanned!(ty.span()=> <#shape as ::midge::dispatch::schema::Schema>::PARTS);
    let items = quote! {
        static __OUTPUT: [u8; ::midge::dispatch::render::object_len(#parts)] =
            ::midge::dispatch::render::object_of(#parts);
    };
    (items, quote!(::midge::dispatch::render::text(&__OUTPUT)))
}
