// The host that serves the call at hand: the operator in a component, a fake in tests.
//
// Owns which one that is. Nothing here knows what an interface does.

/** @type {import('./host.d.ts').Host | undefined} */
let serving;

/** @type {typeof import('./host.d.ts').servedBy} */
export function servedBy(host, call) {
  const before = serving;
  serving = host;
  try {
    return call();
  } finally {
    serving = before;
  }
}

/** @type {typeof import('./host.d.ts').host} */
export function host(name) {
  if (serving === undefined) {
    throw new Error(`${name} can be used during a call only: what stands outside of functions runs when the plugin is built`);
  }
  const found = serving[name];
  if (found === undefined) throw new Error(`${name} is not there in this role`);
  return found;
}

/** @type {typeof import('./host.d.ts').serves} */
export function serves(name) {
  return serving?.[name] !== undefined;
}

/**
 * @param {unknown} error
 * @param {'text' | 'reason'} wanted
 */
export function payload(error, wanted) {
  const found = /** @type {any} */ (error)?.payload;
  if (wanted === 'text' ? typeof found === 'string' : typeof found?.reason === 'string') return found;
  throw error;
}
