//! An Admission or a ClusterAdmission against requests from files: what the operator's server would answer.
//!
//! Owns the form in which an answer is printed. The decision is that of the server's own code.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use espejote_core::Report;
use espejote_engine::{Admitted, Role};

use super::{
    Flags, Form, config, failed,
    logic::{Logic, Source},
    output, print, told,
};
use crate::{
    admission::{
        decider,
        definition::Definition,
        review::{Answer, Question},
    },
    cli::{
        input::Review,
        yaml::{self, Node},
    },
    failure::Failure,
    logic::Program,
};

/// Working out a change may take longer here than in the server: nobody else waits.
const WORKING_OUT: Duration = Duration::from_secs(30);

/// Prints the answer to each request. False: there was none to one of them.
pub(super) async fn render(flags: &Flags, definition: Definition) -> anyhow::Result<bool> {
    let definition = placed(definition, flags.namespace.as_deref());
    definition.check_plugin_name().map_err(refused)?;
    let reviews = reviews(flags)?;
    let program = program(flags, &definition).await?;
    let mut clean = true;
    for (path, review) in reviews {
        let Asked { admitted, question } = ask(&definition, &program, review).await?;
        clean &= shown(flags.told, &definition, admitted, &question)
            .with_context(|| path.display().to_string())?;
    }
    Ok(clean)
}

/// A namespace of the command line counts more; an Admission is always in one.
fn placed(mut definition: Definition, given: Option<&str>) -> Definition {
    if definition.id.kind == "Admission" {
        let own = Some(definition.id.namespace.as_str()).filter(|own| !own.is_empty());
        definition.id.namespace = given.or(own).unwrap_or("default").to_owned();
    }
    definition
}

fn reviews(flags: &Flags) -> anyhow::Result<Vec<(&PathBuf, Review)>> {
    anyhow::ensure!(
        !flags.input.is_empty(),
        "say with --input FILE what is asked: an AdmissionReview, or its request under `request:`"
    );
    anyhow::ensure!(
        flags.output == Form::Result,
        "--output list is for ManagedResources: an admission applies nothing"
    );
    let read = |path: &Path| Review::read(path).with_context(|| path.display().to_string());
    flags.input.iter().map(|path| Ok((path, read(path)?))).collect()
}

/// What is called, if it can be.
async fn program(flags: &Flags, definition: &Definition) -> anyhow::Result<Program> {
    let component = flags.component.plugin.as_deref();
    let config = config::of(
        definition.plugin.as_ref(),
        definition.template.as_deref(),
        flags.component.config.as_deref(),
        component.is_some(),
    )?;
    let source = component.map_or(Source::BuiltIn, Source::File);
    let logic = Logic::load(source, &flags.component.cache()).await?;
    let program = logic.program(config);
    let article = if definition.is_of_cluster() { "a" } else { "an" };
    let what = format!("{article} {}", definition.id.kind);
    program.check_as(Role::Admit, &what).await.map_err(refused)?;
    Ok(program)
}

fn refused(failure: Failure) -> anyhow::Error {
    anyhow::anyhow!("the operator refuses this spec: {}", failure.message)
}

/// What came of a request.
struct Asked {
    admitted: Admitted,
    question: Question,
}

async fn ask(definition: &Definition, program: &Program, review: Review) -> anyhow::Result<Asked> {
    let held = decider::grants(program).map_err(refused)?;
    let mut invocation = decider::invocation(definition, program, review.libraries);
    (invocation.clock, invocation.seed) = (review.clock, review.seed);
    let request: Arc<str> = review.question.request.clone();
    let (plugin, limits) = (&program.ready.plugin, &program.ready.limits);
    Ok(Asked {
        admitted: plugin.admit(invocation, request, limits, &held.grants).await,
        question: review.question,
    })
}

fn shown(told: bool, definition: &Definition, admitted: Admitted, of: &Question) -> anyhow::Result<bool> {
    let head = output::head(None, None);
    let failure = admitted.result.as_ref().err();
    let line = failure.and_then(|error| told::lines(Some(error), &Report::default()));
    let until = Instant::now() + WORKING_OUT;
    let answer = decider::answer(definition, admitted, of.object(), until);
    let answer = answer.map_err(|failure| anyhow::anyhow!("no decision: {}", failure.message));
    match (answer, line.filter(|_| told)) {
        (Ok(answer), _) => {
            print(&format!("{head}{}", yaml::node_to_yaml(&document(&answer))))?;
            Ok(true)
        }
        (Err(error), Some(line)) => {
            print(&format!("{head}{line}"))?;
            failed(&error);
            Ok(false)
        }
        (Err(error), None) => Err(error),
    }
}

/// The answer, without what it does not say.
fn document(answer: &Answer) -> Node {
    let text = |text: &String| (!text.is_empty()).then(|| Node::from(text.as_str()));
    let warnings: Vec<Node> = answer.warnings.iter().filter_map(text).collect();
    let annotations = answer
        .audit_annotations
        .iter()
        .map(|(key, value)| (key.as_str(), Node::from(value.as_str())));
    let annotations = Node::object(annotations);
    let patch = answer.patch.as_deref().and_then(|json| Node::parse(json).ok());
    let fields = [
        ("allowed", Some(Node::Bool(answer.allowed))),
        (
            "auditAnnotations",
            Some(annotations).filter(|_| !answer.audit_annotations.is_empty()),
        ),
        ("code", Some(Node::Number(answer.code.to_string()))),
        ("message", text(&answer.message)),
        ("patch", patch),
        (
            "warnings",
            Some(Node::List(warnings)).filter(|_| !answer.warnings.is_empty()),
        ),
    ];
    Node::object(
        fields
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?))),
    )
}
