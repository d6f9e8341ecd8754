/**
 * What the contract's imports look like in JavaScript. Not for plugins: the other modules wrap it.
 *
 * An `err` is thrown as an error with a `payload`.
 */
import type { ObjectId } from './object.js';

/** A revision as the host gives it. */
export type RawRevision = number | bigint;

export interface RawCollection {
  len(): number;
  revision(): RawRevision;
  revisions(): ArrayLike<RawRevision>;
  find(namespace: string, name: string): number | null | undefined;
  select(namespace: string | undefined, labelSelector: string): ArrayLike<number>;
  ids(indices: number[]): ObjectId[];
  read(indices: number[]): string[];
  scan(start: number, maxBytes: number): string[];
  values(indices: number[], pointer: string): (string | null | undefined)[];
}

export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';

export interface RawApplyOptions {
  fieldManager: string | undefined;
  fieldManagerSuffix: string | undefined;
  force: boolean | undefined;
  fieldValidation: 'ignore' | 'warn' | 'strict' | undefined;
  subresource: string | undefined;
}

export interface RawDeleteOptions {
  gracePeriodSeconds: number | undefined;
  propagationPolicy: 'background' | 'foreground' | 'orphan' | undefined;
  preconditionUid: string | undefined;
  preconditionResourceVersion: string | undefined;
}

export interface RawCondition {
  type: string;
  status: 'true' | 'false' | 'unknown';
  reason: string;
  message: string;
}

export interface Host {
  invocation?: { owner(): { id: ObjectId; uid: string }; config(): string; keepInstance(): void };
  state?: { names(): string[]; open(name: string): RawCollection };
  provided?: { names(): string[]; get(name: string): string };
  trigger?: { name(): string | null | undefined; event(): ObjectId | null | undefined; object(): string | null | undefined };
  library?: { read(path: string): Uint8Array; revisionOf(path: string): RawRevision };
  logging?: { enabled(level: Level): boolean; log(level: Level, message: string, fields: [string, string][]): void };
  desired?: {
    apply(object: string, options: RawApplyOptions | undefined): void;
    delete(id: ObjectId, options: RawDeleteOptions | undefined): void;
    openGroup(onError: 'continue' | 'abort' | undefined): void;
    closeGroup(): void;
  };
  report?: {
    requeueAfter(milliseconds: number): void;
    setMessage(message: string): void;
    setCondition(condition: RawCondition): void;
    setWaiting(reason: string, message: string): void;
    setDocument(document: string): void;
  };
  admission?: { warn(message: string): void; annotate(key: string, value: string): void };
}

/** Runs a call that this host serves. */
export function servedBy<T>(host: Host, call: () => T): T;

/** An interface of the host that serves the call at hand. Throws outside of a call, and where the role lacks the interface. */
export function host<K extends keyof Host>(name: K): NonNullable<Host[K]>;

/** Whether `host` would give this interface. */
export function serves(name: keyof Host): boolean;

/** What an `err` of the host says; throws the error again if it is none. */
export function payload(error: unknown, wanted: 'text'): string;
export function payload(error: unknown, wanted: 'reason'): { reason: any; message: string };
