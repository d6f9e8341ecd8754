//! Who works next, where work takes minutes.
//!
//! Owns fairness between tenants: whoever has much to do, or works slowly, must not keep the others waiting.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Lets some of each tenant's work through, and some of all tenants' together; each in the order in which it came. A tenant
/// stands in the common queue no more often than it may work at a time.
#[derive(Debug)]
pub struct FairQueue {
    places: Arc<Semaphore>,
    of_tenant: usize,
    tenants: Mutex<HashMap<String, Weak<Semaphore>>>,
}

/// Leave to work, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    _place: Option<OwnedSemaphorePermit>,
    _of_tenant: Option<OwnedSemaphorePermit>,
    /// Known as long as somebody works or waits.
    _tenant: Arc<Semaphore>,
}

impl FairQueue {
    /// For so many at a time of one tenant, and of all.
    pub fn new(of_tenant: usize, places: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places)),
            of_tenant,
            tenants: Mutex::default(),
        }
    }

    /// Waits for the turn of a tenant. May be dropped at any time.
    pub async fn turn(&self, tenant: &str) -> Turn {
        let tenant = self.tenant(tenant);
        // Neither is ever closed: there always is a permit at last.
        let of_tenant = tenant.clone().acquire_owned().await.ok();
        let place = self.places.clone().acquire_owned().await.ok();
        Turn {
            _place: place,
            _of_tenant: of_tenant,
            _tenant: tenant,
        }
    }

    fn tenant(&self, name: &str) -> Arc<Semaphore> {
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turns) = tenants.get(name).and_then(Weak::upgrade) {
            return turns;
        }
        tenants.retain(|_, turns| turns.strong_count() > 0);
        let turns = Arc::new(Semaphore::new(self.of_tenant));
        tenants.insert(name.to_owned(), Arc::downgrade(&turns));
        turns
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::{Pin, pin},
        task::{Context, Poll, Waker},
    };

    use super::*;

    fn at_once<T>(turn: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        match turn.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(turn) => Some(turn),
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_slow_tenant_leaves_a_place_to_others() {
        let queue = FairQueue::new(1, 2);
        let slow = at_once(pin!(queue.turn("greedy"))).unwrap();
        let mut next = pin!(queue.turn("greedy"));
        assert!(at_once(next.as_mut()).is_none());
        let other = at_once(pin!(queue.turn("other")));
        assert!(other.is_some(), "another tenant has to wait");
        assert!(at_once(pin!(queue.turn("third"))).is_none());
        drop(slow);
        assert!(at_once(next.as_mut()).is_some());
    }

    #[test]
    fn who_has_much_to_do_stands_in_the_queue_once() {
        let queue = FairQueue::new(1, 2);
        let one = at_once(pin!(queue.turn("a"))).unwrap();
        let _two = at_once(pin!(queue.turn("b"))).unwrap();
        let (mut again, mut more) = (pin!(queue.turn("a")), pin!(queue.turn("a")));
        assert!(at_once(again.as_mut()).is_none() && at_once(more.as_mut()).is_none());
        let mut late = pin!(queue.turn("c"));
        assert!(at_once(late.as_mut()).is_none());
        drop(one);
        let late = at_once(late.as_mut());
        assert!(
            late.is_some(),
            "who came once waits for those who came before in its own name only"
        );
    }

    #[test]
    fn tenants_that_wait_for_nothing_are_forgotten() {
        let queue = FairQueue::new(1, 2);
        drop(queue.tenant("a"));
        drop(queue.tenant("b"));
        assert_eq!(queue.tenants.lock().unwrap().len(), 1);
    }
}
