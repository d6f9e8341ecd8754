/**
 * Decides what the host does next:
 *
 * | kind | the owner | tried again |
 * |---|---|---|
 * | `invalid-config` | not ready, stalled | when its config changes |
 * | `invalid-input`, `invalid-output` | not ready, stalled | when something that the call could read changes, and at the longest back-off |
 * | `not-ready` | reconciling, no event | with back-off, or after `report.requeueAfter` |
 * | `internal` | not ready | with back-off |
 */
export type FailureKind = 'invalid-config' | 'invalid-input' | 'invalid-output' | 'not-ready' | 'internal';

/** `unknown-name`: the manifest has no such context. `not-synced`: not filled yet. `forbidden`: the ServiceAccount may not read it. */
export type UnavailableReason = 'unknown-name' | 'not-synced' | 'forbidden' | 'failed';

/** Why a file of a library cannot be read. */
export type LibraryErrorReason = 'invalid-path' | 'no-namespace' | 'no-library' | 'no-key' | 'unavailable' | 'failed';

/**
 * Thrown by a plugin to end the call: nothing that it emitted is written. The message is for people: which object or path,
 * what was expected. No contents of Secrets.
 *
 * Whatever else is thrown is a failure of kind `internal`; its stack is in the operator's log.
 */
export class Failure extends Error {
  constructor(kind: FailureKind, message: string, options?: ErrorOptions);
  readonly kind: FailureKind;
}

/** Something needed is not there yet. */
export class NotReady extends Failure {
  constructor(message: string, options?: ErrorOptions);
}

/** The config cannot work. */
export class InvalidConfig extends Failure {
  constructor(message: string, options?: ErrorOptions);
}

/** Something read from the cluster cannot be used. */
export class InvalidInput extends Failure {
  constructor(message: string, options?: ErrorOptions);
}

/** The result breaks a rule. */
export class InvalidOutput extends Failure {
  constructor(message: string, options?: ErrorOptions);
}

/** A context cannot be had. Never the same as "there are none". Not caught, it is `not-ready` while not synced, else `invalid-input`. */
export class Unavailable extends Failure {
  constructor(reason: UnavailableReason, message: string);
  readonly reason: UnavailableReason;
}

/** A file of a library cannot be read. Not caught, it is `not-ready` if libraries are `unavailable` now, else `invalid-input`. */
export class LibraryError extends Failure {
  constructor(reason: LibraryErrorReason, message: string);
  readonly reason: LibraryErrorReason;
}
