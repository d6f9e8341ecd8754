/**
 * Runs a plugin on the machine at hand, without a cluster and without WebAssembly.
 *
 * ```js
 * const result = run(plugin, {
 *   config: { greeting: 'Hello' },
 *   context: { namespaces: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }] },
 * });
 * assert.equal(result.failure, undefined);
 * assert.deepEqual(result.applied, […]);
 * ```
 *
 * The fake host answers as the operator does: objects come ordered, as JSON; selectors and pointers work. What it does not do:
 * refuse what the operator refuses after a call (it takes any object that is JSON), limit anything, keep instances.
 */
import type { Decision } from './admission.js';
import type { ApplyOptions, DeleteOptions, ErrorPolicy } from './desired.js';
import type { FailureKind, LibraryErrorReason, UnavailableReason } from './failure.js';
import type { Level } from './logging.js';
import type { KubernetesObject, ObjectId } from './object.js';
import type { Plugin, Problem } from './plugin.js';
import type { Condition } from './report.js';

/** What the plugin finds. All of it may be left out. */
export interface Input {
  config?: unknown;
  /** Contexts by name: objects, or why there are none to be had. */
  context?: Record<string, object[] | UnavailableHere<UnavailableReason>>;
  /** Values of computed contexts by name. */
  provided?: Record<string, unknown>;
  /** Left out: the general reconcile. `object`: one that exists; `event`: one that is gone. */
  trigger?: { name: string; object?: object; event?: ObjectId };
  /** Files by path: text, bytes, or why one cannot be read. */
  libraries?: Record<string, string | Uint8Array | UnavailableHere<LibraryErrorReason>>;
  owner?: Partial<ObjectId> & { uid?: string };
}

/** In place of something that can be had. */
export interface UnavailableHere<Reason> {
  reason: Reason;
  message: string;
}

/** One item that was emitted, in order. */
export type Item =
  | { apply: any; options?: ApplyOptions }
  | { delete: ObjectId; options?: DeleteOptions }
  | { group: Item[]; onError?: ErrorPolicy };

/** One line of the log. */
export interface Line {
  level: Level;
  message: string;
  fields: Record<string, string>;
}

/** How a call ended, with what was thrown. */
export interface Failed {
  kind: FailureKind;
  message: string;
}

/** What a call told. */
export interface Told {
  /** Why there is no result. */
  failure?: Failed;
  logs: Line[];
  keptInstance: boolean;
}

/** What a reconcile emitted and told. */
export interface Result extends Told {
  /** The tree, as it was emitted. */
  items: Item[];
  /** The objects of all items, groups included, in order. */
  applied: any[];
  /** Likewise the deletions. */
  deleted: ObjectId[];
  /** What was emitted, as JSON text: to see that numbers are written as they were read. */
  texts: string[];
  message?: string;
  conditions: Record<string, Condition>;
  waiting?: { reason: string; message: string };
  requeueAfter?: number;
  document?: any;
}

/** Calls the role `reconcile`. Does not throw: what the plugin throws is in `failure`. */
export function run(plugin: Plugin, input?: Input): Result;

/** Calls the role `admit` with an AdmissionRequest; what is left out of it is filled in. */
export function admit(
  plugin: Plugin,
  request: object,
  input?: Input,
): Told & { decision?: Decision; warnings: string[]; annotations: Record<string, string> };

/** Calls the role `provide`. */
export function provide(plugin: Plugin, input?: Input): Told & { value?: any };

/** Checks a config as the role `configuration` does; the schema itself is the host's to apply. */
export function validate(plugin: Plugin, config: unknown, role?: string): Problem[];
