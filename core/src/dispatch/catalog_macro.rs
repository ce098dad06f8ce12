//! The `catalog!` macro, and what the attribute macros ask of a rule in `const`.

use super::args::{Rule, Text};
use super::table::{Catalog, hash, same};
use crate::bytes::at;
use crate::limits::{ARGS_MAX, TOOL_NAME_MAX};

/// Declares a server's catalog from functions with `#[tool]`, `#[resource]` and `#[prompt]`, as a `static`.
///
/// ```ignore
/// midge::catalog! {
///     /// The thermostat.
///     pub static THERMOSTAT: Home = {
///         name: "thermostat", version: "1.0.0", instructions: "Read before you set.",
///         tools: [add, set_target], resources: [log], templates: [room], prompts: [explain],
///     };
/// }
/// ```
///
/// `name` and `version` come first; everything else may be left out and comes in any order: the lists `tools`,
/// `resources`, `templates`, `prompts`; `features`, what the server offers beyond what its rows imply; and the fields of
/// [`Info`](crate::Info): `title`, `about`, `website`, `icons`, `instructions`, `extensions`, `experimental`, `ttl_ms`,
/// `shared_cache`, `named_results`.
///
/// An entry of a list is a type with a `const fn tool()` (`resource()`, `template()`, `prompt()`) that makes the row: the
/// attributes write one, and a row that is made by hand can have one too. Two tools or prompts of one name, and two
/// resources or templates of one URI, do not compile.
///
/// # Memory
/// Everything is in `static`s: the rows, the order of the tools' names, and the text that names the server in results.
#[macro_export]
macro_rules! catalog {
    (
        $(#[$meta:meta])*
        $vis:vis static $name:ident: $state:ty = {
            name: $server:expr, version: $version:expr $(, $($rest:tt)*)?
        } $(;)?
    ) => {
        $(#[$meta])*
        $vis static $name: $crate::Catalog<$state> = $crate::__catalog!(
            ($state) [$crate::Info::new($server, $version)] [] [] [] $($($rest)*)?
        );
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "write catalog! as `pub static NAME: State = { name: \"…\", version: \"…\", tools: […] };`"
        );
    };
}

/// Gathers what [`catalog!`] was given, key by key: the server, then fields of its `Info`, items, and builder calls.
#[doc(hidden)]
#[macro_export]
macro_rules! __catalog {
    (($state:ty) [$info:expr] [$($field:ident = $value:expr;)*] [$($items:tt)*] [$($call:tt)*]) => {{
        $($items)*
        const __INFO: $crate::Info = {
            #[allow(unused_mut)]
            let mut info = $info;
            $(info.$field = $value;)*
            info
        };
        static __TEXT: [u8; $crate::dispatch::render::info_len(&__INFO)] =
            $crate::dispatch::render::info(&__INFO);
        const __CATALOG: $crate::Catalog<$state> = $crate::Catalog::<$state>::new("", "")
            .info($crate::Info { text: $crate::dispatch::render::text(&__TEXT), ..__INFO })
            $($call)*;
        const _: () = if let ::core::option::Option::Some(fault) = __CATALOG.fault() {
            ::core::panic!("{}", fault);
        };
        __CATALOG
    }};
    (($state:ty) $info:tt $fields:tt [$($items:tt)*] [$($call:tt)*]
        tools: [$($row:ty),* $(,)?] $(, $($rest:tt)*)?) => {
        $crate::__catalog!(($state) $info $fields [$($items)*
            static __TOOLS: [$crate::dispatch::Tool<$state>; $crate::__catalog!(@count $($row)*)] =
                [$(<$row>::tool()),*];
            static __ORDER: [$crate::dispatch::table::Place; $crate::__catalog!(@count $($row)*)] =
                $crate::dispatch::table::tool_order(&__TOOLS);
        ] [$($call)* .tools(&__TOOLS).tool_order(&__ORDER)] $($($rest)*)?)
    };
    ($state:tt $info:tt $fields:tt $items:tt [$($call:tt)*]
        resources: [$($row:ty),* $(,)?] $(, $($rest:tt)*)?) => {
        $crate::__catalog!(@rows $state $info $fields $items
            [$($call)* .resources(&__RESOURCES)] __RESOURCES Resource resource [$($row),*] $($($rest)*)?)
    };
    ($state:tt $info:tt $fields:tt $items:tt [$($call:tt)*]
        templates: [$($row:ty),* $(,)?] $(, $($rest:tt)*)?) => {
        $crate::__catalog!(@rows $state $info $fields $items
            [$($call)* .templates(&__TEMPLATES)] __TEMPLATES Template template [$($row),*] $($($rest)*)?)
    };
    ($state:tt $info:tt $fields:tt $items:tt [$($call:tt)*]
        prompts: [$($row:ty),* $(,)?] $(, $($rest:tt)*)?) => {
        $crate::__catalog!(@rows $state $info $fields $items
            [$($call)* .prompts(&__PROMPTS)] __PROMPTS Prompt prompt [$($row),*] $($($rest)*)?)
    };
    ($state:tt $info:tt $fields:tt $items:tt [$($call:tt)*] features: $features:expr $(, $($rest:tt)*)?) => {
        $crate::__catalog!($state $info $fields $items [$($call)* .features($features)] $($($rest)*)?)
    };
    ($state:tt $info:tt [$($field:tt)*] $items:tt $calls:tt $key:ident: $value:expr $(, $($rest:tt)*)?) => {
        $crate::__catalog!($state $info [$($field)* $key = $value;] $items $calls $($($rest)*)?)
    };
    (@rows ($state:ty) $info:tt $fields:tt [$($items:tt)*] $calls:tt
        $name:ident $kind:ident $make:ident [$($row:ty),*] $($rest:tt)*) => {
        $crate::__catalog!(($state) $info $fields [$($items)*
            static $name: [$crate::dispatch::$kind<$state>; $crate::__catalog!(@count $($row)*)] =
                [$(<$row>::$make()),*];
        ] $calls $($rest)*)
    };
    (@count $($row:ty)*) => { <[&str]>::len(&[$(::core::stringify!($row)),*]) };
}

/// Bits of the filter that finds names which may be there twice: rows are compared in pairs only where it says so, as
/// half a million pairs would trip the limit on const evaluation.
const FILTER_BITS: u32 = 1 << 14;

impl<C> Catalog<C> {
    /// What is wrong with the rows, in words: two resources or templates of one URI, two prompts of one name, or a tool
    /// beyond [`TOOL_NAME_MAX`] or [`ARGS_MAX`].
    ///
    /// For `const` blocks; [`tool_order`](super::table::tool_order) finds tools of one name.
    pub const fn fault(&self) -> Option<&'static str> {
        const FAULTS: [&str; 3] = [
            "two resources of this catalog have the same URI: change one",
            "two templates of this catalog have the same URI: change one",
            "two prompts of this catalog have the same name: rename one",
        ];
        let mut faults: &[&'static str] = &FAULTS;
        while let Some((fault, more)) = faults.split_first() {
            if self.repeats(more.len()) {
                return Some(fault);
            }
            faults = more;
        }
        self.tool_fault()
    }

    const fn tool_fault(&self) -> Option<&'static str> {
        let mut tools = self.tools;
        while let Some((tool, more)) = tools.split_first() {
            if tool.def.name.is_empty() || tool.def.name.len() > TOOL_NAME_MAX {
                return Some(
                    "a tool of this catalog has a name that is empty or longer than 128 characters: rename it",
                );
            }
            if tool.def.args.len() > ARGS_MAX {
                return Some("a tool of this catalog has more than 32 arguments: group them in a struct");
            }
            tools = more;
        }
        None
    }

    /// Whether two rows have one key, of the list that `list` more faults come after.
    const fn repeats(&self, list: usize) -> bool {
        let mut filter = [0_u32; FILTER_BITS as usize / 32];
        let mut row = 0;
        while let Some(key) = self.row_key(list, row) {
            // Folded: FNV mixes the high bits best.
            let hash = hash(key);
            let bit = (hash ^ (hash >> 16)) % FILTER_BITS;
            if let Some((_, rest)) = filter.split_at_mut_checked(bit as usize / 32)
                && let Some((word, _)) = rest.split_first_mut()
            {
                let mask = 1 << (bit % 32);
                if *word & mask != 0 && self.has_before(list, row, key) {
                    return true;
                }
                *word |= mask;
            }
            row += 1;
        }
        false
    }

    const fn has_before(&self, list: usize, row: usize, key: &str) -> bool {
        let mut earlier = 0;
        while earlier < row {
            if let Some(other) = self.row_key(list, earlier)
                && same(other, key)
            {
                return true;
            }
            earlier += 1;
        }
        false
    }

    const fn row_key(&self, list: usize, row: usize) -> Option<&'static str> {
        match list {
            0 => match self.prompts.split_at_checked(row) {
                Some((_, [prompt, ..])) => Some(prompt.def.name),
                _ => None,
            },
            1 => match self.templates.split_at_checked(row) {
                Some((_, [template, ..])) => Some(template.def.uri),
                _ => None,
            },
            _ => match self.resources.split_at_checked(row) {
                Some((_, [resource, ..])) => Some(resource.def.uri),
                _ => None,
            },
        }
    }
}

const NO_NUMBER: &str = "`min` and `max` are of numbers; of a text, `min_len` and `max_len` bound the length";
const NO_INTEGER: &str = "the bounds of an integer are integers";
const NO_TEXT: &str =
    "`min_len`, `max_len`, `pattern` and `one_of` are of texts; a number has `min` and `max`";

// What `#[arg(…)]` asks for: a rule that is narrower than the type's own, in `const`. The reason is text, since a const
// block can panic with that and nothing else.
#[doc(hidden)]
impl Rule {
    /// This rule within whole bounds; `i128::MIN` and `i128::MAX` leave the type's.
    pub const fn within(self, least: i128, most: i128) -> Result<Self, &'static str> {
        match self {
            Self::Int { min, max } => match within(least, most, min as i128, max as i128) {
                Some((least, most)) => Ok(Self::Int { min: least as i64, max: most as i64 }),
                None => Err("this bound is beyond what the type can hold"),
            },
            Self::Uint { min, max } => match within(least, most, min as i128, max as i128) {
                Some((least, most)) => Ok(Self::Uint { min: least as u64, max: most as u64 }),
                None => Err("this bound is beyond what the type can hold"),
            },
            #[cfg(feature = "float")]
            Self::Float { min, max } => Ok(Self::Float {
                min: if least == i128::MIN { min } else { least as f64 },
                max: if most == i128::MAX { max } else { most as f64 },
            }),
            _ => Err(NO_NUMBER),
        }
    }

    /// This rule within bounds; the infinities leave the type's.
    pub const fn within_floats(self, least: f64, most: f64) -> Result<Self, &'static str> {
        match self {
            Self::Int { .. } | Self::Uint { .. } => Err(NO_INTEGER),
            #[cfg(feature = "float")]
            Self::Float { .. } => Ok(Self::Float { min: least, max: most }),
            _ => {
                let _ = (least, most);
                Err(NO_NUMBER)
            }
        }
    }

    /// The text of this rule within more limits; 0, `u32::MAX`, `""` and `[]` leave the type's.
    pub const fn within_text(
        self,
        min_len: u32,
        max_len: u32,
        pattern: &'static str,
        one_of: &'static [&'static str],
    ) -> Result<Text, &'static str> {
        let Self::Str(base) = self else { return Err(NO_TEXT) };
        if !base.one_of.is_empty() {
            return Err("this type lists its values already: they cannot be limited further");
        }
        Ok(Text {
            min_len: if min_len > base.min_len { min_len } else { base.min_len },
            max_len: if max_len < base.max_len { max_len } else { base.max_len },
            pattern: if pattern.is_empty() { base.pattern } else { pattern },
            one_of,
        })
    }

    /// Whether the integer `value` is allowed.
    pub const fn holds_int(&self, value: i128) -> bool {
        match self {
            Self::Int { min, max } => *min as i128 <= value && value <= *max as i128,
            Self::Uint { min, max } => *min as i128 <= value && value <= *max as i128,
            #[cfg(feature = "float")]
            Self::Float { .. } => self.holds_float(value as f64),
            _ => false,
        }
    }

    /// Whether the number `value` is allowed.
    pub const fn holds_float(&self, value: f64) -> bool {
        match self {
            #[cfg(feature = "float")]
            Self::Float { min, max } => *min <= value && value <= *max,
            _ => {
                let _ = value;
                false
            }
        }
    }

    /// Whether the text `value` is allowed, its pattern apart.
    pub const fn holds_text(&self, value: &str) -> bool {
        let Self::Str(text) = self else { return false };
        let (mut chars, mut i) = (0, 0);
        while i < value.len() {
            chars += (at(value.as_bytes(), i) & 0xC0 != 0x80) as u32;
            i += 1;
        }
        let mut names = text.one_of;
        let mut listed = names.is_empty();
        while let Some((name, more)) = names.split_first() {
            listed = listed || same(name, value);
            names = more;
        }
        listed && text.min_len <= chars && chars <= text.max_len
    }
}

/// The bounds within a type's; `None` for one that the type cannot hold.
const fn within(least: i128, most: i128, min: i128, max: i128) -> Option<(i128, i128)> {
    let (no_least, no_most) = (least == i128::MIN, most == i128::MAX);
    if (!no_least && (least < min || least > max)) || (!no_most && (most < min || most > max)) {
        return None;
    }
    Some((if no_least { min } else { least }, if no_most { max } else { most }))
}

#[cfg(test)]
mod tests {
    use super::super::args::{Arg, Rule};
    use super::super::table::{Tool, ToolDef};
    use super::*;
    use crate::Outcome;

    const LONG: &str = match core::str::from_utf8(&[b'a'; TOOL_NAME_MAX + 1]) {
        Ok(name) => name,
        Err(_) => "",
    };
    static MANY: [Arg; ARGS_MAX + 1] = [Arg::new("a", Rule::Bool); ARGS_MAX + 1];

    macro_rules! fault {
        ($def:expr) => {{
            static TOOLS: [Tool<()>; 1] = [Tool { def: $def, run: |_, _, _| Outcome::Done }];
            const FAULT: Option<&str> = Catalog::new("s", "1").tools(&TOOLS).fault();
            FAULT.unwrap_or("")
        }};
    }

    #[test]
    fn tools_beyond_a_limit_are_faults() {
        assert!(fault!(ToolDef::new(LONG)).contains("128 characters"));
        assert!(fault!(ToolDef::new("")).contains("128 characters"));
        assert!(fault!(ToolDef::new("many").args(&MANY)).contains("32 arguments"));
        assert_eq!(fault!(ToolDef::new(LONG.split_at(1).1).args(MANY.split_at(1).1)), "", "at the limits");
    }
}
