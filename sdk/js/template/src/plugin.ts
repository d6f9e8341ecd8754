// Greets: puts a ConfigMap into each namespace with the label example.com/greet.
//
// Code outside of functions runs when the plugin is built. Everything is synchronous.

import { definePlugin, desired, invocation, report, state, trigger, type Collection } from '@espejote/sdk';

interface Config {
  greeting: string;
}

export default definePlugin({
  reconcile() {
    const { greeting } = invocation.config<Config>();
    const namespaces = state.context('namespaces');
    const greeted = namespaces.ids(chosen(namespaces));
    for (const { name } of greeted) desired.apply(configMap(name, greeting));
    report.message(`${greeted.length} namespaces greeted`);
  },

  configuration: {
    schema: {
      type: 'object',
      properties: { greeting: { type: 'string', minLength: 1 } },
      required: ['greeting'],
      additionalProperties: false,
    },
  },
});

/** The namespace that started this call, if it asks to be greeted, else all that do. */
function chosen(namespaces: Collection): number[] {
  const all = namespaces.select('example.com/greet');
  const event = trigger.event();
  return event === undefined ? all : all.filter((index) => index === namespaces.find('', event.name));
}

function configMap(namespace: string, greeting: string) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: '{{name}}', namespace },
    data: { greeting: `${greeting}, ${namespace}` },
  };
}
