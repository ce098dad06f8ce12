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
