//! WASI is whole and empty.

use serde_json::json;

use crate::support::{emitted, patient, run};

#[tokio::test]
async fn files_environment_and_arguments_are_not_there() {
    let found = emitted("denied").await;
    assert_eq!(
        (&found["environment"], &found["arguments"]),
        (&json!(0), &json!(0))
    );
    for error in found["files"].as_array().unwrap() {
        assert!(error.is_string(), "{found}");
    }
}

#[tokio::test]
async fn names_sockets_and_requests_are_denied() {
    let found = emitted("network").await;
    assert!(
        found["lookup"]
            .as_str()
            .unwrap()
            .contains("permanent-resolver-failure"),
        "{found}"
    );
    assert!(
        found["socket"].as_str().unwrap().contains("access-denied"),
        "{found}"
    );
    assert!(
        found["request"].as_str().unwrap().contains("HttpRequestDenied"),
        "{found}"
    );
}

#[tokio::test]
async fn the_wall_clock_stands_still_at_the_time_of_the_invocation() {
    let found = emitted("chance").await;
    assert_eq!(
        found["clock"],
        json!(["1700000000123456789", "1700000000123456789"])
    );
}

#[tokio::test]
async fn a_short_sleep_moves_the_clock_by_its_length() {
    let call = run("short-nap", &patient()).await;
    assert!(call.usage.wall.as_millis() >= 20);
    assert_eq!(crate::support::data(&call.result.unwrap(), "nap"), json!(20));
}

#[tokio::test]
async fn what_is_printed_is_no_output() {
    let call = run("print", &patient()).await;
    assert_eq!(call.result.unwrap().len(), 0);
    assert_eq!(call.usage.log_lines_dropped, 0);
}
