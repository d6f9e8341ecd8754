// What Secrets hold under `data`. See base64.d.ts.

import { InvalidInput } from './failure.js';
import * as utf8 from './utf8.js';

/** @type {typeof import('./base64.d.ts').encode} */
export function encode(content) {
  const bytes = typeof content === 'string' ? utf8.encode(content) : content;
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** @type {typeof import('./base64.d.ts').decode} */
export function decode(base64) {
  const text = utf8.decode(decodeBytes(base64));
  if (text === undefined) throw new InvalidInput('base64 of something that is no UTF-8 text');
  return text;
}

/** @type {typeof import('./base64.d.ts').decodeBytes} */
export function decodeBytes(base64) {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw new InvalidInput('what should be base64 is none');
  }
}
