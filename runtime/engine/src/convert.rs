//! Between the contract's types and the domain's. The only file beside `host` and `invoke` that names both.

use espejote_core as core;

use crate::{
    bindings::{
        espejote::plugin::{desired, invocation, library, logging, report, types},
        exports::espejote::plugin::admit,
    },
    call, log,
};

impl From<types::ObjectId> for core::ObjectId {
    fn from(id: types::ObjectId) -> Self {
        Self {
            api_version: id.api_version,
            kind: id.kind,
            namespace: id.namespace,
            name: id.name,
        }
    }
}

impl From<core::ObjectId> for types::ObjectId {
    fn from(id: core::ObjectId) -> Self {
        Self {
            api_version: id.api_version,
            kind: id.kind,
            namespace: id.namespace,
            name: id.name,
        }
    }
}

impl From<core::Owner> for invocation::OwnerReference {
    fn from(owner: core::Owner) -> Self {
        Self {
            id: owner.id.into(),
            uid: owner.uid,
        }
    }
}

impl From<core::Unavailable> for types::Unavailable {
    fn from(unavailable: core::Unavailable) -> Self {
        let reason = match unavailable.reason {
            core::UnavailableReason::UnknownName => types::UnavailableReason::UnknownName,
            core::UnavailableReason::NotSynced => types::UnavailableReason::NotSynced,
            core::UnavailableReason::Forbidden => types::UnavailableReason::Forbidden,
            core::UnavailableReason::Failed => types::UnavailableReason::Failed,
        };
        Self {
            reason,
            message: unavailable.message,
        }
    }
}

impl From<core::ReadError> for library::ReadError {
    fn from(error: core::ReadError) -> Self {
        let reason = match error.reason {
            core::ReadErrorReason::InvalidPath => library::ReadErrorReason::InvalidPath,
            core::ReadErrorReason::NoNamespace => library::ReadErrorReason::NoNamespace,
            core::ReadErrorReason::NoLibrary => library::ReadErrorReason::NoLibrary,
            core::ReadErrorReason::NoKey => library::ReadErrorReason::NoKey,
            core::ReadErrorReason::Unavailable => library::ReadErrorReason::Unavailable,
        };
        Self {
            reason,
            message: error.message,
        }
    }
}

impl From<types::FailureKind> for core::FailureKind {
    fn from(kind: types::FailureKind) -> Self {
        match kind {
            types::FailureKind::InvalidConfig => Self::InvalidConfig,
            types::FailureKind::InvalidInput => Self::InvalidInput,
            types::FailureKind::InvalidOutput => Self::InvalidOutput,
            types::FailureKind::NotReady => Self::NotReady,
            types::FailureKind::Internal => Self::Internal,
        }
    }
}

impl From<desired::ErrorPolicy> for core::ErrorPolicy {
    fn from(policy: desired::ErrorPolicy) -> Self {
        match policy {
            desired::ErrorPolicy::Continue => Self::Continue,
            desired::ErrorPolicy::Abort => Self::Abort,
        }
    }
}

impl From<desired::FieldValidation> for core::FieldValidation {
    fn from(validation: desired::FieldValidation) -> Self {
        match validation {
            desired::FieldValidation::Ignore => Self::Ignore,
            desired::FieldValidation::Warn => Self::Warn,
            desired::FieldValidation::Strict => Self::Strict,
        }
    }
}

impl From<desired::ApplyOptions> for core::ApplyOptions {
    fn from(options: desired::ApplyOptions) -> Self {
        Self {
            field_manager: options.field_manager,
            field_manager_suffix: options.field_manager_suffix,
            force: options.force,
            field_validation: options.field_validation.map(Into::into),
            subresource: options.subresource,
        }
    }
}

impl From<desired::PropagationPolicy> for core::PropagationPolicy {
    fn from(policy: desired::PropagationPolicy) -> Self {
        match policy {
            desired::PropagationPolicy::Background => Self::Background,
            desired::PropagationPolicy::Foreground => Self::Foreground,
            desired::PropagationPolicy::Orphan => Self::Orphan,
        }
    }
}

impl From<desired::DeleteOptions> for core::DeleteOptions {
    fn from(options: desired::DeleteOptions) -> Self {
        Self {
            grace_period_seconds: options.grace_period_seconds,
            propagation_policy: options.propagation_policy.map(Into::into),
            precondition_uid: options.precondition_uid,
            precondition_resource_version: options.precondition_resource_version,
        }
    }
}

impl From<report::Condition> for core::Condition {
    fn from(condition: report::Condition) -> Self {
        let status = match condition.status {
            report::ConditionStatus::True => core::ConditionStatus::True,
            report::ConditionStatus::False => core::ConditionStatus::False,
            report::ConditionStatus::Unknown => core::ConditionStatus::Unknown,
        };
        Self {
            kind: condition.type_,
            status,
            reason: condition.reason,
            message: condition.message,
        }
    }
}

impl From<logging::Level> for log::Level {
    fn from(level: logging::Level) -> Self {
        match level {
            logging::Level::Trace => Self::Trace,
            logging::Level::Debug => Self::Debug,
            logging::Level::Info => Self::Info,
            logging::Level::Warn => Self::Warn,
            logging::Level::Error => Self::Error,
        }
    }
}

impl From<admit::Mutation> for call::Mutation {
    fn from(mutation: admit::Mutation) -> Self {
        match mutation {
            admit::Mutation::Patch(json) => Self::Patch(json.into()),
            admit::Mutation::Object(json) => Self::Object(json.into()),
        }
    }
}

impl From<admit::Decision> for call::Decision {
    fn from(decision: admit::Decision) -> Self {
        Self {
            allowed: decision.allowed,
            code: decision.code,
            message: decision.message,
            mutation: decision.mutation.map(Into::into),
        }
    }
}

impl From<crate::bindings::exports::espejote::plugin::configuration::Problem> for call::Problem {
    fn from(problem: crate::bindings::exports::espejote::plugin::configuration::Problem) -> Self {
        Self {
            path: problem.path,
            message: problem.message,
        }
    }
}
