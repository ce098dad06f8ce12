//! Declaration macros of the `midge` crate; use them from there.
//!
//! All they write can be written by hand with the tables of `midge::dispatch`.

mod arg;
mod docs;
mod function;
mod options;
mod plain;
mod prompt;
mod resource;
mod schema;
mod serde;
mod tool;
mod types;
mod uri;

use function::declare;
use proc_macro::TokenStream;

/// Declares a function as a tool: `#[tool]`, or `#[tool(title = "…", read_only)]`.
///
/// The function stays as it is. Beside it comes a type of the same name with a `const fn tool()` that makes the tool's
/// row, which [`catalog!`](https://docs.rs/midge/latest/midge/macro.catalog.html) puts into a catalog.
///
/// Doc comments on the function and on its parameters are the descriptions that the model sees. A parameter of type
/// `&mut Io<'_>` is the call; the other `&mut T` is the application's state; one of type `Args<'_>` gets all that was
/// sent, undecoded; every other parameter is an argument, of a type that has a `Schema` and can be deserialized.
///
/// Options: `name`, `title`, `description`; the hints `read_only`, `destructive`, `idempotent`, `open_world` (each also
/// `= false`); `task`, also `= "required"` or `= "required_after_input"`, for tools that may run as tasks; `icons` and `meta` as JSON text; `input` as the text of a JSON Schema that is listed instead of the one
/// made from the parameters; `output` as a type with a `Schema` or as the text of a JSON Schema (a function that returns
/// `Json<T>` has that of `T`).
///
/// Options of a parameter, in `#[arg(…)]`: `name`; `min` and `max` of a number; `min_len`, `max_len`, `pattern` and
/// `one_of` of a text; `default`, a literal, which also makes it optional; `header`, the name of the HTTP header that
/// carries it too.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    declare(item.into(), |function| tool::expand(options.into(), function)).into()
}

/// Declares a function as a resource, or, when the URI has variables, as a resource template:
/// `#[resource("home://log", mime = "text/plain")]`, `#[resource("home://rooms/{room}")]`.
///
/// The function stays as it is. Beside it comes a type of the same name with a `const fn resource()`, or
/// `const fn template()`, that makes its row. Each variable of a template has a parameter of the same name, of type
/// `&str` or any that is `FromStr`, in an `Option` if a URI may lack it; `#[arg(name = "…")]` names another variable.
///
/// Options: `name`, `title`, `description`, `mime`, `size` (bytes), `annotations`, `icons` and `meta` as JSON text; of a
/// template, `complete`: the handler that completes its variables.
#[proc_macro_attribute]
pub fn resource(options: TokenStream, item: TokenStream) -> TokenStream {
    declare(item.into(), |function| resource::expand(options.into(), function)).into()
}

/// Declares a function as a prompt: `#[prompt]`, or `#[prompt(title = "…")]`.
///
/// The function stays as it is. Beside it comes a type of the same name with a `const fn prompt()` that makes its row.
/// Arguments are texts: `&str`, a string type, an enum with `#[derive(Schema)]`, or an `Option` of these.
///
/// Options: `name`, `title`, `description`, `icons` and `meta` as JSON text, and `complete`: the handler that completes
/// its arguments.
#[proc_macro_attribute]
pub fn prompt(options: TokenStream, item: TokenStream) -> TokenStream {
    declare(item.into(), |function| prompt::expand(options.into(), function)).into()
}

/// Derives `Schema` of a struct with named fields, or of an enum whose variants have none (a string with these values).
///
/// Honours serde's `rename`, `rename_all`, `default`, `skip`, `skip_serializing_if` and `deny_unknown_fields`. Doc
/// comments on fields become descriptions. `#[arg(min, max, min_len, max_len, pattern, one_of)]` on a field of a number
/// or string type is listed in the schema; that the value keeps it is up to the type's `Deserialize`.
#[proc_macro_derive(Schema, attributes(arg, serde))]
pub fn derive_schema(item: TokenStream) -> TokenStream {
    schema::expand(item.into()).unwrap_or_else(|error| error.to_compile_error()).into()
}
