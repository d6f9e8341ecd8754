//! The certificates of the webhook server, where nobody else provides them.
//!
//! The operator has an authority of its own, and a certificate by it. Both are in a Secret of its namespace, so that all replicas
//! use the same. Both are renewed at two thirds of their lives, and the API server trusts a new authority before anything signed by
//! it is used, and the old one as long as it lasts.
//!
//! `issue` makes certificates, `kept` knows what there is and which step is the next one, `keeper` takes it.

mod issue;
mod keeper;
mod kept;

pub use self::{
    issue::IssueError,
    keeper::{ApiSecretStore, CertificateKeeper, SECRET, SecretStore, StoreError},
    kept::Kept,
};
