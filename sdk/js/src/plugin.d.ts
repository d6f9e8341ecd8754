import type { AdmissionRequest, Decision } from './admission.js';

/** The exported interfaces that a plugin can have. */
export type Role = 'reconcile' | 'admit' | 'provide' | 'configuration';

/** What is wrong with a config. */
export interface Problem {
  /** A JSON pointer (RFC 6901) into the config; empty for the whole. */
  path: string;
  /** For people: what was expected. */
  message: string;
}

/** Describes and checks the config, before anything runs. Of the SDK, only `logging` may be used in here. */
export interface Configuration {
  /** The JSON Schema (2020-12) of the config: one for all roles, or by role (`reconcile`, `admit`, `provide`). */
  schema?: object | ((role: string) => object | undefined);
  /** What a schema cannot say. The config satisfies the schema. No problem: nothing, or an empty list. */
  validate?(config: any, role: string): Iterable<Problem> | void;
}

/** A plugin by its roles: at least one. All functions are synchronous. */
export interface Plugin {
  /** Logic of a ManagedResource. Called once for each trigger and object. */
  reconcile?(): void;
  /** Logic of an Admission or ClusterAdmission. */
  admit?(request: AdmissionRequest): Decision;
  /** Computes an entry of `context`: the value. */
  provide?(): unknown;
  configuration?: Configuration;
}

/**
 * Says what a plugin is. To be the default export of `src/plugin.ts` (or `.js`):
 *
 * ```js
 * export default definePlugin({
 *   reconcile() {
 *     for (const namespace of state.context('namespaces')) {
 *       desired.apply({
 *         apiVersion: 'v1',
 *         kind: 'ConfigMap',
 *         metadata: { name: 'team', namespace: namespace.metadata.name },
 *       });
 *     }
 *   },
 * });
 * ```
 */
export function definePlugin<P extends Plugin>(plugin: P): P;

/** The roles that a plugin defines. */
export function rolesOf(plugin: Plugin): Role[];
