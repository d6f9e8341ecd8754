//! The page of reasons in the guide says what the table in `reason.rs` says.
//!
//! `UPDATE_PAGES=1 cargo test --release -p espejote-core --test reasons_page` writes the page's table anew.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use std::fmt::Write as _;

use espejote_core::reason::{Logic, Reason, Retry, Row, Standing};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/reasons.md");
const BEGIN: &str = "<!-- generated from runtime/core/src/reason.rs: begin -->\n";
const END: &str = "<!-- generated: end -->\n";

#[test]
fn the_table_of_the_page_is_the_table_of_the_code() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    let wanted = table();
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(PAGE, format!("{before}{BEGIN}{wanted}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(
        written, wanted,
        "the page is behind: run with UPDATE_PAGES=1\n{wanted}"
    );
}

#[test]
fn every_reason_has_a_section_in_the_order_of_the_table() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let sections: Vec<_> = page
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .collect();
    let reasons: Vec<_> = Reason::ALL.iter().map(|reason| reason.word()).collect();
    assert_eq!(sections, reasons);
}

fn table() -> String {
    let mut table = String::from(
        "| reason | `status.status` | conditions | event, error metric | tried again |\n|---|---|---|---|---|\n",
    );
    for reason in Reason::ALL {
        let row = reason.row(Logic::Template);
        let word = reason.word();
        let link = word.to_lowercase();
        writeln!(
            table,
            "| [{word}](#{link}) | {} | {} | {} | {} |",
            error_types(&row, &reason.row(Logic::Plugin)),
            conditions(row.standing),
            if row.event { "yes" } else { "no" },
            tried_again(row.retry),
        )
        .unwrap();
    }
    table
}

fn error_types(template: &Row, plugin: &Row) -> String {
    if template.error_type == plugin.error_type {
        format!("`{}`", template.error_type)
    } else {
        format!("`{}`; plugin: `{}`", template.error_type, plugin.error_type)
    }
}

fn conditions(standing: Standing) -> &'static str {
    match standing {
        Standing::Ready => "Ready",
        Standing::Reconciling => "not Ready, Reconciling",
        Standing::Stalled => "not Ready, Stalled",
    }
}

fn tried_again(retry: Retry) -> &'static str {
    match retry {
        Retry::OnConfigChange => "when the spec or a library changes",
        Retry::OnChange => "when something it read changes, and at the longest back-off",
        Retry::BackOff => "with back-off",
        Retry::AsAsked => "as the logic asks",
    }
}
