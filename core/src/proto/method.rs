//! The methods a server knows, and the revisions that have them.

use super::revision::{Feature, Revision};

/// A request a client may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Method {
    /// `initialize`
    Initialize,
    /// `ping`
    Ping,
    /// `server/discover`
    Discover,
    /// `tools/list`
    ToolsList,
    /// `tools/call`
    ToolsCall,
    /// `resources/list`
    ResourcesList,
    /// `resources/templates/list`
    TemplatesList,
    /// `resources/read`
    ResourcesRead,
    /// `resources/subscribe`
    Subscribe,
    /// `resources/unsubscribe`
    Unsubscribe,
    /// `subscriptions/listen`
    Listen,
    /// `prompts/list`
    PromptsList,
    /// `prompts/get`
    PromptsGet,
    /// `completion/complete`
    Complete,
    /// `logging/setLevel`
    SetLevel,
    /// `tasks/get`
    TasksGet,
    /// `tasks/result`
    TasksResult,
    /// `tasks/list`
    TasksList,
    /// `tasks/update`
    TasksUpdate,
    /// `tasks/cancel`
    TasksCancel,
}

/// A notification a client may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notification {
    /// `notifications/initialized`
    Initialized,
    /// `notifications/cancelled`
    Cancelled,
    /// Any other; ignored (MCP, every revision: unknown notifications are not answered).
    Other,
}

impl Method {
    /// The method of that name.
    pub fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"tools/call" => Self::ToolsCall,
            b"tools/list" => Self::ToolsList,
            b"ping" => Self::Ping,
            b"initialize" => Self::Initialize,
            b"server/discover" => Self::Discover,
            b"resources/list" => Self::ResourcesList,
            b"resources/templates/list" => Self::TemplatesList,
            b"resources/read" => Self::ResourcesRead,
            b"resources/subscribe" => Self::Subscribe,
            b"resources/unsubscribe" => Self::Unsubscribe,
            b"subscriptions/listen" => Self::Listen,
            b"prompts/list" => Self::PromptsList,
            b"prompts/get" => Self::PromptsGet,
            b"completion/complete" => Self::Complete,
            b"logging/setLevel" => Self::SetLevel,
            b"tasks/get" => Self::TasksGet,
            b"tasks/result" => Self::TasksResult,
            b"tasks/list" => Self::TasksList,
            b"tasks/update" => Self::TasksUpdate,
            b"tasks/cancel" => Self::TasksCancel,
            _ => return None,
        })
    }

    /// Whether `revision` has this method.
    pub fn is_in(self, revision: Revision) -> bool {
        match self {
            Self::Initialize | Self::Ping | Self::Subscribe | Self::Unsubscribe | Self::SetLevel => {
                revision.has(Feature::Handshake)
            }
            Self::TasksGet | Self::TasksCancel => {
                revision.has(Feature::Tasks) || revision.has(Feature::TaskExtension)
            }
            Self::TasksResult | Self::TasksList => revision.has(Feature::Tasks),
            Self::TasksUpdate => revision.has(Feature::TaskExtension),
            Self::Discover | Self::Listen => revision.has(Feature::PerRequest),
            _ => true,
        }
    }
}

impl Notification {
    /// The notification of that name.
    pub fn named(name: &[u8]) -> Self {
        match name {
            b"notifications/initialized" => Self::Initialized,
            b"notifications/cancelled" => Self::Cancelled,
            _ => Self::Other,
        }
    }
}
