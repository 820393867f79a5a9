/*
 * Finds the name of a function: its linkage name, wherever it is in the chain from the code through
 * the abstract instance to the declaration (3.3.8.3), otherwise its plain name after those of the
 * namespaces and classes it is declared in.
 */
#include "debug_info/dwarf_int.h"

enum {
	MAX_CHAIN = 16, /* more than any compiler generates; also ends loops */
	MAX_SCOPES = 32,
	MAX_NAME_BYTES = 4096,
};

/* The end of a chain, where the declaration is, and what was found on the way. */
struct declaration {
	struct dwarf_unit *unit;
	uint64_t die;
	uint16_t tag;
	struct str linkage_name, name;
	uint64_t declared_line;
	/* The unit that numbers the file; NULL if no file is given. */
	struct dwarf_unit *file_unit;
	uint64_t declared_file;
};

static bool follow(struct dwarf_unit *u, uint64_t at, struct declaration *found)
{
	struct dwarf_die die;
	*found = (struct declaration){ .unit = u, .die = at };
	for (unsigned i = 0; i < MAX_CHAIN; i++) {
		if (!dwarf_read_die(found->unit, found->die, &die))
			return i;
		found->tag = die.abbreviation->tag;
		if (!found->linkage_name.n)
			found->linkage_name = dwarf_die_text(found->unit, &die, SLOT_LINKAGE_NAME);
		if (!found->name.n)
			found->name = dwarf_die_text(found->unit, &die, SLOT_NAME);
		if (!found->declared_line)
			found->declared_line = dwarf_die_constant(&die, SLOT_DECLARED_LINE);
		if (!found->file_unit && dwarf_has(&die, SLOT_DECLARED_FILE)) {
			found->declared_file = dwarf_die_constant(&die, SLOT_DECLARED_FILE);
			found->file_unit = found->unit;
		}
		enum dwarf_slot next =
			dwarf_has(&die, SLOT_ORIGIN) ? SLOT_ORIGIN : SLOT_SPECIFICATION;
		struct dwarf_unit *unit;
		uint64_t entry;
		if (!dwarf_has(&die, next) ||
		    !dwarf_reference(found->unit, die.values[next], &unit, &entry))
			break;
		found->unit = unit;
		found->die = entry;
	}
	return true;
}

/* inner: what is declared in it. */
static struct str name_or_kind(const struct declaration *d, struct str inner)
{
	if (d->name.n)
		return d->name;
	if (d->tag == DW_TAG_namespace)
		return STR("(anonymous namespace)");
	return str_starts(inner, STR("operator()")) ? STR("{lambda}") : STR("{unnamed}");
}

/* A function in a function keeps its plain name; members of a class in a function do not. */
static bool is_shown_in(const struct declaration *d, struct dwarf_parent parent)
{
	return !parent.is_function || d->tag != DW_TAG_subprogram;
}

static struct str qualified(struct debug_info *info, struct declaration d)
{
	struct str parts[MAX_SCOPES];
	uint32_t n = 0;
	AUTO(buf) struct buf text = { 0 };
	parts[n++] = d.name;
	struct dwarf_parent parent;
	while (n < MAX_SCOPES && dwarf_find_parent(d.unit, d.die, &parent) &&
	       is_shown_in(&d, parent) && follow(d.unit, parent.die, &d)) {
		parts[n] = name_or_kind(&d, parts[n - 1]);
		n++;
	}
	if (n == 1)
		return parts[0];
	while (n-- && text.n < MAX_NAME_BYTES) {
		buf_add(&text, str_first(parts[n], MAX_NAME_BYTES));
		buf_add(&text, n ? STR("::") : STR(""));
	}
	dwarf_keep(&info->budget, text.n);
	return arena_copy(&info->arena, buf_str(&text));
}

static struct str declared_file(const struct declaration *d)
{
	struct dwarf_lines *lines = d->file_unit ? dwarf_lines_of(d->file_unit) : NULL;
	return lines && d->declared_file <= UINT32_MAX
		       ? dwarf_line_file_path(lines, (uint32_t)d->declared_file)
		       : STR("");
}

static void resolve(struct dwarf_unit *u, struct dwarf_name *name)
{
	struct declaration d;
	if (!follow(u, name->die, &d))
		return;
	name->declared_line = d.declared_line > UINT32_MAX ? 0 : (uint32_t)d.declared_line;
	name->declared_file = declared_file(&d);
	/* rustc omits a linkage name that equals the plain one. */
	if (!d.linkage_name.n && d.unit->language == DW_LANG_Rust)
		d.linkage_name = d.name;
	name->is_linkage_name = d.linkage_name.n;
	if (d.linkage_name.n)
		name->text = d.linkage_name;
	else if (d.name.n)
		name->text = qualified(u->file->info, d);
}

static bool is_of(const void *array, uint32_t i, const void *key)
{
	const struct dwarf_name *a = &((const struct debug_info *)array)->names.p[i], *b = key;
	return a->die == b->die && a->file == b->file;
}

uint32_t dwarf_name_of(struct dwarf_unit *u, uint64_t die)
{
	struct debug_info *d = u->file->info;
	struct dwarf_die own;
	struct dwarf_unit *unit = u;
	/* Inlined copies have no name of their own: look up their abstract instance once. */
	if (dwarf_read_die(u, die, &own) && own.abbreviation->tag == DW_TAG_inlined_subroutine &&
	    dwarf_has(&own, SLOT_ORIGIN) &&
	    !dwarf_reference(u, own.values[SLOT_ORIGIN], &unit, &die)) {
		unit = u;
		die = own.offset;
	}
	struct dwarf_name name = { .file = unit->file->number, .die = die };
	uint32_t hash = dwarf_hash(die, name.file);
	uint32_t i = index_map_find(&d->names_by_die, hash, is_of, d, &name);
	if (i != INDEX_NONE)
		return i;
	dwarf_keep(&d->budget, sizeof(name));
	resolve(unit, &name);
	index_map_add(&d->names_by_die, hash, d->names.n);
	vec_push(&d->names, name);
	return d->names.n - 1;
}
