// The cluster state that the manifest lists under `context`. See state.d.ts.

import * as check from './check.js';
import { InvalidInput, Unavailable } from './failure.js';
import { host, payload } from './host.js';
import { parse } from './json.js';

/** How much text iteration asks for at a time. */
const PAGE_BYTES = 256 * 1024;

/** @type {typeof import('./state.d.ts').names} */
export function names() {
  return host('state').names();
}

/** @type {typeof import('./state.d.ts').context} */
export function context(name) {
  check.text(name, 'name of a context');
  try {
    return new Collection(name, host('state').open(name));
  } catch (error) {
    const { reason, message } = payload(error, 'reason');
    throw new Unavailable(reason, message);
  }
}

/** @typedef {import('./state.d.ts').Collection} Objects */

/** @implements {Objects} */
class Collection {
  /** @type {import('./host.d.ts').RawCollection} */
  #raw;

  /** @param {string} name @param {import('./host.d.ts').RawCollection} raw */
  constructor(name, raw) {
    this.name = name;
    this.#raw = raw;
  }

  get length() {
    return this.#raw.len();
  }

  get revision() {
    return /** @type {import('./object.d.ts').Revision} */ (this.#raw.revision());
  }

  revisions() {
    return /** @type {import('./object.d.ts').Revision[]} */ (Array.from(this.#raw.revisions()));
  }

  indices() {
    return Array.from({ length: this.length }, (_, index) => index);
  }

  /** @param {string} namespace @param {string} name */
  find(namespace, name) {
    const [inNamespace, named] = [check.text(namespace, `${this.#what}, namespace`), check.text(name, `${this.#what}, name`)];
    return this.#raw.find(inNamespace, named) ?? undefined;
  }

  /** @param {string} labelSelector @param {string} [namespace] */
  select(labelSelector, namespace) {
    check.text(labelSelector, `${this.#what}, label selector`);
    if (namespace !== undefined) check.text(namespace, `${this.#what}, namespace`);
    return Array.from(this.#asked(() => this.#raw.select(namespace, labelSelector)));
  }

  /** @param {number[]} indices */
  ids(indices) {
    return this.#raw.ids(this.#checked(indices));
  }

  /** @param {string} namespace @param {string} name @returns {any} */
  get(namespace, name) {
    const index = this.find(namespace, name);
    return index === undefined ? undefined : this.read([index])[0];
  }

  /** @param {number[]} indices @returns {any[]} */
  read(indices) {
    return this.readText(indices).map((text) => parse(text));
  }

  /** @param {number[]} indices */
  readText(indices) {
    return this.#raw.read(this.#checked(indices));
  }

  /** @returns {Generator<any, void, undefined>} */
  *objects() {
    for (let start = 0; ; ) {
      const page = this.scan(start, PAGE_BYTES);
      if (page.length === 0) return;
      for (const text of page) yield parse(text);
      start += page.length;
    }
  }

  [Symbol.iterator]() {
    return this.objects();
  }

  /** @param {number} start @param {number} maxBytes */
  scan(start, maxBytes) {
    return this.#raw.scan(check.u32(start, `${this.#what}, start`), check.u32(maxBytes, `${this.#what}, maxBytes`));
  }

  /** @param {number[]} indices @param {string} pointer @returns {any[]} */
  values(indices, pointer) {
    const wanted = this.#checked(indices);
    check.text(pointer, `${this.#what}, JSON pointer`);
    const texts = this.#asked(() => this.#raw.values(wanted, pointer));
    return texts.map((text) => (text === undefined || text === null ? undefined : parse(text)));
  }

  get #what() {
    return `context ${JSON.stringify(this.name)}`;
  }

  /** @param {number[]} indices */
  #checked(indices) {
    return check.indices(indices, this.length, this.#what);
  }

  /**
   * The host's answer to a question that may be wrong in itself.
   * @template T
   * @param {() => T} ask
   */
  #asked(ask) {
    try {
      return ask();
    } catch (error) {
      throw new InvalidInput(`${this.#what}: ${payload(error, 'text')}`);
    }
  }
}
