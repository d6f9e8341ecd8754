// Lines in the operator's log. See logging.d.ts.

import * as check from './check.js';
import { host } from './host.js';
import { stringify } from './json.js';

const LEVELS = /** @type {const} */ (['trace', 'debug', 'info', 'warn', 'error']);

/** @typedef {import('./logging.d.ts').Level} Level */
/** @typedef {import('./logging.d.ts').Fields} Fields */

/** @type {typeof import('./logging.d.ts').enabled} */
export function enabled(level) {
  return host('logging').enabled(check.word(level, LEVELS, 'level of a log line'));
}

/** @type {typeof import('./logging.d.ts').log} */
export function log(level, message, fields = {}) {
  if (!enabled(level)) return;
  const shown = Object.entries(fields).map(([key, value]) => /** @type {[string, string]} */ ([key, show(value)]));
  host('logging').log(level, show(message), shown);
}

/** @param {string} message @param {Fields} [fields] */
export const trace = (message, fields) => log('trace', message, fields);
/** @param {string} message @param {Fields} [fields] */
export const debug = (message, fields) => log('debug', message, fields);
/** @param {string} message @param {Fields} [fields] */
export const info = (message, fields) => log('info', message, fields);
/** @param {string} message @param {Fields} [fields] */
export const warn = (message, fields) => log('warn', message, fields);
/** @param {string} message @param {Fields} [fields] */
export const error = (message, fields) => log('error', message, fields);

/**
 * A value for people. Never throws: a log line is no place to fail.
 * @param {unknown} value
 * @returns {string}
 */
export function show(value) {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  try {
    return stringify(value);
  } catch {
    return String(value);
  }
}
