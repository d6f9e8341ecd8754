//! Our YAML against that of Go's `sigs.k8s.io/yaml`, which `kubectl` and every Go operator read and write.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use espejote_operator::cli::yaml;
use serde_json::{Value, json};

/// What the Go module makes of each line.
fn oracle(arguments: &[&str], lines: &[String]) -> Vec<Result<String, String>> {
    let mut child = Command::new(build())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the oracle starts");
    let mut stdin = child.stdin.take().unwrap();
    let input = lines.join("\n") + "\n";
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    let answers: Vec<_> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(answer)
        .collect();
    assert_eq!(answers.len(), lines.len());
    answers
}

fn answer(line: &str) -> Result<String, String> {
    let answer: Value = serde_json::from_str(line).unwrap();
    match answer.get("ok") {
        Some(text) => Ok(text.as_str().unwrap().to_owned()),
        None => Err(answer["error"].as_str().unwrap().to_owned()),
    }
}

/// Go's own cache makes this quick after the first time.
fn build() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/yaml-oracle");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("yaml-oracle");
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(source)
        .env("GOWORK", "off")
        .status()
        .expect("Go is installed");
    assert!(built.success());
    program
}

/// JSON that a YAML reader takes as it is meant.
fn for_yaml(value: &Value) -> String {
    let escape = |c: char| match u32::from(c) {
        code @ 0x7f..=0xffff => format!("\\u{code:04x}"),
        _ => c.to_string(),
    };
    value.to_string().chars().map(escape).collect()
}

fn assert_written_alike(values: &[Value]) {
    let lines: Vec<String> = values.iter().map(for_yaml).collect();
    for ((value, line), expected) in values.iter().zip(&lines).zip(oracle(&[], &lines)) {
        assert_eq!(yaml::to_yaml(value), expected.unwrap(), "{line}");
    }
}

/// Reproducible chance.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    fn text(&mut self, pieces: &[&str], most: usize) -> String {
        (0..self.roll(most))
            .map(|_| pieces[self.roll(pieces.len())])
            .collect()
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.roll(if depth == 0 { 4 } else { 7 }) {
            0 => json!(self.roll(5) as i64 - 2),
            1 => [json!(null), json!(true), json!(1.5e9), json!(0.25)][self.roll(4)].clone(),
            2 | 3 => json!(self.text(&PIECES, 5)),
            4 => (0..self.roll(4)).map(|_| self.value(depth - 1)).collect(),
            _ => (0..self.roll(4))
                .map(|_| (self.text(&WORDS, 3), self.value(depth - 1)))
                .collect(),
        }
    }
}

const PIECES: [&str; 44] = [
    " ",
    "  ",
    "\n",
    "\n",
    ":",
    "#",
    "-",
    "---",
    "...",
    "a",
    "word",
    "y",
    "no",
    "'",
    "\"",
    "\\",
    "\t",
    "\r",
    "\u{e9}",
    "\u{85}",
    "\u{2028}",
    "\u{1f600}",
    "0",
    "1",
    "07",
    "x",
    "e",
    ".",
    "_",
    "{",
    "}",
    "[",
    ",",
    "&",
    "*",
    "!",
    "|",
    ">",
    "%",
    "@",
    "?",
    "=",
    "~",
    "\u{a0}",
];
const WORDS: [&str; 12] = [
    "a", "b", "key", "on", "1", "10", "-", "/", ".", "x y", "Z", "\u{e9}",
];
const PROSE: [&str; 9] = [
    "word ",
    "longer-word ",
    "it's ",
    "a: ",
    "\" ",
    " ",
    "#",
    "\u{e9} ",
    "\u{1} ",
];
const NUMBERS: [&str; 14] = [
    "0", "1", "9", "07", ":", ".", "-", "+", "_", "e", "x", "b", "T", " ",
];

/// R4: keys sorted, lists at indent 0, texts quoted where they need to be.
#[test]
fn r4_texts_are_quoted_as_go_quotes_them() {
    let mut texts: Vec<String> = [
        "yes",
        "no",
        "on",
        "0755",
        "1e3",
        "null",
        "~",
        "12:30:00",
        "=",
        " x",
        "a: b",
        "",
        "y",
        "<<",
        "2001-01-01",
        "2001-01-01 1:2:3",
        "1_000",
        "0x1f",
        "0b1",
        "0o7",
        "+1",
        ".5",
        "1.",
        "-.inf",
        ".nan",
        "- a",
        "-",
        "?",
        "? a",
        ":a",
        ": a",
        "a:",
        "a #b",
        "#",
        "a\tb",
        "a\n",
        "a\n\n",
        "\n",
        " a\nb",
        "a \nb",
        "a\n b",
        "\u{2028}",
        "a\u{2028}b",
        "a\u{2028} b",
        "\u{2028}\n",
        "'",
        "\"",
        "it's: ",
        "%",
        "@a",
        "`",
        "!x",
        "&a",
        "*a",
        "|",
        ">",
        "a,",
        ",a",
        "{",
        "a}",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    texts.extend((0..3000).map(|_| dice.text(&PIECES, 6)));
    texts.extend((0..2000).map(|_| dice.text(&NUMBERS, 9)));
    let values: Vec<Value> = texts
        .iter()
        .flat_map(|text| [json!(text), json!({"k": [text]})])
        .collect();
    assert_written_alike(&values);
}

#[test]
fn long_texts_are_folded_where_go_folds_them() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let values = (0..600).map(|n| {
        let text = dice.text(&PROSE, 60);
        if n % 2 == 0 {
            json!(text)
        } else {
            json!({"key": {"list": [{"a": 1, "text": text}, [text]]}})
        }
    });
    assert_written_alike(&values.collect::<Vec<_>>());
}

#[test]
fn trees_are_laid_out_as_go_lays_them_out() {
    let mut dice = Dice(0x1234_5678_9abc_def1);
    assert_written_alike(&(0..1500).map(|_| dice.value(4)).collect::<Vec<_>>());
}

#[test]
fn keys_are_ordered_and_long_ones_marked_as_go_does() {
    let mut dice = Dice(0x0bad_cafe_dead_beef);
    let mut values: Vec<Value> = [127, 128, 129]
        .map(|n| json!({"x".repeat(n): {"a": [1]}, "y": 1}))
        .to_vec();
    values.push(
        json!({"a\nb": [1, 2], "c\u{2028}d": {"e": 1, "f": 2}, format!("{}: ", "z".repeat(200)): "text"}),
    );
    values.extend((0..400).map(|_| {
        let keys = (0..6).map(|_| dice.text(&["a", "b", "B", "1", "2", "-", ".", "/", "\u{e9}"], 4));
        keys.map(|key| (key, json!(0))).collect()
    }));
    let total = |value: &Value| value.as_object().unwrap().keys().all(|key| !mixes_digits(key));
    values.retain(total);
    assert_written_alike(&values);
}

/// Go's order is none where a digit is followed by a letter: what it prints then changes from run to run.
fn mixes_digits(key: &str) -> bool {
    key.as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_digit() && pair[1] != pair[0])
}

/// R4: floats as `1.23456785e+07`, `1e+21`.
#[test]
fn r4_numbers_are_written_as_go_writes_them() {
    let numbers = [
        "0",
        "-0",
        "1",
        "1.0",
        "1.5",
        "12345678.5",
        "1e21",
        "1e3",
        "100000.5",
        "1e5",
        "1E5",
        "1e6",
        "1234567.0",
        "0.0001",
        "0.00001",
        "1e-7",
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "123456789012345678901234567890",
        "1e308",
        "5e-324",
        "0.1",
        "1e100",
    ];
    let lines = numbers.map(|number| format!("{{\"n\":{number}}}"));
    for (line, expected) in lines.iter().zip(oracle(&[], &lines)) {
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(yaml::to_yaml(&value), expected.unwrap(), "{line}");
    }
}

/// R3: input files and manifests are read as YAML 1.1.
#[test]
fn r3_documents_are_read_as_go_reads_them() {
    let mut documents: Vec<String> = [
        "a: yes",
        "a: 'yes'",
        "y: n",
        "1: 2",
        "0x10: a",
        "1.5: a",
        "a: 0755",
        "a: 08",
        "a: 1_0.5",
        "a: 2001-01-01",
        "a: !!str 1",
        "a: !!int '3'",
        "a: !!float 3",
        "a: !custom x",
        "a: |\n  x\n  y\n",
        "a: >\n  x\n  y\n",
        "- &x {a: 1}\n- <<: *x\n  b: 2\n",
        "a: {b: [1, ~, null]}",
        "a:\nb: ''",
        "{}",
        "",
        "# c",
        "a: 12:30",
        "a: 1e400",
        "a: \"\\u00e9\\x41\"",
        "? a\n: b",
        "a: 18446744073709551615",
        "a: 18446744073709551616",
        "a: -0",
        "a: 1e3",
        "a: .5",
        "a: x: y",
        "a: [",
        "a: 1\na: 2",
        "a: .inf",
        "~: 1",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut dice = Dice(0x5151_5151_1234_abcd);
    documents.extend((0..1500).map(|_| format!("a: {}", dice.text(&NUMBERS, 8).trim())));
    documents.extend((0..500).map(|_| yaml::to_yaml(&dice.value(4))));
    // Line breaks to YAML 1.1, characters to the parser: nobody writes them into a manifest.
    documents.retain(|document| !document.contains(['\u{85}', '\u{2028}', '\u{2029}']));
    let lines: Vec<String> = documents
        .iter()
        .map(|document| json!(document).to_string())
        .collect();
    for (document, expected) in documents.iter().zip(oracle(&["read"], &lines)) {
        match (yaml::read(document), expected) {
            (Ok(ours), Ok(theirs)) => assert!(
                alike(&ours, &serde_json::from_str(&theirs).unwrap()),
                "{document:?}: {ours}"
            ),
            (Err(_), Err(_)) => {}
            (ours, theirs) => panic!("{document:?}: {ours:?}, but {theirs:?}"),
        }
    }
}

/// Go writes the float 3.0 as 3.
fn alike(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(a), Value::Number(b)) => a == b || a.is_f64() && a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, value)| b.get(key).is_some_and(|other| alike(value, other)))
        }
        (a, b) => a == b,
    }
}
