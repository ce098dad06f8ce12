//! The client engine alone: what it says to servers that answer by script, line by line, and what it tells the application.

#[path = "client/answers.rs"]
mod answers;
#[path = "client/asked.rs"]
mod asked;
#[path = "client/asking.rs"]
mod asking;
#[path = "client/calls.rs"]
mod calls;
#[path = "client/connecting.rs"]
mod connecting;
#[path = "client/desk.rs"]
mod desk;
#[path = "client/lines.rs"]
mod lines;
#[path = "client/pages.rs"]
mod pages;
#[path = "client/room.rs"]
mod room;
#[path = "client/task_asking.rs"]
mod task_asking;
#[path = "client/tasks.rs"]
mod tasks;
