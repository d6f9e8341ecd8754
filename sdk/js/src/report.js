// What to tell about this reconcile, beside what it emits. See report.d.ts.

import * as check from './check.js';
import { host } from './host.js';
import { stringify } from './json.js';

const LONGEST = 2 ** 32 - 1;
const STATUSES = /** @type {const} */ (['true', 'false', 'unknown']);

/** @type {typeof import('./report.d.ts').requeueAfter} */
export function requeueAfter(milliseconds) {
  if (!(milliseconds >= 0)) throw new RangeError(`requeueAfter(${milliseconds}): expected milliseconds, 0 or more`);
  host('report').requeueAfter(Math.min(Math.ceil(milliseconds), LONGEST));
}

/** @type {typeof import('./report.d.ts').message} */
export function message(text) {
  host('report').setMessage(check.text(text, 'message'));
}

/** @type {typeof import('./report.d.ts').condition} */
export function condition({ type, status, reason, message: text }) {
  const what = `condition ${check.text(type, 'type of a condition')}`;
  host('report').setCondition({
    type,
    status: check.word(String(status), STATUSES, `${what}, status`),
    reason: check.text(reason, `${what}, reason`),
    message: check.text(text, `${what}, message`),
  });
}

/** @type {typeof import('./report.d.ts').waiting} */
export function waiting(reason, text) {
  host('report').setWaiting(check.text(reason, 'reason to wait'), check.text(text, 'message about waiting'));
}

/** @type {typeof import('./report.d.ts').document} */
export function document(value) {
  host('report').setDocument(stringify(value));
}
