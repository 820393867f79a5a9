/* Text from anywhere as text in XML, and in JSON that is inside XML. */
#include "random.h"
#include "sink/xml.h"
#include "tap.h"

static void check_xml(struct str text, const char *want)
{
	AUTO(buf) struct buf got = { 0 };
	xml_add(&got, text);
	tap_str_eq(buf_str(&got), str_from(want), "XML: %s", want);
}

/* Only characters that XML has, https://www.w3.org/TR/xml/#charsets, and no markup. */
static bool is_xml_text(struct str s)
{
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;" };
	for (size_t at = 0; at < s.n;) {
		size_t start = at, known = 0;
		uint32_t code = utf8_next(s, &at);
		bool is_broken = code == UTF8_REPLACEMENT && at - start == 1;
		if (is_broken || code == '<' || code == '>' || code == '"' ||
		    (code < 0x20 && code != '\t' && code != '\n' && code != '\r') ||
		    code == 0xfffe || code == 0xffff)
			return false;
		for (size_t i = 0; code == '&' && i < ARRAY_SIZE(entities); i++)
			known += str_starts(str_from_byte(s, start), str_from(entities[i]));
		if (code == '&' && !known)
			return false;
	}
	return true;
}

/* In quotes; neither quotes nor control characters nor markup inside; escapes are whole. */
static bool is_json_string(struct str s)
{
	if (s.n < 2 || s.p[0] != '"' || s.p[s.n - 1] != '"')
		return false;
	for (size_t i = 1; i < s.n - 1; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if (c < 0x20 || c == '"' || c == '<' || c == '>' || c == '&')
			return false;
		if (c != '\\')
			continue;
		if (i + 5 >= s.n - 1 || s.p[i + 1] != 'u')
			return false;
		for (size_t k = i + 2; k < i + 6; k++)
			if (!is_hex(s.p[k]))
				return false;
		i += 5;
	}
	return is_xml_text((struct str){ s.p + 1, s.n - 2 });
}

static void check_random(void)
{
	static const char bytes[] = "a<>&\"'\\/\x01\x1f \t\n\r\x7f\x80\x9f\xc2\xa0\xe2\x80\xa8\xef"
				    "\xbf\xbe\xbd\xf0\x9f\x98\x80\xff\xed\0;u-]";
	unsigned bad_xml = 0, bad_json = 0;
	for (unsigned round = 0; round < 100000; round++) {
		char text[12];
		struct str s = { text, random_below(sizeof(text) + 1) };
		AUTO(buf) struct buf xml = { 0 };
		struct json_out json = { .strings = JSON_SHOWN };
		for (size_t i = 0; i < s.n; i++)
			text[i] = bytes[random_below(sizeof(bytes) - 1)];
		xml_add(&xml, s);
		json_out_string(&json, NULL, s);
		bad_xml += !is_xml_text(buf_str(&xml));
		bad_json += !is_json_string(buf_str(&json.text));
		buf_fini(&json.text);
	}
	tap_num_eq(bad_xml, 0, "random bytes become text of XML");
	tap_num_eq(bad_json, 0, "random bytes become a string of JSON without markup");
}

int main(void)
{
	check_xml(STR(""), "");
	check_xml(STR("plain text, 'quoted'"), "plain text, 'quoted'");
	check_xml(STR("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
	check_xml(STR("&amp;"), "&amp;amp;");
	check_xml(STR("]]>"), "]]&gt;");
	check_xml(STR("tab\there"), "tab\there");
	check_xml(STR("\x01\x1b[0m"), "\xef\xbf\xbd\xef\xbf\xbd[0m");
	check_xml(STR("a\0b"), "a\xef\xbf\xbd"
			       "b");
	check_xml(STR("\xff\xfe"), "\xef\xbf\xbd\xef\xbf\xbd");
	check_xml(STR("\xef\xbf\xbe"), "\xef\xbf\xbd");
	check_xml(STR("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	check_xml(STR("na\xc3\xafve \xf0\x9f\x94\xa5"), "na\xc3\xafve \xf0\x9f\x94\xa5");
	check_xml(STR("cut \xe6\x97"), "cut \xef\xbf\xbd\xef\xbf\xbd");
	check_random();
	return tap_done();
}
