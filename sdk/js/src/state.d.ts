/**
 * The cluster state that the manifest lists under `context`.
 *
 * All collections of a call are of one instant and do not change while it runs. They come from watches, so they may lag
 * behind the cluster, also behind the last writes of this plugin.
 */
import type { KubernetesObject, ObjectId, Revision } from './object.js';

/** The names of all contexts that hold objects, in the order of the manifest; available or not. */
export function names(): string[];

/** The objects of one context. Throws `Unavailable`, which is never the same as "there are none". */
export function context(name: string): Collection;

/**
 * Objects, ordered by namespace, then name. An object is named by its index, which is good for this collection only.
 *
 * Ends with the call: a collection that a kept instance uses in a later call traps. So does an index out of range.
 *
 * ```js
 * const pods = state.context('pods');
 * const web = pods.select('app=web,tier!=cache', 'shop');
 * const phases = pods.values(web, '/status/phase');
 * ```
 */
export interface Collection extends Iterable<KubernetesObject> {
  /** The name of the context. */
  readonly name: string;
  /** How many objects there are. */
  readonly length: number;
  /** Stands for the whole: equal means the same objects, the same bytes and the same indices. */
  readonly revision: Revision;
  /** The revision of every object, by index. With it a kept instance reads only what changed. */
  revisions(): Revision[];
  /** All indices. */
  indices(): number[];
  /** The index of one object; `namespace` is empty for cluster-scoped kinds. */
  find(namespace: string, name: string): number | undefined;
  /**
   * The indices, ascending, of the objects that match a label selector written as for `kubectl -l` (empty: all), in one
   * namespace if one is given. The host's index answers; no object is copied. Throws `InvalidInput` if it is no selector.
   */
  select(labelSelector: string, namespace?: string): number[];
  /** Type, namespace and name of the given objects, in the given order. */
  ids(indices: number[]): ObjectId[];
  /** One object by its name. */
  get<T extends object = KubernetesObject>(namespace: string, name: string): T | undefined;
  /** The given objects, in the given order. Traps if they cannot fit into the memory allowed to the instance. */
  read<T extends object = KubernetesObject>(indices: number[]): T[];
  /** As `read`, as JSON text. */
  readText(indices: number[]): string[];
  /** All objects, in order, fetched in pages so that no more than a page of text is held at a time. `for (… of collection)` does the same. */
  objects<T extends object = KubernetesObject>(): Generator<T, void, undefined>;
  /** The objects from `start` on, as JSON text: as many as fit into `maxBytes`, but at least one. Empty only at the end. */
  scan(start: number, maxBytes: number): string[];
  /**
   * The value at a JSON pointer (RFC 6901) in each of the given objects, in the given order; undefined where there is none. The
   * host finds them, so the rest of the objects is not copied. Throws `InvalidInput` if it is no pointer.
   */
  values<T = any>(indices: number[], pointer: string): (T | undefined)[];
}
