//! What keyless signatures are checked against, without asking anyone: the authorities, logs and timestamp services of a
//! Sigstore instance, from its `trusted_root.json`.

use std::time::{Duration, SystemTime};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::key::{KeyError, PublicKey};

/// A trust root.
#[derive(Clone, Debug)]
pub struct TrustRoot {
    pub(super) authorities: Vec<Authority>,
    pub(super) logs: Vec<Log>,
    pub(super) certificate_logs: Vec<Log>,
    pub(super) timestamp_authorities: Vec<Authority>,
}

/// A chain of certificates in DER, the root last.
#[derive(Clone, Debug)]
pub(super) struct Authority {
    pub(super) chain: Vec<Vec<u8>>,
    pub(super) period: Period,
}

/// A log and its key.
#[derive(Clone, Debug)]
pub(super) struct Log {
    /// By which entries name it: the digest of its key.
    pub(super) id: Vec<u8>,
    pub(super) key: PublicKey,
    pub(super) period: Period,
}

/// When something was in use, in seconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(super) struct Period {
    start: i64,
    end: Option<i64>,
}

/// Why a trust root cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// It is no trust root.
    #[error(
        "this is no trust root: {0}: expected a trusted_root.json of Sigstore, as `cosign trusted-root create` writes it"
    )]
    Malformed(String),
    /// The key of a log is not one.
    #[error("the trust root's log {url}: {source}")]
    Key {
        /// The log.
        url: String,
        /// Why.
        source: KeyError,
    },
    /// There is no certificate authority or no log in it.
    #[error("the trust root has no {0}: without, no keyless signature could be trusted")]
    Lacks(&'static str),
}

impl TrustRoot {
    /// From the contents of a `trusted_root.json`.
    pub fn from_json(json: &[u8]) -> Result<Self, RootError> {
        let root: RootJson =
            serde_json::from_slice(json).map_err(|error| RootError::Malformed(error.to_string()))?;
        let root = Self {
            authorities: authorities(root.certificate_authorities)?,
            logs: logs(root.tlogs)?,
            certificate_logs: logs(root.ctlogs)?,
            timestamp_authorities: authorities(root.timestamp_authorities)?,
        };
        match () {
            () if root.authorities.is_empty() => Err(RootError::Lacks("certificate authority")),
            () if root.logs.is_empty() => Err(RootError::Lacks("transparency log")),
            () if root.certificate_logs.is_empty() => Err(RootError::Lacks("certificate transparency log")),
            () => Ok(root),
        }
    }
}

impl Period {
    /// Whether it holds a time.
    pub(super) fn includes(&self, seconds: i64) -> bool {
        self.start <= seconds && self.end.is_none_or(|end| seconds <= end)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RootJson {
    #[serde(default)]
    tlogs: Vec<LogJson>,
    #[serde(default)]
    certificate_authorities: Vec<AuthorityJson>,
    #[serde(default)]
    ctlogs: Vec<LogJson>,
    #[serde(default)]
    timestamp_authorities: Vec<AuthorityJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogJson {
    #[serde(default)]
    base_url: String,
    public_key: KeyJson,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeyJson {
    raw_bytes: String,
    #[serde(default)]
    valid_for: PeriodJson,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AuthorityJson {
    cert_chain: ChainJson,
    #[serde(default)]
    valid_for: PeriodJson,
}

#[derive(Deserialize)]
struct ChainJson {
    certificates: Vec<CertificateJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CertificateJson {
    raw_bytes: String,
}

#[derive(Default, Deserialize)]
struct PeriodJson {
    start: Option<String>,
    end: Option<String>,
}

fn authorities(authorities: Vec<AuthorityJson>) -> Result<Vec<Authority>, RootError> {
    let read = |authority: AuthorityJson| {
        let certificates = authority.cert_chain.certificates.iter();
        let chain = certificates
            .map(|certificate| decode(&certificate.raw_bytes))
            .collect::<Result<_, _>>()?;
        Ok(Authority {
            chain,
            period: period(authority.valid_for)?,
        })
    };
    authorities.into_iter().map(read).collect()
}

fn logs(logs: Vec<LogJson>) -> Result<Vec<Log>, RootError> {
    let read = |log: LogJson| {
        let key =
            PublicKey::from_der(&decode(&log.public_key.raw_bytes)?).map_err(|source| RootError::Key {
                url: log.base_url,
                source,
            })?;
        Ok(Log {
            id: key.digest().to_vec(),
            key,
            period: period(log.public_key.valid_for)?,
        })
    };
    logs.into_iter().map(read).collect()
}

fn decode(text: &str) -> Result<Vec<u8>, RootError> {
    STANDARD
        .decode(text)
        .map_err(|error| RootError::Malformed(format!("rawBytes: {error}")))
}

fn period(period: PeriodJson) -> Result<Period, RootError> {
    let seconds = |text: &str| {
        let time = OffsetDateTime::parse(text, &Rfc3339);
        time.map(OffsetDateTime::unix_timestamp)
            .map_err(|error| RootError::Malformed(format!("validFor: `{text}`: {error}")))
    };
    let start = period.start.as_deref().map(seconds).transpose()?;
    let end = period.end.as_deref().map(seconds).transpose()?;
    Ok(Period {
        start: start.unwrap_or(i64::MIN),
        end,
    })
}

/// A time for the certificate library.
pub(super) fn unix_time(seconds: i64) -> Option<rustls::pki_types::UnixTime> {
    let since = Duration::from_secs(u64::try_from(seconds).ok()?);
    SystemTime::UNIX_EPOCH.checked_add(since)?;
    Some(rustls::pki_types::UnixTime::since_unix_epoch(since))
}
