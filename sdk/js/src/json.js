// JSON that keeps numbers as they are written. See json.d.ts for what is promised.
//
// A number that a double cannot spell again is found before parsing: without one, the engine's own parser does the work.

import { InvalidOutput } from './failure.js';

/** A number at the start of a value that a double may not write as it was read. May match inside of strings: no harm. */
const RISKY = /(?:^|[[,:])\s*(?:-0|-?\d{16}|-?\d+[.eE])/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const INTEGER = /^-?\d+$/;

/**
 * The text of numbers, by the object or array that holds them.
 * @type {WeakMap<object, Map<string, {value: number, text: string}>>}
 */
const spellings = new WeakMap();

/** @type {typeof import('./json.d.ts').parse} */
export function parse(text) {
  const value = JSON.parse(text);
  return RISKY.test(text) ? new Reader(text).value() : value;
}

/** Reads text that is known to be JSON. */
class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /**
   * @param {object} [holder]
   * @param {string} [key]
   * @returns {any}
   */
  value(holder, key) {
    switch (this.next()) {
      case '{':
        return this.object();
      case '[':
        return this.array();
      case '"':
        return this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default:
        return this.number(holder, key);
    }
  }

  /** The next character that is no blank. */
  next() {
    while (' \t\n\r'.includes(this.text[this.at] ?? 'end')) this.at += 1;
    return this.text[this.at];
  }

  object() {
    /** @type {Record<string, any>} */
    const object = {};
    this.at += 1;
    while (this.next() !== '}') {
      if (this.text[this.at] === ',') this.at += 1;
      this.next();
      const key = this.string();
      this.next();
      this.at += 1;
      set(object, key, this.value(object, key));
    }
    this.at += 1;
    return object;
  }

  array() {
    /** @type {any[]} */
    const array = [];
    this.at += 1;
    while (this.next() !== ']') {
      if (this.text[this.at] === ',') this.at += 1;
      array.push(this.value(array, String(array.length)));
    }
    this.at += 1;
    return array;
  }

  string() {
    const start = this.at;
    let end = start;
    do end = this.text.indexOf('"', end + 1);
    while (escaped(this.text, end));
    this.at = end + 1;
    return JSON.parse(this.text.slice(start, this.at));
  }

  /**
   * @template T
   * @param {string} word
   * @param {T} value
   */
  word(word, value) {
    this.at += word.length;
    return value;
  }

  /**
   * @param {object} [holder]
   * @param {string} [key]
   */
  number(holder, key) {
    NUMBER.lastIndex = this.at;
    const text = NUMBER.exec(this.text)?.[0] ?? '';
    this.at += text.length;
    const value = Number(text);
    if (INTEGER.test(text) && !Number.isSafeInteger(value)) return BigInt(text);
    if (String(value) !== text && holder !== undefined && key !== undefined) remember(holder, key, { value, text });
    return value;
  }
}

/**
 * Whether the quote at this place is part of a string.
 * @param {string} text
 * @param {number} quote
 */
function escaped(text, quote) {
  let before = quote - 1;
  while (text[before] === '\\') before -= 1;
  return (quote - before) % 2 === 0;
}

/**
 * Also for `__proto__`, which is a key like any other in JSON.
 * @param {object} object
 * @param {string} key
 * @param {unknown} value
 */
function set(object, key, value) {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * @param {object} holder
 * @param {string} key
 * @param {{value: number, text: string}} spelling
 */
function remember(holder, key, spelling) {
  const known = spellings.get(holder) ?? new Map();
  spellings.set(holder, known.set(key, spelling));
}

/** @type {typeof import('./json.d.ts').stringify} */
export function stringify(value) {
  const text = new Writer().text(value, undefined, '');
  if (text === undefined) throw new InvalidOutput(`${typeof value} is no JSON`);
  return text;
}

class Writer {
  constructor() {
    /** @type {object[]} The objects that the value is in, outermost first. */
    this.around = [];
    /** @type {string[]} Its place in each of them. */
    this.place = [];
  }

  /**
   * The text of a value, or undefined for what an object leaves out.
   * @param {any} value
   * @param {object | undefined} holder
   * @param {string} key
   * @returns {string | undefined}
   */
  text(value, holder, key) {
    switch (typeof value) {
      case 'string':
        return JSON.stringify(value);
      case 'boolean':
      case 'bigint':
        return String(value);
      case 'undefined':
        return undefined;
      case 'number':
        return numberText(value, holder, key) ?? this.fail(`${value} is no JSON number`);
      case 'object':
        if (value === null) return 'null';
        return typeof value.toJSON === 'function' ? this.text(value.toJSON(key), undefined, key) : this.container(value);
      default:
        return this.fail(`a ${typeof value} is no JSON`);
    }
  }

  /** @param {object} value */
  container(value) {
    if (this.around.includes(value)) return this.fail('the object contains itself');
    if (value instanceof Map || value instanceof Set) {
      return this.fail(`a ${value.constructor.name} is no JSON; use Object.fromEntries or Array.from`);
    }
    this.around.push(value);
    const text = Array.isArray(value) ? this.array(value) : this.object(/** @type {Record<string, unknown>} */ (value));
    this.around.pop();
    return text;
  }

  /** @param {unknown[]} array */
  array(array) {
    const items = [];
    for (let at = 0; at < array.length; at += 1) {
      this.place.push(String(at));
      items.push(this.text(array[at], array, String(at)) ?? this.fail('undefined is no JSON'));
      this.place.pop();
    }
    return `[${items.join(',')}]`;
  }

  /** @param {Record<string, unknown>} object */
  object(object) {
    const fields = [];
    for (const key of Object.keys(object)) {
      this.place.push(key);
      const text = this.text(object[key], object, key);
      if (text !== undefined) fields.push(`${JSON.stringify(key)}:${text}`);
      this.place.pop();
    }
    return `{${fields.join(',')}}`;
  }

  /**
   * @param {string} problem
   * @returns {never}
   */
  fail(problem) {
    throw new InvalidOutput(this.place.length === 0 ? problem : `${this.place.join('.')}: ${problem}`);
  }
}

/**
 * @param {number} value
 * @param {object | undefined} holder
 * @param {string} key
 */
function numberText(value, holder, key) {
  const known = holder && spellings.get(holder)?.get(key);
  if (known && Object.is(known.value, value)) return known.text;
  if (!Number.isFinite(value)) return undefined;
  return Object.is(value, -0) ? '-0' : String(value);
}
