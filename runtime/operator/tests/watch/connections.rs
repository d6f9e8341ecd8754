//! Many watches, few connections.

use std::time::Duration;

use espejote_operator::{
    client::{Accept, Limits, Resource},
    identity::Identities,
    leading::Leading,
    watch::WatchKey,
};

use crate::{
    LONG, Operator, eventually,
    scripted_api::{Fault, ScriptedApi},
    stays, tenant, within,
};

pub fn config_maps() -> Resource {
    Resource {
        api_version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        plural: "configmaps".to_owned(),
        namespaced: true,
        verbs: Vec::new(),
    }
}

#[tokio::test]
async fn a_get_is_answered_beside_150_watches_on_a_server_that_takes_100_streams() {
    let api = ScriptedApi::start_h2(100).await;
    let operator = Operator::new(&api);
    let handles: Vec<_> = (0..150).map(|n| operator.watch(&format!("ns-{n}"))).collect();
    let readers: Vec<_> = handles.iter().map(|handle| handle.reader()).collect();
    eventually("all watches are open", || {
        readers.iter().all(|reader| reader.state().is_synced())
    })
    .await;
    let client = operator.identities.own();
    let maps = config_maps();
    let got = client.get(&maps, Some("a"), "x", Accept::Whole);
    within("a GET is answered", got).await.unwrap();
    assert_eq!(api.state().open_watches(), 150);
    assert_eq!(client.connections().watch_connections(), 2);
    assert_eq!(api.state().connections, 3, "two for watches, one for the rest");
}

#[tokio::test]
async fn a_server_without_http2_is_watched_too() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    let handles: Vec<_> = (0..20).map(|n| operator.watch(&format!("ns-{n}"))).collect();
    let readers: Vec<_> = handles.iter().map(|handle| handle.reader()).collect();
    eventually("all watches are open", || {
        readers.iter().all(|reader| reader.state().is_synced())
    })
    .await;
}

/// SA3: SA4:
#[tokio::test]
async fn sa4_a_token_that_is_refused_is_renewed_once_for_all_watches() {
    let api = ScriptedApi::start_h2(100).await;
    let operator = Operator::new(&api);
    let account = operator.identities.service_account("a", "sa");
    account.ensure().await.unwrap();
    let key = |n| WatchKey::all(tenant("account-1"), "v1", "ConfigMap", Some(&format!("ns-{n}")));
    let handles: Vec<_> = (0..10).map(|n| operator.watches.acquire(&key(n), LONG)).collect();
    let synced = || handles.iter().all(|handle| handle.reader().state().is_synced());
    eventually("synced", synced).await;
    // Young tokens are not renewed.
    stays("open", Duration::from_millis(5100), || {
        api.state().open_watches() == 10
    })
    .await;
    api.state().generation = 2;
    api.state().put("ns-0", "new", "1");
    api.state().close_watches();
    eventually("open again", || api.state().open_watches() == 10).await;
    eventually("synced again", synced).await;
    assert_eq!(api.requests(|seen| seen.path.ends_with("/token")).len(), 2);
    let watches = api.requests(|seen| seen.is_watch());
    assert!(
        watches.iter().all(|seen| seen.token.starts_with("token-")),
        "nothing was read as the operator"
    );
}

/// Case 6: a ServiceAccount that was deleted and created again is another one.
#[tokio::test]
async fn a_watch_does_not_go_on_for_another_account_of_the_same_name() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    let account = operator.identities.service_account("a", "sa");
    assert_eq!(&*account.ensure().await.unwrap(), "account-1");
    let key = WatchKey::all(tenant("account-0"), "v1", "ConfigMap", Some("a"));
    api.state().put("a", "x", "1");
    let handle = operator.watches.acquire(&key, LONG);
    eventually("the watch has ended", || operator.watches.tasks() == 0).await;
    let error = handle.reader().read().available().unwrap_err();
    assert_eq!(error.message, "the ServiceAccount was deleted and created again");
    assert_eq!(handle.reader().size().objects, 0);
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up_in_time() {
    let api = ScriptedApi::start().await;
    api.state().list_fault = Some(Fault::Silence);
    let limits = Limits {
        request_timeout: Duration::from_millis(100),
        ..Limits::default()
    };
    crate::install_crypto();
    let identities = Identities::new(&api.config, limits, &Leading::always()).unwrap();
    let maps = config_maps();
    let got = identities.own().get(&maps, Some("a"), "x", Accept::Whole);
    let error = within("an answer", got).await.unwrap_err();
    assert!(
        error.is_transient() && error.to_string().contains("did not answer within 0.1 s"),
        "{error}"
    );
}
