//! HTTP/1.1 over one connection, with TLS or without: as much of it as the API server and the operator speak.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    sync::Arc,
    time::Duration,
};

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, pki_types::CertificateDer,
    pki_types::pem::PemObject,
};

/// How long a peer may be silent.
const SILENCE: Duration = Duration::from_secs(70);

/// A connection that can be used again after each answer.
pub struct Connection {
    stream: BufReader<Box<dyn Stream>>,
}

trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// A question.
pub struct Request<'a> {
    /// The method.
    pub method: &'a str,
    /// Path and query.
    pub path: &'a str,
    /// The type of the body.
    pub content: &'a str,
    /// The bearer token, if there is one.
    pub token: Option<&'a str>,
    /// The body; empty for none.
    pub body: &'a [u8],
}

/// An answer.
pub struct Answer {
    /// The HTTP status.
    pub code: u16,
    /// The body.
    pub body: String,
    /// Whether the connection can be used again.
    pub reusable: bool,
}

struct Head {
    code: u16,
    length: usize,
    chunked: bool,
    reusable: bool,
}

impl Connection {
    /// Without TLS, to a port of this machine.
    pub fn plain(port: u16) -> io::Result<Self> {
        let stream = tcp(&format!("127.0.0.1:{port}"))?;
        Ok(Self {
            stream: BufReader::new(Box::new(stream)),
        })
    }

    /// With TLS, to a host and port.
    pub fn tls(address: &str, config: &Arc<ClientConfig>) -> io::Result<Self> {
        let host = address
            .rsplit_once(':')
            .map_or(address, |(host, _)| host)
            .to_owned();
        let name = host.try_into().map_err(io::Error::other)?;
        let session = ClientConnection::new(Arc::clone(config), name).map_err(io::Error::other)?;
        let stream = StreamOwned::new(session, tcp(address)?);
        Ok(Self {
            stream: BufReader::new(Box::new(stream)),
        })
    }

    /// Asks, and reads the whole answer.
    pub fn exchange(&mut self, request: &Request<'_>) -> io::Result<Answer> {
        self.ask(request)?;
        self.answer()
    }

    /// Opens a watch. [`Self::next_event`] gives what it delivers; nothing else can be asked here any more.
    pub fn open_watch(&mut self, request: &Request<'_>) -> io::Result<()> {
        self.ask(request)?;
        let head = self.head()?;
        if head.code == 200 && head.chunked {
            return Ok(());
        }
        let body = String::from_utf8_lossy(&self.body(&head)?).into_owned();
        Err(io::Error::other(format!("watch: {} {body}", head.code)))
    }

    /// Waits for the next piece of a watch.
    pub fn next_event(&mut self) -> io::Result<Vec<u8>> {
        let length = usize::from_str_radix(&self.line()?, 16).map_err(io::Error::other)?;
        let event = self.bytes(length)?;
        self.line()?;
        Ok(event)
    }

    fn ask(&mut self, request: &Request<'_>) -> io::Result<()> {
        let mut head = format!(
            "{} {} HTTP/1.1\r\nHost: localhost\r\n",
            request.method, request.path
        );
        head += &format!(
            "Content-Type: {}\r\nContent-Length: {}\r\n",
            request.content,
            request.body.len()
        );
        if let Some(token) = request.token {
            head += &format!("Authorization: Bearer {token}\r\n");
        }
        head += "Accept: application/json\r\n\r\n";
        let stream = self.stream.get_mut();
        stream.write_all(&[head.as_bytes(), request.body].concat())?;
        stream.flush()
    }

    fn answer(&mut self) -> io::Result<Answer> {
        let head = self.head()?;
        let body = String::from_utf8(self.body(&head)?).map_err(io::Error::other)?;
        Ok(Answer {
            code: head.code,
            body,
            reusable: head.reusable,
        })
    }

    fn head(&mut self) -> io::Result<Head> {
        let status = self.line()?;
        let code = status.split(' ').nth(1).and_then(|code| code.parse().ok());
        let code = code.ok_or_else(|| io::Error::other(format!("no status: {status:?}")))?;
        let mut head = Head {
            code,
            length: 0,
            chunked: false,
            reusable: true,
        };
        loop {
            let line = self.line()?.to_ascii_lowercase();
            match line.split_once(": ") {
                None => return Ok(head),
                Some(("content-length", value)) => head.length = value.parse().map_err(io::Error::other)?,
                Some(("transfer-encoding", "chunked")) => head.chunked = true,
                Some(("connection", "close")) => head.reusable = false,
                Some(_) => {}
            }
        }
    }

    fn body(&mut self, head: &Head) -> io::Result<Vec<u8>> {
        if head.chunked {
            self.chunks()
        } else {
            self.bytes(head.length)
        }
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let length = usize::from_str_radix(&self.line()?, 16).map_err(io::Error::other)?;
            body.extend(self.bytes(length)?);
            self.line()?;
            if length == 0 {
                return Ok(body);
            }
        }
    }

    fn bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// A line without its end.
    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().to_owned())
    }
}

/// TLS that trusts the certificates of a file.
pub fn trusting(ca_file: &str) -> Arc<ClientConfig> {
    trusting_pem(&std::fs::read_to_string(ca_file).expect("read the certificate authority"))
}

/// TLS that trusts certificates in PEM.
pub fn trusting_pem(authorities: &str) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(authorities.as_bytes()) {
        roots
            .add(certificate.expect("a certificate"))
            .expect("a certificate that can be trusted");
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    Arc::new(
        config
            .expect("versions of TLS")
            .with_root_certificates(roots)
            .with_no_client_auth(),
    )
}

fn tcp(address: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(SILENCE))?;
    Ok(stream)
}
