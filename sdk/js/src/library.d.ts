/**
 * Files that people keep in JsonnetLibrary objects.
 *
 * A path is `<library>/<key>` in the owner's namespace, or `lib/<library>/<key>` in the library namespace of the operator. All
 * files are of one instant. A change of a library starts no reconcile by itself.
 */
import type { Revision } from './object.js';

/** The bytes of a file. Throws `LibraryError`. */
export function read(path: string): Uint8Array;

/** The text of a file. Throws `LibraryError`, or `InvalidInput` if it is no UTF-8. */
export function readText(path: string): string;

/** What a JSON file holds. Throws `LibraryError`, or `InvalidInput` if it is no JSON. */
export function readJson<T = any>(path: string): T;

/** Tells, without reading the file, whether what a kept instance remembers of it is still right. Throws `LibraryError`. */
export function revisionOf(path: string): Revision;
