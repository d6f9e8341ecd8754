//! What to do about an import that the input does not have.

/// What to add to the input, if an error is about a library that is not in it.
pub fn advice(error: &str) -> Option<String> {
    let (_, rest) = error.split_once("couldn't open import ")?;
    let (told, _) = rest.split_once('\n').unwrap_or((rest, ""));
    if !told.contains(" not found") {
        return None;
    }
    let (_, path) = told.rsplit_once("absolute \"")?;
    let (path, _) = path.split_once('"')?;
    let shipped = if path.starts_with("lib/contrib/") {
        "; the text of this one is in deploy/contrib-library.yaml"
    } else {
        ""
    };
    Some(format!(
        "\nrender reads libraries from the input alone: add {path:?} under libraries{shipped}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_missing_is_asked_for_by_its_whole_path() {
        let error = "RUNTIME ERROR: couldn't open import \"b\": import \"b\" not available: key \"b\" not found in manifest \
                     \"a\" (import \"b\" from \"lib/contrib/x\" absolute \"lib/contrib/b\")\n\ttemplate:1:1";
        let advice = advice(error).unwrap();
        assert!(
            advice.contains("add \"lib/contrib/b\" under libraries; the text of this one is in deploy/"),
            "{advice}"
        );
    }

    #[test]
    fn other_errors_get_no_advice() {
        for error in [
            "RUNTIME ERROR: x not found",
            "couldn't open import \"b\": import \"b\" not available: invalid path (import \"b\" from \"t\" absolute \"b\")",
        ] {
            assert_eq!(advice(error), None);
        }
    }
}
