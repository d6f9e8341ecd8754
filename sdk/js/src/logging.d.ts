/**
 * Lines in the operator's log, tagged by the host with plugin, owner and trigger.
 *
 * The message is constant text; what varies goes into the fields. No contents of Secrets. `console.log` and its siblings end here too.
 *
 * ```js
 * logging.info('copied', { namespace, copies });
 * ```
 */
export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** Texts as they are, anything else as JSON. */
export type Fields = Record<string, unknown>;

/** Whether a line of this level would be kept; saves putting it together. */
export function enabled(level: Level): boolean;

/** Logs a line if its level is kept. */
export function log(level: Level, message: string, fields?: Fields): void;

export function trace(message: string, fields?: Fields): void;
export function debug(message: string, fields?: Fields): void;
export function info(message: string, fields?: Fields): void;
export function warn(message: string, fields?: Fields): void;
export function error(message: string, fields?: Fields): void;

/** A value as a field shows it. */
export function show(value: unknown): string;
