/** The call being served: on whose behalf it runs, and with which config. */
import type { ObjectId, OwnerReference } from './object.js';

/** The ManagedResource, Admission or ClusterAdmission that uses the plugin. */
export interface Owner {
  /** Its name; its namespace is the default for what the call emits. */
  id: ObjectId;
  uid: string;
  /**
   * An entry for `metadata.ownerReferences`, so that what is emitted goes when the owner goes. Good for objects in the owner's
   * namespace.
   */
  reference(): OwnerReference;
}

/** On whose behalf this call runs. */
export function owner(): Owner;

/** The config given in the manifest; `null` if there is none. Does not change while this instance lives. */
export function config<T = any>(): T;

/**
 * Allows the host to use this instance for a later call with the same owner and config. To be called anew in each call; a wish only.
 *
 * What is kept (in variables of the module) must be a cache, recognised by its revision: the result of a call depends on what that
 * call reads, not on the calls before it.
 */
export function keepInstance(): void;
