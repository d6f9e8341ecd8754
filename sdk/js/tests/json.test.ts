import assert from 'node:assert/strict';
import { test } from 'node:test';

import { InvalidOutput, json } from '@espejote/sdk';

const NUMBERS = '{"a":9007199254740993,"b":3.0,"c":1e3,"d":-0,"e":1e400,"f":[0.10,-1E-7,-0.0],"g":123456789012345678901234567890}';

test('numbers leave as they came', () => {
  assert.equal(json.stringify(json.parse(NUMBERS)), NUMBERS);
  for (const text of ['9007199254740993', '-0', '7', '-9007199254740993', '0.5']) {
    assert.equal(json.stringify(json.parse(text)), text);
  }
});

test('numbers keep their spelling in objects that are moved', () => {
  const parsed = json.parse('{"spec":{"ratio":3.0}}');
  assert.equal(json.stringify({ copied: parsed.spec, list: [parsed.spec] }), '{"copied":{"ratio":3.0},"list":[{"ratio":3.0}]}');
});

test('only integers that a double cannot hold become bigints', () => {
  const parsed = json.parse('[9007199254740991,9007199254740992,-9007199254740991,3.0,1e3]');
  assert.deepEqual(parsed, [9007199254740991, 9007199254740992n, -9007199254740991, 3, 1000]);
});

test('a number that is set anew forgets how the old one was written', () => {
  const parsed = json.parse('{"a":3.0,"b":[1.0,2.0]}');
  parsed.a = 4;
  parsed.b.reverse();
  assert.equal(json.stringify(parsed), '{"a":4,"b":[2,1]}');
});

test('texts that look like numbers are left alone', () => {
  const text = '{"a":"x:1.0","b":"[1e3, -0, 12345678901234567890]","c":"\\\\","d":"\\"3.0","é":"\\ud83d\\ude00"}';
  assert.deepEqual(json.parse(text), JSON.parse(text));
  const risky = `[1.0,${text}]`;
  assert.deepEqual(json.parse(risky), JSON.parse(risky));
});

test('the exact parser reads what the engine reads', () => {
  const text = ' { "a" : [ ] , "b" : { } , "c" : [ 1.0 , true , false , null , "" ] , "d" : { "e" : -1.50 } } ';
  assert.deepEqual(json.parse(text), JSON.parse(text));
});

test('__proto__ is a key like any other', () => {
  const text = '{"__proto__":{"x":1.0}}';
  assert.equal(json.stringify(json.parse(text)), text);
});

test('what is no JSON is refused where it is parsed', () => {
  for (const text of ['', '01.0', '[1.0,]', '{"a":1.0', '1.', '+1.0', 'NaN', '1.0 2']) {
    assert.throws(() => json.parse(text), SyntaxError, text);
  }
});

test('what is no JSON is refused with its place, and not lost', () => {
  const refused = (value: unknown, message: string) => {
    assert.throws(() => json.stringify(value), (error: unknown) => error instanceof InvalidOutput && error.message === message);
  };
  refused({ spec: { replicas: [1, Number.NaN] } }, 'spec.replicas.1: NaN is no JSON number');
  refused({ a: Number.POSITIVE_INFINITY }, 'a: Infinity is no JSON number');
  refused({ data: new Map() }, 'data: a Map is no JSON; use Object.fromEntries or Array.from');
  refused([undefined], '0: undefined is no JSON');
  refused({ run: () => 1 }, 'run: a function is no JSON');
  refused(undefined, 'undefined is no JSON');
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  refused(loop, 'self: the object contains itself');
});

test('properties that are undefined are left out, and the same object may come twice', () => {
  const shared = { x: 1 };
  assert.equal(json.stringify({ a: undefined, b: shared, c: shared }), '{"b":{"x":1},"c":{"x":1}}');
});

test('big integers and dates are written', () => {
  assert.equal(json.stringify({ n: 2n ** 64n, at: new Date(0) }), '{"n":18446744073709551616,"at":"1970-01-01T00:00:00.000Z"}');
});
