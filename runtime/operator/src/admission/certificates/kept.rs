//! What the Secret holds, and what has to be done to it next.
//!
//! Owns the order of a rotation: a new authority is made and told first, and used only once everybody has had the time to hear
//! of it; the old one is told as long as it lasts. Every step is one write, and depends on nothing but what is there and the time.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime},
};

use k8s_openapi::ByteString;

use super::issue::{self, Facts, IssueError, Pair, SKEW};

/// A new authority is told for so long before it is used: every replica has read the Secret by then, and the API server has the
/// bundle.
pub(super) const TOLD: Duration = Duration::from_secs(600);

const CERTIFICATE: &str = "tls.crt";
const KEY: &str = "tls.key";
const AUTHORITY: &str = "ca.crt";
const AUTHORITY_KEY: &str = "ca.key";
const NEXT: &str = "next-ca.crt";
const NEXT_KEY: &str = "next-ca.key";
const OLD: &str = "old-ca.crt";

/// The certificate of the server, and the authorities around it.
#[derive(Clone, PartialEq, Eq)]
pub struct Kept {
    /// The server's.
    serving: Pair,
    /// Who has signed it.
    authority: Pair,
    /// Who will sign the next one.
    next: Option<Pair>,
    /// Who has signed the one before.
    old: Option<String>,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// All of it is new.
    Made,
    /// The next authority is there, and told.
    NextMade,
    /// The next authority has taken over, with a certificate by it.
    TakenOver,
    /// There is a new certificate by the same authority.
    Renewed,
    /// The old authority is not told any more.
    OldDropped,
}

impl Kept {
    /// All of it new. `known` is what others may still trust or use.
    pub(super) fn make(names: &[String], now: SystemTime, known: Option<&Self>) -> Result<Self, IssueError> {
        let authority = issue::authority(now)?;
        Ok(Self {
            serving: issue::certificate(&authority, names, now)?,
            authority,
            next: None,
            old: known.map(|known| known.authority.certificate.clone()),
        })
    }

    /// Reads the data of a Secret.
    pub(super) fn read(data: &BTreeMap<String, ByteString>) -> Result<Self, IssueError> {
        let text = |key: &'static str| {
            let bytes = data.get(key)?;
            String::from_utf8(bytes.0.clone()).ok()
        };
        let pair = |certificate, key| {
            Some(Pair {
                certificate: text(certificate)?,
                key: text(key)?,
            })
        };
        let lacking = |what| IssueError::Read {
            what,
            problem: "it is not there, or no text".to_owned(),
        };
        let kept = Self {
            serving: pair(CERTIFICATE, KEY).ok_or_else(|| lacking("tls.crt or tls.key"))?,
            authority: pair(AUTHORITY, AUTHORITY_KEY).ok_or_else(|| lacking("ca.crt or ca.key"))?,
            next: pair(NEXT, NEXT_KEY),
            old: text(OLD),
        };
        for authority in [Some(&kept.authority), kept.next.as_ref()].into_iter().flatten() {
            issue::check_key(authority)?;
        }
        kept.facts().map(|_| kept)
    }

    /// The data of a Secret.
    pub(super) fn data(&self) -> BTreeMap<String, ByteString> {
        let next = self
            .next
            .iter()
            .flat_map(|next| [(NEXT, &next.certificate), (NEXT_KEY, &next.key)]);
        let entries = [
            (CERTIFICATE, &self.serving.certificate),
            (KEY, &self.serving.key),
            (AUTHORITY, &self.authority.certificate),
            (AUTHORITY_KEY, &self.authority.key),
        ];
        let old = self.old.iter().map(|old| (OLD, old));
        let entry = |(key, text): (&str, &String)| (key.to_owned(), ByteString(text.clone().into_bytes()));
        entries.into_iter().chain(next).chain(old).map(entry).collect()
    }

    /// The server's certificate.
    pub fn serving(&self) -> &Pair {
        &self.serving
    }

    /// All authorities that are to be trusted, in PEM.
    pub fn bundle(&self) -> String {
        let next = self.next.as_ref().map(|next| next.certificate.as_str());
        let all = [
            Some(self.authority.certificate.as_str()),
            next,
            self.old.as_deref(),
        ];
        all.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }

    /// The next step, and what comes of it; none if all is as it should be.
    pub(super) fn step(&self, names: &[String], now: SystemTime) -> Result<Option<(Step, Self)>, IssueError> {
        let [serving, authority] = self.facts()?;
        if let Some(next) = &self.next
            && self.is_next_due(&authority, next, now)?
        {
            let taken_over = Self {
                serving: issue::certificate(next, names, now)?,
                authority: next.clone(),
                next: None,
                old: Some(self.authority.certificate.clone()),
            };
            return Ok(Some((Step::TakenOver, taken_over)));
        }
        if authority.is_over(now) {
            return Ok(Some((Step::Made, Self::make(names, now, None)?)));
        }
        if authority.is_old(now) && self.next.is_none() {
            let next = Some(issue::authority(now)?);
            let made = Self { next, ..self.clone() };
            return Ok(Some((Step::NextMade, made)));
        }
        if serving.issuer != authority.subject
            || serving.is_old(now) && !ends_with(&serving, &authority)
            || !names.iter().all(|name| serving.names.contains(name))
        {
            let serving = issue::certificate(&self.authority, names, now)?;
            let renewed = Self {
                serving,
                ..self.clone()
            };
            return Ok(Some((Step::Renewed, renewed)));
        }
        if self.is_old_over(now) {
            let dropped = Self {
                old: None,
                ..self.clone()
            };
            return Ok(Some((Step::OldDropped, dropped)));
        }
        Ok(None)
    }

    fn facts(&self) -> Result<[Facts; 2], IssueError> {
        Ok([
            issue::facts(&self.serving.certificate, "tls.crt")?,
            issue::facts(&self.authority.certificate, "ca.crt")?,
        ])
    }

    /// It was told long enough, or there is no other any more.
    fn is_next_due(&self, authority: &Facts, next: &Pair, now: SystemTime) -> Result<bool, IssueError> {
        let next = issue::facts(&next.certificate, "next-ca.crt")?;
        Ok(authority.is_over(now) || now >= next.not_before + SKEW + TOLD)
    }

    fn is_old_over(&self, now: SystemTime) -> bool {
        let Some(old) = &self.old else { return false };
        issue::facts(old, "old-ca.crt").map_or(true, |old| old.is_over(now))
    }

    /// For the log.
    pub(super) fn until(&self) -> String {
        self.facts()
            .map(|[serving, _]| issue::shown(serving.not_after))
            .unwrap_or_default()
    }
}

/// A certificate that cannot last longer, since its authority does not.
fn ends_with(serving: &Facts, authority: &Facts) -> bool {
    serving.not_after >= authority.not_after
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept")
            .field("next", &self.next.is_some())
            .field("old", &self.old.is_some())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use rustls::{
        RootCertStore,
        client::{WebPkiServerVerifier, danger::ServerCertVerifier as _},
        crypto::ring,
        pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
    };

    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn names() -> Vec<String> {
        vec!["svc.ns.svc".into(), "127.0.0.1".into()]
    }

    fn start() -> SystemTime {
        SystemTime::UNIX_EPOCH + DAY * 20_000
    }

    /// Whether a client that trusts the bundle of one takes the certificate of the other.
    fn trusts(bundle: &Kept, serving: &Kept, at: SystemTime) -> bool {
        let mut roots = RootCertStore::empty();
        for root in CertificateDer::pem_slice_iter(bundle.bundle().as_bytes()) {
            roots.add(root.unwrap()).unwrap();
        }
        let provider = std::sync::Arc::new(ring::default_provider());
        let verifier = WebPkiServerVerifier::builder_with_provider(roots.into(), provider)
            .build()
            .unwrap();
        let served = CertificateDer::from_pem_slice(serving.serving().certificate.as_bytes()).unwrap();
        let at = UnixTime::since_unix_epoch(at.duration_since(SystemTime::UNIX_EPOCH).unwrap());
        ["svc.ns.svc", "127.0.0.1"].into_iter().all(|name| {
            let name = ServerName::try_from(name).unwrap();
            verifier.verify_server_cert(&served, &[], &name, &[], at).is_ok()
        })
    }

    fn step(kept: &Kept, at: SystemTime) -> Option<(Step, Kept)> {
        kept.step(&names(), at).unwrap()
    }

    #[test]
    fn what_is_made_is_trusted_and_read_again() {
        let made = Kept::make(&names(), start(), None).unwrap();
        assert!(trusts(&made, &made, start()));
        assert_eq!(step(&made, start()), None);
        let read = Kept::read(&made.data()).unwrap();
        assert!(read == made);
        assert!(Kept::read(&BTreeMap::new()).is_err());
        let mut data = made.data();
        data.insert("tls.crt".into(), ByteString(b"no certificate".to_vec()));
        assert!(Kept::read(&data).is_err());
    }

    #[test]
    fn another_authority_is_not_trusted() {
        let (one, other) = (
            Kept::make(&names(), start(), None).unwrap(),
            Kept::make(&names(), start(), None).unwrap(),
        );
        assert!(!trusts(&one, &other, start()));
    }

    /// Four years, hour by hour: whoever knows the step before this one trusts whoever serves this or the one before.
    #[test]
    fn there_is_never_a_gap_over_years() {
        let mut before = Kept::make(&names(), start(), None).unwrap();
        let mut current = before.clone();
        let mut steps = Vec::new();
        let mut at = start();
        while at < start() + DAY * 1_500 {
            if let Some((what, after)) = step(&current, at) {
                steps.push(what);
                before = std::mem::replace(&mut current, after);
            }
            for (bundle, serving) in [(&before, &current), (&current, &before), (&current, &current)] {
                assert!(trusts(bundle, serving, at), "after {:?}", steps.last());
            }
            at += Duration::from_secs(6 * 60 * 60);
            // A step is old after six hours: everybody has heard of it.
            if before.next.is_none() {
                before = current.clone();
            }
        }
        for expected in [Step::Renewed, Step::NextMade, Step::TakenOver, Step::OldDropped] {
            assert!(steps.contains(&expected), "{steps:?}");
        }
        assert!(!steps.contains(&Step::Made), "{steps:?}");
        assert!(steps.len() < 60, "{}", steps.len());
    }

    #[test]
    fn a_new_authority_is_told_before_it_is_used() {
        let made = Kept::make(&names(), start(), None).unwrap();
        let old = start() + DAY * 250;
        let first = Kept {
            serving: issue::certificate(&made.authority, &names(), old).unwrap(),
            ..made
        };
        let (what, told) = step(&first, old).unwrap();
        assert_eq!(what, Step::NextMade);
        assert!(told.serving == first.serving);
        let soon = old + TOLD - Duration::from_secs(1);
        assert!(!matches!(step(&told, soon), Some((Step::TakenOver, _))));
        let (what, used) = step(&told, old + TOLD + Duration::from_secs(1)).unwrap();
        assert_eq!(what, Step::TakenOver);
        assert!(trusts(&told, &used, old + TOLD) && trusts(&used, &first, old));
    }

    #[test]
    fn other_names_want_another_certificate() {
        let made = Kept::make(&names(), start(), None).unwrap();
        let more = [names(), vec!["other.ns.svc".into()]].concat();
        let (what, renewed) = made.step(&more, start()).unwrap().unwrap();
        assert_eq!(what, Step::Renewed);
        assert!(trusts(&made, &renewed, start()));
        assert_eq!(renewed.step(&names(), start()).unwrap(), None);
    }

    #[test]
    fn what_lay_about_for_too_long_is_made_anew() {
        let made = Kept::make(&names(), start(), None).unwrap();
        let late = start() + DAY * 400;
        let (what, anew) = step(&made, late).unwrap();
        assert_eq!(what, Step::Made);
        assert!(trusts(&anew, &anew, late));
    }
}
