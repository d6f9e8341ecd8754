// How a call ends without a result. See failure.d.ts.

import * as check from './check.js';

const KINDS = /** @type {const} */ (['invalid-config', 'invalid-input', 'invalid-output', 'not-ready', 'internal']);

export class Failure extends Error {
  /**
   * @param {import('./failure.d.ts').FailureKind} kind
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(kind, message, options) {
    super(message, options);
    this.name = new.target.name;
    this.kind = check.word(kind, KINDS, 'kind of a failure');
  }
}

export class NotReady extends Failure {
  /** @param {string} message @param {ErrorOptions} [options] */
  constructor(message, options) {
    super('not-ready', message, options);
  }
}

export class InvalidConfig extends Failure {
  /** @param {string} message @param {ErrorOptions} [options] */
  constructor(message, options) {
    super('invalid-config', message, options);
  }
}

export class InvalidInput extends Failure {
  /** @param {string} message @param {ErrorOptions} [options] */
  constructor(message, options) {
    super('invalid-input', message, options);
  }
}

export class InvalidOutput extends Failure {
  /** @param {string} message @param {ErrorOptions} [options] */
  constructor(message, options) {
    super('invalid-output', message, options);
  }
}

export class Unavailable extends Failure {
  /** @param {import('./failure.d.ts').UnavailableReason} reason @param {string} message */
  constructor(reason, message) {
    super(reason === 'not-synced' ? 'not-ready' : 'invalid-input', message);
    this.reason = reason;
  }
}

export class LibraryError extends Failure {
  /** @param {import('./failure.d.ts').LibraryErrorReason} reason @param {string} message */
  constructor(reason, message) {
    super(reason === 'unavailable' ? 'not-ready' : 'invalid-input', message);
    this.reason = reason;
  }
}
