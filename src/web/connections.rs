//! Connections of a page, of which there are never more than a few.
//!
//! Each connection has a descriptor and buffers. Without a bound, somebody who opens many could
//! leave no descriptors for the pipes of bots.

use axum::serve::Listener;
use std::future::Future as _;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

/// The most connections at a time. More wait until one is closed.
const MOST: usize = 192;
/// How long a connection may take to ask for something.
const ASKS_WITHIN: Duration = Duration::from_secs(10);
/// How long a connection may take nothing of an answer.
const STALLS: Duration = Duration::from_secs(30);

/// Accepts connections, as many as there may be.
#[derive(Debug)]
pub struct FewConnections {
    listener: TcpListener,
    places: Arc<Semaphore>,
}

impl FewConnections {
    pub fn new(listener: TcpListener) -> Self {
        Self {
            listener,
            places: Arc::new(Semaphore::new(MOST)),
        }
    }
}

impl Listener for FewConnections {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.expect("the semaphore is never closed");
        // This waits a while after an error, for example if there are no descriptors.
        let (stream, peer) = <TcpListener as Listener>::accept(&mut self.listener).await;
        let connection = Connection {
            stream,
            deadline: Some(Box::pin(sleep(ASKS_WITHIN))),
            _place: place,
        };
        (connection, peer)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection, which takes a place until it is closed.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    /// When the connection is cut unless it goes on: before the first answer, and while an answer
    /// is not taken.
    deadline: Option<Pin<Box<Sleep>>>,
    _place: OwnedSemaphorePermit,
}

impl Connection {
    /// An error once the deadline is over.
    fn in_time(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let deadline = self.deadline.as_mut();
        let is_over = deadline.is_some_and(|it| it.as_mut().poll(context).is_ready());
        if is_over {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(())
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        Pin::new(&mut self.get_mut().stream)
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let connection = self.get_mut();
        let read = Pin::new(&mut connection.stream).poll_read(context, buffer);
        if read.is_pending() {
            connection.in_time(context)?;
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let connection = self.get_mut();
        let written = Pin::new(&mut connection.stream).poll_write(context, bytes);
        if written.is_ready() {
            connection.deadline = None;
        } else {
            let stall = || Box::pin(sleep(STALLS));
            connection.deadline.get_or_insert_with(stall);
            connection.in_time(context)?;
        }
        written
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_shutdown(context)
    }
}
