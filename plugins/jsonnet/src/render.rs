//! One call: template in, items out.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use espejote_sdk::{Failure, FailureKind};
use jrsonnet_evaluator::stack::limit_stack_depth;
use jrsonnet_evaluator::tla::TlaArg;
use jrsonnet_evaluator::{Error, IStr, PreparedSnippet, Result, State, Val, apply_tla, in_description_frame};

use crate::blame::Blame;
use crate::config;
use crate::context::Contexts;
use crate::current::{Call, Current};
use crate::emit::emit;
use crate::external;
use crate::host::Host;
use crate::import::{Importer, TEMPLATE};
use crate::kept::Kept;
use crate::stdlib::Std;
use crate::trace::{self, Cause};
use crate::{result, write};

/// Frames of evaluation. A template that go-jsonnet evaluates within its 500 frames does not reach this, and recursion without
/// an end does so before the stack is used up.
const MAX_DEPTH: usize = 1000;

/// Renders templates; keeps between calls what is worth keeping.
#[derive(Default)]
pub struct Renderer {
    kept: Rc<RefCell<Kept>>,
    current: Rc<Current>,
    prepared: RefCell<Option<Prepared>>,
}

/// A template that is parsed, and the state that it runs in. It holds nothing of a call.
struct Prepared {
    template: String,
    state: State,
    snippet: PreparedSnippet,
}

impl Renderer {
    /// Evaluates, checks, emits.
    ///
    /// # Errors
    /// `invalid-config` if the template is no Jsonnet, `invalid-output` if its result breaks a rule; what it met while running is
    /// `not-ready` or `invalid-input`. Nothing is emitted then but the document.
    pub fn render(&self, host: &Rc<dyn Host>, template: &str) -> Result<(), Failure> {
        let blame = Rc::new(Blame::default());
        let contexts = Contexts {
            host: Rc::clone(host),
            blame: Rc::clone(&blame),
            kept: Rc::clone(&self.kept),
        };
        let call = Call {
            host: Rc::clone(host),
            blame,
            external: external::of_reconcile(host, contexts),
        };
        let rendered = self.run(&call, template, |value, document| {
            host.document(&document);
            result::read(value)
        });
        self.kept.borrow_mut().end_call();
        let items = rendered?.map_err(|problems| Failure::invalid_output(problems.text()))?;
        emit(host.as_ref(), &items);
        Ok(())
    }

    /// Evaluates a template about a request; gives the result as JSON.
    pub(crate) fn evaluate_request(
        &self,
        host: &Rc<dyn Host>,
        template: &str,
        request: &str,
    ) -> Result<String, Failure> {
        let call = Call {
            host: Rc::clone(host),
            blame: Rc::default(),
            external: external::of_admission(request),
        };
        self.run(&call, template, |_, document| Ok(document))
    }

    /// Evaluates a template, and takes from its value, and that as JSON, what is asked for.
    fn run<T>(
        &self,
        call: &Call,
        template: &str,
        take: impl FnOnce(&Val, String) -> Result<T>,
    ) -> Result<T, Failure> {
        let _depth = limit_stack_depth(MAX_DEPTH);
        let known = self.prepared.take().filter(|known| known.template == template);
        let state = known
            .as_ref()
            .map_or_else(|| self.state(), |known| known.state.clone());
        let _entered = state
            .try_enter()
            .ok_or_else(|| Failure::internal("a template is being rendered already"))?;
        self.current.begin(call.clone());
        let taken = prepared(known, &state, template, call).and_then(|prepared| {
            let failure = |error: Error| failure(&error, template, call);
            let value = evaluate(&prepared).map_err(failure)?;
            let document = in_description_frame(|| "During manifestation".to_owned(), || write::json(&value))
                .map_err(failure)?;
            let taken = take(&value, document).map_err(failure)?;
            Ok((taken, prepared))
        });
        self.current.end();
        let (taken, prepared) = taken?;
        // Values of the user's libraries are in the state, and may be of this call.
        if !self.current.has_read_libraries() {
            self.prepared.replace(Some(prepared));
        }
        Ok(taken)
    }

    fn state(&self) -> State {
        let mut state = State::builder();
        state.import_resolver(Importer::new(Rc::clone(&self.current)));
        state.context_initializer(Std::new(Rc::clone(&self.current)));
        state.build()
    }
}

/// What is known of the template, or the template parsed.
fn prepared(
    known: Option<Prepared>,
    state: &State,
    template: &str,
    call: &Call,
) -> Result<Prepared, Failure> {
    if let Some(known) = known {
        return Ok(known);
    }
    config::check_text(template).map_err(Failure::invalid_config)?;
    let snippet = state.prepare_snippet(TEMPLATE, template);
    Ok(Prepared {
        template: template.to_owned(),
        state: state.clone(),
        snippet: snippet.map_err(|error| failure(&error, template, call))?,
    })
}

/// A function without required parameters is called, as Jsonnet does.
fn evaluate(prepared: &Prepared) -> Result<Val> {
    let value = prepared.state.evaluate_prepared_snippet(&prepared.snippet)?;
    apply_tla(&HashMap::<IStr, TlaArg>::new(), value)
}

fn failure(error: &Error, template: &str, call: &Call) -> Failure {
    let kind = match trace::cause(error) {
        Cause::Template => FailureKind::InvalidConfig,
        Cause::Evaluation => call.blame.kind(),
    };
    let reads_nothing = trace::is_about_null(error) && template.contains("triggerData");
    let hint = if reads_nothing && call.host.trigger_event().is_none() {
        trace::NO_TRIGGER_DATA
    } else {
        ""
    };
    Failure::new(kind, trace::text(error, template, hint))
}
