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
  const text = write(value, undefined, '', []);
  if (text === undefined) throw new InvalidOutput(`${typeof value} is no JSON`);
  return text;
}

/**
 * The text of a value, or undefined for what an object leaves out.
 * @param {any} value
 * @param {object | undefined} holder
 * @param {string} key
 * @param {[object, string][]} around the objects that the value is in, with its place in each
 * @returns {string | undefined}
 */
function write(value, holder, key, around) {
  if (typeof value?.toJSON === 'function') value = value.toJSON(key);
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'undefined':
      return undefined;
    case 'number':
      return numberText(value, holder, key) ?? fail(around, `${value} is no JSON number`);
    case 'object':
      return value === null ? 'null' : container(value, around);
    default:
      return fail(around, `a ${typeof value} is no JSON`);
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

/**
 * @param {object} value
 * @param {[object, string][]} around
 */
function container(value, around) {
  if (around.some(([object]) => object === value)) return fail(around, 'the object contains itself');
  if (Array.isArray(value)) return `[${value.map((item, at) => inArray(item, value, at, around)).join(',')}]`;
  if (value instanceof Map || value instanceof Set) {
    return fail(around, `a ${value.constructor.name} is no JSON; use Object.fromEntries or Array.from`);
  }
  const fields = Object.entries(value).map(([key, item]) => {
    const text = write(item, value, key, [...around, [value, key]]);
    return text === undefined ? [] : `${JSON.stringify(key)}:${text}`;
  });
  return `{${fields.flat().join(',')}}`;
}

/**
 * @param {unknown} item
 * @param {unknown[]} array
 * @param {number} at
 * @param {[object, string][]} around
 */
function inArray(item, array, at, around) {
  const place = /** @type {[object, string][]} */ ([...around, [array, String(at)]]);
  return write(item, array, String(at), place) ?? fail(place, 'undefined is no JSON');
}

/**
 * @param {[object, string][]} around
 * @param {string} problem
 * @returns {never}
 */
function fail(around, problem) {
  const place = around.map(([, key]) => key).join('.');
  throw new InvalidOutput(place === '' ? problem : `${place}: ${problem}`);
}
