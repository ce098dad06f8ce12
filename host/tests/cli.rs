//! The `midge` command as it is used: the real binary against the example servers and against a server that each test
//! scripts for itself.

#[path = "cli/answers.rs"]
mod answers;
#[cfg(unix)]
#[path = "cli/asking.rs"]
mod asking;
#[path = "cli/failing.rs"]
mod failing;
#[path = "cli/fake.rs"]
mod fake;
#[path = "cli/help.rs"]
mod help;
#[path = "cli/hostile.rs"]
mod hostile;
#[cfg(unix)]
#[path = "cli/terminal.rs"]
mod terminal;
#[path = "cli/tool.rs"]
mod tool;
