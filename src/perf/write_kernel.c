/*
 * The addresses of the kernel and its modules, as records that perf record puts before all others
 * and that perf needs to name kernel functions (machine__create_kernel_maps).
 */
#include "perf/write_int.h"

#include <sys/utsname.h>

enum { MAX_KALLSYMS_BYTES = 256 << 20, MAX_MODULES_BYTES = 16 << 20 };

static void write_mapping(struct perf_data_writer *w, const struct written_section *place,
			  uint64_t file_offset, struct str path)
{
	const struct perf_ids none = { .cpu = 0 };
	written_record_begin(w, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	put_u32(&w->record, (uint32_t)-1); /* pid: none */
	put_u32(&w->record, 0);
	put_u64(&w->record, place->offset);
	put_u64(&w->record, place->size_bytes);
	put_u64(&w->record, file_offset);
	buf_add(&w->record, path);
	put_zeros(&w->record, 8 - path.n % 8);
	written_record_add_ids(w, &none);
	written_record_end(w);
}

/* Parses the number at the start of text. 0 if there is none, or if the kernel hides addresses. */
static uint64_t read_address(struct str text)
{
	uint64_t address = 0;
	for (size_t i = 0; i < text.n && is_hex(text.p[i]); i++) {
		int digit = is_digit(text.p[i]) ? text.p[i] - '0' : (text.p[i] | 0x20) - 'a' + 10;
		address = address << 4 | (uint64_t)digit;
	}
	return address;
}

/* The address in the line with that end: `ffffffff81000000 T _text`. */
static uint64_t address_of(struct str kallsyms, struct str line_end)
{
	ptrdiff_t at = str_find(kallsyms, line_end);
	struct str before = str_first(kallsyms, at < 0 ? 0 : (size_t)at);
	return read_address(str_from_byte(before, (size_t)(str_find_last_char(before, '\n') + 1)));
}

static void write_kernel_text(struct perf_data_writer *w)
{
	struct err e = { 0 };
	struct reader *r = reader_open("/proc/kallsyms", &e);
	if (!r)
		return;
	reader_fill_all(r, MAX_KALLSYMS_BYTES);
	uint64_t start = address_of(reader_window(r), STR(" T _text\n"));
	uint64_t end = address_of(reader_window(r), STR(" T _etext\n"));
	reader_free(r);
	struct written_section place = { start, end > start ? end - start : 0 };
	if (place.size_bytes)
		write_mapping(w, &place, start, STR("[kernel.kallsyms]_text"));
}

/* --- modules --- */

/* - and _ are equivalent in module names. */
static bool is_module_file(struct str path, struct str name)
{
	struct str base = str_basename(path);
	if (base.n < name.n + 3 || memcmp(base.p + name.n, ".ko", 3) != 0)
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (base.p[i] != name.p[i] && !(base.p[i] == '-' && name.p[i] == '_'))
			return false;
	return true;
}

static struct str take_line(struct str *text)
{
	ptrdiff_t end = str_find_char(*text, '\n');
	struct str line = str_first(*text, end < 0 ? text->n : (size_t)end);
	*text = str_from_byte(*text, line.n + 1);
	return line;
}

static struct str take_word(struct str *line)
{
	ptrdiff_t end = str_find_char(*line, ' ');
	struct str word = str_first(*line, end < 0 ? line->n : (size_t)end);
	*line = str_from_byte(*line, word.n + 1);
	return word;
}

/* The file that the module was loaded from, according to modules.dep; else its name, such as `[nf_tables]`. */
static void add_module_path(struct str dependencies, struct str name, struct buf *path)
{
	struct utsname machine;
	while (dependencies.n && uname(&machine) == 0) {
		struct str line = take_line(&dependencies);
		ptrdiff_t colon = str_find_char(line, ':');
		struct str file = str_first(line, colon < 0 ? 0 : (size_t)colon);
		if (!is_module_file(file, name))
			continue;
		buf_addf(path, "/lib/modules/%s/%.*s", machine.release, STR_ARG(file));
		return;
	}
	buf_addf(path, "[%.*s]", STR_ARG(name));
}

/* `nf_tables 331776 215 nft_chain_nat,nft_compat, Live 0xffffffffc0a5e000` */
static void write_module(struct perf_data_writer *w, struct str line, struct str dependencies)
{
	AUTO(buf) struct buf path = { 0 };
	struct written_section place = { 0 };
	struct str name = take_word(&line);
	bool has_size = str_to_u64(take_word(&line), &place.size_bytes);
	ptrdiff_t at = str_find(line, STR(" 0x"));
	if (!has_size || at < 0)
		return;
	place.offset = read_address(str_from_byte(line, (size_t)at + strlen(" 0x")));
	add_module_path(dependencies, name, &path);
	if (place.offset && place.size_bytes)
		write_mapping(w, &place, 0, buf_str(&path));
}

static void write_modules(struct perf_data_writer *w)
{
	struct err e = { 0 };
	struct utsname machine;
	AUTO(buf) struct buf path = { 0 };
	struct reader *r = reader_open("/proc/modules", &e);
	if (!r || uname(&machine) != 0) {
		reader_free(r);
		return;
	}
	buf_addf(&path, "/lib/modules/%s/modules.dep", machine.release);
	struct reader *dependencies = reader_open(buf_c_string(&path), &e);
	if (dependencies)
		reader_fill_all(dependencies, MAX_MODULES_BYTES);
	reader_fill_all(r, MAX_MODULES_BYTES);
	struct str text = reader_window(r);
	while (text.n)
		write_module(w, take_line(&text),
			     dependencies ? reader_window(dependencies) : STR(""));
	reader_free(dependencies);
	reader_free(r);
}

void perf_data_write_kernel(struct perf_data_writer *w)
{
	write_kernel_text(w);
	write_modules(w);
}
