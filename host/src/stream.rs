//! Streams to servers: the stdio of a process, or a socket.

use std::fmt;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::error::Error;
use crate::process::Child;
use crate::target::{Command, Target};

/// Both directions to a server, and its process if it has one.
pub struct Link {
    /// What the server says.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// What the server hears. Dropping it is how the server learns that it is to end.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
    /// Its process.
    pub child: Option<Child>,
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("child", &self.child).finish_non_exhaustive()
    }
}

impl Link {
    fn of(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        child: Option<Child>,
    ) -> Self {
        Self { reader: Box::new(reader), writer: Box::new(writer), child }
    }
}

/// Starts the server's process, or connects to its socket.
///
/// # Errors
/// [`Error::Spawn`] or [`Error::Connect`]; [`Error::Busy`] outside of a tokio runtime.
pub async fn open(target: &Target) -> Result<Link, Error> {
    let failed = |source| Error::Connect { target: target.to_string(), source: Arc::new(source) };
    match target {
        Target::Process(command) => process(command),
        #[cfg(unix)]
        Target::Unix(path) => {
            let (reader, writer) = tokio::net::UnixStream::connect(path).await.map_err(failed)?.into_split();
            Ok(Link::of(reader, writer, None))
        }
        Target::Tcp { host, port } => {
            let stream = TcpStream::connect((host.as_str(), *port)).await.map_err(failed)?;
            // Messages are written whole: waiting for more only makes them late.
            stream.set_nodelay(true).map_err(failed)?;
            let (reader, writer) = stream.into_split();
            Ok(Link::of(reader, writer, None))
        }
    }
}

fn process(command: &Command) -> Result<Link, Error> {
    let mut child = Child::spawn(command)?;
    match (child.take_stdout(), child.take_stdin()) {
        (Some(reader), Some(writer)) => Ok(Link::of(reader, writer, Some(child))),
        _ => Err(Error::Busy(format!("`{command}` was started without pipes"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// Says a word, hears it back, and then the end.
    async fn talks(mut link: Link) {
        link.writer.write_all(b"word").await.unwrap();
        link.writer.flush().await.unwrap();
        let mut heard = [0; 4];
        link.reader.read_exact(&mut heard).await.unwrap();
        assert_eq!(&heard, b"word");
        drop(link.writer);
        assert_eq!(link.reader.read(&mut heard).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn a_tcp_server_hears_the_end() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target = Target::Tcp { host: "127.0.0.1".into(), port: listener.local_addr().unwrap().port() };
        let echo = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (mut from, mut to) = stream.split();
            tokio::io::copy(&mut from, &mut to).await.unwrap()
        });
        let link = open(&target).await.unwrap();
        assert!(link.child.is_none());
        talks(link).await;
        assert_eq!(echo.await.unwrap(), 4);
        // The listener is gone now.
        let told = open(&target).await.unwrap_err().to_string();
        assert!(told.starts_with(&format!("cannot connect to {target}: ")), "{told}");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_unix_server_hears_the_end() {
        let path = std::env::temp_dir().join(format!("midge-stream-{}", std::process::id()));
        let listener = tokio::net::UnixListener::bind(&path).unwrap();
        let echo = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (mut from, mut to) = stream.split();
            tokio::io::copy(&mut from, &mut to).await.unwrap()
        });
        let link = open(&Target::Unix(path.clone())).await;
        std::fs::remove_file(&path).unwrap();
        talks(link.unwrap()).await;
        assert_eq!(echo.await.unwrap(), 4);
        let told = open(&Target::Unix(path)).await.unwrap_err().to_string();
        assert!(told.starts_with("cannot connect to unix:/"), "{told}");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_process_hears_the_end() {
        let mut link = open(&Target::Process(Command::new("cat"))).await.unwrap();
        let child = link.child.take().unwrap();
        talks(link).await;
        assert!(child.close(crate::Grace::default()).await.status.unwrap().success());
    }
}
