//! Hands checked items to the host.

use crate::host::Host;
use crate::result::Item;

/// In order. A list without a policy needs no group: what is in it inherits.
pub(crate) fn emit(host: &dyn Host, items: &[Item]) {
    for item in items {
        match item {
            Item::Apply { object, options } => host.apply(object, options.as_ref()),
            Item::Delete { id, options } => host.delete(id, Some(options)),
            Item::Group {
                on_error: None,
                items,
            } => emit(host, items),
            Item::Group {
                on_error: Some(policy),
                items,
            } => {
                host.open_group(*policy);
                emit(host, items);
                host.close_group();
            }
        }
    }
}
