//! The signals that end the process.

use tokio::signal::unix::{SignalKind, signal as listen};

/// Waits for SIGTERM or SIGINT, and names it.
pub async fn signal() -> std::io::Result<&'static str> {
    let mut terminate = listen(SignalKind::terminate())?;
    let mut interrupt = listen(SignalKind::interrupt())?;
    Ok(tokio::select! {
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
    })
}
