// An API of one's own, without a controller of one's own: a WebApp becomes a Deployment, a Service, an HTTPRoute and a status.
//
// What belongs to an app is in app.ts, and is tested without a host. Here is what is read, what is emitted, and what is told.

import {
  NotReady,
  definePlugin,
  desired,
  invocation,
  report,
  state,
  trigger,
  type Collection,
  type Problem,
} from '@espejote/sdk';

import { deployment, httpRoute, owners, service, status, type Config, type Deployment, type WebApp } from './app.js';

export default definePlugin({
  reconcile() {
    const config = invocation.config<Config>();
    needGateway(config.gateway);
    const webApps = state.context('webapps');
    const all = [...webApps.objects<WebApp>()];
    const hosts = owners(all);
    for (const app of chosen(webApps, all)) emit(app, config, hosts.get(app.spec.host ?? '') ?? app);
    tell(hosts, all);
  },

  configuration: {
    schema: {
      type: 'object',
      properties: {
        domain: { type: 'string', description: 'every host name ends in it' },
        gateway: { type: 'string', description: 'the Gateway, in the namespace of the ManagedResource' },
      },
      required: ['domain', 'gateway'],
      additionalProperties: false,
    },
    *validate(config: Config): Generator<Problem> {
      if (config.domain.startsWith('.')) yield { path: '/domain', message: `must not start with a dot, is ${JSON.stringify(config.domain)}` };
    },
  },
});

/** Without the Gateway nothing would answer: wait for it, and look again before the back-off would. */
function needGateway(name: string): void {
  const namespace = invocation.owner().id.namespace;
  if (state.context('gateways').find(namespace, name) !== undefined) return;
  report.requeueAfter(30_000);
  throw new NotReady(`Gateway ${namespace}/${name} is not there`);
}

/** A Deployment concerns the app of its name only; an app that changes may free or take a host name that others ask for. */
function chosen(webApps: Collection, all: WebApp[]): WebApp[] {
  const event = trigger.event();
  if (event?.kind !== 'Deployment') return all;
  const app = webApps.get<WebApp>(event.namespace, event.name);
  return app === undefined ? [] : [app];
}

/** An app that cannot be deployed gets no route; its status is told all the same, in a group of its own. */
function emit(app: WebApp, config: Config, hostOwner: WebApp): void {
  const routed = app.spec.host !== undefined && hostOwner.metadata.uid === app.metadata.uid;
  desired.group('abort', () => {
    desired.apply(deployment(app));
    desired.apply(service(app));
    if (routed) desired.apply(httpRoute(app, config, invocation.owner().id.namespace));
    else desired.delete({ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', ...nameOf(app) });
  });
  const { namespace, name } = nameOf(app);
  const current = state.context('deployments').get<Deployment>(namespace, name);
  const conflict = app.spec.host !== undefined && !routed ? hostOwner : undefined;
  desired.apply(status(app, config, current, conflict), { subresource: 'status', fieldManagerSuffix: ':status', force: true });
}

function nameOf({ metadata }: WebApp): { namespace: string; name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}

function tell(hosts: Map<string, WebApp>, apps: WebApp[]): void {
  const losers = apps.filter(({ spec, metadata }) => spec.host !== undefined && hosts.get(spec.host)?.metadata.uid !== metadata.uid);
  const names = losers.map((app) => `${nameOf(app).namespace}/${nameOf(app).name}`).join(', ');
  report.message(`${apps.length} apps, ${hosts.size} of them with a host name`);
  report.condition(
    losers.length === 0
      ? { type: 'HostsUnique', status: true, reason: 'Unique', message: 'every host name has one app' }
      : { type: 'HostsUnique', status: false, reason: 'Taken', message: `the host name is taken by an older app: ${names}` },
  );
}
