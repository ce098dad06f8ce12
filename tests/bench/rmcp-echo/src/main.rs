//! One `echo` tool over stdio on rmcp, written as its quick start shows.

use rmcp::{
    ServerHandler, ServiceExt,
    handler::server::{router::tool::ToolRouter, wrapper::Parameters},
    model::{ServerCapabilities, ServerConfig},
    tool, tool_handler, tool_router,
    transport::stdio,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct EchoArgs {
    /// The text to answer.
    text: String,
}

#[derive(Clone)]
struct Echo {
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Echo {
    fn new() -> Self {
        Self { tool_router: Self::tool_router() }
    }

    #[tool(description = "Answers the text it was given")]
    fn echo(&self, Parameters(args): Parameters<EchoArgs>) -> String {
        args.text
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    Echo::new().serve(stdio()).await?.waiting().await?;
    Ok(())
}

/// Without an argument the runtime of `#[tokio::main]`; with `current` the single-threaded one.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = match std::env::args().nth(1).as_deref() {
        Some("current") => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    builder.enable_all().build()?.block_on(serve())
}
