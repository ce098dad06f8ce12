//! The function under an attribute, taken apart; and the type of the same name that is written beside it.

use crate::arg::{self, Argument};
use crate::{docs, types};
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Expr, FnArg, Ident, ItemFn, LitStr, Pat, PatType, Result, ReturnType, Signature, Type};

/// The most arguments that a function may have.
const ARGS_MAX: usize = 32;

/// What a parameter is for.
pub enum Param {
    /// The application's state.
    State,
    /// The call.
    Io,
    /// What was sent, undecoded.
    Raw,
    /// The argument with this index.
    Arg(usize),
}

/// A function, taken apart.
pub struct Function {
    /// The function without the attributes that are ours.
    pub item: ItemFn,
    /// The type of the application's state.
    pub state: Option<Type>,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// Those that are arguments.
    pub args: Vec<Argument>,
}

/// Expands an attribute on the function `item`: the function itself and, beside it, what `expand` makes of it.
///
/// After an error the function is still there, so that nothing else is reported than the error.
pub fn declare(item: TokenStream, expand: impl FnOnce(&mut Function) -> Result<TokenStream>) -> TokenStream {
    let mut item = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(item) => item,
        Err(_) => {
            let error = Error::new_spanned(item, "this attribute goes on a function").to_compile_error();
            return quote!(#error);
        }
    };
    match Function::new(&mut item).and_then(|mut function| expand(&mut function)) {
        Ok(beside) => quote!(#item #beside),
        Err(error) => {
            let error = error.to_compile_error();
            quote!(#item #error)
        }
    }
}

impl Function {
    /// Takes `item` apart, and our attributes off its parameters.
    fn new(item: &mut ItemFn) -> Result<Self> {
        let whole = item.sig.inputs.clone();
        for input in &mut item.sig.inputs {
            if let FnArg::Typed(input) = input {
                input.attrs.retain(|attr| !attr.path().is_ident("doc") && !attr.path().is_ident("arg"));
            }
        }
        refuse_signature(&item.sig)?;
        let mut function = Self { item: item.clone(), state: None, params: Vec::new(), args: Vec::new() };
        for input in whole {
            if let FnArg::Typed(input) = input {
                function.add(&input)?;
            }
        }
        if function.args.len() > ARGS_MAX {
            let words =
                format!("more than {ARGS_MAX} arguments: group them in a struct with #[derive(Schema)]");
            return Err(Error::new_spanned(&item.sig.inputs, words));
        }
        if function.params.iter().any(|param| matches!(param, Param::Raw)) && !function.args.is_empty() {
            let words = "`Args` takes all that was sent: leave out the other arguments, or `Args`";
            return Err(Error::new_spanned(&item.sig.inputs, words));
        }
        Ok(function)
    }

    fn add(&mut self, input: &PatType) -> Result<()> {
        let param = self.kind_of(&input.ty)?;
        if !matches!(param, Param::Arg(_)) {
            if let Some(attr) = input.attrs.iter().find(|attr| attr.path().is_ident("arg")) {
                return Err(Error::new_spanned(attr, "this parameter is no argument: leave `#[arg]` out"));
            }
        } else {
            let Pat::Ident(pat) = &*input.pat else {
                let words = "give the parameter a plain name: the argument is called by it";
                return Err(Error::new_spanned(&input.pat, words));
            };
            self.args.push(Argument::new(&pat.ident, &input.ty, &input.attrs)?);
        }
        self.params.push(param);
        Ok(())
    }

    fn kind_of(&mut self, ty: &Type) -> Result<Param> {
        match ty {
            Type::ImplTrait(_) => Err(Error::new_spanned(ty, GENERIC)),
            Type::Reference(r) if r.mutability.is_some() => {
                if types::last_name(&r.elem).as_deref() == Some("Io") {
                    return Ok(Param::Io);
                }
                if self.state.is_some() {
                    let words =
                        "a second `&mut`: only the application's state and `&mut Io<'_>` are handed over so";
                    return Err(Error::new_spanned(ty, words));
                }
                self.state = Some(types::with_lifetime(&r.elem, "'static"));
                Ok(Param::State)
            }
            Type::Reference(r) if matches!(&*r.elem, Type::Path(_)) && !types::is_str(ty) => {
                let words = "a reference that cannot be an argument: take a text as `&str`, the application's state as \
                             `&mut`, and other values without `&`";
                Err(Error::new_spanned(ty, words))
            }
            _ if types::last_name(ty).as_deref() == Some("Args") => Ok(Param::Raw),
            _ => Ok(Param::Arg(self.args.len())),
        }
    }

    /// The function's name, without `r#`.
    pub fn name(&self) -> String {
        plain(&self.item.sig.ident)
    }

    /// The description: the option, or else the doc comment.
    pub fn about(&self, option: Option<Expr>) -> Result<Expr> {
        match option {
            Some(expr) => Ok(expr),
            None => {
                let text = LitStr::new(&docs::text(&self.item.attrs)?, self.item.sig.ident.span());
                syn::parse2(quote!(#text))
            }
        }
    }

    /// What it returns.
    pub fn returns(&self) -> Option<&Type> {
        match &self.item.sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some(ty),
        }
    }

    /// The type of the state: a parameter `__C` when the function takes none.
    fn state_type(&self) -> TokenStream {
        match &self.state {
            Some(ty) => quote!(#ty),
            None => quote!(__C),
        }
    }

    /// The handler `__run`: runs `decode`, which binds `__0`, `__1`, … to the arguments, then the function.
    pub fn handler(&self, decode: &TokenStream) -> TokenStream {
        let name = &self.item.sig.ident;
        let state = self.state_type();
        let generic = self.state.is_none().then(|| quote!(, __C));
        let handed = self.params.iter().map(|param| match param {
            Param::State => quote!(__state),
            Param::Io => quote!(__io),
            Param::Raw => quote!(__args),
            Param::Arg(index) => {
                let local = arg::local(*index);
                quote!(#local)
            }
        });
        let span = self.returns().map_or_else(|| name.span(), Spanned::span);
        let call = quote_spanned!(span=> ::midge::dispatch::IntoReply::reply(#name(#(#handed),*), __io));
        quote! {
            fn __run<'e #generic>(
                __state: &mut #state,
                __args: ::midge::dispatch::Args<'e>,
                __io: &mut ::midge::dispatch::Io<'e>,
            ) -> ::midge::dispatch::Outcome {
                #decode
                #call
            }
        }
    }

    /// The type of the function's name, with `const fn method() -> row` whose body is `body`.
    pub fn beside(&self, method: &str, row: &str, body: &TokenStream) -> TokenStream {
        let (name, vis) = (&self.item.sig.ident, &self.item.vis);
        let (method, row) = (Ident::new(method, name.span()), format_ident!("{row}"));
        let cfgs: Vec<_> = self.item.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect();
        let state = self.state_type();
        let generic = self.state.is_none().then(|| quote!(<__C: 'static>));
        quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            #vis enum #name {}
            #(#cfgs)*
            #[doc(hidden)]
            impl #name {
                #vis const fn #method #generic() -> ::midge::dispatch::#row<#state> {
                    #body
                }
            }
        }
    }
}

const GENERIC: &str = "a generic function cannot be declared: what it takes is listed once, for one type";

/// What no declared function may be.
fn refuse_signature(sig: &Signature) -> Result<()> {
    let refuse = |at: &dyn quote::ToTokens, words: &str| Err(Error::new_spanned(at.to_token_stream(), words));
    if let Some(token) = &sig.asyncness {
        let words =
            "an async function cannot be declared: return `Outcome` and answer later through `Io::defer`";
        return refuse(token, words);
    }
    if let Some(token) = &sig.unsafety {
        return refuse(token, "an unsafe function cannot be declared: anyone may call it");
    }
    if let Some(token) = &sig.variadic {
        return refuse(token, "a variadic function cannot be declared");
    }
    if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
        return refuse(
            receiver,
            "`self` cannot be handed over: take the application's state as `&mut` parameter",
        );
    }
    if sig.generics.type_params().next().is_some() || sig.generics.const_params().next().is_some() {
        return refuse(&sig.generics, GENERIC);
    }
    Ok(())
}

/// A name without `r#`.
pub fn plain(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

/// A check of JSON text at compile time, and what it must begin with if it is a literal.
pub fn check_json(text: &Expr, what: &str, open: char) -> Result<TokenStream> {
    if let Some(literal) = crate::options::literal_text(text) {
        if !literal.value().is_empty() && !literal.value().trim_start().starts_with(open) {
            let kind = if open == '[' { "array" } else { "object" };
            return Err(Error::new_spanned(text, format!("{what} is the text of a JSON {kind}")));
        }
        if literal.value().is_empty() {
            return Ok(TokenStream::new());
        }
    }
    let words = format!("{what} is no valid JSON text");
    Ok(quote_spanned! {text.span()=>
        const _: () = ::core::assert!(::midge::json::scan::valid((#text).as_bytes()), #words);
    })
}
