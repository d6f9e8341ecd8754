//! One copy of equal objects, however many watches hold them.
//!
//! Owns the table of all objects of the process. Objects that nobody holds are forgotten. Two objects are the same only
//! if all their bytes are: uid and resource version do not say in which version of the API, or by whom, they were written.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use espejote_core::{Object, ObjectText, ParseObjectError, Projection, Revision};

#[derive(Default)]
pub(crate) struct Interner {
    objects: Mutex<HashMap<u64, Weak<Object>>>,
    hasher: RandomState,
}

impl Interner {
    /// The object that holds exactly this text. Allocates nothing if there is one.
    pub(crate) fn intern(
        &self,
        text: &ObjectText<'_>,
        projection: Projection,
    ) -> Result<Arc<Object>, ParseObjectError> {
        let key = self.hasher.hash_one((
            text.raw_uid(),
            text.raw_resource_version(),
            projection,
            text.len(),
        ));
        let known = self.lock().get(&key).and_then(Weak::upgrade);
        if let Some(known) = known.filter(|known| text.is(known)) {
            return Ok(known);
        }
        let object = Arc::new(text.to_object(Revision::fresh())?);
        let mut objects = self.lock();
        // Another watch may have been faster.
        if let Some(known) = objects
            .get(&key)
            .and_then(Weak::upgrade)
            .filter(|known| text.is(known))
        {
            return Ok(known);
        }
        if objects.len() == objects.capacity() {
            objects.retain(|_, object| object.strong_count() > 0);
        }
        objects.insert(key, Arc::downgrade(&object));
        Ok(object)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Weak<Object>>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRIP: Projection = Projection {
        strip_managed_fields: true,
    };

    fn intern(interner: &Interner, text: &str) -> Arc<Object> {
        interner
            .intern(&ObjectText::read(text, None, STRIP).unwrap(), STRIP)
            .unwrap()
    }

    fn text(version: u32, data: &str) -> String {
        format!(r#"{{"metadata":{{"uid":"u","resourceVersion":"{version}"}},"data":"{data}"}}"#)
    }

    #[test]
    fn equal_bytes_are_one_object_and_have_one_revision() {
        let interner = Interner::default();
        let (first, again) = (intern(&interner, &text(1, "a")), intern(&interner, &text(1, "a")));
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(first.revision(), again.revision());
    }

    #[test]
    fn the_same_uid_and_version_with_other_bytes_is_another_object() {
        let interner = Interner::default();
        let (first, other) = (intern(&interner, &text(1, "a")), intern(&interner, &text(1, "b")));
        assert_ne!(first.json(), other.json());
        assert_ne!(first.revision(), other.revision());
    }

    #[test]
    fn what_nobody_holds_is_forgotten() {
        let interner = Interner::default();
        for version in 0..10_000 {
            intern(&interner, &text(version, "a"));
        }
        assert!(interner.lock().len() < 100);
    }
}
