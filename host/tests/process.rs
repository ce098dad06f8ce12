//! Server processes end in every way they can be made to, and leave nothing behind.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use midge_host::{Child, Command, Error, Grace, How, Stderr};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::ChildStdout;

/// How long anything may take that is to happen at all; machines that run the tests may be slow.
const PATIENCE: Duration = Duration::from_secs(30);

/// Long enough for what ends by itself.
const LONG: Grace = Grace { eof: PATIENCE, term: PATIENCE };

/// Short for what does not.
const SHORT: Duration = Duration::from_millis(100);

fn sh(script: &str) -> Command {
    Command::new("sh").args(["-c", script])
}

/// Starts `script` and waits until it says that it is ready.
async fn ready(script: &str) -> (Child, BufReader<ChildStdout>) {
    let mut child = Child::spawn(&sh(script)).unwrap();
    let mut out = BufReader::new(child.take_stdout().unwrap());
    let mut line = String::new();
    tokio::time::timeout(PATIENCE, out.read_line(&mut line)).await.unwrap().unwrap();
    assert_eq!(line, "ready\n");
    (child, out)
}

/// The processes of a group, as `PID STATE PARENT`: those that live, and zombies of which this process is the parent.
///
/// Orphans that have died are not its to bury.
fn members(group: u32) -> Vec<String> {
    let stat = |pid: &str| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        let (state, parent, its) = (fields.next()?, fields.next()?, fields.next()?);
        let ours = parent.parse() == Ok(std::process::id());
        (its.parse() == Ok(group) && (state != "Z" || ours)).then(|| format!("{pid} {state} {parent}"))
    };
    let entries = fs::read_dir("/proc").unwrap();
    entries.filter_map(|e| stat(e.unwrap().file_name().to_str()?)).collect()
}

/// Nothing of the group is there, or will not be in a moment: the killed take a moment to die.
fn assert_gone(group: u32) {
    let end = Instant::now() + PATIENCE;
    while !members(group).is_empty() {
        assert!(Instant::now() < end, "still there: {:?}", members(group));
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn signal(status: Option<ExitStatus>) -> Option<i32> {
    status.unwrap().signal()
}

#[tokio::test]
async fn a_server_ends_when_its_stdin_does() {
    let mut child = Child::spawn(&sh("while read l; do echo \"[$l]\"; done; exit 3")).unwrap();
    let mut stdin = child.take_stdin().unwrap();
    let mut stdout = child.take_stdout().unwrap();
    assert!(child.take_stdin().is_none() && child.take_stdout().is_none());
    let group = child.id().unwrap();
    stdin.write_all(b"a\nb\n").await.unwrap();
    drop(stdin);
    let mut said = String::new();
    stdout.read_to_string(&mut said).await.unwrap();
    assert_eq!(said, "[a]\n[b]\n");
    let exit = child.close(LONG).await;
    assert_eq!((exit.how, exit.status.unwrap().code()), (How::ByItself, Some(3)));
    assert!(members(group).is_empty(), "{:?}", members(group));
}

#[tokio::test]
async fn stdin_that_was_not_taken_is_closed() {
    let child = Child::spawn(&sh("cat > /dev/null")).unwrap();
    let began = Instant::now();
    let exit = child.close(LONG).await;
    assert_eq!((exit.how, exit.status.unwrap().code()), (How::ByItself, Some(0)));
    assert!(began.elapsed() < PATIENCE);
}

#[tokio::test]
async fn one_that_only_writes_ends_when_nobody_reads() {
    let child = Child::spawn(&Command::new("yes")).unwrap();
    let exit = child.close(LONG).await;
    assert_eq!((exit.how, signal(exit.status)), (How::ByItself, Some(13)));
}

#[tokio::test]
async fn one_that_does_not_hear_the_end_is_terminated() {
    let (child, _out) = ready("echo ready; exec sleep 1000").await;
    let group = child.id().unwrap();
    let exit = child.close(Grace { eof: SHORT, term: PATIENCE }).await;
    assert_eq!((exit.how, signal(exit.status)), (How::Terminated, Some(15)));
    assert!(members(group).is_empty(), "{:?}", members(group));
}

#[tokio::test]
async fn one_that_does_not_hear_that_either_is_killed() {
    let (child, _out) = ready("trap '' TERM; echo ready; while :; do sleep 1000; done").await;
    let group = child.id().unwrap();
    let exit = child.close(Grace { eof: SHORT, term: SHORT }).await;
    assert_eq!((exit.how, signal(exit.status)), (How::Killed, Some(9)));
    assert_gone(group);
}

#[tokio::test]
async fn one_that_tidies_up_when_asked_may_do_so() {
    let (child, mut out) =
        ready("trap 'echo tidy; exit 7' TERM; echo ready; while :; do sleep 0.01; done").await;
    let exit = child.close(Grace { eof: SHORT, term: PATIENCE }).await;
    assert_eq!((exit.how, exit.status.unwrap().code()), (How::Terminated, Some(7)));
    let mut said = String::new();
    out.read_to_string(&mut said).await.unwrap();
    assert_eq!(said, "tidy\n");
}

#[tokio::test]
async fn what_a_server_leaves_behind_goes_with_it() {
    let script =
        "sleep 1000 & (sleep 1000 & sleep 1000) & (trap '' TERM; echo ready; exec sleep 1000) & read x";
    let (child, _out) = ready(script).await;
    let group = child.id().unwrap();
    assert!(members(group).len() >= 3, "{:?}", members(group));
    let exit = child.close(Grace { eof: PATIENCE, term: SHORT }).await;
    // It has itself ended in time, if not well: `read` fails at the end of input.
    assert_eq!((exit.how, exit.status.unwrap().code()), (How::ByItself, Some(1)));
    assert_gone(group);
}

#[tokio::test]
async fn the_whole_group_is_terminated_and_killed() {
    for (trap, how) in [("", How::Terminated), ("trap '' TERM;", How::Killed)] {
        let (child, _out) = ready(&format!("{trap} sleep 1000 & sleep 1000 & echo ready; sleep 1000")).await;
        let group = child.id().unwrap();
        let term = if how == How::Killed { SHORT } else { PATIENCE };
        assert_eq!(child.close(Grace { eof: SHORT, term }).await.how, how);
        assert_gone(group);
    }
}

#[tokio::test]
async fn one_that_ends_by_itself_is_no_zombie() {
    let (mut child, _out) = ready("sleep 1000 & echo ready; exit 5").await;
    let group = child.id().unwrap();
    let exit = child.wait(PATIENCE).await;
    assert_eq!((exit.how, exit.status.unwrap().code()), (How::ByItself, Some(5)));
    assert_gone(group);
    // It can be asked again, and says the same.
    assert_eq!(child.wait(SHORT).await, exit);
    assert_eq!(child.close(LONG).await, exit);
}

#[tokio::test]
async fn waiting_can_be_given_up() {
    let (mut child, _out) = ready("echo ready; read x; exit 4").await;
    let stdin = child.take_stdin();
    assert!(tokio::time::timeout(SHORT, child.wait(SHORT)).await.is_err());
    drop(stdin);
    let exit = child.close(LONG).await;
    assert_eq!((exit.how, exit.status.unwrap().code()), (How::ByItself, Some(4)));
}

#[tokio::test]
async fn a_dropped_child_leaves_nothing() {
    let (child, _out) = ready("trap '' TERM; sleep 1000 & echo ready; while :; do sleep 1000; done").await;
    let group = child.id().unwrap();
    drop(child);
    assert_gone(group);
}

#[tokio::test]
async fn an_end_that_is_given_up_leaves_nothing() {
    let (child, _out) = ready("trap '' TERM; echo ready; while :; do sleep 1000; done").await;
    let group = child.id().unwrap();
    assert!(tokio::time::timeout(SHORT, child.close(LONG)).await.is_err());
    assert_gone(group);
    // The same while what it has left behind is being ended.
    let (child, _out) = ready("(trap '' TERM; echo ready; exec sleep 1000) & read x").await;
    let group = child.id().unwrap();
    assert!(tokio::time::timeout(SHORT, child.close(LONG)).await.is_err());
    assert_gone(group);
}

#[test]
fn the_end_of_the_runtime_leaves_nothing() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let in_a_task = runtime.block_on(async {
        let (child, out) = ready("sleep 1000 & echo ready; sleep 1000").await;
        let group = child.id().unwrap();
        tokio::spawn(async move {
            let _held = (child, out);
            std::future::pending::<()>().await
        });
        group
    });
    let (outside, _out) = runtime.block_on(ready("sleep 1000 & echo ready; sleep 1000"));
    drop(runtime);
    assert_gone(in_a_task);
    let group = outside.id().unwrap();
    drop(outside);
    assert_gone(group);
}

#[tokio::test]
async fn the_end_of_stderr_is_kept() {
    let script = "i=0; while [ $i -lt 9000 ]; do i=$((i+1)); echo line-$i >&2; done";
    let mut child = Child::spawn(&sh(script)).unwrap();
    child.end(LONG).await;
    let tail = child.stderr_tail();
    assert!(tail.starts_with("line-") && tail.ends_with("\nline-9000\n"), "{tail}");
    assert!(tail.len() <= 64 << 10 && tail.len() > 63 << 10, "{}", tail.len());
    for stderr in [Stderr::Null, Stderr::Inherit] {
        let mut child = Child::spawn(&sh("echo $((6*7)) of stderr >&2").stderr(stderr)).unwrap();
        child.end(LONG).await;
        assert_eq!(child.stderr_tail(), "");
    }
}

#[tokio::test]
async fn stderr_held_open_by_others_does_not_hold_up_the_end() {
    // `setsid` leaves the group, and so survives it: only it may be left afterwards.
    let (mut child, mut out) =
        ready("setsid sh -c 'echo ready; echo $$; exec sleep 1000' & echo last >&2; read x").await;
    let mut pid = String::new();
    out.read_line(&mut pid).await.unwrap();
    let began = Instant::now();
    assert_eq!(child.end(LONG).await.how, How::ByItself);
    assert!(began.elapsed() < PATIENCE);
    assert_eq!(child.stderr_tail(), "last\n");
    std::process::Command::new("kill").arg(pid.trim()).status().unwrap();
}

fn told(command: &Command) -> String {
    match Child::spawn(command) {
        Err(e @ Error::Spawn { .. }) => e.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_cannot_be_started_is_told_in_a_sentence() {
    let missing = told(&Command::new("no-such-server").env("PATH", "/bin:/opt/x"));
    assert!(missing.starts_with("cannot start `no-such-server`: "), "{missing}");
    assert!(missing.ends_with("no program of that name is in PATH (/bin:/opt/x)"), "{missing}");
    let own = told(&Command::new("no-such-server"));
    assert!(own.contains(&std::env::var("PATH").unwrap()), "{own}");
    let bare = told(&Command::new("no-such-server").clear_env());
    assert!(bare.contains("PATH is not set"), "{bare}");
    assert!(told(&Command::new("/no/such")).ends_with("; there is no file `/no/such`"));
    assert!(told(&sh("").cwd("/no/dir")).ends_with("; there is no directory `/no/dir` to start it in"));
    assert!(told(&Command::new("/usr")).ends_with("; it is a directory"));
    assert!(told(&Command::new("/etc/passwd")).ends_with("it may not be executed"));
    assert!(told(&Command::new("")).ends_with("the name of the program is empty"));

    // Written by another process: a file that any process still has open for writing is "busy", and this one forks.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(std::process::id().to_string());
    let write = "mkdir $0 && printf '#!/no/such/python\n' > $0/no-interpreter && chmod +x $0/no-interpreter";
    assert!(std::process::Command::new("sh").args(["-c", write]).arg(&folder).status().unwrap().success());
    let by_path = told(&Command::new(folder.join("no-interpreter")));
    let by_name = told(&Command::new("no-interpreter").env("PATH", &folder));
    fs::remove_dir_all(&folder).unwrap();
    assert!(by_path.contains("the interpreter named in its first line"), "{by_path}");
    assert!(by_name.ends_with("is there, but what runs it is missing"), "{by_name}");
}

#[test]
fn outside_of_a_runtime_that_is_what_is_told() {
    assert!(matches!(Child::spawn(&sh("")), Err(Error::Busy(_))));
}

async fn output(command: &Command) -> String {
    let mut child = Child::spawn(command).unwrap();
    let mut said = String::new();
    child.take_stdout().unwrap().read_to_string(&mut said).await.unwrap();
    child.close(LONG).await;
    said
}

#[tokio::test]
async fn it_runs_where_and_with_what_it_is_told() {
    let script = "pwd; echo \"$A$B\"; echo \"${CARGO_MANIFEST_DIR:-none}\"; echo \"$1\"";
    let command = sh(script).args(["sh", "a \"b\" $A"]).cwd("/usr").env("A", "1").env("B", "x").env("A", "2");
    let here = std::env::var("CARGO_MANIFEST_DIR").unwrap_or("none".into());
    assert_eq!(output(&command).await, format!("/usr\n2x\n{here}\na \"b\" $A\n"));
    let cleared = Command { program: "/bin/sh".into(), ..command.clear_env() };
    assert_eq!(output(&cleared).await, "/usr\n2x\nnone\na \"b\" $A\n");
}

/// Runs itself again through a shell that leaves it two descriptors.
#[test]
fn descriptors_that_were_inherited_go_no_further() {
    const INSIDE: &str = "MIDGE_TEST_INHERITED";
    if std::env::var_os(INSIDE).is_some() {
        return inherited();
    }
    let again =
        "exec 9</dev/null 33</dev/null; exec \"$0\" --exact descriptors_that_were_inherited_go_no_further";
    let run = std::process::Command::new("bash")
        .args(["-c", again])
        .arg(std::env::current_exe().unwrap())
        .env(INSIDE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && said.contains("1 passed"), "{said}");
}

fn inherited() {
    let list = sh("for f in /proc/$$/fd/*; do [ -h $f ] && echo ${f##*/}; done");
    let leaky = Command { inherit: true, ..list.clone() };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (with, without) = runtime.block_on(async { (output(&leaky).await, output(&list).await) });
    let found = |said: &str, fd: &str| said.lines().any(|l| l == fd);
    assert!(found(&with, "9") && found(&with, "33"), "nothing was inherited in the first place: {with}");
    assert_eq!(without.lines().collect::<Vec<_>>(), ["0", "1", "2"]);
}
