/** Entries of `context` that another plugin computes. */

/** The names of all such entries, in the order of the manifest. */
export function names(): string[];

/** The value. Its provider runs at most once for a call. Throws `Unavailable` with the words of the provider. */
export function get<T = any>(name: string): T;
