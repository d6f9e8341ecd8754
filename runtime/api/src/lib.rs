//! The custom resources of espejote.io/v1alpha1: types, defaults, pure validation.
