// Label selectors as for `kubectl -l`, for tests.

/** @typedef {(labels: Record<string, string>) => boolean} Matches */

/**
 * Throws an error that says what is wrong with the selector.
 * @param {string} text
 * @returns {Matches}
 */
export function parseSelector(text) {
  if (text.trim() === '') return () => true;
  // Commas that are not inside of parentheses.
  const parts = text.split(/,(?![^(]*\))/).map((part) => requirement(part.trim(), text));
  return (labels) => parts.every((matches) => matches(labels));
}

/** @param {string} part @param {string} whole @returns {Matches} */
function requirement(part, whole) {
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(part);
  if (set) return oneOf(set[1] ?? '', set[2] === 'in', (set[3] ?? '').split(',').map((value) => value.trim()));
  const equality = /^([^!=\s]+)\s*(==|=|!=)\s*([^!=\s]*)$/.exec(part);
  if (equality) return oneOf(equality[1] ?? '', equality[2] !== '!=', [equality[3] ?? '']);
  const existence = /^(!?)\s*([-\w./]+)$/.exec(part);
  if (!existence) throw new Error(`invalid label selector ${JSON.stringify(whole)}: ${JSON.stringify(part)} is none`);
  const key = existence[2] ?? '';
  return (labels) => Object.hasOwn(labels, key) === (existence[1] === '');
}

/**
 * As in Kubernetes, `!=` and `notin` match objects that lack the label.
 * @param {string} key @param {boolean} wanted @param {string[]} values
 * @returns {Matches}
 */
function oneOf(key, wanted, values) {
  return (labels) => (Object.hasOwn(labels, key) && values.includes(labels[key] ?? '')) === wanted;
}
