/* Sources of kernel function names: /proc/kallsyms, a copy by perf or the user, vmlinux. */
#include "symbol/kernel.h"
#include "symbol/kallsyms_int.h"
#include "process/process.h"
#include "symbol/vmlinux_int.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
	MAX_TEXT_BYTES = 256 << 20,
	MAX_NOTES_BYTES = 64 << 10,
};

/* A text of kallsyms with its table. */
struct kernel_table {
	struct reader *reader; /* holds the text; NULL: not there */
	struct kallsyms symbols;
	uint64_t shift; /* of the recorded addresses against those in the text */
};

struct kernel_symbols {
	struct buf build_id, release, text_symbol;
	uint64_t text_address;
	const struct symbol_options *options;
	bool is_loaded;
	struct kernel_table table;
	/* /proc/kallsyms, when the table is perf's copy: read when something is not in there. */
	bool may_ask_running, has_asked_running;
	struct kernel_table running;
	struct vmlinux vmlinux; /* when there is no table */
	bool is_hidden;		/* this user is not shown the addresses */
	bool is_another;	/* the running kernel is not the recorded one */
	bool lost_modules; /* the kernel was started anew since: its modules are elsewhere now */
	uint64_t missed;
	struct buf table_path;
};

/* --- the running kernel --- */

static void add_build_id(struct str notes, struct buf *build_id)
{
	Elf64_Nhdr note;
	while (notes.n >= sizeof(note)) {
		memcpy(&note, notes.p, sizeof(note));
		size_t content = sizeof(note) + (((size_t)note.n_namesz + 3) & ~(size_t)3);
		size_t next = content + (((size_t)note.n_descsz + 3) & ~(size_t)3);
		if (content > notes.n || note.n_descsz > notes.n - content)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    memcmp(notes.p + sizeof(note), "GNU", sizeof("GNU")) == 0) {
			buf_add(build_id, (struct str){ notes.p + content, note.n_descsz });
			return;
		}
		notes = str_from_byte(notes, next);
	}
}

void kernel_running_build_id(struct buf *build_id)
{
	AUTO(buf) struct buf notes = { 0 };
	if (text_file_read("/sys/kernel/notes", MAX_NOTES_BYTES, &notes))
		add_build_id(buf_str(&notes), build_id);
}

/* Recordings fill build ids with zeros to 20 bytes. */
static struct str without_zeros(struct str build_id)
{
	while (build_id.n && build_id.p[build_id.n - 1] == 0)
		build_id.n--;
	return build_id;
}

static bool is_running_kernel(const struct kernel_symbols *k)
{
	AUTO(buf) struct buf running = { 0 };
	struct utsname names;
	kernel_running_build_id(&running);
	if (k->build_id.n && running.n)
		return str_eq(without_zeros(buf_str(&k->build_id)),
			      without_zeros(buf_str(&running)));
	if (k->release.n && uname(&names) == 0)
		return str_eq(buf_str(&k->release), str_from(names.release));
	/* Files given in place of this machine's say that it was another one. */
	return k->options->is_of_this_machine && !k->options->symfs;
}

/* --- tables --- */

/* Where the kernel's code began, as the table has it. */
static bool find_anchor(const struct kernel_symbols *k, const struct kallsyms *t, uint64_t *address)
{
	if (k->text_symbol.n)
		return kallsyms_address(t, buf_str(&k->text_symbol), address);
	return kallsyms_address(t, STR("_text"), address) ||
	       kallsyms_address(t, STR("_stext"), address);
}

static void table_fini(struct kernel_table *table)
{
	if (!table->reader)
		return;
	kallsyms_fini(&table->symbols);
	reader_free(table->reader);
	*table = (struct kernel_table){ 0 };
}

/*
 * Reads a text of kallsyms. Modules are where they were put at that boot, so their rows are used only
 * when has_modules says that the text is of the recorded boot.
 */
static bool read_table(struct kernel_symbols *k, const char *root, const char *path,
		       bool has_modules, struct kernel_table *table)
{
	struct err e;
	uint64_t anchor;
	struct reader *r = process_plain_reader(root, path, path, OPEN_GIVEN, &e);
	if (!r)
		return false;
	*table = (struct kernel_table){ .reader = r };
	bool is_whole = reader_fill_all(r, MAX_TEXT_BYTES);
	kallsyms_init(&table->symbols, is_whole ? reader_window(r) : STR(""), has_modules);
	k->is_hidden |= table->symbols.is_hidden;
	if (!table->symbols.rows.n) {
		table_fini(table);
		return false;
	}
	if (k->text_address && find_anchor(k, &table->symbols, &anchor))
		table->shift = k->text_address - anchor;
	return true;
}

static bool load_given(struct kernel_symbols *k)
{
	static const char *const inside[] = { "/proc/kallsyms", "/kallsyms" };
	const char *symfs = k->options->symfs;
	for (size_t i = 0; symfs && i < ARRAY_SIZE(inside); i++) {
		if (!read_table(k, symfs, inside[i], true, &k->table))
			continue;
		k->table_path.n = 0;
		buf_addf(&k->table_path, "%s%s", symfs, inside[i]);
		return true;
	}
	return false;
}

/* perf keeps /proc/kallsyms of each kernel that it recorded, without saying of which boot. */
static bool load_copy(struct kernel_symbols *k, struct str build_id)
{
	const char *folder = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	AUTO(buf) struct buf path = { 0 };
	if (!build_id.n || ((!folder || !*folder) && (!home || !*home)))
		return false;
	if (folder && *folder)
		buf_addf(&path, "%s/.build-id/", folder);
	else
		buf_addf(&path, "%s/.debug/.build-id/", home);
	for (size_t i = 0; i < build_id.n; i++)
		buf_addf(&path, i == 0 ? "%02x/" : "%02x", (unsigned char)build_id.p[i]);
	buf_add(&path, STR("/kallsyms"));
	if (!read_table(k, NULL, buf_c_string(&path), false, &k->table))
		return false;
	k->table_path.n = 0;
	buf_add(&k->table_path, buf_str(&path));
	return true;
}

/* The address of the first function in /proc/kallsyms: reading all of it takes the kernel 40 ms. */
static bool running_anchor(struct kernel_symbols *k, uint64_t *anchor)
{
	AUTO(buf) struct buf head = { 0 };
	struct kallsyms t;
	if (!text_file_read("/proc/kallsyms", 4096, &head))
		return false;
	kallsyms_init(&t, buf_str(&head), false);
	k->is_hidden |= t.is_hidden;
	bool is_found = find_anchor(k, &t, anchor);
	kallsyms_fini(&t);
	return is_found;
}

/* A text of the running kernel with other addresses than the recorded ones is of another boot. */
static bool load_running(struct kernel_symbols *k, struct kernel_table *table)
{
	if (!read_table(k, NULL, "/proc/kallsyms", true, table))
		return false;
	if (table->shift) {
		k->lost_modules = true;
		kallsyms_fini(&table->symbols);
		kallsyms_init(&table->symbols, reader_window(table->reader), false);
	}
	return true;
}

static bool load_of_this_machine(struct kernel_symbols *k)
{
	AUTO(buf) struct buf build_id = { 0 };
	uint64_t anchor, copied;
	kernel_running_build_id(&build_id);
	/* perf's copy takes a tenth of the time, and is as good when the kernel is where it was. */
	if (running_anchor(k, &anchor) && (!k->text_address || k->text_address == anchor) &&
	    load_copy(k, buf_str(&build_id))) {
		if (find_anchor(k, &k->table.symbols, &copied) && copied == anchor) {
			k->may_ask_running = true;
			return true;
		}
		table_fini(&k->table);
	}
	k->table_path.n = 0;
	buf_add(&k->table_path, STR("/proc/kallsyms"));
	return load_running(k, &k->table);
}

static void load(struct kernel_symbols *k)
{
	if (k->is_loaded)
		return;
	k->is_loaded = true;
	if (load_given(k))
		return;
	k->is_another = !is_running_kernel(k);
	if (!k->is_another && load_of_this_machine(k))
		return;
	struct kernel_id id = { .build_id = without_zeros(buf_str(&k->build_id)),
				.release = buf_str(&k->release),
				.text_address = k->text_address,
				.text_symbol = buf_str(&k->text_symbol) };
	k->lost_modules = load_copy(k, id.build_id) || vmlinux_load(&k->vmlinux, &id, k->options);
}

/* --- looking up --- */

static bool find_in(const struct kernel_table *table, uint64_t address, struct kernel_symbol *found)
{
	if (!table->reader)
		return false;
	const struct kallsyms_row *row = kallsyms_find(&table->symbols, address - table->shift);
	if (!row)
		return false;
	found->name = kallsyms_name(&table->symbols, row);
	found->module = table->symbols.modules.p[row->module];
	found->start = row->start + table->shift;
	return true;
}

static bool find_in_vmlinux(struct kernel_symbols *k, uint64_t address, struct kernel_symbol *found)
{
	struct binary_symbol symbol;
	if (!k->vmlinux.elf ||
	    !symbol_table_find(&k->vmlinux.table, address - k->vmlinux.shift, &symbol))
		return false;
	*found = (struct kernel_symbol){ symbol.name, STR("[kernel.kallsyms]"),
					 symbol.start + k->vmlinux.shift };
	return true;
}

bool kernel_symbols_find(struct kernel_symbols *k, uint64_t address, struct kernel_symbol *found)
{
	load(k);
	if (find_in(&k->table, address, found))
		return true;
	if (k->may_ask_running && !k->has_asked_running) {
		k->has_asked_running = true;
		load_running(k, &k->running);
	}
	if (find_in(&k->running, address, found) || find_in_vmlinux(k, address, found))
		return true;
	k->missed++;
	return false;
}

/* --- words --- */

static void explain_other_kernel(const struct kernel_symbols *k, struct buf *reason,
				 struct buf *fix)
{
	struct utsname names;
	buf_add(reason, STR("recorded on another kernel"));
	if (k->release.n)
		buf_addf(reason, " (%.*s)", STR_ARG(buf_str(&k->release)));
	if (uname(&names) == 0)
		buf_addf(reason, " than the one running here (%s)", names.release);
	buf_add(reason,
		STR(", and neither a copy of its /proc/kallsyms nor its vmlinux was found"));
	buf_add(fix, STR("as root on that machine: `cat /proc/kallsyms >DIR/kallsyms`; here: "
			 "--symfs DIR"));
}

static void explain_missing_modules(const struct kernel_symbols *k, struct buf *reason,
				    struct buf *fix)
{
	if (k->lost_modules) {
		buf_add(reason,
			STR("the addresses of modules and BPF programs at that boot are unknown"));
		buf_add(fix, STR("read recordings before the machine is rebooted"));
	} else {
		buf_addf(reason, "not in %.*s: the module or BPF program is gone",
			 STR_ARG(buf_str(&k->table_path)));
		buf_add(fix, STR("read recordings while the same modules are loaded"));
	}
}

void kernel_symbols_explain(struct kernel_symbols *k, struct buf *reason, struct buf *fix)
{
	bool has_table = k->table.reader || k->vmlinux.elf;
	if (!k->missed)
		return;
	if (k->is_another && !has_table) {
		explain_other_kernel(k, reason, fix);
	} else if (k->is_hidden) {
		buf_add(reason, STR("/proc/kallsyms hides addresses from this user "
				    "(kernel.kptr_restrict)"));
		buf_add(fix, STR("run as root, or `sysctl kernel.kptr_restrict=0 "
				 "kernel.perf_event_paranoid=1`"));
	} else if (has_table) {
		explain_missing_modules(k, reason, fix);
	} else {
		buf_add(reason, STR("/proc/kallsyms cannot be read"));
		buf_add(fix, STR("run as root"));
	}
}

/* --- life --- */

struct kernel_symbols *kernel_symbols_new(const struct kernel_id *id,
					  const struct symbol_options *options)
{
	struct kernel_symbols *k = mem_zalloc(1, sizeof(*k));
	buf_add(&k->build_id, id->build_id);
	buf_add(&k->release, id->release);
	buf_add(&k->text_symbol, id->text_symbol);
	k->text_address = id->text_address;
	k->options = options;
	return k;
}

void kernel_symbols_free(struct kernel_symbols *k)
{
	if (!k)
		return;
	table_fini(&k->table);
	table_fini(&k->running);
	vmlinux_fini(&k->vmlinux);
	buf_fini(&k->build_id);
	buf_fini(&k->release);
	buf_fini(&k->text_symbol);
	buf_fini(&k->table_path);
	free(k);
}
