//! A bar on stderr while a call runs. Nothing of it stays, and nothing of it is in a pipe.

use crate::safe;
use crate::screen::cut;
use indicatif::{ProgressBar, ProgressStyle};
use midge_host::Progress;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior};

/// Short calls show no bar.
const QUIET_FOR: Duration = Duration::from_millis(400);
const TICK: Duration = Duration::from_millis(100);
/// A bar has so many steps, whatever a server counts in.
const STEPS: u64 = 1000;

/// The bar, when there is one.
#[derive(Clone)]
pub struct Bar(Arc<Mutex<State>>);

struct State {
    wanted: bool,
    /// A question is open: the bar would write over it.
    paused: bool,
    label: String,
    last: Option<Progress>,
    /// How the task stands that the call has become.
    status: Option<String>,
    shown: Option<ProgressBar>,
}

impl Bar {
    pub fn new(wanted: bool) -> Self {
        let state =
            State { wanted, paused: false, label: String::new(), last: None, status: None, shown: None };
        Self(Arc::new(Mutex::new(state)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `write` while no bar is on the screen.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.state().shown {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the bar off the screen until [`resume`](Self::resume).
    pub fn pause(&self) {
        let mut state = self.state();
        state.paused = true;
        state.clear();
    }

    pub fn resume(&self) {
        self.state().paused = false;
    }

    /// A call runs as a task, and this is how it stands.
    pub fn status(&self, text: &str) {
        self.state().status = Some(safe::line(text));
    }

    /// Shows that `label` runs, with what arrives at the sender, until the guard is dropped.
    pub fn run(&self, label: &str) -> (mpsc::UnboundedSender<Progress>, Running) {
        let (sender, mut reports) = mpsc::unbounded_channel();
        self.state().label = safe::line(label);
        let bar = self.clone();
        let task = tokio::spawn(async move {
            let mut draw = tokio::time::interval_at(Instant::now() + QUIET_FOR, TICK);
            draw.set_missed_tick_behavior(MissedTickBehavior::Delay);
            // All reports are taken as they come, and the last one is drawn: a server may make more than can be drawn.
            loop {
                tokio::select! {
                    report = reports.recv() => match report {
                        Some(report) => bar.state().last = Some(report),
                        None => return,
                    },
                    _ = draw.tick() => bar.state().draw(),
                }
            }
        });
        (sender, Running { bar: self.clone(), task })
    }
}

impl State {
    fn clear(&mut self) {
        if let Some(bar) = self.shown.take() {
            bar.finish_and_clear();
        }
    }

    fn draw(&mut self) {
        if !self.wanted || self.paused {
            return;
        }
        let bar = self.shown.get_or_insert_with(|| {
            let bar = ProgressBar::new(STEPS);
            bar.enable_steady_tick(TICK);
            bar
        });
        let known = self.last.as_ref().and_then(share);
        bar.set_style(style(known.is_some()));
        bar.set_position(known.unwrap_or(0));
        bar.set_message(match &self.status {
            Some(status) if self.last.is_none() => format!("{}: {status}", self.label),
            _ => told(&self.label, self.last.as_ref()),
        });
    }
}

/// Ends the bar when it is dropped.
pub struct Running {
    bar: Bar,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
        let mut state = self.bar.state();
        (state.last, state.status) = (None, None);
        state.clear();
    }
}

fn style(bar: bool) -> ProgressStyle {
    let template =
        if bar { "{spinner} [{bar:24}] {wide_msg} {elapsed}" } else { "{spinner} {wide_msg} {elapsed}" };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
        .progress_chars("=> ")
}

/// How much of the bar is done, when the server says how much there is.
fn share(progress: &Progress) -> Option<u64> {
    let total = progress.total.filter(|total| *total > 0.0)?;
    // Out of range values saturate.
    Some(((progress.progress / total).clamp(0.0, 1.0) * STEPS as f64) as u64)
}

/// `self_test: pump (3 of 4)`
pub fn told(label: &str, progress: Option<&Progress>) -> String {
    let Some(Progress { progress, total, message }) = progress else { return label.to_owned() };
    let count = match total {
        Some(total) => format!("({progress} of {total})"),
        None => format!("({progress})"),
    };
    match message {
        Some(message) => format!("{label}: {} {count}", cut(&safe::line(message), 200)),
        None => format!("{label} {count}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_of_progress() {
        let report = Progress { progress: 3.0, total: Some(4.0), message: Some("pump\x1b[2J".into()) };
        assert_eq!(told("self_test", Some(&report)), "self_test: pump␛[2J (3 of 4)");
        assert_eq!(share(&report), Some(750));
        let open = Progress { progress: 0.5, total: None, message: None };
        assert_eq!(told("x", Some(&open)), "x (0.5)");
        assert_eq!(share(&open), None);
        for odd in [f64::NAN, f64::INFINITY, -1.0] {
            let odd = Progress { progress: odd, total: Some(1.0), message: None };
            assert!(share(&odd).is_some_and(|n| n <= STEPS));
        }
    }
}
