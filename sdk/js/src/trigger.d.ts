/** What started this reconcile. */
import type { KubernetesObject, ObjectId } from './object.js';

/** The name of the trigger in the manifest. Undefined: the general reconcile, for all objects at once. */
export function name(): string | undefined;

/**
 * The object whose change started this call; undefined for the general reconcile and for intervals. Several changes of it may have
 * been merged into one call.
 */
export function event(): ObjectId | undefined;

/** That object as it is at the instant of `state`; undefined if it is gone. */
export function object<T extends object = KubernetesObject>(): T | undefined;
