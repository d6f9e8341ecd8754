/** What Secrets hold under `data`. */

/** Base64 of a text (as UTF-8) or of bytes. */
export function encode(content: string | Uint8Array): string;

/** The text. Throws `InvalidInput` if it is no base64 or no UTF-8; contents are in no message. */
export function decode(base64: string): string;

/** The bytes. Throws `InvalidInput` if it is no base64. */
export function decodeBytes(base64: string): Uint8Array;
