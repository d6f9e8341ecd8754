// One call of a role, served by a host: what goes in and out as text, and how a call fails.
//
// The same for a component and for tests. Never lets anything escape but a failure of the contract.

import * as check from './check.js';
import { Failure, InvalidConfig, InvalidOutput } from './failure.js';
import { servedBy, serves } from './host.js';
import { parse, stringify } from './json.js';
import { error as logError } from './logging.js';

/** @typedef {import('./host.d.ts').Host} Host */
/** @typedef {import('./plugin.d.ts').Plugin} Plugin */

/**
 * @param {Plugin} plugin
 * @param {Host} host
 */
export function reconcile(plugin, host) {
  return guarded(host, () => {
    settled(plugin.reconcile?.(), 'reconcile');
  });
}

/**
 * @param {Plugin} plugin
 * @param {Host} host
 * @returns {string}
 */
export function provide(plugin, host) {
  return guarded(host, () => stringify(settled(plugin.provide?.(), 'provide') ?? null));
}

/**
 * @param {Plugin} plugin
 * @param {Host} host
 * @param {string} request
 */
export function admit(plugin, host, request) {
  return guarded(host, () => decision(settled(plugin.admit?.(parse(request)), 'admit')));
}

/**
 * @param {Plugin} plugin
 * @param {Host} host
 * @param {string} role
 */
export function schema(plugin, host, role) {
  return guarded(logOnly(host), () => {
    const given = plugin.configuration?.schema;
    const found = typeof given === 'function' ? given(role) : given;
    return found === undefined ? undefined : stringify(found);
  });
}

/**
 * A check that itself fails is a problem of the config, unless it is a bug.
 * @param {Plugin} plugin
 * @param {Host} host
 * @param {string} role
 * @param {string} config
 * @returns {import('./plugin.d.ts').Problem[]}
 */
export function validate(plugin, host, role, config) {
  return guarded(logOnly(host), () => {
    try {
      const problems = settled(plugin.configuration?.validate?.(parse(config), role), 'validate') ?? [];
      return Array.from(problems, ({ path, message }) => ({ path: check.text(path, 'path of a problem'), message: check.text(message, 'message of a problem') }));
    } catch (error) {
      if (error instanceof InvalidConfig) return [{ path: '', message: error.message }];
      throw error;
    }
  });
}

/**
 * In the role `configuration` every other import traps.
 * @param {Host} host
 */
function logOnly({ logging }) {
  return { logging };
}

/**
 * @template T
 * @param {Host} host
 * @param {() => T} call
 */
function guarded(host, call) {
  return servedBy(host, () => {
    try {
      return call();
    } catch (error) {
      throw failure(error);
    }
  });
}

/**
 * What the contract's `err` has.
 * @param {unknown} error
 * @returns {{kind: import('./failure.d.ts').FailureKind, message: string}}
 */
function failure(error) {
  if (error instanceof Failure) return { kind: error.kind, message: error.message };
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  if (serves('logging')) logError(message, { stack });
  const place = /^\s*at (.*)/m.exec(stack)?.[1];
  return { kind: 'internal', message: place === undefined ? message : `${message} (at ${place})` };
}

/**
 * @template T
 * @param {T} result
 * @param {string} name
 */
function settled(result, name) {
  if (typeof (/** @type {any} */ (result)?.then) === 'function') {
    throw new TypeError(`${name} returned a promise; nothing in a plugin is asynchronous`);
  }
  return result;
}

/** @param {import('./admission.d.ts').Decision | undefined} answer */
function decision(answer) {
  if (typeof answer?.allowed !== 'boolean') throw new InvalidOutput('admit returned no decision: allowed has to be true or false');
  const { allowed } = answer;
  const code = answer.code === undefined ? undefined : check.u32(answer.code, 'code of a decision');
  const message = check.text(answer.message ?? '', 'message of a decision');
  return { allowed, code, message, mutation: mutation(answer) };
}

/** @param {import('./admission.d.ts').Decision} answer */
function mutation({ patch, object }) {
  if (patch !== undefined && object !== undefined) throw new InvalidOutput('admit returned a patch and an object: one of them says it');
  if (patch !== undefined) return { tag: 'patch', val: stringify(patch) };
  return object === undefined ? undefined : { tag: 'object', val: stringify(object) };
}
