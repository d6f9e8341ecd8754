{ a: import 'value.jsonnet', b: importstr './text.txt' }
