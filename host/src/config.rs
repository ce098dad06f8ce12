//! The `mcpServers` file of desktop hosts.
