import assert from 'node:assert/strict';
import { test } from 'node:test';

import { definePlugin, logging } from '@espejote/sdk';
import { component } from '../src/component.js';
import { generator } from '../src/random.js';

const bits = (seed: bigint) => () => (seed += 0x9e3779b97f4a7c15n);

test('random numbers follow from the seed and are spread', () => {
  const numbers = (seed: bigint) => Array.from({ length: 1000 }, generator(bits(seed)));
  assert.deepEqual(numbers(1n), numbers(1n));
  assert.notDeepEqual(numbers(1n), numbers(2n));
  assert.equal(new Set(numbers(1n)).size, 1000);
  const mean = numbers(1n).reduce((sum, number) => sum + number, 0) / 1000;
  assert.ok(mean > 0.45 && mean < 0.55 && numbers(1n).every((number) => number >= 0 && number < 1));
});

test('bits that came as doubles or are all zero will do', () => {
  for (const bits of [12035550249420947000, 0, 0n]) {
    const random = generator(() => bits);
    assert.ok(new Set(Array.from({ length: 100 }, random)).size > 90, String(bits));
  }
});

test('a build ends where roles and plugin.toml differ', () => {
  const plugin = definePlugin({ reconcile() {} });
  assert.throws(() => component(plugin, ['reconcile', 'admit'], {}, () => 1), /lists the role admit/);
  assert.throws(() => component(plugin, [], {}, () => 1), /gets reconcile, which the roles in plugin.toml do not list/);
  assert.throws(() => component(undefined as any, [], {}, () => 1), /default export/);
});

test('a failure leaves a component as a record, and the log is there', () => {
  const lines: string[] = [];
  const host = { logging: { enabled: () => true, log: (_: string, message: string) => void lines.push(message) } };
  const plugin = definePlugin({
    reconcile() {
      logging.info('a line');
      throw new Error('boom');
    },
  });
  assert.throws(() => component(plugin, ['reconcile'], host, () => 1).reconcile.reconcile(), { kind: 'internal', message: /^Error: boom/ });
  assert.deepEqual(lines, ['a line', 'Error: boom']);
});
