// Runs the plugin's code on this machine, without WebAssembly: npm test

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { run } from '@espejote/sdk/testing';

import plugin from '../src/plugin.js';

const namespace = (name: string, labels = {}) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });

const input = {
  config: { greeting: 'Hello' },
  context: { namespaces: [namespace('lab'), namespace('shop', { 'example.com/greet': '' })] },
};

test('a namespace with the label is greeted, another is not', () => {
  const result = run(plugin, input);
  assert.deepEqual(result.applied.map((object) => object.data.greeting), ['Hello, shop']);
});

test('a namespace that changes is the only one looked at', () => {
  const result = run(plugin, { ...input, trigger: { name: 'namespace', object: namespace('lab') } });
  assert.deepEqual(result.applied, []);
});
