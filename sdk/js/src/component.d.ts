/** Makes a component of a plugin. Used by the file that the build writes; not for plugins. */
import type { Host } from './host.js';
import type { Plugin, Role } from './plugin.js';

/** 64 random bits. */
export type Random64 = () => number | bigint;

/**
 * The interfaces that the component exports, by role. Throws, and so ends the build, if the plugin's roles are not the ones that
 * plugin.toml lists.
 */
export function component(plugin: Plugin, roles: Role[], host: Host, random: Random64): Record<Role, any>;
