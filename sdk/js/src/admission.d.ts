/** Decides on requests to the API server, and says what goes along with the answer. */

/** One AdmissionRequest (`admission.k8s.io/v1`). */
export interface AdmissionRequest<T = any> {
  uid: string;
  kind: { group: string; version: string; kind: string };
  resource: { group: string; version: string; resource: string };
  subResource?: string;
  name?: string;
  namespace?: string;
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  userInfo: { username?: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> };
  object?: T | null;
  oldObject?: T | null;
  dryRun?: boolean;
  options?: unknown;
}

/** One operation of a JSON patch (RFC 6902). */
export type PatchOperation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: unknown }
  | { op: 'remove'; path: string }
  | { op: 'move' | 'copy'; from: string; path: string };

/** The answer to a request. A change needs `mutating: true` in the manifest; the host works out the patch from a whole `object`. */
export interface Decision {
  allowed: boolean;
  /** HTTP status code; 200 if allowed and 403 if not, if not given. */
  code?: number;
  /** For the user who sent the request. */
  message?: string;
  patch?: PatchOperation[];
  object?: unknown;
}

/** Lets the request pass. */
export function allow(message?: string): Decision;

/** Refuses the request. */
export function deny(message: string, code?: number): Decision;

/** Shown to the user who sent the request, by kubectl for example. At most 256 bytes are sure to be shown. */
export function warn(message: string): void;

/** Adds to the audit event of the request. */
export function annotate(key: string, value: string): void;
