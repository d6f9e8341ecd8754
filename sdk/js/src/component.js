// Makes a component of a plugin. See component.d.ts.
//
// Puts into place what QuickJS lacks (a console) or has frozen when the component was built (Math.random).

import * as call from './call.js';
import { serves } from './host.js';
import { log, show } from './logging.js';
import { rolesOf } from './plugin.js';
import { generator } from './random.js';

/** @typedef {import('./host.d.ts').Host} Host */
/** @typedef {import('./plugin.d.ts').Plugin} Plugin */
/** @typedef {import('./plugin.d.ts').Role} Role */

/** @type {typeof import('./component.d.ts').component} */
export function component(plugin, roles, host, random) {
  check(plugin, roles);
  /**
   * @template {unknown[]} A
   * @template R
   * @param {(plugin: Plugin, host: Host, ...rest: A) => R} serve
   * @returns {(...rest: A) => R}
   */
  const exported = (serve) => (...rest) => {
    Math.random = generator(random);
    return serve(plugin, host, ...rest);
  };
  return {
    reconcile: { reconcile: exported(call.reconcile) },
    admit: { admit: exported(call.admit) },
    provide: { provide: exported(call.provide) },
    configuration: {
      schema: (/** @type {string} */ role) => told(() => call.schema(plugin, host, role)),
      validate: (/** @type {string} */ role, /** @type {string} */ config) => told(() => call.validate(plugin, host, role, config)),
    },
  };
}

/**
 * The role `configuration` has no failure to return: a bug is a trap, with its message on standard error.
 * @template T
 * @param {() => T} ask
 */
function told(ask) {
  try {
    return ask();
  } catch (failure) {
    throw new Error(/** @type {any} */ (failure).message);
  }
}

/** @param {Plugin} plugin @param {Role[]} roles */
function check(plugin, roles) {
  if (typeof plugin !== 'object' || plugin === null) throw new TypeError('the plugin has to be the default export: export default definePlugin({…})');
  const defined = rolesOf(plugin);
  const missing = roles.find((role) => !defined.includes(role));
  if (missing !== undefined) throw new TypeError(`plugin.toml lists the role ${missing}, which definePlugin does not get`);
  const unlisted = defined.find((role) => !roles.includes(role));
  if (unlisted !== undefined) throw new TypeError(`definePlugin gets ${unlisted}, which the roles in plugin.toml do not list`);
}

/**
 * @param {import('./logging.d.ts').Level} level
 * @returns {(...parts: unknown[]) => void}
 */
function line(level) {
  return (...parts) => {
    if (serves('logging')) log(level, parts.map(show).join(' '));
  };
}

const lines = { trace: line('trace'), debug: line('debug'), log: line('info'), info: line('info'), warn: line('warn'), error: line('error') };
/** @type {any} */ (globalThis).console ??= lines;
