import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  InvalidConfig,
  InvalidInput,
  InvalidOutput,
  LibraryError,
  NotReady,
  Unavailable,
  admission,
  base64,
  definePlugin,
  desired,
  invocation,
  library,
  logging,
  provided,
  report,
  state,
  trigger,
  type ObjectId,
} from '@espejote/sdk';
import { admit, provide, run, validate, type Input } from '@espejote/sdk/testing';

const pod = (namespace: string, name: string, labels: Record<string, string> = {}, rest = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels },
  ...rest,
});
const pods = [pod('shop', 'b', { app: 'web' }), pod('lab', 'z', { app: 'db' }), pod('shop', 'a'), pod('shop', 'c', { app: 'web', tier: 'cache' })];
const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** What a reconcile that only looks finds. */
function seen<T>(input: Input, look: () => T): T {
  let found: T | undefined;
  const result = run(definePlugin({ reconcile: () => void (found = look()) }), input);
  assert.equal(result.failure, undefined);
  return found as T;
}

function failure(reconcile: () => void, input: Input = {}) {
  return run(definePlugin({ reconcile }), input).failure;
}

const names = (ids: ObjectId[]) => ids.map(({ name }) => name).join('');

test('a collection is ordered, selected from and found in', () => {
  seen({ context: { pods } }, () => {
    const all = state.context('pods');
    assert.equal(all.length, 4);
    assert.equal(names(all.ids(all.indices())), 'zabc');
    assert.equal(all.find('shop', 'b'), 2);
    assert.equal(all.find('shop', 'z'), undefined);
    assert.equal(all.get('lab', 'z')?.metadata.labels?.app, 'db');
    assert.equal(all.get('lab', 'nobody'), undefined);
    const selected = (selector: string, namespace?: string) => names(all.ids(all.select(selector, namespace)));
    assert.equal(selected(''), 'zabc');
    assert.equal(selected('', 'shop'), 'abc');
    assert.equal(selected('app=web,tier!=cache'), 'b');
    assert.equal(selected('app in (web, db)'), 'zbc');
    assert.equal(selected('app notin (web)'), 'za');
    assert.equal(selected('app,!tier'), 'zb');
  });
});

test('objects are read whole, page by page, or a value of each', () => {
  const big = pod('x', 'big', {}, { spec: { text: 'y'.repeat(300_000) } });
  seen({ context: { pods: [...pods, big] } }, () => {
    const all = state.context('pods');
    assert.deepEqual([...all].map((object) => object.metadata.name), ['z', 'a', 'b', 'c', 'big']);
    assert.equal(all.scan(0, 1).length, 1);
    assert.deepEqual(all.scan(5, 1), []);
    assert.deepEqual(all.values([0, 1], '/metadata/labels/app'), ['db', undefined]);
    assert.equal(all.read<{ spec: { text: string } }>([4])[0]?.spec.text.length, 300_000);
  });
});

test('equal contents have equal revisions', () => {
  const revision = (objects: object[]) => seen({ context: { pods: objects } }, () => state.context('pods').revision);
  assert.equal(revision(pods), revision([...pods].reverse()));
  assert.notEqual(revision(pods), revision(pods.slice(1)));
  seen({ context: { pods } }, () => assert.equal(new Set(state.context('pods').revisions()).size, 4));
});

test('a wrong selector or pointer is an invalid input that names the context', () => {
  const bad = (look: () => void) => failure(look, { context: { pods } });
  const selector = bad(() => void state.context('pods').select('app in ('));
  assert.equal(selector?.kind, 'invalid-input');
  assert.match(selector?.message ?? '', /^context "pods": invalid label selector "app in \("/);
  const pointer = bad(() => void state.context('pods').values([0], 'metadata'));
  assert.match(pointer?.message ?? '', /^context "pods": invalid JSON pointer/);
});

test('a context that is not synced is waited for, and one that is not there has to be mended', () => {
  const open = () => void state.context('pods');
  assert.deepEqual(failure(open, { context: { pods: { reason: 'not-synced', message: 'not yet' } } }), { kind: 'not-ready', message: 'not yet' });
  assert.equal(failure(open)?.kind, 'invalid-input');
  const caught = () => assert.throws(open, (error: unknown) => error instanceof Unavailable && error.reason === 'forbidden');
  assert.equal(failure(caught, { context: { pods: { reason: 'forbidden', message: 'no' } } }), undefined);
});

test('trigger, owner, config and computed contexts arrive', () => {
  const input: Input = {
    config: { size: 3 },
    provided: { sum: [1, 2] },
    trigger: { name: 'pod', object: pod('shop', 'a') },
    owner: { namespace: 'shop', uid: 'u' },
  };
  seen(input, () => {
    assert.equal(invocation.config<{ size: number }>().size, 3);
    assert.deepEqual(provided.get('sum'), [1, 2]);
    assert.throws(() => provided.get('other'), Unavailable);
    assert.equal(trigger.name(), 'pod');
    assert.deepEqual(trigger.event(), { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'a' });
    assert.equal(trigger.object()?.kind, 'Pod');
    assert.deepEqual(invocation.owner().reference(), { apiVersion: 'espejote.io/v1alpha1', kind: 'ManagedResource', name: 'test', uid: 'u' });
  });
  seen({}, () => {
    assert.equal(invocation.config(), null);
    assert.deepEqual([trigger.name(), trigger.event(), trigger.object()], [undefined, undefined, undefined]);
  });
});

test('files of libraries are read as bytes, text and JSON', () => {
  const libraries = { 'a/t': 'grüße 😀', 'a/j': '{"n":1.0}', 'a/b': Uint8Array.of(0xff), 'a/x': { reason: 'unavailable', message: 'later' } as const };
  seen({ libraries }, () => {
    assert.equal(library.readText('a/t'), 'grüße 😀');
    assert.deepEqual(library.readJson('a/j'), { n: 1 });
    assert.throws(() => library.readJson('a/t'), InvalidInput);
    assert.throws(() => library.readText('a/b'), InvalidInput);
    assert.throws(() => library.read('a/none'), LibraryError);
    assert.equal(library.revisionOf('a/t'), library.revisionOf('a/t'));
  });
  assert.equal(failure(() => void library.read('a/x'), { libraries })?.kind, 'not-ready');
});

test('what is emitted comes back in order, in its groups, with its options', () => {
  const result = run(
    definePlugin({
      reconcile() {
        desired.apply(map('a'), { force: false, fieldManagerSuffix: ':x' });
        const inner = desired.group('abort', () => {
          desired.apply(map('b'));
          desired.group(() => desired.delete({ ...map('c'), metadata: { name: 'c', namespace: 'n' } }));
          return 7;
        });
        assert.equal(inner, 7);
        desired.delete({ apiVersion: 'v1', kind: 'ConfigMap', name: 'd' }, { propagationPolicy: 'orphan' });
      },
    }),
  );
  const deleted = (namespace: string, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
  assert.deepEqual(result.items, [
    { apply: map('a'), options: { force: false, fieldManagerSuffix: ':x' } },
    { group: [{ apply: map('b') }, { group: [{ delete: deleted('n', 'c') }] }], onError: 'abort' },
    { delete: deleted('', 'd'), options: { propagationPolicy: 'orphan' } },
  ]);
  assert.deepEqual(result.applied, [map('a'), map('b')]);
  assert.deepEqual(result.deleted, [deleted('n', 'c'), deleted('', 'd')]);
});

test('a group is closed however it ends', () => {
  const result = run(
    definePlugin({
      reconcile() {
        assert.throws(() => desired.group(() => assert.fail('inside')));
        desired.apply(map('after'));
      },
    }),
  );
  assert.deepEqual(result.items, [{ group: [] }, { apply: map('after') }]);
});

test('an object without kind or name, or with something that is no JSON, is an invalid output with a place', () => {
  const emit = (object: any) => failure(() => desired.apply(object));
  assert.deepEqual(emit({ ...map('x'), kind: '' }), { kind: 'invalid-output', message: 'kind of the object to apply is ""' });
  assert.equal(emit({ apiVersion: 'v1', kind: 'Pod', metadata: {} })?.message, 'metadata.name of the object to apply is undefined');
  assert.equal(emit(null)?.kind, 'invalid-output');
  assert.equal(emit({ ...map('x'), data: { n: Number.NaN } })?.message, 'ConfigMap x: data.n: NaN is no JSON number');
});

test('an object that is read and emitted unchanged has the same numbers', () => {
  const text = '{"apiVersion":"v1","kind":"Odd","metadata":{"name":"x"},"a":9007199254740993,"b":3.0,"c":1e3,"d":-0}';
  const libraries = { 'a/b': text };
  const result = run(definePlugin({ reconcile: () => desired.apply(library.readJson('a/b')) }), { libraries });
  assert.deepEqual(result.texts, [text]);
});

test('reports arrive, also from a call that fails', () => {
  const result = run(
    definePlugin({
      reconcile() {
        report.message('first');
        report.message('half done');
        report.condition({ type: 'Synced', status: 'unknown', reason: 'Unknown', message: 'm' });
        report.condition({ type: 'Synced', status: false, reason: 'Missing', message: 'm' });
        report.waiting('Waiting', 'w');
        report.requeueAfter(1.5);
        report.document({ any: 'thing' });
        throw new NotReady('later');
      },
    }),
  );
  assert.deepEqual(result.failure, { kind: 'not-ready', message: 'later' });
  assert.equal(result.message, 'half done');
  assert.deepEqual(result.conditions, { Synced: { type: 'Synced', status: false, reason: 'Missing', message: 'm' } });
  assert.deepEqual([result.waiting, result.requeueAfter, result.document], [{ reason: 'Waiting', message: 'w' }, 2, { any: 'thing' }]);
});

test('each error class has its kind, and anything else is internal with its stack in the log', () => {
  for (const [error, kind] of [
    [new InvalidConfig('m'), 'invalid-config'],
    [new InvalidInput('m'), 'invalid-input'],
    [new InvalidOutput('m'), 'invalid-output'],
    [new NotReady('m'), 'not-ready'],
  ] as const) {
    assert.deepEqual(failure(() => { throw error; }), { kind, message: 'm' });
  }
  const bug = run(definePlugin({ reconcile: () => (undefined as any).x }));
  assert.equal(bug.failure?.kind, 'internal');
  assert.match(bug.failure?.message ?? '', /^TypeError: .*undefined.* \(at /);
  assert.match(bug.logs[0]?.fields.stack ?? '', /at /);
  assert.deepEqual(failure(() => { throw 'a word'; }), { kind: 'internal', message: 'a word' });
  assert.match(failure((async () => {}) as any)?.message ?? '', /reconcile returned a promise/);
});

test('log lines have texts and JSON as fields', () => {
  const { logs } = run(definePlugin({ reconcile: () => logging.warn('copied', { namespace: 'shop', copies: 3, of: { a: 1 } }) }));
  assert.deepEqual(logs, [{ level: 'warn', message: 'copied', fields: { namespace: 'shop', copies: '3', of: '{"a":1}' } }]);
});

test('what is used outside of a call says why that cannot be', () => {
  assert.throws(() => state.names(), /during a call only/);
});

test('an admitter decides, changes and warns', () => {
  const plugin = definePlugin({
    admit(request) {
      admission.warn('careful');
      admission.annotate('seen', 'yes');
      if (request.operation === 'DELETE') return admission.deny('not this one', 409);
      return { ...admission.allow(), patch: [{ op: 'add', path: '/x', value: 1 }] };
    },
  });
  const allowed = admit(plugin, { object: pod('a', 'b') });
  assert.deepEqual(allowed.decision, { allowed: true, code: undefined, message: '', patch: [{ op: 'add', path: '/x', value: 1 }] });
  assert.deepEqual([allowed.warnings, allowed.annotations], [['careful'], { seen: 'yes' }]);
  assert.deepEqual(admit(plugin, { operation: 'DELETE' }).decision, { allowed: false, code: 409, message: 'not this one' });
  assert.equal(admit(definePlugin({ admit: () => ({}) as any }), {}).failure?.kind, 'invalid-output');
});

test('a provider gives a value', () => {
  assert.deepEqual(provide(definePlugin({ provide: () => ({ sum: 3 }) })).value, { sum: 3 });
  assert.equal(provide(definePlugin({ provide: () => undefined })).value, null);
});

test('a config is checked, with nothing but the log at hand', () => {
  const plugin = definePlugin({
    reconcile() {},
    configuration: {
      *validate(config: { size: number }, role) {
        logging.info('checking', { role });
        if (config.size > 3) yield { path: '/size', message: 'at most 3' };
        if (config.size < 0) throw new InvalidConfig('negative');
        if (config.size === 0) state.names();
      },
    },
  });
  assert.deepEqual(validate(plugin, { size: 1 }), []);
  assert.deepEqual(validate(plugin, { size: 4 }), [{ path: '/size', message: 'at most 3' }]);
  assert.deepEqual(validate(plugin, { size: -1 }), [{ path: '', message: 'negative' }]);
  assert.throws(() => validate(plugin, { size: 0 }), { message: /state is not there in this role/ });
});

test('a plugin needs a role, and only those that there are', () => {
  assert.throws(() => definePlugin({}), /none of the roles/);
  assert.throws(() => definePlugin({ reconcle() {} } as any), /reconcle is no role/);
});

test('base64 holds any text', () => {
  for (const text of ['', 'a', 'grüße 😀', 'x'.repeat(10_000)]) {
    assert.equal(base64.encode(text), Buffer.from(text).toString('base64'));
    assert.equal(base64.decode(base64.encode(text)), text);
  }
  assert.throws(() => base64.decode('/w=='), InvalidInput);
  assert.throws(() => base64.decodeBytes('!'), InvalidInput);
});

test('what is of a wrong type is told with its place, before the host sees it', () => {
  const wrong: [() => unknown, RegExp][] = [
    [() => state.context(undefined as any), /name of a context: expected a string, got undefined/],
    [() => state.context('pods').find('a', 7 as any), /context "pods", name: expected a string, got 7/],
    [() => state.context('pods').read([1.5]), /context "pods": expected an integer, 0 or more, got 1.5/],
    [() => state.context('pods').ids([4]), /context "pods": there are 4 objects, none with index 4/],
    [() => library.read(null as any), /path of a library file: expected a string/],
    [() => desired.apply(map('x'), { force: 'yes' } as any), /options of apply, force: expected true or false, got "yes"/],
    [() => desired.apply(map('x'), { forse: true } as any), /there is no option forse; there are: fieldManager/],
    [() => desired.delete(map('x'), { propagationPolicy: 'later' } as any), /propagationPolicy: expected "background" or "foreground" or "orphan", got "later"/],
    [() => desired.group('stop' as any, () => 1), /policy of a group: expected "continue" or "abort"/],
    [() => report.message(undefined as any), /message: expected a string/],
    [() => report.condition({ type: 'A', status: 'yes' as any, reason: 'R', message: 'm' }), /condition A, status/],
    [() => report.requeueAfter(Number.NaN), /expected milliseconds/],
    [() => logging.log('loud' as any, 'm'), /level of a log line/],
  ];
  for (const [ask, message] of wrong) {
    const found = failure(() => void ask(), { context: { pods } });
    assert.equal(found?.kind, 'internal');
    assert.match(found?.message ?? '', message);
  }
});
