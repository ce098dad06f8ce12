//! Jobs, the process groups of Windows.

use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap};

/// Puts the process that is to be started into a job, which ends with this process.
pub(super) fn wrap(command: &mut CommandWrap) {
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    #[cfg(not(windows))]
    let _ = command;
}

/// Handles are inherited only when they are made for it.
pub(super) fn close_inherited() {}

/// The job of a process; the process itself holds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group;

impl Group {
    pub(super) fn of(_: Option<u32>) -> Self {
        Self
    }

    /// Jobs cannot be asked to terminate.
    pub(super) fn ask(self) -> bool {
        false
    }

    /// Ends what the process has left behind in its job.
    pub(super) async fn sweep(self, child: &mut dyn ChildWrapper, _: Duration) {
        // An error says that the job is empty.
        let _ = child.start_kill();
    }
}
