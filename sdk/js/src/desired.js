// What the cluster should look like. See desired.d.ts.

import * as check from './check.js';
import { InvalidOutput } from './failure.js';
import { host } from './host.js';
import { stringify } from './json.js';
import { written } from './object.js';

/** @type {<const W extends string[]>(...words: W) => (value: unknown, what: string) => W[number]} */
const wordOf = (...words) => (value, what) => check.word(value, words, what);

const APPLY_OPTIONS = {
  fieldManager: check.text,
  fieldManagerSuffix: check.text,
  force: check.boolean,
  fieldValidation: wordOf('ignore', 'warn', 'strict'),
  subresource: check.text,
};

const DELETE_OPTIONS = {
  gracePeriodSeconds: check.u32,
  propagationPolicy: wordOf('background', 'foreground', 'orphan'),
  preconditionUid: check.text,
  preconditionResourceVersion: check.text,
};

const errorPolicy = wordOf('continue', 'abort');

/** @type {typeof import('./desired.d.ts').apply} */
export function apply(object, options) {
  const { apiVersion, kind, metadata } = object ?? {};
  const name = metadata?.name;
  for (const [field, value] of Object.entries({ apiVersion, kind, 'metadata.name': name })) {
    if (typeof value !== 'string' || value === '') throw new InvalidOutput(`${field} of the object to apply is ${JSON.stringify(value)}`);
  }
  const namespace = check.text(metadata.namespace ?? '', 'metadata.namespace of the object to apply');
  host('desired').apply(text(object, { kind, name, namespace }), options && check.options(options, APPLY_OPTIONS, 'options of apply'));
}

/**
 * @param {object} object
 * @param {{kind: string, name: string, namespace: string}} id
 */
function text(object, id) {
  try {
    return stringify(object);
  } catch (error) {
    if (error instanceof InvalidOutput) error.message = `${written(id)}: ${error.message}`;
    throw error;
  }
}

/** @type {typeof import('./desired.d.ts').delete} */
function remove(object, options) {
  host('desired').delete(idOf(object), options && check.options(options, DELETE_OPTIONS, 'options of delete'));
}
export { remove as delete };

/** @param {any} object */
function idOf(object) {
  const { apiVersion, kind } = object;
  const { namespace, name } = object.metadata ?? object;
  for (const [field, value] of Object.entries({ apiVersion, kind, name })) {
    if (typeof value !== 'string' || value === '') throw new InvalidOutput(`${field} of the object to delete is ${JSON.stringify(value)}`);
  }
  return { apiVersion, kind, namespace: check.text(namespace ?? '', 'namespace of the object to delete'), name };
}

/**
 * @template T
 * @param {import('./desired.d.ts').ErrorPolicy | (() => T)} policyOrEmit
 * @param {() => T} [emit]
 */
export function group(policyOrEmit, emit) {
  const [policy, body] = typeof policyOrEmit === 'function' ? [undefined, policyOrEmit] : [policyOrEmit, emit];
  const desired = host('desired');
  desired.openGroup(policy && errorPolicy(policy, 'policy of a group'));
  try {
    return /** @type {() => T} */ (body)();
  } finally {
    desired.closeGroup();
  }
}
