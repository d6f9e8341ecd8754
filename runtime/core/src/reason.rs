//! The one table of reasons: what a condition, an event, a metric and the retry say of an outcome.
//!
//! No other file spells a reason. The error types are those of the compatibility page: the value of `status.status`, the
//! event's reason and the metric's `error_kind`.

use crate::report::FailureKind;

/// Which sort of logic a reason is about: its error types differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Logic {
    /// `spec.template`.
    Template,
    /// `spec.plugin`.
    Plugin,
}

/// When a failed key is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Retry {
    /// Once the config, the spec or a library has changed.
    OnConfigChange,
    /// Once something that the call could read has changed, and at the longest back-off in any case.
    OnChange,
    /// With exponential back-off.
    BackOff,
    /// As the guest asked, or not at all.
    AsAsked,
}

/// What an outcome means for the standard conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// `Ready` is true.
    Ready,
    /// `Ready` is false and `Reconciling` true: it is being worked on.
    Reconciling,
    /// `Ready` is false and `Stalled` true: somebody has to change something.
    Stalled,
}

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// `status.status`, the event's reason and the metric's `error_kind`.
    pub error_type: &'static str,
    /// What the standard conditions say.
    pub standing: Standing,
    /// Whether a Warning event is written and an error counted.
    pub event: bool,
    /// When the key is tried again.
    pub retry: Retry,
}

/// Why an outcome is what it is. Its name is the `reason` of the condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// All is as desired.
    Succeeded,
    /// The guest says that the whole is not there yet.
    Waiting,
    /// A watch has not delivered its first list, or is no longer kept up to date.
    CacheNotSynced,
    /// The ServiceAccount does not exist, or gives no token.
    ServiceAccountUnavailable,
    /// The manifest contradicts itself: names twice, a trigger naming no context, a duration that is none.
    InvalidSpec,
    /// A kind to be watched does not exist.
    UnknownKind,
    /// The ServiceAccount may not watch what the manifest names.
    WatchForbidden,
    /// A watch could not be filled within `cacheSyncTimeout`.
    WatchFailed,
    /// The guest cannot work with its config; a template that does not parse.
    InvalidConfig,
    /// The guest cannot use what it read; a template that raises an error.
    InvalidInput,
    /// The result breaks a rule.
    InvalidOutput,
    /// The guest says that something needed is not there yet.
    NotReady,
    /// The guest returned a failure of no other sort.
    GuestFailed,
    /// The guest trapped.
    GuestTrapped,
    /// The guest went over one of its limits.
    LimitExceeded,
    /// The plugin is not resolved, not verified or not compiled.
    PluginNotReady,
    /// The host failed, not the guest.
    HostFault,
    /// The ServiceAccount may not write an object.
    Forbidden,
    /// Another field manager owns a field.
    Conflict,
    /// The API server knows no such kind.
    KindNotFound,
    /// The API server refuses an object as invalid.
    Rejected,
    /// A write failed otherwise.
    ApplyFailed,
    /// The API server refuses the webhook of an Admission.
    WebhookInvalid,
    /// The webhook of an Admission could not be written.
    WebhookNotWritten,
}

impl Reason {
    /// Every reason, in the order of the documentation's table.
    pub const ALL: [Self; 24] = [
        Self::Succeeded,
        Self::Waiting,
        Self::CacheNotSynced,
        Self::ServiceAccountUnavailable,
        Self::InvalidSpec,
        Self::UnknownKind,
        Self::WatchForbidden,
        Self::WatchFailed,
        Self::InvalidConfig,
        Self::InvalidInput,
        Self::InvalidOutput,
        Self::NotReady,
        Self::GuestFailed,
        Self::GuestTrapped,
        Self::LimitExceeded,
        Self::PluginNotReady,
        Self::HostFault,
        Self::Forbidden,
        Self::Conflict,
        Self::KindNotFound,
        Self::Rejected,
        Self::ApplyFailed,
        Self::WebhookInvalid,
        Self::WebhookNotWritten,
    ];

    /// The word in conditions and logs: CamelCase.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Succeeded => "Succeeded",
            Self::Waiting => "Waiting",
            Self::CacheNotSynced => "CacheNotSynced",
            Self::ServiceAccountUnavailable => "ServiceAccountUnavailable",
            Self::InvalidSpec => "InvalidSpec",
            Self::UnknownKind => "UnknownKind",
            Self::WatchForbidden => "WatchForbidden",
            Self::WatchFailed => "WatchFailed",
            Self::InvalidConfig => "InvalidConfig",
            Self::InvalidInput => "InvalidInput",
            Self::InvalidOutput => "InvalidOutput",
            Self::NotReady => "NotReady",
            Self::GuestFailed => "GuestFailed",
            Self::GuestTrapped => "GuestTrapped",
            Self::LimitExceeded => "LimitExceeded",
            Self::PluginNotReady => "PluginNotReady",
            Self::HostFault => "HostFault",
            Self::Forbidden => "Forbidden",
            Self::Conflict => "Conflict",
            Self::KindNotFound => "KindNotFound",
            Self::Rejected => "Rejected",
            Self::ApplyFailed => "ApplyFailed",
            Self::WebhookInvalid => "WebhookInvalid",
            Self::WebhookNotWritten => "WebhookNotWritten",
        }
    }

    /// The line of the table.
    pub const fn row(self, logic: Logic) -> Row {
        use Retry::{AsAsked, BackOff, OnChange, OnConfigChange};
        use Standing::{Ready, Reconciling, Stalled};
        let failed = failed_type(logic);
        match self {
            Self::Succeeded => row("Ready", Ready, false, AsAsked),
            Self::Waiting => row("Waiting", Reconciling, false, AsAsked),
            Self::CacheNotSynced => row("WaitingForCacheSync", Reconciling, false, BackOff),
            Self::ServiceAccountUnavailable => row("ServiceAccountError", Reconciling, true, BackOff),
            Self::InvalidSpec => row("DependencyConfigurationError", Stalled, true, OnConfigChange),
            Self::UnknownKind => row("DependencyConfigurationError", Reconciling, true, BackOff),
            Self::WatchForbidden | Self::WatchFailed => {
                row("ControllerStartError", Reconciling, true, BackOff)
            }
            Self::InvalidConfig => row(failed, Stalled, true, OnConfigChange),
            Self::InvalidInput => row(failed, Stalled, true, OnChange),
            Self::InvalidOutput => row(invalid_output_type(logic), Stalled, true, OnChange),
            Self::NotReady => row(failed, Reconciling, false, BackOff),
            Self::GuestFailed | Self::GuestTrapped | Self::LimitExceeded => {
                row(failed, Reconciling, true, BackOff)
            }
            Self::PluginNotReady => row("PluginNotReady", Reconciling, true, BackOff),
            Self::HostFault => row("ReconcileError", Reconciling, true, BackOff),
            Self::Forbidden | Self::Conflict | Self::KindNotFound | Self::Rejected | Self::ApplyFailed => {
                row("ApplyError", Reconciling, true, BackOff)
            }
            Self::WebhookInvalid => row("WebhookError", Stalled, true, OnConfigChange),
            Self::WebhookNotWritten => row("WebhookError", Reconciling, true, BackOff),
        }
    }

    /// The reason for a failure that a guest returned.
    pub const fn of_failure(kind: FailureKind) -> Self {
        match kind {
            FailureKind::InvalidConfig => Self::InvalidConfig,
            FailureKind::InvalidInput => Self::InvalidInput,
            FailureKind::InvalidOutput => Self::InvalidOutput,
            FailureKind::NotReady => Self::NotReady,
            FailureKind::Internal => Self::GuestFailed,
        }
    }
}

const fn row(error_type: &'static str, standing: Standing, event: bool, retry: Retry) -> Row {
    Row {
        error_type,
        standing,
        event,
        retry,
    }
}

const fn failed_type(logic: Logic) -> &'static str {
    match logic {
        Logic::Template => "TemplateError",
        Logic::Plugin => "PluginError",
    }
}

const fn invalid_output_type(logic: Logic) -> &'static str {
    match logic {
        Logic::Template => "TemplateReturnError",
        Logic::Plugin => "PluginReturnError",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S2: the strings that alerts and scripts know.
    #[test]
    fn error_types_are_those_of_the_compatibility_page() {
        let of = |reason: Reason| reason.row(Logic::Template).error_type;
        assert_eq!(of(Reason::ServiceAccountUnavailable), "ServiceAccountError");
        assert_eq!(of(Reason::CacheNotSynced), "WaitingForCacheSync");
        assert_eq!(of(Reason::InvalidSpec), "DependencyConfigurationError");
        assert_eq!(of(Reason::UnknownKind), "DependencyConfigurationError");
        assert_eq!(of(Reason::GuestTrapped), "TemplateError");
        assert_eq!(of(Reason::Conflict), "ApplyError");
        assert_eq!(of(Reason::InvalidOutput), "TemplateReturnError");
        assert_eq!(of(Reason::WatchForbidden), "ControllerStartError");
        assert_eq!(of(Reason::HostFault), "ReconcileError");
    }

    #[test]
    fn plugins_have_error_types_of_their_own() {
        let of = |reason: Reason| reason.row(Logic::Plugin).error_type;
        assert_eq!(of(Reason::GuestFailed), "PluginError");
        assert_eq!(of(Reason::InvalidOutput), "PluginReturnError");
    }

    /// S8: waiting is neither an event nor an error.
    #[test]
    fn s8_transient_reasons_write_no_event() {
        for reason in [Reason::CacheNotSynced, Reason::Waiting, Reason::NotReady] {
            assert!(!reason.row(Logic::Template).event, "{reason:?}");
        }
    }

    #[test]
    fn every_reason_has_a_word_of_its_own() {
        let mut words: Vec<_> = Reason::ALL.iter().map(|reason| reason.word()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Reason::ALL.len());
    }
}
