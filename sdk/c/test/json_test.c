/* The reader and the writer: what they take, refuse and keep. */
#include <string.h>

#include "espejote_test.h"

static esp_text text(const char *string) { return esp_text_of(string); }

/* What is read and written again. */
static const char *again(const char *json) {
  const char *error;
  esp_json *value = esp_parse(text(json), &error);
  return value ? esp_write(value).ptr : error;
}

static void numbers_leave_as_they_came(void) {
  CHECK_STRING(again("[9007199254740993, 3.0, -0, 1e400, 0.10]"), "[9007199254740993,3.0,-0,1e400,0.10]");
}

static void strings_are_unescaped_and_escaped_again(void) {
  const char *error;
  esp_json *value = esp_parse(text("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\""), &error);
  CHECK_STRING(esp_string(value), "a\"\\/\b\f\n\r\t\xC3\xA9\xF0\x9F\x98\x80");
  CHECK_STRING(esp_write(value).ptr, "\"a\\\"\\\\/\\b\\f\\n\\r\\t\xC3\xA9\xF0\x9F\x98\x80\"");
  CHECK_STRING(again("\"\\u0001\\u001f\""), "\"\\u0001\\u001f\"");
}

static void a_nul_character_is_part_of_its_string(void) {
  const char *error;
  esp_json *value = esp_parse(text("{\"a\\u0000b\": \"c\\u0000d\"}"), &error);
  CHECK(esp_text_in(esp_value(esp_first(value))).len == 3);
  CHECK_STRING(esp_write(value).ptr, "{\"a\\u0000b\":\"c\\u0000d\"}");
}

static void what_is_no_json_is_refused_with_its_place(void) {
  static const char *const bad[] = {
      "", " ", "{", "[", "[1,]", "[1 2]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "{'a':1}", "01", "1.", ".5", "+1", "1e", "- 1", "tru",
      "nul", "True", "NaN", "\"", "\"\\x\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "1 2",
      "[1]]", "\"\xFF\"", "\"\xC0\x80\"", "\"\xED\xA0\x80\"", "\"\xF4\x90\x80\x80\"", "\"\\", "%s", "\xEF\xBB\xBF{}", "// a\n1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *error = NULL;
    bool refused = !esp_parse(text(bad[i]), &error) && error;
    fake_check(refused, bad[i], __FILE__, __LINE__);
  }
  const char *error;
  esp_parse(text("{\"a\": tru}"), &error);
  CHECK_STRING(error, "byte 6: expected a value");
}

static void text_ends_where_its_length_says(void) {
  const char *error;
  CHECK(esp_parse((esp_text){"12345", 2}, &error) && !strcmp(esp_write(esp_parse((esp_text){"12345", 2}, &error)).ptr, "12"));
  CHECK(!esp_parse((esp_text){"\"ab\"", 3}, &error));
  CHECK(!esp_parse((esp_text){"{\"a\":true}", 7}, &error));
}

static esp_text nested(int levels) {
  char *brackets = esp_alloc((size_t)levels * 2 + 1);
  memset(brackets, '[', (size_t)levels);
  memset(brackets + levels, ']', (size_t)levels);
  return text(brackets);
}

static void depth_is_bounded(void) {
  const char *error;
  CHECK(esp_parse(nested(ESP_JSON_DEPTH), &error) && esp_write(esp_parse(nested(ESP_JSON_DEPTH), &error)).ptr);
  CHECK(!esp_parse(nested(ESP_JSON_DEPTH + 1), &error));
  CHECK(!esp_parse(nested(100000), &error));
  esp_json *ring = esp_array();
  esp_push(ring, ring);
  CHECK(!esp_write(ring).ptr);
}

static void integers_fit_or_do_not(void) {
  int64_t number = 0;
  const char *error;
  CHECK(esp_int64(esp_parse(text("9223372036854775807"), &error), &number) && number == INT64_MAX);
  CHECK(esp_int64(esp_parse(text("-9223372036854775808"), &error), &number) && number == INT64_MIN);
  CHECK(!esp_int64(esp_parse(text("9223372036854775808"), &error), &number));
  CHECK(!esp_int64(esp_parse(text("1.0"), &error), &number));
  CHECK(!esp_int64(esp_parse(text("\"1\""), &error), &number) && !esp_int64(NULL, &number));
}

static void pointers_lead_to_members_and_items(void) {
  esp_json *value = esp_build("{'a/b': [{'~': 'x'}, 2], '': {'': 'empty'}}");
  CHECK_STRING(esp_string(esp_at(value, "/a~1b/0/~0")), "x");
  CHECK_STRING(esp_string(esp_at(value, "//")), "empty");
  CHECK(esp_at(value, "") == value);
  CHECK(!esp_at(value, "/a~1b/2") && !esp_at(value, "/a~1b/00") && !esp_at(value, "/a~1b/-") && !esp_at(value, "a"));
  CHECK(!esp_at(value, "/a~2b") && !esp_at(NULL, "/a") && !esp_at(value, "/a~1b/1/x"));
}

static void members_are_set_replaced_and_removed(void) {
  esp_json *object = esp_object();
  esp_set(object, "a", esp_new_int(1));
  esp_set(object, "b", esp_new_bool(false));
  esp_set(object, "a", esp_new_string("x"));
  CHECK_STRING(esp_write(object).ptr, "{\"a\":\"x\",\"b\":false}");
  esp_set(object, "b", NULL);
  esp_set(object, "c", esp_new_null());
  CHECK_STRING(esp_write(object).ptr, "{\"a\":\"x\",\"c\":null}");
  CHECK(esp_count(object) == 2 && !esp_get(object, "b"));
}

static void of_equal_keys_the_last_counts(void) {
  const char *error;
  CHECK_STRING(esp_string(esp_get(esp_parse(text("{\"a\":\"1\",\"a\":\"2\"}"), &error), "a")), "2");
}

static void a_pattern_takes_its_arguments(void) {
  esp_json *inner = esp_build("['y', \"it's\"]");
  esp_json *value = esp_build("{'s': %s, %s: %d, 'j': %j, 'b': [%b, %b], 'none': %s, 'nothing': %j}", "a\"b", "key", -3, inner, true,
                              false, (const char *)NULL, (const esp_json *)NULL);
  CHECK_STRING(esp_write(value).ptr,
               "{\"s\":\"a\\\"b\",\"key\":-3,\"j\":[\"y\",\"it's\"],\"b\":[true,false],\"none\":null,\"nothing\":null}");
}

static void what_is_no_utf8_is_written_as_such(void) {
  CHECK_STRING(esp_write(esp_new_string("a\xFFz")).ptr, "\"a\xEF\xBF\xBDz\"");
}

static void numbers_are_made_of_numbers_only(void) {
  CHECK_STRING(esp_write(esp_new_number("12345678901234567890.50")).ptr, "12345678901234567890.50");
  CHECK(!esp_new_number("1 ,") && !esp_new_number("\"1\"") && !esp_new_number(NULL) && !esp_new_number("0x1"));
}

static void large_documents_are_read(void) {
  esp_json *array = esp_array();
  for (int i = 0; i < 100000; i++) esp_push(array, esp_build("{'name': %s, 'index': %d}", esp_format("object-%d", i), i));
  esp_text written = esp_write(array);
  const char *error;
  esp_json *read = esp_parse(written, &error);
  CHECK(esp_count(read) == 100000 && written.len > 3000000);
  CHECK_STRING(esp_string(esp_at(read, "/99999/name")), "object-99999");
}

static void memory_after_a_mark_is_used_again(void) {
  char *before = esp_format("kept");
  esp_mark outer = esp_mark_memory();
  char *first = esp_alloc(64);
  for (int i = 0; i < 1000; i++) {
    esp_mark mark = esp_mark_memory();
    memset(esp_alloc(1 << 20), 'x', 1 << 20);
    esp_release(mark);
  }
  esp_release(outer);
  CHECK(esp_alloc(64) == first);
  CHECK_STRING(before, "kept");
}

static void memory_is_aligned_and_zero(void) {
  for (size_t size = 1; size < 200000; size = size * 3 + 1) {
    unsigned char *memory = esp_alloc(size);
    CHECK((uintptr_t)memory % 16 == 0 && !memory[0] && !memory[size - 1]);
    memset(memory, 0xFF, size);
  }
}

int main(void) {
  RUN(numbers_leave_as_they_came);
  RUN(strings_are_unescaped_and_escaped_again);
  RUN(a_nul_character_is_part_of_its_string);
  RUN(what_is_no_json_is_refused_with_its_place);
  RUN(text_ends_where_its_length_says);
  RUN(depth_is_bounded);
  RUN(integers_fit_or_do_not);
  RUN(pointers_lead_to_members_and_items);
  RUN(members_are_set_replaced_and_removed);
  RUN(of_equal_keys_the_last_counts);
  RUN(a_pattern_takes_its_arguments);
  RUN(what_is_no_utf8_is_written_as_such);
  RUN(numbers_are_made_of_numbers_only);
  RUN(large_documents_are_read);
  RUN(memory_after_a_mark_is_used_again);
  RUN(memory_is_aligned_and_zero);
  return fake_failed();
}
