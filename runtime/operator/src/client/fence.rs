//! Connections that say nothing more once this process has ceased to lead.
//!
//! Owns the last look before bytes go to the kernel. A request is looked at when it starts; a process that was stopped in between,
//! and goes on when another one leads, would else send what it had begun.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use tower::Service;

use super::BoxFuture;
use crate::leading::Leading;

/// Makes fenced connections.
#[derive(Clone)]
pub(super) struct Fence<C> {
    connector: C,
    leading: Leading,
}

/// A connection to which nothing is written any more once leading has ended.
pub(super) struct Fenced<T> {
    connection: T,
    leading: Leading,
}

impl<C> Fence<C> {
    pub(super) fn new(connector: C, leading: Leading) -> Self {
        Self { connector, leading }
    }
}

impl<C> Service<Uri> for Fence<C>
where
    C: Service<Uri, Future: Send + 'static>,
{
    type Response = Fenced<C::Response>;
    type Error = C::Error;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.connector.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let (connecting, leading) = (self.connector.call(uri), self.leading.clone());
        Box::pin(async move { connecting.await.map(|connection| Fenced { connection, leading }) })
    }
}

impl<T: Unpin> Fenced<T> {
    fn open(&mut self) -> io::Result<Pin<&mut T>> {
        if self.leading.has_ended() {
            return Err(io::Error::other("this process leads no more"));
        }
        Ok(Pin::new(&mut self.connection))
    }
}

impl<T: Read + Unpin> Read for Fenced<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_read(context, buffer)
    }
}

impl<T: Write + Unpin> Write for Fenced<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.open()?.poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.open()?.poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.connection.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.open()?.poll_write_vectored(context, bytes)
    }
}

impl<T: Connection> Connection for Fenced<T> {
    fn connected(&self) -> Connected {
        self.connection.connected()
    }
}
