//! Process groups.

use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessGroup};
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid};
use tokio::time::{Instant, sleep};

/// How often a group that is ending is looked at.
const LOOK_MS: u64 = 5;

/// Makes the process that is to be started the leader of a group.
pub(super) fn wrap(command: &mut CommandWrap) {
    command.wrap(ProcessGroup::leader());
}

/// Marks the descriptors that this process has inherited to be closed in the processes it starts.
pub(super) fn close_inherited() {
    close_fds::set_fds_cloexec_threadsafe(3, &[]);
}

/// The group of a process, named by the process that leads it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group(Option<Pid>);

impl Group {
    pub(super) fn of(id: Option<u32>) -> Self {
        Self(id.and_then(|id| Pid::from_raw(id.try_into().ok()?)))
    }

    /// Asks all of it to terminate; whether it can be asked.
    pub(super) fn ask(self) -> bool {
        self.0.is_some_and(|group| kill_process_group(group, Signal::TERM).is_ok())
    }

    fn kill(self) {
        if let Some(group) = self.0 {
            // An error says that it is gone.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Whether any process is left in it, now that its leader has been waited for.
    fn is_left(self) -> bool {
        let Some(group) = self.0 else { return false };
        // As the first process of a container, or a subreaper, this process gets the orphans of the group.
        while let Ok(Some(_)) = waitpgid(group, WaitOptions::NOHANG) {}
        test_kill_process_group(group).is_ok() && !only_dead(group)
    }

    /// Ends what the leader has left behind: asks, waits for `grace`, kills.
    ///
    /// To be called as soon as the leader has been waited for: from then on the number of the group is its own only
    /// as long as a process is left in it.
    pub(super) async fn sweep(self, _: &mut dyn ChildWrapper, grace: Duration) {
        let last = KillAtEnd(self);
        let end = Instant::now() + grace;
        if self.ask() {
            while self.is_left() && Instant::now() < end {
                sleep(Duration::from_millis(LOOK_MS)).await;
            }
        }
        drop(last);
        // The killed are waited for too, but not for ever: a process may hang in the kernel.
        let end = Instant::now() + Duration::from_secs(1);
        while self.is_left() && Instant::now() < end {
            sleep(Duration::from_millis(LOOK_MS)).await;
        }
    }
}

/// Whether all that is left of a group has died and only waits for the first process of the system to bury it.
///
/// In containers that may take seconds, or for ever, and a group of zombies takes signals all the same.
#[cfg(target_os = "linux")]
fn only_dead(group: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    let lives = |pid: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // `PID (NAME) STATE PARENT GROUP …`, and the name may hold anything.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
        let (state, _, its) = (fields.next()?, fields.next()?, fields.next()?);
        Some(its.parse() == Ok(group.as_raw_pid()) && !matches!(state, "Z" | "X"))
    };
    !processes.flatten().any(|p| p.file_name().to_str().and_then(lives).unwrap_or(false))
}

#[cfg(not(target_os = "linux"))]
fn only_dead(_: Pid) -> bool {
    false
}

/// Kills what is left also when the sweep itself is dropped half-way.
struct KillAtEnd(Group);

impl Drop for KillAtEnd {
    fn drop(&mut self) {
        if self.0.is_left() {
            self.0.kill();
        }
    }
}
