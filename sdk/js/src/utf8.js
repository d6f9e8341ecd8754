// UTF-8, which QuickJS cannot read or write by itself.

/** How many bytes become characters at once: each is an argument of a call. */
const PIECE = 4096;

/**
 * The text, or undefined if the bytes are none.
 * @param {Uint8Array} bytes
 * @returns {string | undefined}
 */
export function decode(bytes) {
  let percent = '';
  for (let start = 0; start < bytes.length; start += PIECE) {
    percent += escape(String.fromCharCode(...bytes.subarray(start, start + PIECE)));
  }
  try {
    return decodeURIComponent(percent);
  } catch {
    return undefined;
  }
}

/**
 * Lone halves of a surrogate pair become U+FFFD, as in a TextEncoder.
 * @param {string} text
 */
export function encode(text) {
  const bytes = unescape(encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')));
  return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
}
