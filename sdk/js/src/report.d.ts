/**
 * What to tell about this reconcile, beside what it emits. Taken whether the call succeeds or fails.
 *
 * Reports are kept for each trigger and object, and the status shows one of them: for a condition of the same type, false before
 * unknown before true. So give conditions a positive sense: `Synced`, not `OutOfSync`.
 */

/** A condition in the owner's status. `type` and `reason` are CamelCase words; `Ready`, `Reconciling` and `Stalled` are the host's. */
export interface Condition {
  type: string;
  status: boolean | 'unknown';
  reason: string;
  /** For people. */
  message: string;
}

/**
 * Reconciles the same trigger and object again after this time, also if nothing changes. After a failure it takes the place of the
 * back-off. The host may make it longer; a change that comes earlier is not held up. Rounded up to a millisecond, cut at 49 days.
 */
export function requeueAfter(milliseconds: number): void;

/** One sentence for people, shown with `Ready`. */
export function message(text: string): void;

/** Sets one condition; conditions that are not set again are removed. */
export function condition(condition: Condition): void;

/** What was emitted is right, but the whole is not there yet: the owner is `Reconciling` and not `Ready`. */
export function waiting(reason: string, message: string): void;

/** The result in the plugin's own form: `espejote render` prints it instead of the items emitted. Never applied. */
export function document(document: unknown): void;
