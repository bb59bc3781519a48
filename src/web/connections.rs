//! Connections of a page, of which there are never more than a few, and no more than a part of them
//! from one address.
//!
//! Each connection has a descriptor and buffers. Without a bound, somebody who opens many could
//! leave no descriptors for the pipes of bots; without one for each address, no place for others.

use axum::serve::Listener;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::Future as _;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

/// The most connections at a time. More wait until one is closed.
const MOST: usize = 192;
/// The most connections from one address. More are closed at once.
const MOST_OF_ONE: usize = MOST / 2;
/// The most streams, which take their places for as long as their readers like. The others are for
/// documents, which are soon answered.
pub const MOST_STREAMS: usize = MOST * 3 / 4;
/// How long a connection may take to ask for something.
const ASKS_WITHIN: Duration = Duration::from_secs(10);
/// How long a connection may take nothing of an answer.
const STALLS: Duration = Duration::from_secs(30);

/// Accepts connections, as many as there may be.
#[derive(Debug)]
pub struct FewConnections {
    listener: TcpListener,
    places: Arc<Semaphore>,
    /// Connections by the network that one reader may have.
    readers: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl FewConnections {
    pub fn new(listener: TcpListener) -> Self {
        Self {
            listener,
            places: Arc::new(Semaphore::new(MOST)),
            readers: Arc::default(),
        }
    }

    /// A place for a connection from this address, unless it has too many.
    fn place(&self, peer: SocketAddr, permit: OwnedSemaphorePermit) -> Option<ReaderPlace> {
        let reader = reader(peer.ip());
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let count = readers.entry(reader).or_default();
        if *count == MOST_OF_ONE {
            return None;
        }
        *count += 1;
        Some(ReaderPlace {
            reader,
            readers: Arc::clone(&self.readers),
            _permit: permit,
        })
    }
}

/// The address by which a reader is counted. One reader usually has all of an IPv6 network of 64
/// bits.
fn reader(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address @ IpAddr::V4(_) => address,
    }
}

/// A place of one reader, until it is dropped.
#[derive(Debug)]
struct ReaderPlace {
    reader: IpAddr,
    readers: Arc<Mutex<HashMap<IpAddr, usize>>>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for ReaderPlace {
    fn drop(&mut self) {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut count) = readers.entry(self.reader) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

impl Listener for FewConnections {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let permit = Arc::clone(&self.places).acquire_owned().await;
            let permit = permit.expect("the semaphore is never closed");
            // This waits a while after an error, for example if there are no descriptors.
            let (stream, peer) = <TcpListener as Listener>::accept(&mut self.listener).await;
            if let Some(place) = self.place(peer, permit) {
                let connection = Connection {
                    stream,
                    deadline: Some(Box::pin(sleep(ASKS_WITHIN))),
                    _place: place,
                };
                return (connection, peer);
            }
        }
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
    _place: ReaderPlace,
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
