#include "symbol/vmlinux_int.h"

static const struct elf_section *symbols_of(const struct elf *elf)
{
	for (uint32_t i = 0; i < elf->sections.n; i++)
		if (elf->sections.p[i].type == SHT_SYMTAB)
			return &elf->sections.p[i];
	return NULL;
}

static bool address_of(struct elf *elf, struct str name, uint64_t *address)
{
	const struct elf_section *section = symbols_of(elf);
	struct elf_symbol symbol;
	uint64_t n =
		section && section->entry_bytes ? section->size_bytes / section->entry_bytes : 0;
	for (uint32_t i = 0; i < n && i < UINT32_MAX; i++) {
		if (!elf_symbol_at(elf, section, i, &symbol) || !str_eq(symbol.name, name))
			continue;
		*address = symbol.fields.st_value;
		return true;
	}
	return false;
}

/* The kernel is loaded at another address at each boot: the offset from the file's address. */
static uint64_t shift_of(struct elf *elf, const struct kernel_id *id)
{
	uint64_t address;
	bool is_found = id->text_symbol.n ? address_of(elf, id->text_symbol, &address)
					  : address_of(elf, STR("_text"), &address) ||
						    address_of(elf, STR("_stext"), &address);
	return id->text_address && is_found ? id->text_address - address : 0;
}

/* Without a build id in the recording, a file that is called after the release is believed. */
static bool is_its_file(const struct elf *elf, const struct kernel_id *id)
{
	return symbols_of(elf) && (!id->build_id.n || str_eq(elf->build_id, id->build_id));
}

static bool try_file(struct vmlinux *v, const struct kernel_id *id, const char *path)
{
	struct err e;
	struct elf *elf = elf_open(path, &e);
	if (!elf)
		return false;
	if (!is_its_file(elf, id)) {
		elf_free(elf);
		return false;
	}
	v->elf = elf;
	v->shift = shift_of(elf, id);
	symbol_table_add(&v->table, elf, symbols_of(elf));
	symbol_table_seal(&v->table);
	return true;
}

/* Where distributions put it: Debian, Fedora and its kin, SUSE; and those who build it themselves. */
static bool try_release(struct vmlinux *v, const struct kernel_id *id, const char *root)
{
	static const struct {
		const char *before, *after;
	} places[] = {
		{ "/boot/vmlinux-", "" },
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/lib/modules/", "/build/vmlinux" },
		{ "/usr/lib/debug/boot/vmlinux-", ".debug" },
	};
	/* The release is a text from the recording: it must not lead anywhere else. */
	if (!id->release.n || memchr(id->release.p, '/', id->release.n) ||
	    memchr(id->release.p, 0, id->release.n))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		AUTO(buf) struct buf path = { 0 };
		buf_addf(&path, "%s%s%.*s%s", root, places[i].before, STR_ARG(id->release),
			 places[i].after);
		if (try_file(v, id, buf_c_string(&path)))
			return true;
	}
	return false;
}

static bool try_build_id(struct vmlinux *v, const struct kernel_id *id, const char *root)
{
	AUTO(buf) struct buf path = { 0 };
	if (!id->build_id.n)
		return false;
	buf_addf(&path, "%s/usr/lib/debug/.build-id/", root);
	for (size_t i = 0; i < id->build_id.n; i++)
		buf_addf(&path, i == 0 ? "%02x/" : "%02x", (unsigned char)id->build_id.p[i]);
	buf_add(&path, STR(".debug"));
	return try_file(v, id, buf_c_string(&path));
}

bool vmlinux_load(struct vmlinux *v, const struct kernel_id *id,
		  const struct symbol_options *options)
{
	const char *roots[] = { options->symfs, "" };
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		if (roots[i] && (try_release(v, id, roots[i]) || try_build_id(v, id, roots[i])))
			return true;
	return false;
}

void vmlinux_fini(struct vmlinux *v)
{
	symbol_table_fini(&v->table);
	elf_free(v->elf);
}
