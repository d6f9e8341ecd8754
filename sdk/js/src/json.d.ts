/**
 * JSON that keeps numbers as they are written.
 *
 * - Integers beyond ±(2^53 − 1) are `bigint`.
 * - Every other number is a `number`. Where a double would be written in another way (`3.0`, `1e3`, `1e400`), its text is
 *   remembered by the object or array that holds it, and written again as long as that one still holds the same number.
 *   A copy of the object (`{...object}`) or the number alone (`copy.x = object.x`) has the value, not the spelling.
 *
 * So an object that is read and emitted leaves as it came.
 */

/** Parses JSON. Throws a `SyntaxError` if it is none. */
export function parse<T = any>(text: string): T;

/**
 * Writes JSON. As `JSON.stringify`, but exact, and nothing gets lost: what is no JSON (`NaN`, a `Map`, `undefined` in an
 * array) throws `InvalidOutput` with its place. Properties that are `undefined` are left out.
 */
export function stringify(value: unknown): string;
