/* Writes the offline page. doc/formats/page.md has its layout. */
#include "page/page_int.h"
#include "store/store.h"

#include <endian.h>
#include <libdeflate.h>

/* libdeflate's best level is slow, so it is only for small profiles, not for hours of samples. */
enum { BEST_LEVEL = 12, FAST_LEVEL = 6, MOST_BYTES_FOR_BEST = 16 << 20 };

/* --- packing --- */

static struct buf gzip(struct str raw)
{
	struct buf packed = { 0 };
	int level = raw.n <= MOST_BYTES_FOR_BEST ? BEST_LEVEL : FAST_LEVEL;
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(level);
	size_t room = libdeflate_gzip_compress_bound(c, raw.n);
	char *to = buf_reserve(&packed, room);
	packed.n = libdeflate_gzip_compress(c, raw.p, raw.n, to, room);
	libdeflate_free_compressor(c);
	return packed;
}

/* What tools/page-parts packed. */
static struct buf unpack(const struct page_part *part)
{
	struct buf raw = { 0 };
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	char *to = buf_reserve(&raw, part->bytes);
	if (libdeflate_gzip_decompress(d, part->gzip.p, part->gzip.n, to, part->bytes, NULL) ==
	    LIBDEFLATE_SUCCESS)
		raw.n = part->bytes;
	libdeflate_free_decompressor(d);
	return raw;
}

/* RFC 4648. */
static void add_base64(struct writer *out, struct str s)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	enum { CHUNK = 3 << 12 };
	char text[CHUNK / 3 * 4];
	while (s.n) {
		struct str part = str_first(s, s.n < CHUNK ? s.n : CHUNK);
		size_t n = 0;
		for (size_t i = 0; i < part.n; i += 3) {
			uint32_t bits = 0;
			for (size_t k = 0; k < 3; k++)
				bits = bits << 8 | (i + k < part.n ? (uint8_t)part.p[i + k] : 0);
			for (size_t k = 0; k < 4; k++)
				text[n++] =
					i + k > part.n ? '=' : digits[bits >> (18 - 6 * k) & 63];
		}
		writer_add(out, (struct str){ text, n });
		s = str_from_byte(s, part.n);
	}
}

/* --- parts of the page --- */

/* Data for the page, which the browser does not run. base64 cannot end the element. */
static void add_data(struct writer *out, const char *id, struct str gzip)
{
	AUTO(buf) struct buf head = { 0 };
	buf_addf(&head, "<script type=\"text/plain\" id=\"plume-%s\">", id);
	writer_add(out, buf_str(&head));
	add_base64(out, gzip);
	writer_add(out, STR("</script>\n"));
}

static void add_file(struct writer *out, uint32_t number, const struct profile *p)
{
	AUTO(buf) struct buf raw = { 0 };
	struct err none = { 0 };
	char id[20];
	struct writer *memory = writer_to_memory(&raw);
	struct store_writer *store = store_writer_new(memory);
	store_writer_set_copy(store);
	store_writer_end(store, p);
	writer_commit(memory, &none);
	store_writer_free(store);
	writer_free(memory);
	AUTO(buf) struct buf packed = gzip(buf_str(&raw));
	snprintf(id, sizeof(id), "file-%u", number);
	add_data(out, id, buf_str(&packed));
}

static void add_u32(struct buf *b, size_t value)
{
	uint32_t number = htole32((uint32_t)value);
	buf_add(b, (struct str){ (const char *)&number, sizeof(number) });
}

static void add_sources(struct writer *out, const struct page_content *c)
{
	AUTO(buf) struct buf raw = { 0 };
	if (!c->source_count)
		return;
	for (uint32_t i = 0; i < c->source_count; i++) {
		const struct page_source *s = &c->sources[i];
		struct str origin = str_from(s->origin);
		add_u32(&raw, s->path.n);
		add_u32(&raw, s->text.n);
		add_u32(&raw, origin.n);
		buf_add(&raw, s->path);
		buf_add(&raw, s->text);
		buf_add(&raw, origin);
	}
	AUTO(buf) struct buf packed = gzip(buf_str(&raw));
	add_data(out, "sources", buf_str(&packed));
}

/* JSON whose strings are safe inside HTML. */
static void add_contents(struct writer *out, const struct page_content *c)
{
	struct json_out j = { .strings = JSON_SHOWN };
	json_out_open(&j, NULL, '{');
	json_out_string(&j, "title", str_from(c->title ? c->title : ""));
	json_out_string(&j, "state", c->state);
	json_out_bool(&j, "hasSources", c->source_count > 0);
	json_out_open(&j, "files", '[');
	for (uint32_t i = 0; i < c->file_count; i++) {
		json_out_open(&j, NULL, '{');
		json_out_string(&j, "name", c->files[i].name);
		json_out_bool(&j, "shown", c->files[i].is_shown);
		json_out_close(&j, '}');
	}
	json_out_close(&j, ']');
	json_out_close(&j, '}');
	writer_add(out, STR("<script type=\"application/json\" id=\"plume-page\">"));
	writer_add(out, buf_str(&j.text));
	writer_add(out, STR("</script>\n"));
	buf_fini(&j.text);
}

static void add_escaped(struct buf *out, struct str s)
{
	for (size_t at = 0; at < s.n;) {
		size_t start = at;
		uint32_t code = utf8_next(s, &at);
		if (code == '<' || code == '&')
			buf_add(out, code == '<' ? STR("&lt;") : STR("&amp;"));
		else if (code == UTF8_REPLACEMENT || code < 0x20)
			buf_add(out, STR("\xef\xbf\xbd"));
		else
			buf_add(out, (struct str){ s.p + start, at - start });
	}
}

/*
 * The script, which comes last, removes the sentence: it stays if the file was cut.
 *
 * Allows only the page's own script and style and the engine's WebAssembly; forbids
 * requests.
 */
static void add_head(struct writer *out, const struct page_content *c)
{
	AUTO(buf) struct buf head = { 0 };
	buf_addf(&head,
		 "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		 "script-src '%s' 'wasm-unsafe-eval'; style-src '%s'; worker-src blob:; "
		 "img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
		 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		 "<meta name=\"referrer\" content=\"no-referrer\">\n"
		 "<meta name=\"generator\" content=\"plume %s\">\n<title>",
		 page_js.hash, page_css.hash, PLUME_VERSION);
	add_escaped(&head, c->title ? str_from(c->title) : c->files[0].name);
	buf_add(&head, STR("</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>"));
	writer_add(out, buf_str(&head));
	AUTO(buf) struct buf style = unpack(&page_css);
	writer_add(out, buf_str(&style));
	writer_add(out, STR("</style>\n</head>\n<body>\n<p id=\"plume-fallback\">This page is "
			    "incomplete or needs JavaScript. It makes no network requests.</p>\n"));
}

bool page_can_be_written(struct err *e)
{
	return page_engine_wasm.bytes ||
	       err_set(e, "this plume was built without offline pages: building them needs clang, "
			  "lld, wasi-libc and clang's WebAssembly runtime");
}

bool page_write(const struct page_content *c, struct writer *out, struct err *e)
{
	if (!page_can_be_written(e))
		return false;
	add_head(out, c);
	add_contents(out, c);
	add_data(out, "engine", page_engine_wasm.gzip);
	for (uint32_t i = 0; i < c->file_count; i++)
		add_file(out, i + 1, c->files[i].profile);
	add_sources(out, c);
	writer_add(out, STR("<script type=\"text/plain\" id=\"plume-worker\">"));
	AUTO(buf) struct buf worker = unpack(&page_worker_js);
	writer_add(out, buf_str(&worker));
	writer_add(out, STR("</script>\n<script>"));
	AUTO(buf) struct buf script = unpack(&page_js);
	writer_add(out, buf_str(&script));
	writer_add(out, STR("</script>\n</body>\n</html>\n"));
	return true;
}
