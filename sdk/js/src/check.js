// Checks what a plugin passes to the host. Of another type than the contract says, it would end in a trap that has no stack.

const MAX_U32 = 2 ** 32 - 1;

/**
 * @param {unknown} value
 * @param {string} what
 * @returns {string}
 */
export function text(value, what) {
  if (typeof value !== 'string') throw expected('a string', value, what);
  return value;
}

/**
 * @param {unknown} value
 * @param {string} what
 * @returns {number}
 */
export function u32(value, what) {
  if (!Number.isInteger(value) || Number(value) < 0 || Number(value) > MAX_U32) throw expected('an integer, 0 or more', value, what);
  return Number(value);
}

/**
 * @template {string} W
 * @param {unknown} value
 * @param {readonly W[]} words
 * @param {string} what
 * @returns {W}
 */
export function word(value, words, what) {
  const found = words.find((one) => one === value);
  if (found === undefined) throw expected(words.map((one) => JSON.stringify(one)).join(' or '), value, what);
  return found;
}

/**
 * @param {unknown} value
 * @param {string} what
 * @returns {boolean}
 */
export function boolean(value, what) {
  if (typeof value !== 'boolean') throw expected('true or false', value, what);
  return value;
}

/**
 * Indices of a collection of this length.
 * @param {Iterable<unknown>} values
 * @param {number} length
 * @param {string} what
 */
export function indices(values, length, what) {
  return Array.from(values, (value) => {
    const index = u32(value, what);
    if (index >= length) throw new RangeError(`${what}: there are ${length} objects, none with index ${index}`);
    return index;
  });
}

/**
 * A record of options: each field is checked if it is given, and undefined if not. The host wants every one of them to be there.
 * @template {Record<string, (value: unknown, what: string) => unknown>} F
 * @param {object} options
 * @param {F} fields
 * @param {string} what
 * @returns {{[K in keyof F]: ReturnType<F[K]> | undefined}}
 */
export function options(options, fields, what) {
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(fields, key));
  if (unknown !== undefined) throw new TypeError(`${what}: there is no option ${unknown}; there are: ${Object.keys(fields).join(', ')}`);
  const given = /** @type {Record<string, unknown>} */ (options);
  const checked = Object.entries(fields).map(([key, check]) => [key, given[key] === undefined ? undefined : check(given[key], `${what}, ${key}`)]);
  return Object.fromEntries(checked);
}

/**
 * @param {string} wanted
 * @param {unknown} value
 * @param {string} what
 */
function expected(wanted, value, what) {
  const found = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return new TypeError(`${what}: expected ${wanted}, got ${found.slice(0, 100)}`);
}
