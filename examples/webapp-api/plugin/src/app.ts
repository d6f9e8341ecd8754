// What belongs to a WebApp. Pure: objects in, objects out.

import type { AppliedObject, KubernetesObject } from '@espejote/sdk';

export interface Config {
  domain: string;
  gateway: string;
}

export interface WebApp extends KubernetesObject {
  spec: { image: string; replicas?: number; port?: number; host?: string };
}

export interface Deployment extends KubernetesObject {
  spec: { replicas?: number };
  status?: { readyReplicas?: number };
}

const MANAGED = { 'example.com/managed-by': 'webapp-api' };

/** The app that has each host name: the oldest; of the same age, the first by namespace and name. */
export function owners(apps: WebApp[]): Map<string, WebApp> {
  const byAge = [...apps].sort((a, b) => compare(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''));
  const owners = new Map<string, WebApp>();
  for (const app of byAge) {
    const { host } = app.spec;
    if (host !== undefined && !owners.has(host)) owners.set(host, app);
  }
  return owners;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export function deployment(app: WebApp): AppliedObject {
  const { image } = app.spec;
  const labels = labelsOf(app);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata(app),
    spec: {
      replicas: replicasOf(app),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'app', image, ports: [{ name: 'http', containerPort: app.spec.port ?? 8080 }] }] },
      },
    },
  };
}

export function service(app: WebApp): AppliedObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(app),
    spec: { selector: labelsOf(app), ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
  };
}

export function httpRoute(app: WebApp, config: Config, gatewayNamespace: string): AppliedObject {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: metadata(app),
    spec: {
      hostnames: [`${app.spec.host}.${config.domain}`],
      parentRefs: [{ name: config.gateway, namespace: gatewayNamespace }],
      rules: [{ backendRefs: [{ name: app.metadata.name, port: 80 }] }],
    },
  };
}

/** `taken`: the app that has the host name which this one asks for. */
export function status(app: WebApp, config: Config, current: Deployment | undefined, taken: WebApp | undefined): AppliedObject {
  const ready = current?.status?.readyReplicas ?? 0;
  const wanted = replicasOf(app);
  const { host } = app.spec;
  return {
    apiVersion: app.apiVersion,
    kind: app.kind,
    metadata: { name: app.metadata.name, namespace: app.metadata.namespace },
    status: {
      observedGeneration: app.metadata.generation,
      ready: ready >= wanted && taken === undefined,
      message: taken ? `host ${host} belongs to ${taken.metadata.namespace}/${taken.metadata.name}` : `${ready} of ${wanted} replicas ready`,
      url: host === undefined || taken ? undefined : `https://${host}.${config.domain}`,
    },
  };
}

function replicasOf(app: WebApp): number {
  return app.spec.replicas ?? 2;
}

function labelsOf(app: WebApp): Record<string, string> {
  return { 'example.com/webapp': app.metadata.name };
}

/** What is made for an app goes with it. */
function metadata({ apiVersion, kind, metadata: { name, namespace, uid } }: WebApp): AppliedObject['metadata'] {
  return { name, namespace, labels: MANAGED, ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] };
}
