// A host in memory: answers from an input, and remembers what it was told.

import { parse, stringify } from './json.js';
import { FakeCollection, HostError, idOf } from './fake-collection.js';
import { encode } from './utf8.js';

/** @typedef {import('./testing.d.ts').Input} Input */
/** @typedef {import('./testing.d.ts').Item} Item */
/** @typedef {import('./object.d.ts').ObjectId} ObjectId */

const OWNER = { apiVersion: 'espejote.io/v1alpha1', kind: 'ManagedResource', namespace: 'default', name: 'test' };
const UID = '00000000-0000-0000-0000-000000000000';

export class FakeHost {
  /** @param {Input} input */
  constructor(input) {
    this.input = input;
    /** @type {{keptInstance: boolean, logs: import('./testing.d.ts').Line[]}} */
    this.told_ = { keptInstance: false, logs: [] };
    /** @type {{warnings: string[], annotations: Record<string, string>}} */
    this.admitted_ = { warnings: [], annotations: {} };
    /** @type {any} */
    this.reported = { conditions: {} };
    /** @type {string[]} */
    this.texts = [];
    /** @type {Item[][]} The list that items go into, innermost last. */
    this.open = [[]];
    /** @type {import('./host.d.ts').Host} */
    this.host = {
      invocation: this.invocation(),
      state: this.state(),
      provided: this.provided(),
      trigger: this.trigger(),
      library: this.library(),
      logging: this.logging(),
      desired: this.desired(),
      report: this.report(),
      admission: this.admission(),
    };
  }

  told() {
    return this.told_;
  }

  admitted() {
    return this.admitted_;
  }

  emitted() {
    const items = this.open[0] ?? [];
    const flat = flatten(items);
    return {
      items,
      applied: flat.flatMap((item) => ('apply' in item ? [item.apply] : [])),
      deleted: flat.flatMap((item) => ('delete' in item ? [item.delete] : [])),
      texts: this.texts,
      ...this.reported,
    };
  }

  invocation() {
    const { uid = UID, ...id } = this.input.owner ?? {};
    return {
      owner: () => ({ id: { ...OWNER, ...id }, uid }),
      config: () => stringify(this.input.config ?? null),
      keepInstance: () => {
        this.told_.keptInstance = true;
      },
    };
  }

  state() {
    const contexts = this.input.context ?? {};
    return {
      names: () => Object.keys(contexts),
      open: (/** @type {string} */ name) => {
        const found = own(contexts, name) ?? { reason: 'unknown-name', message: `context ${JSON.stringify(name)} is not defined` };
        if (!Array.isArray(found)) throw new HostError(found);
        return new FakeCollection(found);
      },
    };
  }

  provided() {
    const values = this.input.provided ?? {};
    return {
      names: () => Object.keys(values),
      get: (/** @type {string} */ name) => {
        if (!Object.hasOwn(values, name)) throw new HostError({ reason: 'unknown-name', message: `context ${JSON.stringify(name)} is not defined` });
        return stringify(values[name]);
      },
    };
  }

  trigger() {
    const { name, object, event } = this.input.trigger ?? {};
    return {
      name: () => name,
      event: () => event ?? (object && idOf(object)),
      object: () => object && stringify(object),
    };
  }

  library() {
    const files = this.input.libraries ?? {};
    const file = (/** @type {string} */ path) => {
      const found = own(files, path) ?? { reason: 'no-library', message: `there is no file ${JSON.stringify(path)}` };
      if (typeof found === 'string') return encode(found);
      if (!(found instanceof Uint8Array)) throw new HostError(found);
      return found;
    };
    return { read: file, revisionOf: (/** @type {string} */ path) => (file(path), Object.keys(files).indexOf(path)) };
  }

  logging() {
    return {
      enabled: () => true,
      log: (/** @type {any} */ level, /** @type {string} */ message, /** @type {[string, string][]} */ fields) => {
        this.told_.logs.push({ level, message, fields: Object.fromEntries(fields) });
      },
    };
  }

  desired() {
    return {
      apply: (/** @type {string} */ text, /** @type {any} */ options) => {
        this.texts.push(text);
        this.emit({ apply: parse(text), ...given('options', options) });
      },
      delete: (/** @type {ObjectId} */ id, /** @type {any} */ options) => this.emit({ delete: id, ...given('options', options) }),
      openGroup: (/** @type {any} */ onError) => {
        /** @type {Item[]} */
        const group = [];
        this.emit({ group, ...(onError && { onError }) });
        this.open.push(group);
      },
      closeGroup: () => {
        this.open.pop();
      },
    };
  }

  /** @param {Item} item */
  emit(item) {
    this.open.at(-1)?.push(item);
  }

  report() {
    const statuses = { true: true, false: false, unknown: /** @type {const} */ ('unknown') };
    return {
      requeueAfter: (/** @type {number} */ milliseconds) => this.tell({ requeueAfter: milliseconds }),
      setMessage: (/** @type {string} */ message) => this.tell({ message }),
      setCondition: (/** @type {import('./host.d.ts').RawCondition} */ condition) => {
        this.reported.conditions[condition.type] = { ...condition, status: statuses[condition.status] };
      },
      setWaiting: (/** @type {string} */ reason, /** @type {string} */ message) => this.tell({ waiting: { reason, message } }),
      setDocument: (/** @type {string} */ document) => this.tell({ document: parse(document) }),
    };
  }

  /** @param {object} what */
  tell(what) {
    Object.assign(this.reported, what);
  }

  admission() {
    return {
      warn: (/** @type {string} */ message) => {
        this.admitted_.warnings.push(message);
      },
      annotate: (/** @type {string} */ key, /** @type {string} */ value) => {
        this.admitted_.annotations[key] = value;
      },
    };
  }
}

/**
 * @template T
 * @param {Record<string, T>} record
 * @param {string} key
 */
function own(record, key) {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * Options without those that were not given.
 * @param {string} key
 * @param {object | undefined} options
 */
function given(key, options) {
  if (options === undefined) return {};
  return { [key]: Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) };
}

/** @param {Item[]} items @returns {Item[]} */
function flatten(items) {
  return items.flatMap((item) => ('group' in item ? flatten(item.group) : [item]));
}
