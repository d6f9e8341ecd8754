/**
 * What the cluster should look like.
 *
 * Everything is buffered: nothing is written before the call has succeeded and all of it has been found well-formed. Then it is
 * written in the order of emission, as the owner's ServiceAccount.
 */
import type { KubernetesObject, ObjectId } from './object.js';

/** What becomes of the rest of a group after an error at one of its items: carry on, or leave it out. */
export type ErrorPolicy = 'continue' | 'abort';

/** Whatever is left out comes from `spec.applyOptions` of the owner, then from the host's defaults. */
export interface ApplyOptions {
  /** Who owns the fields. */
  fieldManager?: string;
  /** Appended to the field manager, whichever it is; gives one owner several managers. */
  fieldManagerSuffix?: string;
  /** Whether to take fields over from other managers. `false` is a value too: it wins over the owner's `true`. */
  force?: boolean;
  /** How the API server treats unknown and duplicate fields. */
  fieldValidation?: 'ignore' | 'warn' | 'strict';
  /** Apply to this subresource, such as `status`, instead of the object itself. */
  subresource?: string;
}

/** Whatever is left out is up to the API server. */
export interface DeleteOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: 'background' | 'foreground' | 'orphan';
  /** Delete only the object with this uid. */
  preconditionUid?: string;
  /** Delete only this version of the object. */
  preconditionResourceVersion?: string;
}

/** An object as it is emitted: the fields to own. */
export interface AppliedObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; [field: string]: unknown };
  [field: string]: unknown;
}

/**
 * Server-side apply of an object: `apiVersion`, `kind`, `metadata.name` and the fields to own. Properties that are undefined are left
 * out. Throws `InvalidOutput` if one of the three is missing, or something in it is no JSON.
 */
export function apply(object: AppliedObject | KubernetesObject, options?: ApplyOptions): void;

/** Deletes an object, given by its id or itself. That it does not exist is no error. */
declare function remove(object: KubernetesObject | (Omit<ObjectId, 'namespace'> & { namespace?: string }), options?: DeleteOptions): void;
export { remove as delete };

/**
 * What `emit` emits becomes one group, an item of the group around it. No policy: that of the group around it; outside of all groups,
 * `continue`. The group is closed however `emit` ends.
 *
 * ```js
 * desired.group('abort', () => {
 *   desired.apply(claim);
 *   desired.apply(pod); // not written if the claim could not be
 * });
 * ```
 */
export function group<T>(emit: () => T): T;
export function group<T>(onError: ErrorPolicy, emit: () => T): T;
