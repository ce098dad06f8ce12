//! Forms: what a server declares that a user fills in. Flat, as every revision wants them.

/// A form for the user (`elicitation/create`, from 2025-06-18; with modes from 2025-11-25).
///
/// A form must not ask for secrets: for those there are URLs (client/elicitation, "Security Considerations").
#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    /// Why the server asks, for the user.
    pub message: &'a str,
    /// What is to be filled in; what comes back is checked against it.
    pub fields: &'a [Field<'a>],
    /// The `requestedSchema` as JSON text, in the place of `fields` when not empty. What comes back then is checked to be
    /// an object, no more.
    pub schema: &'a str,
}

/// One field of a form: required, unless [`optional`](Self::optional).
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Its name, the member of the answer.
    pub name: &'a str,
    /// Its name for the user; empty for none.
    pub title: &'a str,
    /// What it means; empty for none.
    pub about: &'a str,
    /// Whether an accepted form must hold it.
    pub required: bool,
    /// What its value must be.
    pub kind: FieldKind<'a>,
}

/// What the value of a field must be.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind<'a> {
    /// A text.
    Text {
        /// Least length, in characters.
        min: u32,
        /// Greatest length, in characters; `u32::MAX` for any.
        max: u32,
        /// What the text looks like. The client's to check: a format is a hint in JSON Schema.
        format: Option<Format>,
        /// What stands there at first (from 2025-11-25).
        default: Option<&'a str>,
    },
    /// An integer.
    Integer {
        /// The least; `i64::MIN` for any.
        min: i64,
        /// The greatest; `i64::MAX` for any.
        max: i64,
        /// What stands there at first (from 2025-11-25).
        default: Option<i64>,
    },
    /// A number. Bounds and default are JSON numbers as text, empty for none, so that no float code is linked.
    Number {
        /// The least.
        min: &'a str,
        /// The greatest.
        max: &'a str,
        /// What stands there at first (from 2025-11-25).
        default: &'a str,
    },
    /// `true` or `false`.
    Boolean {
        /// What stands there at first.
        default: Option<bool>,
    },
    /// One of some texts.
    OneOf {
        /// The texts. With titles they are `oneOf` from 2025-11-25 on, and `enum` with `enumNames` before.
        choices: &'a [Choice<'a>],
        /// The one chosen at first (from 2025-11-25).
        default: Option<&'a str>,
        /// Titles as `enumNames` in every revision.
        legacy: bool,
    },
    /// Some of some texts (from 2025-11-25).
    ManyOf {
        /// The texts.
        choices: &'a [Choice<'a>],
        /// How many at least.
        min: u32,
        /// How many at most; `u32::MAX` for any.
        max: u32,
        /// Those chosen at first; `None` to say nothing.
        defaults: Option<&'a [&'a str]>,
    },
}

/// What a text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An email address.
    Email,
    /// A URI.
    Uri,
    /// A day, such as `2000-12-31`.
    Date,
    /// A time, such as `2000-12-31T23:59:59Z`.
    DateTime,
}

impl Format {
    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Date => "date",
            Self::DateTime => "date-time",
        }
    }
}

/// One text that may be chosen.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// What comes back.
    pub value: &'a str,
    /// What the user sees; empty for the value itself.
    pub title: &'a str,
}

impl<'a> Choice<'a> {
    /// A choice that is shown as it is.
    pub const fn new(value: &'a str) -> Self {
        Self { value, title: "" }
    }

    /// A choice with a title.
    pub const fn titled(value: &'a str, title: &'a str) -> Self {
        Self { value, title }
    }
}

impl<'a> Field<'a> {
    /// A field of any kind.
    pub const fn new(name: &'a str, kind: FieldKind<'a>) -> Self {
        Self { name, title: "", about: "", required: true, kind }
    }

    /// A text of any length.
    pub const fn text(name: &'a str) -> Self {
        Self::new(name, FieldKind::Text { min: 0, max: u32::MAX, format: None, default: None })
    }

    /// Any integer.
    pub const fn integer(name: &'a str) -> Self {
        Self::new(name, FieldKind::Integer { min: i64::MIN, max: i64::MAX, default: None })
    }

    /// Any number.
    pub const fn number(name: &'a str) -> Self {
        Self::new(name, FieldKind::Number { min: "", max: "", default: "" })
    }

    /// Yes or no.
    pub const fn boolean(name: &'a str) -> Self {
        Self::new(name, FieldKind::Boolean { default: None })
    }

    /// One of `choices`.
    pub const fn one_of(name: &'a str, choices: &'a [Choice<'a>]) -> Self {
        Self::new(name, FieldKind::OneOf { choices, default: None, legacy: false })
    }

    /// Any of `choices`, also none or all (from 2025-11-25).
    pub const fn many_of(name: &'a str, choices: &'a [Choice<'a>]) -> Self {
        Self::new(name, FieldKind::ManyOf { choices, min: 0, max: u32::MAX, defaults: None })
    }

    /// With a name for the user.
    #[must_use]
    pub const fn title(mut self, title: &'a str) -> Self {
        self.title = title;
        self
    }

    /// With a description.
    #[must_use]
    pub const fn about(mut self, about: &'a str) -> Self {
        self.about = about;
        self
    }

    /// May be left out.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// At least `least`: an integer's value, a text's characters, the count of the chosen. No change to other kinds.
    #[must_use]
    pub const fn min(mut self, least: i64) -> Self {
        match &mut self.kind {
            FieldKind::Integer { min, .. } => *min = least,
            FieldKind::Text { min, .. } | FieldKind::ManyOf { min, .. } => *min = length(least),
            _ => {}
        }
        self
    }

    /// At most `most`; see [`min`](Self::min).
    #[must_use]
    pub const fn max(mut self, most: i64) -> Self {
        match &mut self.kind {
            FieldKind::Integer { max, .. } => *max = most,
            FieldKind::Text { max, .. } | FieldKind::ManyOf { max, .. } => *max = length(most),
            _ => {}
        }
        self
    }

    /// Between two JSON numbers, given as text; empty for no bound. Of a number only.
    #[must_use]
    pub const fn between(mut self, least: &'a str, most: &'a str) -> Self {
        if let FieldKind::Number { min, max, .. } = &mut self.kind {
            *min = least;
            *max = most;
        }
        self
    }

    /// Looks like `what`. Of a text only.
    #[must_use]
    pub const fn format(mut self, what: Format) -> Self {
        if let FieldKind::Text { format, .. } = &mut self.kind {
            *format = Some(what);
        }
        self
    }

    /// With a text that stands there, or is chosen, at first. Of a text and of one of many only.
    #[must_use]
    pub const fn default_text(mut self, text: &'a str) -> Self {
        if let FieldKind::Text { default, .. } | FieldKind::OneOf { default, .. } = &mut self.kind {
            *default = Some(text);
        }
        self
    }

    /// With an integer that stands there at first. Of an integer only.
    #[must_use]
    pub const fn default_integer(mut self, value: i64) -> Self {
        if let FieldKind::Integer { default, .. } = &mut self.kind {
            *default = Some(value);
        }
        self
    }

    /// With a JSON number, given as text, that stands there at first. Of a number only.
    #[must_use]
    pub const fn default_number(mut self, number: &'a str) -> Self {
        if let FieldKind::Number { default, .. } = &mut self.kind {
            *default = number;
        }
        self
    }

    /// Set or not at first. Of a boolean only.
    #[must_use]
    pub const fn default_bool(mut self, value: bool) -> Self {
        if let FieldKind::Boolean { default } = &mut self.kind {
            *default = Some(value);
        }
        self
    }

    /// With those that are chosen at first. Of some of many only.
    #[must_use]
    pub const fn default_choices(mut self, values: &'a [&'a str]) -> Self {
        if let FieldKind::ManyOf { defaults, .. } = &mut self.kind {
            *defaults = Some(values);
        }
        self
    }

    /// Titles as `enumNames`, for clients that know no others. Of one of many only.
    #[must_use]
    pub const fn legacy(mut self) -> Self {
        if let FieldKind::OneOf { legacy, .. } = &mut self.kind {
            *legacy = true;
        }
        self
    }
}

const fn length(count: i64) -> u32 {
    if count < 0 {
        0
    } else if count > u32::MAX as i64 {
        u32::MAX
    } else {
        count as u32
    }
}
