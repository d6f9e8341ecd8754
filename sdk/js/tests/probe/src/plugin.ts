// Asks the real host everything once, for sdk/js/check: what the unit tests see through a fake has to be so in a component.

import {
  LibraryError,
  NotReady,
  Unavailable,
  base64,
  definePlugin,
  desired,
  invocation,
  json,
  library,
  logging,
  provided,
  report,
  state,
  trigger,
  type Failure,
} from '@espejote/sdk';

/** Runs when the plugin is built. */
const built = { random: Math.random(), at: Date.now() };
let calls = 0;

export default definePlugin({
  reconcile() {
    calls += 1;
    switch (trigger.name()) {
      case 'numbers':
        return desired.apply(map('numbers', { text: json.stringify(library.readJson('files/numbers.json')) }));
      case 'random':
        return desired.apply(map('random', { drawn: [Math.random(), Math.random()] }));
      case 'throws':
        return void (undefined as any).field;
      case 'waits':
        report.requeueAfter(5000);
        throw new NotReady('not yet');
      case 'wrong-type':
        return void state.context(7 as any);
      case 'promises':
        return Promise.resolve() as any;
      case 'memory':
        return exhaust();
      default:
        return emit();
    }
  },
  configuration: { schema: { type: 'object' } },
});

function emit() {
  invocation.keepInstance();
  console.log('a line', { of: 'console' });
  logging.debug('a line', { fields: 1 });
  desired.apply(map('looked', look()), { force: true, fieldManager: 'm', fieldManagerSuffix: ':s', fieldValidation: 'warn' });
  desired.group('abort', () => {
    desired.apply(map('grouped', {}), { subresource: 'status' });
    desired.group(() => desired.delete({ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone' }));
  });
  desired.delete(map('old', {}), {
    gracePeriodSeconds: 0,
    propagationPolicy: 'foreground',
    preconditionUid: 'u',
    preconditionResourceVersion: '7',
  });
  report.message('told');
  report.condition({ type: 'Probed', status: 'unknown', reason: 'Asked', message: 'm' });
  report.waiting('Asked', 'w');
}

function look() {
  const maps = state.context('config-maps');
  const named = (indices: number[]) => maps.ids(indices).map(({ namespace, name }) => `${namespace}/${name}`);
  return {
    calls,
    contexts: [state.names(), provided.names(), provided.get('sum')],
    config: invocation.config(),
    owner: [invocation.owner().id, invocation.owner().reference()],
    trigger: [trigger.name(), trigger.event(), trigger.object()].map((value) => value ?? null),
    names: named(maps.indices()),
    selected: [named(maps.select('app')), named(maps.select('app=web', 'other')), named(maps.select('', 'one'))],
    found: [maps.find('one', 'b') ?? null, maps.find('one', 'z') ?? null],
    values: maps.values(maps.indices(), '/metadata/labels/app').map((value) => value ?? null),
    read: [maps.get('one', 'b'), maps.scan(0, 1).length, [...maps].length],
    revisions: [new Set(maps.revisions()).size, maps.revision === state.context('config-maps').revision],
    library: [library.readText('files/text'), library.revisionOf('files/text') === library.revisionOf('files/text')],
    errors: [
      caught(() => state.context('none')),
      caught(() => library.read('files/none')),
      caught(() => provided.get('none')),
      caught(() => maps.select('a in (')),
      caught(() => maps.values([0], 'a')),
    ],
    classes: [isOf(Unavailable, () => state.context('none')), isOf(LibraryError, () => library.read('files/none'))],
    clock: new Date().toISOString(),
    builtBefore: built.at !== Date.now(),
    base64: base64.decode(base64.encode('grüße 😀')),
    big: json.stringify(2n ** 64n),
  };
}

function caught(ask: () => unknown): string {
  try {
    ask();
    return 'nothing';
  } catch (error) {
    const { name, kind, message } = error as Failure;
    return `${name}: ${kind}: ${message}`;
  }
}

function isOf(type: Function, ask: () => unknown): boolean {
  try {
    ask();
    return false;
  } catch (error) {
    return error instanceof type;
  }
}

function exhaust(): never {
  const kept = [];
  for (;;) kept.push(new Array(100_000).fill(1));
}

const map = (name: string, seen: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  seen: { ...seen, ...(name === 'random' && { built: built.random }) },
});
