import 'this.jsonnet'
