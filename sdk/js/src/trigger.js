// What started this reconcile. See trigger.d.ts.

import { host } from './host.js';
import { parse } from './json.js';

/** @type {typeof import('./trigger.d.ts').name} */
export function name() {
  return host('trigger').name() ?? undefined;
}

/** @type {typeof import('./trigger.d.ts').event} */
export function event() {
  return host('trigger').event() ?? undefined;
}

/** @type {() => any} */
export function object() {
  const text = host('trigger').object() ?? undefined;
  return text === undefined ? undefined : parse(text);
}
