//! One call: template in, items out.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use espejote_sdk::{Failure, FailureKind};
use jrsonnet_evaluator::stack::limit_stack_depth;
use jrsonnet_evaluator::tla::TlaArg;
use jrsonnet_evaluator::{Error, IStr, Result, State, Thunk, Val, apply_tla, in_description_frame};

use crate::blame::Blame;
use crate::config;
use crate::context::Contexts;
use crate::emit::emit;
use crate::external::{self, Nowhere};
use crate::host::Host;
use crate::import::{Importer, TEMPLATE};
use crate::kept::Kept;
use crate::stdlib::{External, Std};
use crate::trace::{self, Cause};
use crate::{result, write};

/// Frames of evaluation. A template that go-jsonnet evaluates within its 500 frames does not reach this, and recursion without
/// an end does so before the stack is used up.
const MAX_DEPTH: usize = 1000;

/// Renders templates; keeps between calls what is worth keeping.
#[derive(Default)]
pub struct Renderer {
    kept: Rc<RefCell<Kept>>,
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
        let state = state(host, &blame, external::of_reconcile(host, contexts));
        let rendered = run(&state, host.as_ref(), template, &blame, |value, document| {
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
        let blame = Rc::new(Blame::default());
        let state = state(host, &blame, external::of_admission(request));
        run(&state, host.as_ref(), template, &blame, |_, document| {
            Ok(document)
        })
    }

    /// A `std` for a template that is looked at and not run.
    pub(crate) fn nothing_to_read() -> Std {
        let nothing = External {
            trigger: Thunk::evaluated(Val::Null),
            context: Thunk::evaluated(Val::Null),
            request: None,
        };
        Std::new(Rc::new(Nowhere), nothing)
    }
}

fn state(host: &Rc<dyn Host>, blame: &Rc<Blame>, external: External) -> State {
    let mut state = State::builder();
    state.import_resolver(Importer::new(Rc::clone(host), Rc::clone(blame)));
    state.context_initializer(Std::new(Rc::clone(host), external));
    state.build()
}

/// Evaluates a template, and takes from its value, and that as JSON, what is asked for.
fn run<T>(
    state: &State,
    host: &dyn Host,
    template: &str,
    blame: &Blame,
    take: impl FnOnce(&Val, String) -> Result<T>,
) -> Result<T, Failure> {
    let _depth = limit_stack_depth(MAX_DEPTH);
    let _entered = state
        .try_enter()
        .ok_or_else(|| Failure::internal("a template is being rendered already"))?;
    config::check_text(template).map_err(Failure::invalid_config)?;
    let failure = |error: Error| failure(&error, host, template, blame);
    let value = evaluate(state, template).map_err(failure)?;
    let document = in_description_frame(|| "During manifestation".to_owned(), || write::json(&value))
        .map_err(failure)?;
    take(&value, document).map_err(failure)
}

/// A function without required parameters is called, as Jsonnet does.
fn evaluate(state: &State, template: &str) -> Result<Val> {
    let value = state.evaluate_snippet(TEMPLATE, template)?;
    apply_tla(&HashMap::<IStr, TlaArg>::new(), value)
}

fn failure(error: &Error, host: &dyn Host, template: &str, blame: &Blame) -> Failure {
    let kind = match trace::cause(error) {
        Cause::Template => FailureKind::InvalidConfig,
        Cause::Evaluation => blame.kind(),
    };
    let reads_nothing = trace::is_about_null(error) && template.contains("triggerData");
    let hint = if reads_nothing && host.trigger_event().is_none() {
        trace::NO_TRIGGER_DATA
    } else {
        ""
    };
    Failure::new(kind, trace::text(error, template, hint))
}
