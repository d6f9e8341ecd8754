import copy
import json
import unittest

from espejote import InvalidOutput, Number, dumps, loads

NUMBERS = '{"a":9007199254740993,"b":3.0,"c":1e3,"d":-0,"e":1e400,"f":[0.10,-1E-7,-0.0],"g":123456789012345678901234567890}'


class Exact(unittest.TestCase):
    def test_numbers_leave_as_they_came(self) -> None:
        self.assertEqual(dumps(loads(NUMBERS)), NUMBERS)

    def test_numbers_keep_their_spelling_where_they_are_passed_on_to(self) -> None:
        read = loads('{"ratio":3.0,"limits":[1e3]}')
        self.assertEqual(copy.deepcopy(read), {"ratio": 3, "limits": [1000]})
        self.assertEqual(dumps({"x": read["ratio"], **copy.deepcopy(read)}), '{"x":3.0,"ratio":3.0,"limits":[1e3]}')

    def test_numbers_compute_as_any_other(self) -> None:
        ratio = loads("3.0")
        self.assertIsInstance(ratio, Number)
        self.assertEqual((ratio, ratio + 1, dumps(ratio + 1)), (3, 4, "4.0"))

    def test_texts_are_read_and_written_as_json_does(self) -> None:
        for text in ['"grüße 😀"', '"\\u0001\\n\\"\\\\"', '{"-0":"-0"}', "[[],{},null,true,false,0]", '"\\ud800"']:
            self.assertEqual(json.loads(dumps(loads(text))), json.loads(text))
        self.assertEqual(dumps("grüße"), '"grüße"')

    def test_what_is_no_json_is_refused_where_it_is_parsed(self) -> None:
        for text in ["", "01", "[1,]", "NaN", "-Infinity", "1.", "{"]:
            with self.assertRaises(ValueError, msg=text):
                loads(text)

    def test_what_is_no_json_is_refused_with_its_place(self) -> None:
        for value, message in [
            ({"spec": {"replicas": [1, float("nan")]}}, "spec.replicas.1: nan is no JSON number"),
            ({"a": {1, 2}}, "a: set is no JSON"),
            ({"a": {1: 2}}, "a: the key 1 is no text"),
            (b"x", "bytes is no JSON"),
        ]:
            with self.assertRaises(InvalidOutput) as raised:
                dumps(value)
            self.assertEqual(raised.exception.message, message)
