// Runs a plugin on the machine at hand. See testing.d.ts.

import * as call from './call.js';
import { FakeHost } from './fake.js';
import { parse, stringify } from './json.js';

/** @typedef {import('./plugin.d.ts').Plugin} Plugin */
/** @typedef {import('./testing.d.ts').Input} Input */

/** @type {typeof import('./testing.d.ts').run} */
export function run(plugin, input = {}) {
  const fake = new FakeHost(input);
  const { failure } = outcome(() => call.reconcile(plugin, fake.host));
  return { failure, ...fake.emitted(), ...fake.told() };
}

/** @type {typeof import('./testing.d.ts').admit} */
export function admit(plugin, request, input = {}) {
  const fake = new FakeHost(input);
  const { failure, result } = outcome(() => call.admit(plugin, fake.host, stringify({ ...REQUEST, ...request })));
  return { failure, decision: result && decision(result), ...fake.admitted(), ...fake.told() };
}

const REQUEST = { uid: '00000000-0000-0000-0000-000000000000', operation: 'CREATE', userInfo: {} };

/** @param {any} result */
function decision({ allowed, code, message, mutation }) {
  return { allowed, code, message, ...(mutation && { [mutation.tag]: parse(mutation.val) }) };
}

/** @type {typeof import('./testing.d.ts').provide} */
export function provide(plugin, input = {}) {
  const fake = new FakeHost(input);
  const { failure, result } = outcome(() => call.provide(plugin, fake.host));
  return { failure, value: result === undefined ? undefined : parse(result), ...fake.told() };
}

/** @type {typeof import('./testing.d.ts').validate} */
export function validate(plugin, config, role = 'reconcile') {
  return call.validate(plugin, new FakeHost({}).host, role, stringify(config));
}

/**
 * @template T
 * @param {() => T} run
 * @returns {{result?: T, failure?: import('./testing.d.ts').Failed}}
 */
function outcome(run) {
  try {
    return { result: run() };
  } catch (failure) {
    return { failure: /** @type {any} */ (failure) };
  }
}
