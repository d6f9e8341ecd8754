// The objects of one context, in memory.

import { parse, stringify } from './json.js';
import { parsePointer } from './pointer.js';
import { parseSelector } from './selector.js';

/** What an `err` of the host is in JavaScript. */
export class HostError extends Error {
  /** @param {unknown} payload */
  constructor(payload) {
    super(typeof payload === 'string' ? payload : stringify(payload));
    this.payload = payload;
  }
}

/** Text is not the same as bytes, but near enough for the size of a page. */
export class FakeCollection {
  #objects;

  /** @param {object[]} objects */
  constructor(objects) {
    const sorted = objects.map((object) => ({ id: idOf(object), text: stringify(object) }));
    this.#objects = sorted.sort((a, b) => compare(a.id.namespace, b.id.namespace) || compare(a.id.name, b.id.name));
  }

  len() {
    return this.#objects.length;
  }

  revision() {
    return digest(this.#objects.map(({ text }) => text).join('\n'));
  }

  revisions() {
    return this.#objects.map(({ text }) => digest(text));
  }

  /** @param {string} namespace @param {string} name */
  find(namespace, name) {
    const found = this.#objects.findIndex(({ id }) => id.namespace === namespace && id.name === name);
    return found === -1 ? undefined : found;
  }

  /** @param {string | undefined} namespace @param {string} text */
  select(namespace, text) {
    const matches = told(() => parseSelector(text));
    return this.#objects.flatMap((object, index) => {
      const inside = namespace === undefined || object.id.namespace === namespace;
      return inside && matches(parse(object.text).metadata.labels ?? {}) ? [index] : [];
    });
  }

  /** @param {number[]} indices */
  ids(indices) {
    return indices.map((index) => ({ ...this.#at(index).id }));
  }

  /** @param {number[]} indices */
  read(indices) {
    return indices.map((index) => this.#at(index).text);
  }

  /** @param {number} start @param {number} maxBytes */
  scan(start, maxBytes) {
    const page = [];
    let size = 0;
    for (const { text } of this.#objects.slice(start)) {
      size += text.length;
      if (page.length > 0 && size > maxBytes) break;
      page.push(text);
    }
    return page;
  }

  /** @param {number[]} indices @param {string} text */
  values(indices, text) {
    const find = told(() => parsePointer(text));
    return indices.map((index) => {
      const found = find(parse(this.#at(index).text));
      return found && stringify(found.value);
    });
  }

  /** @param {number} index */
  #at(index) {
    const object = this.#objects[index];
    if (object === undefined) throw new RangeError(`index ${index} is out of range: there are ${this.#objects.length} objects`);
    return object;
  }
}

/** @param {string} a @param {string} b */
function compare(a, b) {
  return a < b ? -1 : Number(a > b);
}

/**
 * Equal texts, equal revisions; different texts, most probably different ones.
 * @param {string} text
 */
function digest(text) {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) >>> 0;
  return hash * 2 ** 20 + (text.length % 2 ** 20);
}

/**
 * @template T
 * @param {() => T} parse
 */
function told(parse) {
  try {
    return parse();
  } catch (error) {
    throw new HostError(/** @type {Error} */ (error).message);
  }
}

/** @param {any} object @returns {import('./object.d.ts').ObjectId} */
export function idOf({ apiVersion, kind, metadata }) {
  return { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name };
}
