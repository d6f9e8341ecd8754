// Math.random for a component.
//
// QuickJS seeds its own when the component is built, so every instance would draw the same numbers. The host's random numbers are
// seeded anew for each call; a call draws two of them, and only if it asks.

/**
 * A generator (xorshift128+, as browsers have it) with a seed that is drawn at the first number.
 * @param {import('./component.d.ts').Random64} random
 * @returns {() => number}
 */
export function generator(random) {
  /** @type {[bigint, bigint] | undefined} */
  let seed;
  return () => {
    seed = step(seed ?? [drawn(random), drawn(random) | 1n]);
    // The upper bits: the lower ones are the weak ones.
    return Number(BigInt.asUintN(64, seed[0] + seed[1]) >> 11n) / 2 ** 53;
  };
}

/**
 * Bits that arrive as a double, which holds the upper ones only, are good enough for a seed.
 * @param {import('./component.d.ts').Random64} random
 */
function drawn(random) {
  return BigInt.asUintN(64, BigInt(random()));
}

/**
 * @param {[bigint, bigint]} seed
 * @returns {[bigint, bigint]}
 */
function step([first, second]) {
  let mixed = first ^ BigInt.asUintN(64, first << 23n);
  mixed ^= mixed >> 17n;
  mixed ^= second ^ (second >> 26n);
  return [second, mixed];
}
