use serde_json::json;

use super::*;

fn error(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

/// R3: YAML 1.1, in keys as well.
#[test]
fn r3_plain_scalars_are_read_as_yaml_1_1() {
    let text = "a: yes\nb: 'yes'\nc: off\nd: 0755\ne: 2001-01-01\ny: 1\n1: x\n1.5: z\nf: ~\ng: !!str 12\n";
    let expected = json!({"a": true, "b": "yes", "c": false, "d": 493, "e": "2001-01-01", "true": 1, "1": "x",
        "1.5": "z", "f": null, "g": "12"});
    assert_eq!(read(text).unwrap(), expected);
}

#[test]
fn big_integers_are_exact() {
    let value = read("a: 9007199254740993\nb: 18446744073709551615\n").unwrap();
    assert_eq!(
        value.to_string(),
        r#"{"a":9007199254740993,"b":18446744073709551615}"#
    );
}

#[test]
fn numbers_are_exact_where_nobody_calculates() {
    let text = "a: 1e+21\nb: 0.000001\nc: 1e400\nd: !!float 1e400\ne: !!float -0\nf: 123456789012345678901234567890\n";
    let expected =
        r#"{"a":1e+21,"b":0.000001,"c":"1e400","d":1e400,"e":-0,"f":123456789012345678901234567890}"#;
    assert_eq!(read_exact(text).unwrap().to_json(), expected);
}

#[test]
fn a_key_twice_is_an_error_that_names_it() {
    assert_eq!(
        error("a: 1\nb:\n  c: 1\n  c: 2\n"),
        "line 4: key \"c\" already set in map"
    );
    assert_eq!(
        error("yes: 1\n\"true\": 2\n"),
        "line 2: key \"true\" already set in map"
    );
}

#[test]
fn the_last_of_a_key_counts_where_that_is_wanted() {
    assert_eq!(
        read_with("a: 1\nb: 2\na: 3\n", Duplicates::LastWins).unwrap(),
        [json!({"a": 3, "b": 2})]
    );
}

#[test]
fn a_document_that_is_nested_too_deeply_is_refused() {
    assert_eq!(error(&"[".repeat(100_000)), "line 1: recursion limit exceeded");
    assert_eq!(error(&"- ".repeat(100_000)), "line 1: recursion limit exceeded");
}

#[test]
fn aliases_and_merge_keys_are_expanded() {
    let text = "base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  x: 3\nlist: [*b]\n";
    let value = read(text).unwrap();
    assert_eq!(value.pointer("/use"), Some(&json!({"x": 3, "true": 2})));
    assert_eq!(value.pointer("/list/0"), Some(&json!({"x": 1, "true": 2})));
}

#[test]
fn a_document_that_explodes_is_refused() {
    let mut text = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n".to_owned();
    for n in 1..10 {
        let aliases = vec![format!("*a{}", n - 1); 10].join(",");
        text.push_str(&format!("a{n}: &a{n} [{aliases}]\n"));
    }
    assert!(error(&text).ends_with("the document has too many values"));
}

#[test]
fn several_documents_are_read_one_by_one() {
    assert_eq!(
        read_all("a\n---\nb\n---\n").unwrap(),
        [json!("a"), json!("b"), json!(null)]
    );
    assert_eq!(read_all("# nothing\n").unwrap().len(), 0);
    assert_eq!(error("a\n---\nb\n"), "expected one document, found 2");
}

#[test]
fn what_json_cannot_say_is_an_error() {
    assert_eq!(error("a: .nan"), "line 1: .nan has no meaning here");
    assert_eq!(
        error("~: 1"),
        "line 1: a key has to be a text, a number or a boolean"
    );
    assert_eq!(error("a: !!int x"), "line 1: \"x\" as !!int has no meaning here");
    assert!(error("a: [").starts_with("line "));
}
