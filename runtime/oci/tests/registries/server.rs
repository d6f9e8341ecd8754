//! An HTTP server whose answers a test makes up, and which remembers what it was asked.

use std::{
    convert::Infallible,
    io,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode,
    body::{Body, Frame, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: Method,
    /// With the query.
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// An answer.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Sent,
}

/// What is sent as a body.
pub enum Sent {
    /// These bytes.
    Whole(Bytes),
    /// These bytes, of more that are announced; then the connection breaks.
    Broken(Bytes, u64),
    /// These bytes without an announcement, again and again up to so many.
    Repeated(Bytes, u64),
    /// These bytes, and then nothing any more.
    Stuck(Bytes),
    /// Not even a status.
    Nothing,
}

impl Answer {
    pub fn new(status: u16, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Sent::Whole(body.into()),
        }
    }

    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub fn sending(mut self, body: Sent) -> Self {
        self.body = body;
        self
    }
}

type Handler = dyn Fn(Asked) -> Pin<Box<dyn Future<Output = Answer> + Send>> + Send + Sync;

/// A server on a port of its own. It ends when this is dropped.
pub struct Server {
    /// `127.0.0.1:port`.
    pub host: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Server {
    pub async fn start(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        Self::serve(
            None,
            Arc::new(move |asked| Box::pin(std::future::ready(answer(&asked)))),
        )
        .await
    }

    pub async fn start_tls(
        tls: TlsAcceptor,
        answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self::serve(
            Some(tls),
            Arc::new(move |asked| Box::pin(std::future::ready(answer(&asked)))),
        )
        .await
    }

    pub async fn start_async<F>(answer: impl Fn(Asked) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        Self::serve(None, Arc::new(move |asked| Box::pin(answer(asked)))).await
    }

    async fn serve(tls: Option<TlsAcceptor>, handler: Arc<Handler>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = asked.clone();
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (tls, handler, log) = (tls.clone(), handler.clone(), log.clone());
                tokio::spawn(async move {
                    match tls {
                        None => converse(stream, handler, log).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                converse(stream, handler, log).await;
                            }
                        }
                    }
                });
            }
        });
        Self { host, asked, task }
    }

    /// All requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// How many requests were for addresses that hold `part`.
    pub fn count(&self, part: &str) -> usize {
        self.asked()
            .iter()
            .filter(|asked| asked.path.contains(part))
            .count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    handler: Arc<Handler>,
    log: Arc<Mutex<Vec<Asked>>>,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (handler, log) = (handler.clone(), log.clone());
        async move {
            let (parts, body) = request.into_parts();
            let body = body
                .collect()
                .await
                .map(|body| body.to_bytes())
                .unwrap_or_default();
            let path = parts.uri.to_string();
            let asked = Asked {
                method: parts.method,
                path,
                headers: parts.headers,
                body,
            };
            log.lock().unwrap().push(asked.clone());
            let answer = handler(asked).await;
            if matches!(answer.body, Sent::Nothing) {
                std::future::pending::<()>().await;
            }
            Ok::<_, Infallible>(response(answer))
        }
    });
    http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await
        .ok();
}

fn response(answer: Answer) -> Response<Sending> {
    let mut response = Response::builder().status(StatusCode::from_u16(answer.status).unwrap());
    for (name, value) in &answer.headers {
        response = response.header(name, value);
    }
    let (left, end, announced) = match answer.body {
        Sent::Whole(bytes) => (vec![bytes.clone()], End::Good, Some(bytes.len() as u64)),
        Sent::Broken(bytes, announced) => (vec![bytes], End::BrokenSoon, Some(announced)),
        Sent::Repeated(bytes, times) => (vec![bytes; times as usize], End::Good, None),
        Sent::Stuck(bytes) => (vec![bytes], End::Stuck, None),
        Sent::Nothing => (Vec::new(), End::Stuck, None),
    };
    if let Some(announced) = announced {
        response = response.header("content-length", announced);
    }
    response.body(Sending { left, end }).unwrap()
}

#[derive(Clone, Copy)]
enum End {
    Good,
    BrokenSoon,
    Broken,
    Stuck,
}

struct Sending {
    left: Vec<Bytes>,
    end: End,
}

impl Body for Sending {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match (self.left.pop(), self.end) {
            (Some(bytes), _) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            (None, End::Good) => Poll::Ready(None),
            (None, End::BrokenSoon) => {
                // What was sent before is flushed when there is nothing to send for a moment.
                self.end = End::Broken;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            (None, End::Broken) => Poll::Ready(Some(Err(io::Error::other("broken on purpose")))),
            (None, End::Stuck) => Poll::Pending,
        }
    }
}
