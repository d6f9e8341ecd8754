// Files that people keep in JsonnetLibrary objects. See library.d.ts.

import * as check from './check.js';
import { InvalidInput, LibraryError } from './failure.js';
import { host, payload } from './host.js';
import { parse } from './json.js';
import { decode } from './utf8.js';

/** @type {typeof import('./library.d.ts').read} */
export function read(path) {
  return asked(() => host('library').read(check.text(path, 'path of a library file')));
}

/** @type {typeof import('./library.d.ts').readText} */
export function readText(path) {
  const text = decode(read(path));
  if (text === undefined) throw new InvalidInput(`library file ${JSON.stringify(path)} is no UTF-8 text`);
  return text;
}

/** @type {typeof import('./library.d.ts').readJson} */
export function readJson(path) {
  const text = readText(path);
  try {
    return parse(text);
  } catch (error) {
    throw new InvalidInput(`library file ${JSON.stringify(path)}: ${/** @type {Error} */ (error).message}`, { cause: error });
  }
}

/** @type {typeof import('./library.d.ts').revisionOf} */
export function revisionOf(path) {
  return /** @type {import('./object.d.ts').Revision} */ (asked(() => host('library').revisionOf(check.text(path, 'path of a library file'))));
}

/**
 * @template T
 * @param {() => T} ask
 */
function asked(ask) {
  try {
    return ask();
  } catch (error) {
    const { reason, message } = payload(error, 'reason');
    throw new LibraryError(reason, message);
  }
}
