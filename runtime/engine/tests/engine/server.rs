//! A small HTTP server that answers well or badly, by path.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::{
    ServerConfig,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    net::TcpListener,
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;

/// Ends with the test.
pub struct Server {
    address: SocketAddr,
    scheme: &'static str,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A certificate that signs itself.
pub struct Certificate(CertifiedKey<KeyPair>);

impl Certificate {
    /// For those who trust it.
    pub fn pem(&self) -> String {
        self.0.cert.pem()
    }
}

/// A new one for one name or address.
pub fn certificate(name: &str) -> Certificate {
    Certificate(generate_simple_self_signed([name.to_owned()]).unwrap())
}

impl Server {
    /// Plain HTTP on a free port.
    pub async fn start() -> Self {
        Self::serve("http", None).await
    }

    /// HTTPS on a free port.
    pub async fn start_tls(certificate: &Certificate) -> Self {
        let CertifiedKey { cert, signing_key } = &certificate.0;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        Self::serve("https", Some(TlsAcceptor::from(Arc::new(config)))).await
    }

    async fn serve(scheme: &'static str, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let seen = requests.clone();
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (seen, tls) = (seen.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => answer(stream, &seen).await,
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => answer(stream, &seen).await,
                            Err(_) => None,
                        },
                    }
                });
            }
        });
        Self {
            address,
            scheme,
            requests,
            task,
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// The first lines of all requests so far.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// None: the other side is gone.
async fn answer(stream: impl AsyncRead + AsyncWrite + Unpin, seen: &Mutex<Vec<String>>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        match line.trim_end() {
            "" => break,
            line => head.push(line.to_owned()),
        }
    }
    seen.lock().unwrap().push(head[0].clone());
    let path = head[0].split(' ').nth(1).unwrap_or_default().to_owned();
    respond(stream.get_mut(), &path).await
}

async fn respond(stream: &mut (impl AsyncWrite + Unpin), path: &str) -> Option<()> {
    let part = vec![b'x'; 10_000];
    match path {
        "/redirect" => {
            write(
                stream,
                "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
            )
            .await
        }
        "/silent" => std::future::pending().await,
        "/stalls" => {
            write(stream, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf").await?;
            std::future::pending().await
        }
        "/announced" => {
            write(stream, "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nx").await?;
            std::future::pending().await
        }
        "/large" => {
            write(stream, "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n").await?;
            for _ in 0..10 {
                stream.write_all(&part).await.ok()?;
            }
            stream.flush().await.ok()
        }
        "/endless" => {
            write(stream, "HTTP/1.1 200 OK\r\n\r\n").await?;
            loop {
                stream.write_all(&part).await.ok()?;
            }
        }
        _ => write(stream, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").await,
    }
}

async fn write(stream: &mut (impl AsyncWrite + Unpin), text: &str) -> Option<()> {
    stream.write_all(text.as_bytes()).await.ok()?;
    stream.flush().await.ok()
}
