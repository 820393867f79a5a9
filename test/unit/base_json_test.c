/* JSON as it comes: whole and in pieces must be the same; what is wrong is found where it is. */
#include "tap.h"

static void dump_value(struct json *j, struct buf *out);

static void dump_object(struct json *j, struct buf *out)
{
	struct str key;
	buf_add_char(out, '{');
	while (json_key(j, &key)) {
		buf_addf(out, "%.*s=", STR_ARG(key));
		dump_value(j, out);
	}
	buf_add_char(out, '}');
}

static void dump_value(struct json *j, struct buf *out)
{
	struct str text;
	struct json_decimal d;
	bool is_true = false;
	switch (json_peek(j)) {
	case JSON_OBJECT:
		if (json_object(j))
			dump_object(j, out);
		break;
	case JSON_ARRAY:
		buf_add_char(out, '[');
		if (json_array(j))
			while (json_element(j)) {
				dump_value(j, out);
				buf_add_char(out, ' ');
			}
		buf_add_char(out, ']');
		break;
	case JSON_STRING:
		if (json_string(j, &text))
			buf_addf(out, "'%.*s'", STR_ARG(text));
		break;
	case JSON_NUMBER:
		if (json_decimal(j, 9, &d))
			buf_addf(out, "%s%llue-%u", d.is_negative ? "-" : "",
				 (unsigned long long)d.units, d.decimals);
		break;
	case JSON_BOOL:
		if (json_bool(j, &is_true))
			buf_addf(out, "%s", is_true ? "yes" : "no");
		break;
	case JSON_NULL:
		json_skip(j);
		buf_addf(out, "%s", json_fault(j) ? "" : "null");
		break;
	case JSON_NOTHING:
		break;
	}
}

/* What is read, and what is wrong with it. */
static void describe(struct str text, size_t step, bool skips, struct buf *out)
{
	struct reader *r = reader_of_memory(text, step);
	struct json *j = json_new(r);
	out->n = 0;
	if (skips)
		json_skip(j);
	else
		dump_value(j, out);
	json_at_end(j);
	if (json_fault(j))
		buf_addf(out, " ! %s at %llu%s", json_fault(j), (unsigned long long)json_offset(j),
			 json_is_cut(j) ? ", cut" : "");
	json_free(j);
	reader_free(r);
}

static bool agrees_in_pieces(struct str text, bool skips)
{
	static const size_t steps[] = { 1, 2, 3, 7 };
	AUTO(buf) struct buf whole = { 0 };
	AUTO(buf) struct buf pieces = { 0 };
	describe(text, 0, skips, &whole);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		describe(text, steps[i], skips, &pieces);
		if (!str_eq(buf_str(&whole), buf_str(&pieces))) {
			tap_str_eq(buf_str(&pieces), buf_str(&whole), "in steps of %zu", steps[i]);
			return false;
		}
	}
	return true;
}

static void reads(const char *text, const char *want)
{
	AUTO(buf) struct buf got = { 0 };
	describe(str_from(text), 0, false, &got);
	tap_str_eq(buf_str(&got), str_from(want), "%.60s", text);
	if (!agrees_in_pieces(str_from(text), false) || !agrees_in_pieces(str_from(text), true))
		tap_ok(false, "%.60s: the same in pieces", text);
}

static void test_values(void)
{
	reads("{}", "{}");
	reads("[]", "[]");
	reads(" [ ] ", "[]");
	reads("{\"a\":1,\"b\":[true,false,null],\"c\":{\"d\":\"e\"}}",
	      "{a=1e-0b=[yes no null ]c={d='e'}}");
	reads("\t{ \"a\" :\r\n1 , \"b\" : [ 1 , 2 ] }\n", "{a=1e-0b=[1e-0 2e-0 ]}");
	reads("\"\"", "''");
	reads("[[[[1]]],[]]", "[[[[1e-0 ] ] ] [] ]");
	reads("[{\"a\":{}},{}]", "[{a={}} {} ]");
	reads("{\"\":\"\"}", "{=''}");
	reads("{\"a long key, longer than eight\":\"and a long text, longer than sixteen\"}",
	      "{a long key, longer than eight='and a long text, longer than sixteen'}");
}

static void test_strings(void)
{
	reads("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "'\"\\/\b\f\n\r\t'");
	reads("\"a\\u0041\\u00e9\\u20ac\"", "'aA\xc3\xa9\xe2\x82\xac'");
	reads("\"\\ud83d\\ude00\"", "'\xf0\x9f\x98\x80'");
	reads("\"\\ud83d\"", "'\xef\xbf\xbd'");
	reads("\"\\ud83dx\"", "'\xef\xbf\xbdx'");
	reads("\"\\ud83d\\n\"", "'\xef\xbf\xbd\n'");
	reads("\"\\ud83d\\ud83d\\ude00\"", "'\xef\xbf\xbd\xf0\x9f\x98\x80'");
	reads("\"\\ude00\"", "'\xef\xbf\xbd'");
	reads("\"\\udcff\\udc80\"", "'\xff\x80'");
	reads("\"\\udc7f\"", "'\xef\xbf\xbd'");
	reads("\"\\uABcd\"", "'\xea\xaf\x8d'");
	reads("\"\xff\xfe\"", "'\xff\xfe'");
	reads("{\"a\\tb\":1}", "{a\tb=1e-0}");
	reads("{\"a\\tb\"\n:\n1}", "{a\tb=1e-0}");
	reads("{\"key\" :\"v\"}", "{key='v'}");
	reads("\"\\q\"", " ! invalid escape in a string at 1");
	reads("[\"ab\\u12x4\"]", "[ ] ! invalid escape in a string at 4");
	reads("[\"ab\\u123\"]", "[ ] ! invalid escape in a string at 4");
	reads("[\"\\\\\\\\\",\"\\\\\"]", "['\\\\' '\\' ]");
	reads("\"a", " ! the input ends inside a string at 2, cut");
	reads("\"a\\", " ! the input ends inside a string at 3, cut");
	reads("\"a\\\"", " ! the input ends inside a string at 4, cut");
}

static void number_is(const char *text, unsigned decimals, int64_t want)
{
	struct reader *r = reader_of_memory(str_from(text), 0);
	struct json *j = json_new(r);
	int64_t got = 0;
	bool ok = json_number(j, decimals, &got);
	tap_ok(ok && got == want, "%s with %u decimals is %lld (got %lld)", text, decimals,
	       (long long)want, (long long)got);
	json_free(j);
	reader_free(r);
}

static void test_numbers(void)
{
	number_is("0", 0, 0);
	number_is("-0", 3, 0);
	number_is("12.5", 3, 12500);
	number_is("12.5", 0, 13);
	number_is("12.4999999", 0, 12);
	number_is("-12.5", 0, -13);
	number_is("0.0005", 3, 1);
	number_is("0.00049", 3, 0);
	number_is("0.1", 9, 100000000);
	number_is("1e3", 0, 1000);
	number_is("1.5e3", 0, 1500);
	number_is("1.5E+3", 2, 150000);
	number_is("25e-1", 0, 3);
	number_is("1e-20", 9, 0);
	number_is("1e-2000000000000", 9, 0);
	number_is("9007199254740993", 0, 9007199254740993);
	number_is("9223372036854775807", 0, INT64_MAX);
	number_is("9223372036854775808", 0, INT64_MAX);
	number_is("-9223372036854775808", 0, INT64_MIN);
	number_is("-1e30", 0, INT64_MIN);
	number_is("1e999", 0, INT64_MAX);
	number_is("1e99999999999999999999", 9, INT64_MAX);
	number_is("0e99", 9, 0);
	number_is("123456789012345678901234567890", 0, INT64_MAX);
	number_is("0.123456789012345678901234567890", 9, 123456789);
	number_is("1700000000.123456789", 9, 1700000000123456789);
	number_is("100000000000000000000e-10", 0, 10000000000);
	number_is("184467440737095516.15", 2, INT64_MAX);
	reads("18446744073709551615", "18446744073709551615e-0");
	reads("184467440737095516150", "18446744073709551615e-0"); /* held */
	reads("-", " ! the input ends inside a number at 1, cut");
	reads("1.5e", " ! the input ends inside a number at 4, cut");
	reads("0.30000000000000004", "3e-1");
	reads("[1.50,2.0,-0.25]", "[15e-1 2e-0 -25e-2 ]");
	reads("1.000000000000000000000000000001", "1e-0");
	reads("[-]", "[ ] ! invalid number at 1");
	reads("[1-2]", "[ ] ! invalid number at 1");
	reads("[12,1e]", "[12e-0  ] ! invalid number at 4");
	reads("[1.2.3]", "[ ] ! invalid number at 1");
	reads("[+1]", "[ ] ! invalid JSON value at 1");
	reads("12", "12e-0");
}

static void test_long_number(void)
{
	AUTO(buf) struct buf text = { 0 };
	AUTO(buf) struct buf got = { 0 };
	for (int i = 0; i < 1024; i++)
		buf_add_char(&text, '9');
	describe(buf_str(&text), 0, false, &got);
	tap_str_eq(buf_str(&got), STR("18446744073709551615e-0"), "1,024 digits are a number");
	buf_add_char(&text, '9');
	describe(buf_str(&text), 0, false, &got);
	tap_str_eq(buf_str(&got), STR(" ! a number has more than 1,024 digits at 0"),
		   "1,025 digits are too many");
	tap_ok(agrees_in_pieces(buf_str(&text), false), "in pieces, too");
}

static void test_structure(void)
{
	reads("", " ! the input ends where a value is expected at 0, cut");
	reads("  ", " ! the input ends where a value is expected at 2, cut");
	reads("[1,]", "[1e-0 ] ! trailing comma at 3");
	reads("[1 2]", "[1e-0 ] ! missing comma at 3");
	reads("[1}", "[1e-0 ] ! missing comma at 2");
	reads("[,1]", "[ ] ! invalid JSON value at 1");
	reads("{1:2}", "{} ! an object key is not a string at 1");
	reads("{\"a\" 1}", "{} ! missing colon after an object key at 5");
	reads("{\"a\":}", "{a=} ! invalid JSON value at 5");
	reads("{\"a\"", "{} ! the input ends inside an object at 4, cut");
	reads("{\"a\":", "{a=} ! the input ends where a value is expected at 5, cut");
	reads("{\"a\":1", "{a=1e-0} ! the input ends inside an object at 6, cut");
	reads("[1", "[1e-0 ] ! the input ends inside an array at 2, cut");
	reads("[tru]", "[ ] ! invalid word at 1");
	reads("[tru", "[ ] ! the input ends inside true, false or null at 4, cut");
	reads("[nul", "[ ] ! the input ends inside true, false or null at 4, cut");
	reads("nil", " ! invalid word at 0");
	reads("1 x", "1e-0 ! extra text after the end of the JSON at 2");
	reads("{}{}", "{} ! extra text after the end of the JSON at 2");
	AUTO(buf) struct buf got = { 0 };
	describe((struct str){ "[\0]", 3 }, 0, false, &got);
	tap_str_eq(buf_str(&got), STR("[ ] ! invalid JSON value at 1"),
		   "a NUL is no end of the input");
}

static void test_depth(void)
{
	AUTO(buf) struct buf text = { 0 };
	AUTO(buf) struct buf got = { 0 };
	for (unsigned i = 0; i < JSON_MAX_DEPTH; i++)
		buf_add_char(&text, '[');
	for (unsigned i = 0; i < JSON_MAX_DEPTH; i++)
		buf_add_char(&text, ']');
	describe(buf_str(&text), 0, true, &got);
	tap_str_eq(buf_str(&got), STR(""), "the deepest nesting is skipped");
	struct reader *r = reader_of_memory(buf_str(&text), 0);
	struct json *j = json_new(r);
	unsigned depth = 0;
	while (json_array(j) && ++depth && json_element(j))
		;
	tap_num_eq(depth, JSON_MAX_DEPTH, "and entered");
	json_free(j);
	reader_free(r);
	text.p[JSON_MAX_DEPTH] = '[';
	describe(buf_str(&text), 0, true, &got);
	tap_ok(str_find(buf_str(&got), STR("nested too deeply at 1048576")) >= 0,
	       "one more is too deep (%.*s)", STR_ARG(buf_str(&got)));
	r = reader_of_memory(buf_str(&text), 0);
	j = json_new(r);
	for (depth = 0; json_array(j) && json_element(j); depth++)
		;
	tap_ok(depth == JSON_MAX_DEPTH && json_offset(j) == JSON_MAX_DEPTH && !json_is_cut(j),
	       "the same when it is entered");
	json_free(j);
	reader_free(r);
}

/* Longer than any window. */
static void test_long_strings(void)
{
	AUTO(buf) struct buf text = { 0 };
	buf_addf(&text, "[\"");
	for (int i = 0; i < 300000; i++)
		buf_add(&text, i % 100 == 99 ? STR("\\n") : STR("x"));
	buf_addf(&text, "\",7]");
	struct reader *r = reader_of_memory(buf_str(&text), 1000);
	struct json *j = json_new(r);
	struct str s = { 0 };
	int64_t seven = 0;
	bool ok = json_array(j) && json_element(j) && json_string(j, &s);
	tap_num_eq(ok ? s.n : 0, 300000, "a string of 300,000 bytes in pieces of 1,000");
	tap_ok(ok && s.p[99] == '\n' && s.p[100] == 'x', "with its escapes");
	tap_ok(json_element(j) && json_number(j, 0, &seven) && seven == 7,
	       "what follows it is there");
	json_free(j);
	reader_free(r);
	buf_reserve(&text, JSON_MAX_STRING_BYTES);
	memset(text.p + 2, 'x', JSON_MAX_STRING_BYTES + 2);
	text.n = (size_t)JSON_MAX_STRING_BYTES + 4;
	text.p[text.n - 1] = '"';
	r = reader_of_memory(buf_str(&text), 0);
	j = json_new(r);
	ok = json_array(j) && json_element(j) && json_string(j, &s);
	tap_ok(!ok && json_fault(j) && json_offset(j) == 1, "a string beyond 64 MB is a fault");
	json_free(j);
	reader_free(r);
}

/* Cut at every byte: always cut, always at the end, the same in pieces, read or skipped. */
static void test_cut(void)
{
	struct str text = STR("{\"a\" : [1, -2.5e3,\"x\\u00e9\\\\y\", true,null ,{\"b\":[ ]}],"
			      " \"\\\"c\":{\"d\":\"long enough for a word\"}}");
	unsigned wrong = 0;
	for (size_t n = 0; n < text.n; n++) {
		struct reader *r = reader_of_memory(str_first(text, n), 0);
		struct json *j = json_new(r);
		AUTO(buf) struct buf ignored = { 0 };
		dump_value(j, &ignored);
		wrong += !json_is_cut(j) || json_offset(j) != n;
		json_free(j);
		reader_free(r);
		wrong += !agrees_in_pieces(str_first(text, n), false);
		wrong += !agrees_in_pieces(str_first(text, n), true);
	}
	tap_num_eq(wrong, 0, "cut at each of %zu bytes", text.n);
	tap_ok(agrees_in_pieces(text, false) && agrees_in_pieces(text, true), "and not cut");
}

/* Each function takes the value whatever it is. */
static void test_other_types(void)
{
	struct str all = STR("[1,\"s\",true,null,[1],{\"a\":1}]"), text;
	static const char *const names[] = { "object", "array", "string", "number", "bool" };
	static const bool fits[5][6] = {
		{ 0, 0, 0, 0, 0, 1 }, { 0, 0, 0, 0, 1, 0 }, { 0, 1, 0, 0, 0, 0 },
		{ 1, 0, 0, 0, 0, 0 }, { 0, 0, 1, 0, 0, 0 },
	};
	for (unsigned f = 0; f < 5; f++) {
		struct reader *r = reader_of_memory(all, 3);
		struct json *j = json_new(r);
		bool ok = json_array(j), flag;
		int64_t number;
		unsigned i = 0;
		for (; json_element(j); i++) {
			bool got = f == 0   ? json_object(j)
				   : f == 1 ? json_array(j)
				   : f == 2 ? json_string(j, &text)
				   : f == 3 ? json_number(j, 0, &number)
					    : json_bool(j, &flag);
			ok &= i < 6 && got == fits[f][i];
			while (got && f == 0 && json_key(j, &text))
				json_skip(j);
			while (got && f == 1 && json_element(j))
				json_skip(j);
		}
		tap_ok(ok && i == 6 && json_at_end(j) && json_depth(j) == 0,
		       "json_%s takes what is none, too", names[f]);
		json_free(j);
		reader_free(r);
	}
}

static void indices(struct str text, size_t step, struct buf *out)
{
	struct reader *r = reader_of_memory(text, step);
	struct json *j = json_new(r);
	uint32_t index;
	out->n = 0;
	json_array(j);
	while (json_index(j, &index))
		if (index == INDEX_NONE)
			buf_addf(out, "none ");
		else
			buf_addf(out, "%u ", index);
	json_at_end(j);
	if (json_fault(j))
		buf_addf(out, "! %s at %llu", json_fault(j), (unsigned long long)json_offset(j));
	json_free(j);
	reader_free(r);
}

static void test_indices(void)
{
	static const struct {
		struct str text, want;
	} cases[] = {
		{ STR("[1,22,333,4444,123456789,1234567890]"),
		  STR("1 22 333 4444 123456789 1234567890 ") },
		{ STR("[ 1 ,\n2\t, 3 ]                     "), STR("1 2 3 ") },
		{ STR("[]"), STR("") },
		{ STR("[4294967294,4294967295,99999999999999999999]"),
		  STR("4294967294 none none ") },
		{ STR("[-1,1.5,2.0,3e1,null,\"4\",[5],{\"a\":6},7]"),
		  STR("none none 2 30 none none none none 7 ") },
		{ STR("[1,,2]              "), STR("1 ! invalid JSON value at 3") },
		{ STR("[1,]              "), STR("1 ! trailing comma at 3") },
		{ STR("[1 2]              "), STR("1 ! missing comma at 3") },
		{ STR("[12"), STR("12 ! the input ends inside an array at 3") },
		{ STR("[12x34567890123]   "), STR("12 ! missing comma at 3") },
	};
	AUTO(buf) struct buf got = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		indices(cases[i].text, 0, &got);
		tap_str_eq(buf_str(&got), cases[i].want, "indices %.*s", STR_ARG(cases[i].text));
		for (size_t step = 1; step < 20; step++) {
			indices(cases[i].text, step, &got);
			if (!str_eq(buf_str(&got), cases[i].want))
				tap_str_eq(buf_str(&got), cases[i].want, "in steps of %zu", step);
		}
	}
}

/* Every string of bytes comes back from JSON_BYTES; JSON_TEXT has no broken UTF-8. */
static void test_writing(void)
{
	AUTO(buf) struct buf bytes = { 0 };
	struct json_out out = { .strings = JSON_BYTES };
	struct str back = { 0 };
	for (int c = 0; c < 256; c++)
		buf_add_char(&bytes, (char)c);
	buf_addf(&bytes, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xed\xa0\x80 \xc0\xaf "
			 "\xef\xbf\xbd \xe2\x80\xae");
	json_out_string(&out, NULL, buf_str(&bytes));
	for (size_t step = 0; step < 4; step++) {
		struct reader *r = reader_of_memory(buf_str(&out.text), step);
		struct json *j = json_new(r);
		bool ok = json_string(j, &back) && json_at_end(j);
		tap_ok(ok && str_eq(back, buf_str(&bytes)), "all bytes come back, step %zu", step);
		json_free(j);
		reader_free(r);
	}
	bool is_plain = true;
	for (size_t i = 0; i < out.text.n; i++)
		is_plain &= out.text.p[i] != '<' && out.text.p[i] != '&' &&
			    (unsigned char)out.text.p[i] >= ' ';
	tap_ok(is_plain, "nothing in it that XML or a terminal would take for its own");
	buf_fini(&out.text);
}

static void check_text(struct str text, enum json_text strings, const char *want)
{
	struct json_out out = { .strings = strings };
	json_out_string(&out, NULL, text);
	tap_str_eq(buf_str(&out.text), str_from(want), "written: %s", want);
	buf_fini(&out.text);
}

static void test_texts(void)
{
	check_text(STR("a\xff<\n"), JSON_TEXT, "\"a\\ufffd\\u003c\\u000a\"");
	check_text(STR("a\xe2\x80\xae"), JSON_TEXT, "\"a\\u202e\"");
	check_text(STR(""), JSON_SHOWN, "\"\"");
	check_text(STR("plain 'text' /"), JSON_SHOWN, "\"plain 'text' /\"");
	check_text(STR("a\"b\\c"), JSON_SHOWN, "\"a\\u0022b\\u005cc\"");
	check_text(STR("</script>&"), JSON_SHOWN, "\"\\u003c/script\\u003e\\u0026\"");
	check_text(STR("\n\t\x01"), JSON_SHOWN, "\"\\u000a\\u0009\\u0001\"");
	check_text(STR("\xff\xef\xbf\xbe"), JSON_SHOWN, "\"\\ufffd\\ufffe\"");
	check_text(STR("a\xe2\x80\xae"), JSON_SHOWN, "\"a\\ufffd\"");
	check_text(STR("\xe6\x97\xa5\xf0\x9f\x94\xa5"), JSON_SHOWN,
		   "\"\xe6\x97\xa5\xf0\x9f\x94\xa5\"");
}

/* Commas and line breaks, in objects and arrays, full and empty. */
static void test_layout(void)
{
	struct json_out out = { 0 };
	json_out_open(&out, NULL, '{');
	json_out_u64(&out, "u64", UINT64_MAX);
	json_out_i64(&out, "i64", INT64_MIN);
	json_out_line(&out);
	json_out_open(&out, "list", '[');
	for (unsigned i = 0; i < 2; i++) {
		json_out_line(&out);
		json_out_bool(&out, NULL, i);
	}
	json_out_close(&out, ']');
	json_out_key(&out, STR("a\"b"));
	json_out_open(&out, NULL, '{');
	json_out_close(&out, '}');
	json_out_decimal(&out, "decimal", 1250, 3);
	json_out_real(&out, "real", 0.1);
	json_out_index(&out, "index", 7);
	json_out_index(&out, "none", INDEX_NONE);
	buf_addf(json_out_value(&out, "own"), "%s", "0");
	json_out_close(&out, '}');
	tap_str_eq(buf_str(&out.text),
		   STR("{\"u64\":18446744073709551615,\"i64\":-9223372036854775808,\n"
		       "\"list\":[\nfalse,\ntrue],\"a\\u0022b\":{},\"decimal\":1.25,"
		       "\"real\":0.1,\"index\":7,\"none\":null,\"own\":0}"),
		   "commas and line breaks");
	buf_fini(&out.text);
}

int main(void)
{
	test_values();
	test_strings();
	test_numbers();
	test_long_number();
	test_structure();
	test_depth();
	test_long_strings();
	test_cut();
	test_other_types();
	test_indices();
	test_writing();
	test_texts();
	test_layout();
	return tap_done();
}
