/* Symbols by address: which count, which name wins, stubs of the PLT; damaged files. */
#include "elf/elf.h"
#include "elf_fixtures.h"
#include "random.h"
#include "symbol/symbol.h"

static const struct symbol_options no_options;

static struct binary *open_bytes(struct str bytes)
{
	struct binary_id id = { .path = STR("/fixture") };
	return binary_of_memory(&id, bytes, &no_options);
}

struct expected {
	uint64_t address, start;
	struct str name; /* empty: none is known */
	const char *what;
};

static void check_symbols(const char *file, const struct expected *expected, size_t n)
{
	AUTO(buf) struct buf bytes = { 0 };
	fixture_bytes(file, &bytes);
	struct binary *b = open_bytes(buf_str(&bytes));
	for (size_t i = 0; i < n; i++) {
		struct binary_symbol found = { 0 };
		bool is_found = binary_find_symbol(b, expected[i].address, &found);
		tap_str_eq(is_found ? found.name : STR(""), expected[i].name, "%s: %s", file,
			   expected[i].what);
		if (is_found && expected[i].name.n)
			tap_num_eq(found.start, expected[i].start, "%s: %s: its start", file,
				   expected[i].what);
	}
	binary_free(b);
}

static void check_kinds_of_symbols(void)
{
	static const struct expected symbols[] = {
		{ 0x1ffff, 0, STR(""), "before the first symbol" },
		{ 0x20000, 0x20000, STR("plain"), "the first byte" },
		{ 0x2000f, 0x20000, STR("plain"), "the last byte" },
		{ 0x20010, 0x20010, STR("longer_alias"), "global, few underscores, longest" },
		{ 0x2001f, 0x20010, STR("longer_alias"), "aliases, last byte" },
		{ 0x20020, 0x20020, STR("outer"), "outer before inner" },
		{ 0x20033, 0x20030, STR("inner"), "inner" },
		{ 0x20035, 0x20034, STR("innermost"), "innermost" },
		{ 0x20038, 0x20030, STR("inner"), "inner again behind the innermost" },
		{ 0x20040, 0x20020, STR("outer"), "outer again behind the inner" },
		{ 0x20058, 0x20020, STR("outer"), "a label inside a function is a place in it" },
		{ 0x20060, 0x20060, STR("label"), "a label without a size" },
		{ 0x2006f, 0x20060, STR("label"), "a label reaches to the next symbol" },
		{ 0x20077, 0x20070, STR("after_label"), "what ends a label" },
		{ 0x20078, 0, STR(""), "between symbols" },
		{ 0x20088, 0x20080, STR("table_in_code"), "an object inside code" },
		{ 0x20090, 0x20090, STR("_ZN3fooC1Ev"), "the first of equals" },
		{ 0x200a1, 0x200a0, STR("only_local"), "a local function" },
		{ 0x200bf, 0x200b0, STR("last_label"), "a last label, to its section's end" },
		{ 0x200c0, 0, STR(""), "behind its section" },
		{ 0x1810, 0, STR(""), "data" },
		{ UINT64_MAX, 0, STR(""), "the last address" },
	};
	check_symbols("normal.so", symbols, ARRAY_SIZE(symbols));
	check_symbols("mini.so", symbols, ARRAY_SIZE(symbols));
	/* All but the one that is not code there. */
	check_symbols("narrow.so", symbols, ARRAY_SIZE(symbols) - 2);
	check_symbols("static-pie", symbols, ARRAY_SIZE(symbols) - 2);
}

static void check_exported_symbols(void)
{
	static const struct expected symbols[] = {
		{ 0x2000f, 0x20000, STR("plain"), "an exported function" },
		{ 0x200a1, 0, STR(""), "a local function" },
	};
	check_symbols("stripped.so", symbols, ARRAY_SIZE(symbols));
}

/* --- labels without a size --- */

static void check_labels(const char *file)
{
	static const struct expected symbols[] = {
		{ 0x20000, 0x20000, STR("no_entry"), "a label without an entry in .eh_frame" },
		{ 0x20006, 0x20000, STR("no_entry"), "over a short jump ahead" },
		{ 0x20013, 0x20000, STR("no_entry"), "over a return, to where it branches" },
		{ 0x20014, 0, STR(""), "to its last return" },
		{ 0x20020, 0, STR(""), "a local function without an entry" },
		{ 0x20030, 0, STR(""), "a local function with an entry" },
		{ 0x2004f, 0x20040, STR("with_entry"), "all of the entry it begins" },
		{ 0x20050, 0, STR(""), "behind its entry" },
		{ 0x2006f, 0x20060, STR("first_of_two"), "the first label in an entry" },
		{ 0x20070, 0x20070, STR("second_of_two"), "the second label in an entry" },
		{ 0x2007f, 0x20070, STR("second_of_two"), "to the end of the entry" },
		{ 0x20087, 0x20080, STR("short_size"), "a size is believed, not a shorter entry" },
		{ 0x20088, 0, STR(""), "behind a short size" },
		{ 0x20094, 0x20090, STR("calls_last"), "a jump far ahead is a part of it" },
		{ 0x20095, 0, STR(""), "and its last one" },
		{ 0x200a1, 0x200a0, STR("never_ends"), "a loop without an end" },
		{ 0x200a2, 0, STR(""), "what is behind it" },
	};
	static const struct {
		uint64_t address, start;
	} starts[] = {
		{ 0x20014, 0 },
		{ 0x2002f, 0 },
		{ 0x20030, 0x20030 },
		{ 0x2003f, 0x20030 },
		{ 0x20041, 0x20040 },
		{ 0x20050, 0 },
		{ 0x20070, 0x20060 },
		{ 0x2007f, 0x20060 },
		{ 0x20080, 0x20080 },
		{ 0x20081, 0 },
		{ 0, 0 },
		{ UINT64_MAX, 0 },
	};
	AUTO(buf) struct buf bytes = { 0 };
	check_symbols(file, symbols, ARRAY_SIZE(symbols));
	fixture_bytes(file, &bytes);
	struct binary *b = open_bytes(buf_str(&bytes));
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		uint64_t start = 0;
		bool is_found = binary_find_start(b, starts[i].address, &start);
		tap_ok(is_found == (starts[i].start != 0) && start == starts[i].start,
		       "%s: the function at %llx", file, (unsigned long long)starts[i].address);
	}
	binary_free(b);
}

static void check_labels_of_full_table(void)
{
	static const struct expected symbols[] = {
		{ 0x2001f, 0x20000, STR("no_entry"), "a label reaches to the next one" },
		{ 0x20020, 0x20020, STR("local_one"), "a local label" },
		{ 0x2002f, 0x20020, STR("local_one"), "up to the next entry" },
		{ 0x2003f, 0x20030, STR("local_two"), "a local label with an entry" },
		{ 0x20050, 0, STR(""), "behind an entry" },
		{ 0x2009f, 0x20090, STR("calls_last"), "a label behind a jump" },
	};
	check_symbols("labels.so", symbols, ARRAY_SIZE(symbols));
}

/* --- stubs --- */

struct stub {
	const char *section;
	uint64_t offset;
	struct str name;
};

static void check_stubs(const char *file, const struct stub *stubs, size_t n)
{
	AUTO(buf) struct buf bytes = { 0 };
	fixture_bytes(file, &bytes);
	struct binary *b = open_bytes(buf_str(&bytes));
	for (size_t i = 0; i < n; i++) {
		struct binary_symbol found = { 0 };
		const struct elf_section *s =
			elf_find_section(binary_code(b), str_from(stubs[i].section));
		bool is_found = s && binary_find_symbol(b, s->address + stubs[i].offset, &found);
		tap_str_eq(is_found ? found.name : STR(""), stubs[i].name, "%s: %s+%llu", file,
			   stubs[i].section, (unsigned long long)stubs[i].offset);
	}
	binary_free(b);
}

static void check_plt(void)
{
	/* In the order of the stubs, which is not the order of the relocations. */
	static const struct stub normal[] = {
		{ ".plt", 0, STR(".plt") },
		{ ".plt", 16, STR("second_import@plt") },
		{ ".plt", 31, STR("second_import@plt") },
		{ ".plt", 32, STR("chosen@plt") },
		{ ".plt", 48, STR("first_import@plt") },
		{ ".plt.got", 0, STR("both_import@plt") },
	};
	static const struct stub stripped[] = {
		{ ".plt", 16, STR("second_import@plt") },
		{ ".plt", 32, STR("chosen@plt") },
		{ ".plt.got", 7, STR("both_import@plt") },
	};
	static const struct stub second[] = {
		{ ".plt", 0, STR(".plt") },
		{ ".plt", 16, STR("second_import@plt") },
		{ ".plt", 47, STR("first_import@plt") },
		{ ".plt.sec", 0, STR("second_import@plt") },
		{ ".plt.sec", 31, STR("first_import@plt") },
		{ ".plt.got", 0, STR("both_import@plt") },
	};
	static const struct stub narrow[] = {
		{ ".plt", 0, STR(".plt") },
		{ ".plt", 16, STR("second_import@plt") },
		{ ".plt", 32, STR("first_import@plt") },
		{ ".plt.got", 0, STR("both_import@plt") },
	};
	static const struct stub aarch64[] = {
		{ ".plt", 0, STR(".plt") },
		{ ".plt", 32, STR("both_import@plt") },
		{ ".plt", 48, STR("first_import@plt") },
		{ ".plt", 79, STR("second_import@plt") },
		{ ".text", 0, STR("call_them") },
	};
	static const struct stub static_pie[] = { { ".plt", 16, STR("chosen@plt") } };
	check_stubs("normal.so", normal, ARRAY_SIZE(normal));
	check_stubs("stripped.so", stripped, ARRAY_SIZE(stripped));
	check_stubs("second-plt.so", second, ARRAY_SIZE(second));
	check_stubs("narrow.so", narrow, ARRAY_SIZE(narrow));
	check_stubs("aarch64.so", aarch64, ARRAY_SIZE(aarch64));
	check_stubs("static-pie", static_pie, ARRAY_SIZE(static_pie));
}

/* --- damage --- */

struct wanted {
	struct str name;
	uint64_t start;
	uint32_t seen, choosers;
};

static bool look_for(void *context, const struct binary_function *f)
{
	struct wanted *w = context;
	if (str_eq(f->name, w->name)) {
		w->start = f->start;
		w->seen++;
		w->choosers += f->is_chooser;
	}
	return true;
}

/* The copy has the exact size, so that ASan sees a read of one byte too many. */
static uint32_t look_around(struct str bytes)
{
	AUTO_FREE char *exact = mem_alloc(bytes.n ? bytes.n : 1, 1);
	memcpy(exact, bytes.p, bytes.n);
	struct binary *b = open_bytes((struct str){ exact, bytes.n });
	struct binary_symbol found;
	uint64_t start;
	uint32_t n = 0;
	for (uint64_t address = 0x610; address < 0x6b0; address += 16)
		n += binary_find_symbol(b, address, &found);
	for (uint64_t address = 0x20000; address < 0x200c0; address += 8) {
		n += binary_find_symbol(b, address, &found) && found.name.p[0];
		if (binary_find_start(b, address, &start) && start > address)
			tap_ok(false, "a function that begins behind its address");
	}
	binary_visit_functions(b, look_for, &(struct wanted){ STR("plain") });
	(void)binary_trouble_of(b);
	binary_free(b);
	return n;
}

/* No name of the string table ends: what stands behind the table is none of theirs. */
static void check_endless_names(void)
{
	AUTO(buf) struct buf bytes = { 0 };
	struct err e = { 0 };
	struct binary_symbol found;
	fixture_bytes("normal.so", &bytes);
	struct elf *elf = elf_of_memory(buf_str(&bytes), "normal.so", &e);
	const struct elf_section *s = elf ? elf_find_section(elf, STR(".strtab")) : NULL;
	for (uint64_t i = 1; s && i < s->size_bytes; i++)
		if (!bytes.p[s->offset + i])
			bytes.p[s->offset + i] = 'x';
	elf_free(elf);
	struct binary *b = open_bytes(buf_str(&bytes));
	tap_ok(!binary_find_symbol(b, 0x200a0, &found), "a name without an end is none");
	tap_ok(binary_find_symbol(b, 0x20000, &found) && str_eq(found.name, STR("plain")),
	       "and gives way to one that has an end");
	binary_free(b);
}

/* --- by name --- */

static bool stop_at_once(void *context, const struct binary_function *f)
{
	(void)f;
	++*(uint32_t *)context;
	return false;
}

static void check_functions_by_name(const char *file)
{
	AUTO(buf) struct buf bytes = { 0 };
	struct wanted plain = { STR("plain") }, weak = { STR("weak_and_very_long_name") },
		      chosen = { STR("chosen") };
	uint32_t visits = 0;
	uint64_t offset = 0;
	fixture_bytes(file, &bytes);
	struct binary *b = open_bytes(buf_str(&bytes));
	binary_visit_functions(b, look_for, &plain);
	binary_visit_functions(b, look_for, &weak);
	binary_visit_functions(b, look_for, &chosen);
	binary_visit_functions(b, stop_at_once, &visits);
	tap_ok(plain.seen && plain.start == 0x20000, "%s: a function by its name", file);
	tap_ok(weak.seen && weak.start == 0x20010, "%s: by a name that is never shown", file);
	tap_ok(chosen.seen && chosen.choosers == chosen.seen, "%s: one that only chooses", file);
	tap_num_eq(visits, 1, "%s: a visit that ends", file);
	struct elf *elf = binary_code(b);
	tap_ok(elf && elf_offset_of_address(elf, 0x20010, &offset) && offset == 0x1010,
	       "%s: where in the file that is", file);
	tap_ok(elf && !elf_offset_of_address(elf, 0x200c0, &offset) &&
		       !elf_offset_of_address(elf, 0x1838, &offset) &&
		       !elf_offset_of_address(elf, UINT64_MAX, &offset),
	       "%s: what the file does not hold has no place in it", file);
	binary_free(b);
}

static void check_truncation(const char *file)
{
	AUTO(buf) struct buf bytes = { 0 };
	fixture_bytes(file, &bytes);
	uint32_t whole = look_around(buf_str(&bytes)), most = 0;
	for (size_t n = 0; n < bytes.n; n++) {
		uint32_t found = look_around(str_first(buf_str(&bytes), n));
		most = found > most ? found : most;
	}
	tap_ok(whole > 20 && most <= whole, "%s: cut anywhere, it has no more than before (%u)",
	       file, whole);
}

static void check_flips(const char *file, uint32_t times)
{
	AUTO(buf) struct buf bytes = { 0 };
	fixture_bytes(file, &bytes);
	uint32_t found = 0;
	for (uint32_t i = 0; i < times; i++) {
		uint32_t at[3];
		char old[3];
		/* Half of them where it hurts: in the headers. */
		for (int j = 0; j < 3; j++) {
			at[j] = random_below(2) ? random_below(64)
						: random_below((uint32_t)bytes.n);
			old[j] = bytes.p[at[j]];
			bytes.p[at[j]] = (char)random_below(256);
		}
		found += look_around(buf_str(&bytes)) > 0;
		for (int j = 3; j-- > 0;)
			bytes.p[at[j]] = old[j];
	}
	tap_ok(found > 0 && found < times, "%s: changed in %u ways, it is read or refused", file,
	       times);
}

int main(int argc, char **argv)
{
	unit_folder = argc > 1 ? argv[1] : ".";
	check_kinds_of_symbols();
	check_exported_symbols();
	check_labels("labels-stripped.so");
	check_labels("labels-unsorted.so");
	check_labels_of_full_table();
	check_plt();
	check_endless_names();
	check_functions_by_name("normal.so");
	check_functions_by_name("mini.so");
	check_truncation("normal.so");
	check_truncation("mini.so");
	check_truncation("narrow.so");
	check_flips("normal.so", 60000);
	check_flips("mini.so", 10000);
	check_flips("narrow.so", 20000);
	check_flips("aarch64.so", 10000);
	check_flips("labels-stripped.so", 20000);
	check_flips("labels-unsorted.so", 20000);
	return tap_done();
}
