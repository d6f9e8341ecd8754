// Decides on requests to the API server. See admission.d.ts.

import * as check from './check.js';
import { host } from './host.js';

/** @type {typeof import('./admission.d.ts').allow} */
export function allow(message = '') {
  return { allowed: true, message };
}

/** @type {typeof import('./admission.d.ts').deny} */
export function deny(message, code = 403) {
  return { allowed: false, message, code };
}

/** @type {typeof import('./admission.d.ts').warn} */
export function warn(message) {
  host('admission').warn(check.text(message, 'warning'));
}

/** @type {typeof import('./admission.d.ts').annotate} */
export function annotate(key, value) {
  host('admission').annotate(check.text(key, 'key of an annotation'), check.text(value, `annotation ${key}`));
}
