// The call being served: on whose behalf it runs, and with which config. See invocation.d.ts.

import { host } from './host.js';
import { parse } from './json.js';

/** @type {typeof import('./invocation.d.ts').owner} */
export function owner() {
  const { id, uid } = host('invocation').owner();
  const { apiVersion, kind, name } = id;
  return { id, uid, reference: () => ({ apiVersion, kind, name, uid }) };
}

/** @type {typeof import('./invocation.d.ts').config} */
export function config() {
  return parse(host('invocation').config());
}

/** @type {typeof import('./invocation.d.ts').keepInstance} */
export function keepInstance() {
  host('invocation').keepInstance();
}
