/**
 * Write Espejote plugins in TypeScript or JavaScript.
 *
 * A plugin is a WebAssembly component that has one or more roles; `definePlugin` says which. What it may read: `state` (objects of the
 * cluster), `provided` (values that other plugins computed), `trigger`, `library` and `invocation` (its owner and config). What it may
 * say: `desired`, `report`, `logging` and, in an admitter, `admission`. All that is read is of one instant and does not change during a
 * call. Nothing that is emitted is written unless the call succeeds.
 *
 * Everything is synchronous. Code outside of functions runs when the plugin is *built*, not when it is called.
 */
export * as admission from './admission.js';
export * as base64 from './base64.js';
export * as desired from './desired.js';
export * as invocation from './invocation.js';
export * as json from './json.js';
export * as library from './library.js';
export * as logging from './logging.js';
export * as provided from './provided.js';
export * as report from './report.js';
export * as state from './state.js';
export * as trigger from './trigger.js';
export {
  Failure,
  InvalidConfig,
  InvalidInput,
  InvalidOutput,
  LibraryError,
  NotReady,
  Unavailable,
  type FailureKind,
  type LibraryErrorReason,
  type UnavailableReason,
} from './failure.js';
export type { AdmissionRequest, Decision, PatchOperation } from './admission.js';
export type { AppliedObject, ApplyOptions, DeleteOptions, ErrorPolicy } from './desired.js';
export type { Owner } from './invocation.js';
export type { KubernetesObject, ObjectId, ObjectMeta, OwnerReference, Revision } from './object.js';
export { definePlugin, type Configuration, type Plugin, type Problem, type Role } from './plugin.js';
export type { Condition } from './report.js';
export type { Collection } from './state.js';
