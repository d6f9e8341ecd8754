//! One task for each object, and never two for one name.

use std::{
    future::Future,
    sync::{Arc, Mutex},
};

use espejote_operator::{
    existence::Existence,
    supervisor::{Keeper, Supervisor},
};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::{
    sync::{Semaphore, watch},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use crate::{Operator, eventually, scripted_api::ScriptedApi, stays};

/// Tasks that say what they do, and end only when they are let.
#[derive(Clone)]
struct Slow {
    said: Arc<Mutex<Vec<String>>>,
    may_end: Arc<Semaphore>,
}

impl Slow {
    fn say(&self, word: &str, of: &ConfigMap) {
        let uid = of.metadata.uid.as_deref().unwrap_or_default();
        self.said.lock().unwrap().push(format!("{word} {uid}"));
    }

    fn said(&self) -> Vec<String> {
        self.said.lock().unwrap().clone()
    }
}

impl Keeper for Slow {
    type Resource = ConfigMap;

    fn task(
        &self,
        versions: watch::Receiver<Arc<ConfigMap>>,
        cancel: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static {
        let this = self.clone();
        async move {
            let of = versions.borrow().clone();
            this.say("begins", &of);
            cancel.cancelled().await;
            let over = Existence::of(&versions).is_over();
            this.say(if over { "is gone" } else { "drains" }, &of);
            this.may_end.acquire().await.unwrap().forget();
            this.say("ends", &of);
        }
    }

    fn differs(_: &ConfigMap, _: &ConfigMap) -> bool {
        true
    }
}

struct Running {
    keeper: Slow,
    cancel: CancellationToken,
    _tasks: JoinSet<()>,
}

fn supervise(operator: &Operator) -> Running {
    let keeper = Slow {
        said: Arc::default(),
        may_end: Arc::new(Semaphore::new(0)),
    };
    let cancel = CancellationToken::new();
    let mut tasks = JoinSet::new();
    let (kept, token, watched) = (keeper.clone(), cancel.clone(), operator.watch("a"));
    tasks.spawn(async move {
        let reader = watched.reader();
        let changes = reader.subscribe();
        Supervisor::new(kept, reader).run(changes, token).await;
    });
    Running {
        keeper,
        cancel,
        _tasks: tasks,
    }
}

fn put(api: &ScriptedApi, uid: &str) {
    let key = ("a".to_owned(), "x".to_owned());
    api.state().put_object(key, uid, "1");
}

#[tokio::test]
async fn a_successor_starts_when_its_predecessors_task_has_ended() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    put(&api, "1");
    let running = supervise(&operator);
    let keeper = &running.keeper;
    eventually("the first begins", || keeper.said() == ["begins 1"]).await;
    api.state().delete("a", "x");
    put(&api, "2");
    let gone = ["begins 1", "is gone 1"];
    eventually("the first is gone", || keeper.said() == gone).await;
    stays("alone", std::time::Duration::from_millis(200), || {
        keeper.said() == gone
    })
    .await;
    keeper.may_end.add_permits(1);
    let told = ["begins 1", "is gone 1", "ends 1", "begins 2"];
    eventually("the second begins", || keeper.said() == told).await;
}

#[tokio::test]
async fn the_end_of_the_process_is_not_the_end_of_the_object() {
    let api = ScriptedApi::start().await;
    let operator = Operator::new(&api);
    put(&api, "1");
    let running = supervise(&operator);
    let keeper = &running.keeper;
    eventually("it begins", || keeper.said() == ["begins 1"]).await;
    running.cancel.cancel();
    eventually("it drains", || keeper.said() == ["begins 1", "drains 1"]).await;
}
