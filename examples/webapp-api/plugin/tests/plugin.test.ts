// Runs the plugin's code on this machine, without WebAssembly.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { run, validate, type Input } from '@espejote/sdk/testing';

import plugin from '../src/plugin.js';

const webApp = (name: string, spec: object, more = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'WebApp',
  metadata: { name, namespace: 'web', uid: name, generation: 2, ...more },
  spec: { image: 'i', ...spec },
});
const gateway = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'Gateway', metadata: { name: 'public', namespace: 'platform' } };
const deployment = (name: string, readyReplicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'web' },
  status: { readyReplicas },
});

const given = (webapps: object[], more: Input = {}): Input => ({
  config: { domain: 'apps.example.com', gateway: 'public' },
  owner: { namespace: 'platform' },
  context: { webapps, deployments: [deployment('shop', 2)], gateways: [gateway] },
  ...more,
});

const kinds = (objects: { kind: string }[]) => objects.map(({ kind }) => kind).join(' ');
const statusOf = (objects: any[], name: string) => objects.find(({ kind, metadata }) => kind === 'WebApp' && metadata.name === name)?.status;

test('an app becomes a Deployment, a Service, a route and a status', () => {
  const { failure, applied, conditions } = run(plugin, given([webApp('shop', { host: 'shop' })]));
  assert.equal(failure, undefined);
  assert.equal(kinds(applied), 'Deployment Service HTTPRoute WebApp');
  assert.deepEqual(statusOf(applied, 'shop'), {
    observedGeneration: 2,
    ready: true,
    message: '2 of 2 replicas ready',
    url: 'https://shop.apps.example.com',
  });
  assert.equal(conditions.HostsUnique?.status, true);
});

test('an app without a host has no route, also if it had one', () => {
  const { applied, deleted } = run(plugin, given([webApp('worker', {})]));
  assert.equal(kinds(applied), 'Deployment Service WebApp');
  assert.deepEqual(deleted, [{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', namespace: 'web', name: 'worker' }]);
});

test('a host belongs to the oldest app, and the others are told', () => {
  const old = webApp('z', { host: 'h' }, { creationTimestamp: '2026-01-01T00:00:00Z' });
  const young = webApp('a', { host: 'h' }, { creationTimestamp: '2026-02-01T00:00:00Z' });
  const { applied, conditions } = run(plugin, given([old, young]));
  assert.equal(statusOf(applied, 'a').message, 'host h belongs to web/z');
  assert.equal(statusOf(applied, 'z').url, 'https://h.apps.example.com');
  assert.deepEqual(conditions.HostsUnique, {
    type: 'HostsUnique',
    status: false,
    reason: 'Taken',
    message: 'the host name is taken by an older app: web/a',
  });
});

test('a change of a Deployment emits its app alone, a change of an app all of them', () => {
  const apps = [webApp('shop', {}), webApp('worker', {})];
  const { applied } = run(plugin, given(apps, { trigger: { name: 'deployment', object: deployment('shop', 1) } }));
  assert.equal(statusOf(applied, 'shop').ready, true);
  assert.equal(statusOf(applied, 'worker'), undefined);
  const gone = { apiVersion: 'example.com/v1', kind: 'WebApp', namespace: 'web', name: 'gone' };
  const all = run(plugin, given(apps, { trigger: { name: 'webapp', event: gone } })).applied;
  assert.notEqual(statusOf(all, 'worker'), undefined);
});

test('without the Gateway nothing is written, and it is looked for again', () => {
  const input = given([webApp('shop', {})]);
  const { failure, requeueAfter } = run(plugin, { ...input, context: { ...input.context, gateways: [] } });
  assert.deepEqual(failure, { kind: 'not-ready', message: 'Gateway platform/public is not there' });
  assert.equal(requeueAfter, 30_000);
});

test('a domain that starts with a dot is a problem of the config', () => {
  assert.equal(validate(plugin, { domain: '.example.com', gateway: 'g' })[0]?.path, '/domain');
  assert.deepEqual(validate(plugin, { domain: 'example.com', gateway: 'g' }), []);
});
