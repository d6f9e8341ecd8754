//! Flags about what the process may use: requests to the API server, memory of guests.

use clap::Args;

use crate::client::Rate;

/// What the process may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitOptions {
    /// Requests of one ServiceAccount.
    pub rate: Rate,
    /// Bytes of linear memory of all calls of guests together.
    pub guest_memory: u64,
    /// Bytes of linear memory of the instances that wait for their next call.
    pub warm_memory: u64,
}

/// The flags.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct LimitFlags {
    /// Requests in a second that are sent as one ServiceAccount; twice as many by the whole process. Watches are not
    /// counted.
    #[arg(long, value_name = "NUMBER", default_value_t = Rate::OF_AN_IDENTITY.per_second,
          value_parser = clap::value_parser!(u32).range(1..))]
    client_qps: u32,
    /// Requests that may be sent at once after a quiet time.
    #[arg(long, value_name = "NUMBER", default_value_t = Rate::OF_AN_IDENTITY.burst,
          value_parser = clap::value_parser!(u32).range(1..))]
    client_burst: u32,
    /// Memory of all templates and plugins that run at the same time, beside 16Mi that each may use in any case.
    #[arg(long, value_name = "QUANTITY", default_value = "512Mi", value_parser = espejote_api::quantity::parse)]
    guest_memory_budget: u64,
    /// Memory of the templates and plugins that are kept after a call, up to five seconds, so that the next call reads only
    /// what has changed. 0: none is kept.
    #[arg(long, value_name = "QUANTITY", default_value = "64Mi", value_parser = espejote_api::quantity::parse)]
    warm_memory_budget: u64,
}

impl From<LimitFlags> for LimitOptions {
    fn from(flags: LimitFlags) -> Self {
        Self {
            rate: Rate {
                per_second: flags.client_qps,
                burst: flags.client_burst,
            },
            guest_memory: flags.guest_memory_budget,
            warm_memory: flags.warm_memory_budget,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Only {
        #[command(flatten)]
        flags: LimitFlags,
    }

    fn options(line: &str) -> Result<LimitOptions, clap::Error> {
        let words = ["espejote"].into_iter().chain(line.split_whitespace());
        Ok(Only::try_parse_from(words)?.flags.into())
    }

    #[test]
    fn limits_have_generous_defaults_and_are_never_nothing() {
        let defaults = options("").unwrap();
        assert_eq!(defaults.rate, Rate::OF_AN_IDENTITY);
        assert_eq!(
            (defaults.guest_memory, defaults.warm_memory),
            (512 << 20, 64 << 20)
        );
        let given = options("--client-qps=5 --client-burst=7 --guest-memory-budget=1Gi").unwrap();
        assert_eq!((given.rate.per_second, given.rate.burst), (5, 7));
        assert_eq!(given.guest_memory, 1 << 30);
        assert_eq!(options("--warm-memory-budget=0").unwrap().warm_memory, 0);
        assert!(options("--client-qps=0").is_err());
        assert!(options("--guest-memory-budget=much").is_err());
    }
}
