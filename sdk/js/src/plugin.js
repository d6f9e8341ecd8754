// What a plugin is. See plugin.d.ts.

/** @type {import('./plugin.d.ts').Role[]} */
const ROLES = ['reconcile', 'admit', 'provide', 'configuration'];

/** @type {typeof import('./plugin.d.ts').definePlugin} */
export function definePlugin(plugin) {
  const unknown = Object.keys(plugin).find((key) => !ROLES.some((role) => role === key));
  if (unknown !== undefined) throw new TypeError(`definePlugin: ${unknown} is no role; there are: ${ROLES.join(', ')}`);
  if (rolesOf(plugin).length === 0) throw new TypeError(`definePlugin: the plugin has none of the roles ${ROLES.join(', ')}`);
  return plugin;
}

/** @type {typeof import('./plugin.d.ts').rolesOf} */
export function rolesOf(plugin) {
  return ROLES.filter((role) => plugin[role] !== undefined);
}
