//! What can go wrong, sorted by who is at fault.

/// An error: what happened and at which byte.
///
/// Eight bytes, `Copy`, no text: the words are chosen where the error is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// What happened.
    pub kind: Kind,
    /// The byte it happened at, counted from the start of the text in question; for resource errors the bytes needed.
    pub at: u32,
}

impl Error {
    /// An error of `kind` at byte `at`.
    #[inline]
    pub const fn new(kind: Kind, at: usize) -> Self {
        // A message is far below 4 GiB; a larger offset saturates rather than wraps to a plausible one.
        let at = if at > u32::MAX as usize { u32::MAX } else { at as u32 };
        Self { kind, at }
    }
}

/// Who is at fault, for callers that act on that alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The application declared or configured something that cannot work.
    Config,
    /// The peer sent something that is not allowed.
    Peer,
    /// A buffer or a table of the caller is too small for what was asked.
    Resource,
    /// The call came at the wrong time: a ticket that is used up, a stream that has ended.
    State,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A byte that JSON does not allow here.
    Syntax,
    /// The text ends inside a value.
    Truncated,
    /// Something follows the value.
    Trailing,
    /// A byte sequence that is not UTF-8.
    Utf8,
    /// An escape that JSON does not know.
    Escape,
    /// Half of a surrogate pair: no Unicode text.
    Surrogate,
    /// Nested deeper than [`crate::limits::DEPTH_MAX`].
    Depth,
    /// A value of another type than the one asked for.
    Type,
    /// A number or a length outside its range.
    Range,
    /// A required member is absent.
    Missing,
    /// A member or a variant that is not declared.
    Unknown,
    /// A member that is there twice.
    Duplicate,
    /// A string that is too short or too long.
    Length,
    /// A string that does not match its pattern.
    Pattern,
    /// A value that a user's own type refused.
    Refused,
    /// The transmit buffer is too small; `at` is the size needed, in bytes.
    TxFull,
    /// The receive buffer is too small; `at` is the size needed, in bytes.
    RxFull,
    /// Every slot holds a call that is not answered yet.
    SlotsFull,
    /// The subscription memory is used up; `at` is the size needed, in bytes.
    SubscriptionsFull,
    /// The scratch memory is too small; `at` is the size needed, in bytes.
    ScratchFull,
    /// The park memory is used up; `at` is the size needed, in bytes.
    ParkFull,
    /// A ticket whose call is answered, cancelled or expired.
    Stale,
    /// A notification that must stand before a reply came after the reply had begun.
    Begun,
    /// Another message is being written; drain the transmit buffer first.
    Busy,
    /// The revision that is spoken does not have it.
    NotInRevision,
    /// The connection is not made yet, or is over.
    NotConnected,
    /// The byte stream failed or ended.
    Stream,
    /// A declaration that cannot work.
    Declaration,
}

impl Kind {
    /// Who is at fault.
    pub const fn fault(self) -> Fault {
        match self {
            Self::TxFull
            | Self::RxFull
            | Self::SlotsFull
            | Self::SubscriptionsFull
            | Self::ScratchFull
            | Self::ParkFull => Fault::Resource,
            Self::Stale
            | Self::Begun
            | Self::Busy
            | Self::NotConnected
            | Self::NotInRevision
            | Self::Stream => Fault::State,
            Self::Declaration => Fault::Config,
            _ => Fault::Peer,
        }
    }

    /// One phrase for people: what is wrong, without the place.
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::Syntax => "not valid JSON",
            Self::Truncated => "the JSON text ends too early",
            Self::Trailing => "something follows the JSON value",
            Self::Utf8 => "not valid UTF-8",
            Self::Escape => "an unknown escape in a string",
            Self::Surrogate => "half of a surrogate pair in a string",
            Self::Depth => "nested too deeply",
            Self::Type => "has the wrong type",
            Self::Range => "is out of range",
            Self::Missing => "is missing",
            Self::Unknown => "is not known here",
            Self::Duplicate => "is there twice",
            Self::Length => "has a length that is not allowed",
            Self::Pattern => "does not match the pattern",
            Self::Refused => "was refused",
            Self::TxFull => "the transmit buffer is too small",
            Self::RxFull => "the receive buffer is too small",
            Self::SlotsFull => "every call slot is in use",
            Self::SubscriptionsFull => "the subscription memory is used up",
            Self::ScratchFull => "the scratch memory is too small",
            Self::ParkFull => "the park memory is used up",
            Self::Stale => "this call is over",
            Self::Begun => "the reply has begun already",
            Self::Busy => "another message is being written",
            Self::NotInRevision => "the revision that is spoken does not have it",
            Self::NotConnected => "the connection is not made yet, or is over",
            Self::Stream => "the byte stream ended",
            Self::Declaration => "a declaration that cannot work",
        }
    }
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.kind.phrase())?;
        match self.kind.fault() {
            Fault::Peer => write!(f, " at byte {}", self.at),
            Fault::Resource if self.at > 0 => write!(f, ": {} bytes needed", self.at),
            _ => Ok(()),
        }
    }
}

impl core::error::Error for Error {}
