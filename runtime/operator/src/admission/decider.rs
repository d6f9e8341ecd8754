//! One request for a decision: from the question to the answer.
//!
//! Owns that there is an answer, in time and with a reason, whatever the logic does: what fails, traps, goes over a limit or has
//! no turn is refused with the code 500.

use std::{sync::Arc, time::Duration, time::Instant as Moment};

use espejote_api::{Admission, ClusterAdmission};
use espejote_core::{Invocation, Libraries, Reason, Snapshot, Trigger, Unavailable, clock_now};
use espejote_engine::{Admitted, Decision, Limits, LimitsBuilder, Mutation, Turn};
use tokio::{
    task::spawn_blocking,
    time::{Instant, timeout_at},
};
use tracing::Instrument;

use super::{
    change,
    definition::{Definition, Key, Kind},
    host,
    reading::Place,
    review::{Answer, FAILED, FORBIDDEN, OK, Question},
    sources::Sources,
    turns::{Turns, late},
};
use crate::{
    client::{Accept, ApiError, Client, Resource},
    failure::Failure,
    granted::{Granted, Held},
    libraries::LibraryReader,
    logic::{Program, Programs},
    metrics::Metrics,
};

/// Decides on requests.
pub struct Decider {
    sources: Sources,
    client: Client,
    programs: Arc<Programs>,
    libraries: Arc<LibraryReader>,
    metrics: Metrics,
    turns: Turns,
}

/// A call that has ended, whose turn has not.
struct Called {
    admitted: Admitted,
    turn: Turn,
}

/// The most that working out a change may take.
const WORKING_OUT: Duration = Duration::from_secs(2);

/// Why there is no definition.
enum Missing {
    /// It does not exist.
    Absent,
    /// It is not known whether it exists.
    Unknown(String),
}

impl Decider {
    /// `client` is asked about what `sources` has not seen.
    pub fn new(
        sources: Sources,
        client: Client,
        programs: Arc<Programs>,
        libraries: Arc<LibraryReader>,
        metrics: Metrics,
    ) -> Self {
        Self {
            sources,
            client,
            programs,
            libraries,
            metrics,
            turns: Turns::default(),
        }
    }

    /// The answer to a question, before `until`. The place is held for as long as anything of the question is.
    pub async fn decide(&self, key: &Key, question: Question, place: Place, until: Instant) -> Answer {
        let started = Moment::now();
        let definition = match self.find(key).await {
            Ok(definition) => definition,
            Err(Missing::Absent) => return Answer::allowed(format!("{} not found", kind(key))),
            Err(Missing::Unknown(why)) => return Answer::refused(FAILED, why),
        };
        let answer = self
            .decide_by(definition, (question, place), until)
            .instrument(span(key))
            .await;
        // One that has gone meanwhile has no series any more.
        if !self.sources.is_gone(key) {
            self.metrics
                .admission(&key.0, &key.1, answer.code, started.elapsed());
        }
        answer
    }

    /// The definition as it was last seen. Another replica, or the API server, may know one that was not seen here yet: before
    /// it is said that there is none, the API server is asked.
    async fn find(&self, key: &Key) -> Result<Definition, Missing> {
        match self.sources.find(key) {
            Ok(Some(definition)) => Ok(definition),
            Ok(None) if key.0.is_empty() => self.ask::<ClusterAdmission>(key).await,
            Ok(None) => self.ask::<Admission>(key).await,
            Err(unavailable) => Err(unavailable.into()),
        }
    }

    async fn ask<K: Kind>(&self, (namespace, name): &Key) -> Result<Definition, Missing> {
        let resource: Resource = host::resource::<K>();
        let unknown = |why: String| Missing::Unknown(format!("{} {name:?}: {why}", resource.kind));
        match self
            .client
            .get(&resource, Some(namespace), name, Accept::Whole)
            .await
        {
            Ok(json) => serde_json::from_slice(&json)
                .map(|object: K| object.definition())
                .map_err(|error| unknown(format!("cannot be read: {error}"))),
            Err(error) if error.is_not_found() || matches!(error, ApiError::Segment { .. }) => {
                Err(Missing::Absent)
            }
            Err(error) => Err(unknown(error.to_string())),
        }
    }

    async fn decide_by(&self, definition: Definition, question: (Question, Place), until: Instant) -> Answer {
        let decided = match self.call(&definition, &question.0, until).await {
            Ok(called) => self.follow(definition, question, called, until).await,
            Err(failure) => Err(failure),
        };
        decided.unwrap_or_else(|failure| {
            tracing::warn!(reason = failure.reason.word(), message = %failure.message, "no decision");
            Answer::refused(FAILED, failure.message.to_string())
        })
    }

    async fn call(
        &self,
        definition: &Definition,
        question: &Question,
        until: Instant,
    ) -> Result<Called, Failure> {
        let program = definition.logic(&self.programs)?.program()?;
        let held = grants(&program)?;
        let turn = self.turns.call(definition, until).await?;
        let limits = within(&program.ready.limits, until);
        let libraries = self.libraries.of(&definition.id.namespace);
        let invocation = invocation(definition, &program, libraries);
        let plugin = &program.ready.plugin;
        let call = plugin.admit(invocation, question.request.clone(), &limits, &held.grants);
        let admitted = timeout_at(until + PATIENCE, call).await;
        let admitted = admitted.map_err(|_| late("the call has not ended"))?;
        Ok(Called { admitted, turn })
    }

    /// The answer that a decision is. What takes memory and time is done on a thread where it holds up nobody, within the turn.
    async fn follow(
        &self,
        definition: Definition,
        (question, place): (Question, Place),
        called: Called,
        until: Instant,
    ) -> Result<Answer, Failure> {
        let Called { admitted, turn } = called;
        let Some(change) = length(&admitted) else {
            return answer(&definition, admitted, None, until.into_std());
        };
        let object = question.object().map_or(0, str::len);
        let bytes = object.saturating_add(change);
        let large = self.turns.change(&definition, bytes, until).await?;
        let until = until.min(Instant::now() + WORKING_OUT).into_std();
        let work = spawn_blocking(move || {
            let _held = (turn, large, place);
            answer(&definition, admitted, question.object(), until)
        });
        let ended = work.await;
        ended.unwrap_or_else(|_| Err(Failure::new(Reason::HostFault, "the change was not worked out")))
    }
}

/// A span has a name of its own: the object's is in another field.
fn span((namespace, name): &Key) -> tracing::Span {
    tracing::info_span!("admission", namespace, object = name)
}

/// How long the change is that is wanted.
fn length(admitted: &Admitted) -> Option<usize> {
    match admitted.result.as_ref().ok()?.mutation.as_ref()? {
        Mutation::Patch(json) | Mutation::Object(json) => Some(json.len()),
    }
}

/// What the logic of a definition sees beside the request.
pub fn invocation(definition: &Definition, program: &Program, libraries: Libraries) -> Invocation {
    let clock = clock_now();
    Invocation {
        owner: definition.owner(),
        config: program.config.clone(),
        trigger: Trigger::default(),
        snapshot: Snapshot::default(),
        libraries,
        clock,
        seed: clock,
    }
}

impl From<Unavailable> for Missing {
    fn from(unavailable: Unavailable) -> Self {
        Self::Unknown(format!("Admissions cannot be read: {unavailable}"))
    }
}

const fn kind((namespace, _): &Key) -> &'static str {
    match namespace.is_empty() {
        true => "ClusterAdmission",
        false => "Admission",
    }
}

/// The engine ends a call by its limits, and says which; only what it does not end in time is given up.
const PATIENCE: Duration = Duration::from_millis(100);

/// The limits of a plugin, as far as the time that is left allows.
fn within(limits: &Limits, until: Instant) -> Limits {
    let left = until.saturating_duration_since(Instant::now());
    let (wall, cpu) = (limits.wall().min(left), limits.cpu().min(left));
    LimitsBuilder::from(limits.clone()).wall(wall).cpu(cpu).build()
}

/// What a plugin may reach when it decides. Files are read as a ServiceAccount, and an Admission has none.
pub fn grants(program: &Program) -> Result<Held, Failure> {
    let (ready, plugin) = (&program.ready, program.ready.plugin.name());
    if ready.grants.files.as_ref().is_some_and(|files| !files.is_empty()) {
        let message = format!(
            "plugin {plugin} is granted files, which are read with the rights of a ServiceAccount; an Admission has none"
        );
        return Err(Failure::new(Reason::InvalidSpec, message));
    }
    let hosts = ready.grants.http.as_ref().map_or(&[][..], |http| &http.hosts);
    Granted::new(hosts, Vec::new()).now()
}

/// The answer that a decision is, about the object of the request, by `until`. A failure: there is no decision, or it cannot be
/// followed.
pub fn answer(
    definition: &Definition,
    admitted: Admitted,
    object: Option<&str>,
    until: Moment,
) -> Result<Answer, Failure> {
    let decision = admitted.result.map_err(|error| Failure::of_call(&error))?;
    let code = decision
        .code
        .unwrap_or(if decision.allowed { OK } else { FORBIDDEN });
    Ok(Answer {
        patch: patch(definition, &decision, object, until)?,
        allowed: decision.allowed,
        code,
        message: decision.message,
        warnings: admitted.warnings,
        audit_annotations: admitted.audit_annotations,
    })
}

fn patch(
    definition: &Definition,
    decision: &Decision,
    object: Option<&str>,
    until: Moment,
) -> Result<Option<String>, Failure> {
    let invalid = |message: String| Failure::new(Reason::InvalidOutput, message);
    match &decision.mutation {
        None => Ok(None),
        Some(_) if !definition.mutating => Err(invalid(
            "the object is to be changed, and spec.mutating is not true: set it, or decide without a change"
                .to_owned(),
        )),
        Some(mutation) => change::patch(mutation, object, until).map_err(|error| invalid(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{self, Read as _},
        sync::Mutex,
    };

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_call_has_the_time_that_is_left_and_no_more_than_its_limit() {
        let limits = Limits::builder()
            .wall(Duration::from_secs(10))
            .cpu(Duration::from_secs(1))
            .build();
        let within = within(&limits, Instant::now() + Duration::from_secs(3));
        assert_eq!(
            (within.wall(), within.cpu()),
            (Duration::from_secs(3), Duration::from_secs(1))
        );
        assert_eq!(within.memory(), limits.memory());
    }

    #[test]
    fn a_line_of_the_log_has_no_key_twice() {
        let (mut lines, writer) = io::pipe().unwrap();
        let log = tracing_subscriber::fmt().json().with_writer(Mutex::new(writer));
        tracing::subscriber::with_default(log.finish(), || {
            let span = span(&("ns".to_owned(), "adm".to_owned()));
            span.in_scope(|| tracing::error!("no decision"));
        });
        let mut line = String::new();
        lines.read_to_string(&mut line).unwrap();
        let (_, span) = line.split_once(r#""span":{"#).unwrap();
        let (span, _) = span.split_once('}').unwrap();
        assert_eq!(span.matches(r#""name":"#).count(), 1, "{line}");
        assert!(span.contains(r#""object":"adm""#), "{line}");
    }

    fn definition(mutating: bool) -> Definition {
        let object =
            serde_json::json!({"metadata": {"name": "a", "namespace": "ns"}, "spec": {"mutating": mutating}});
        serde_json::from_value::<Admission>(object).unwrap().definition()
    }

    fn decision(mutation: Option<Mutation>) -> Decision {
        Decision {
            allowed: true,
            code: None,
            message: String::new(),
            mutation,
        }
    }

    #[test]
    fn only_who_is_said_to_change_objects_may() {
        let change = decision(Some(Mutation::Object(r#"{"a":2}"#.into())));
        let object = Some(r#"{"a":1}"#);
        let patch = |mutating, decision| {
            patch(
                &definition(mutating),
                decision,
                object,
                Moment::now() + WORKING_OUT,
            )
        };
        assert!(patch(true, &change).unwrap().is_some());
        let failure = patch(false, &change).unwrap_err();
        assert_eq!(failure.reason, Reason::InvalidOutput);
        assert!(failure.message.contains("spec.mutating is not true"));
        assert_eq!(patch(false, &decision(None)).unwrap(), None);
    }
}
