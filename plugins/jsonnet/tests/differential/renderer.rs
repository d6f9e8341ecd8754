//! Our renderer, on the machine at hand.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::fake::Fake;
use crate::outcome::{Files, Outcome};

/// As much as the component has.
const STACK: usize = 64 << 20;

/// What our renderer makes of each snippet.
pub fn evaluate(files: &Files, snippets: &[String]) -> Vec<Outcome> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || {
                snippets.iter().map(|snippet| outcome(files, snippet)).collect()
            })
            .unwrap()
            .join()
            .unwrap()
    })
}

fn outcome(files: &Files, snippet: &str) -> Outcome {
    let ran = catch_unwind(AssertUnwindSafe(|| {
        let fake = Fake {
            libraries: files.clone(),
            ..Fake::new()
        };
        let rendered = fake.render(snippet);
        let document = rendered.fake.document.borrow().clone();
        (document, rendered.result)
    }));
    match ran {
        // A value that is no list of objects is shown, and refused afterwards.
        Ok((Some(document), _)) => Outcome::value(&document),
        Ok((None, Err(failure))) => Outcome::error(&failure.message),
        Ok((None, Ok(()))) => Outcome::Panic("neither a document nor a failure".to_owned()),
        Err(panic) => Outcome::Panic(panic.downcast_ref::<String>().cloned().unwrap_or_default()),
    }
}
