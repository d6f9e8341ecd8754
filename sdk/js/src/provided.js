// Entries of `context` that another plugin computes. See provided.d.ts.

import * as check from './check.js';
import { Unavailable } from './failure.js';
import { host, payload } from './host.js';
import { parse } from './json.js';

/** @type {typeof import('./provided.d.ts').names} */
export function names() {
  return host('provided').names();
}

/** @type {typeof import('./provided.d.ts').get} */
export function get(name) {
  check.text(name, 'name of a context');
  let text;
  try {
    text = host('provided').get(name);
  } catch (error) {
    const { reason, message } = payload(error, 'reason');
    throw new Unavailable(reason, message);
  }
  return parse(text);
}
