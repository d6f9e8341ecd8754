{ a: (import 'cycle.jsonnet').a }
