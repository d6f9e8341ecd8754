// JSON pointers (RFC 6901), for tests.

/**
 * Gives a function that finds the value. Throws an error that says what is wrong with the pointer.
 * @param {string} text
 * @returns {(document: any) => {value: any} | undefined}
 */
export function parsePointer(text) {
  if (text !== '' && !text.startsWith('/')) throw new Error(`invalid JSON pointer ${JSON.stringify(text)}: it has to begin with a slash`);
  if (/~(?![01])/.test(text)) throw new Error(`invalid JSON pointer ${JSON.stringify(text)}: ~ has to be followed by 0 or 1`);
  const tokens = text.split('/').slice(1);
  const keys = tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return (document) => {
    let found = document;
    for (const key of keys) {
      if (!has(found, key)) return undefined;
      found = found[key];
    }
    return { value: found };
  };
}

/** @param {any} value @param {string} key */
function has(value, key) {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(key) && Number(key) < value.length;
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}
