// Write Espejote plugins in TypeScript or JavaScript. Start reading in index.d.ts.

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
export { Failure, InvalidConfig, InvalidInput, InvalidOutput, LibraryError, NotReady, Unavailable } from './failure.js';
export { definePlugin } from './plugin.js';
