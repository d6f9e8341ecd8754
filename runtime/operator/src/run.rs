//! Puts the operator together and keeps it running.

use crate::cli::controller::ControllerOptions;

/// Runs until it is told to stop.
pub async fn run(options: ControllerOptions) -> anyhow::Result<()> {
    anyhow::bail!(
        "the controller of namespace {} is not put together yet",
        options.namespace
    )
}
