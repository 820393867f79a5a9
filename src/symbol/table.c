/*
 * Which symbols count, and which of several names is shown, is as in perf (tools/perf/util/symbol-elf.c
 * and symbol.c of Linux), so that people find the names that they know. What differs: a symbol without a
 * size ends with its section at the latest, and where symbols overlap, the one that starts last counts,
 * where perf takes the one that it happens to meet first.
 */
#include "symbol/name.h"
#include "symbol/table_int.h"

enum {
	MAX_SIZE_BYTES = (1 << 28) - 1,
	MAX_NAME_BYTES = 256 << 10,
	MAX_MADE_NAME_BYTES = 16 << 10,
	MAX_ALIASES = 1 << 14,	   /* of one start; further ones are not compared */
	MAX_COMPARISONS = 1 << 18, /* of readable names, in all */
	MAX_OUTER_STEPS = 256,	   /* functions around an address that end before it */
};

void symbol_table_fini(struct symbol_table *t)
{
	vec_fini(&t->rows);
	vec_fini(&t->choosers);
	vec_fini(&t->texts);
	vec_fini(&t->made);
	vec_fini(&t->code);
	arena_fini(&t->made_texts);
	free(t->outer);
	t->outer = NULL;
}

/* --- reading symbols --- */

static struct str text_at(struct str texts, uint64_t offset)
{
	struct str rest = str_first(str_from_byte(texts, offset), MAX_NAME_BYTES);
	ptrdiff_t end = str_find_char(rest, 0);
	return end < 0 ? STR("") : str_first(rest, (size_t)end);
}

static const struct elf_section *linked_section(const struct elf *elf,
						const struct elf_section *section)
{
	return section->link < elf->sections.n ? &elf->sections.p[section->link] : NULL;
}

static size_t symbol_bytes(const struct elf *elf)
{
	return elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

static inline Elf64_Sym symbol_from(const char *p, bool is_64)
{
	Elf64_Sym wide;
	Elf32_Sym narrow;
	if (is_64) {
		memcpy(&wide, p, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, p, sizeof(narrow));
	return (Elf64_Sym){
		.st_name = narrow.st_name,
		.st_info = narrow.st_info,
		.st_other = narrow.st_other,
		.st_shndx = narrow.st_shndx,
		.st_value = narrow.st_value,
		.st_size = narrow.st_size,
	};
}

bool elf_symbol_at(struct elf *elf, const struct elf_section *section, uint32_t i,
		   struct elf_symbol *symbol)
{
	struct str bytes = elf_section_bytes(elf, section);
	if (i >= bytes.n / symbol_bytes(elf))
		return false;
	symbol->fields = symbol_from(bytes.p + i * symbol_bytes(elf), elf->is_64);
	struct str texts = elf_section_bytes(elf, linked_section(elf, section));
	symbol->name = text_at(texts, symbol->fields.st_name);
	return symbol->name.n;
}

static const struct elf_section *section_of(const struct elf *elf, const Elf64_Sym *symbol)
{
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= elf->sections.n)
		return NULL;
	return &elf->sections.p[symbol->st_shndx];
}

/* --- which symbols count --- */

/* Marks of assemblers, `$x`, `$d.4`: where code and data begin (ABI of ARM, chapter "Mapping symbols"). */
static bool is_mapping_symbol(const struct elf *elf, struct str name)
{
	bool has_marks =
		elf->machine == EM_ARM || elf->machine == EM_AARCH64 || elf->machine == EM_RISCV;
	return has_marks && name.n >= 2 && name.p[0] == '$' && memchr("adtx", name.p[1], 4) &&
	       (name.n == 2 || name.p[2] == '.' || elf->machine == EM_RISCV);
}

static bool is_hidden(const Elf64_Sym *s)
{
	unsigned visibility = ELF64_ST_VISIBILITY(s->st_other);
	return visibility == STV_HIDDEN || visibility == STV_INTERNAL;
}

static bool is_function(const struct elf *elf, const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);
	if (!s->st_name || s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS)
		return false;
	const struct elf_section *section = section_of(elf, s);
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return section ? section->flags & SHF_ALLOC : s->st_shndx == SHN_XINDEX;
	/* Hand-written code is often only labelled, and sometimes marked as if it were data. */
	return section && section->flags & SHF_ALLOC && section->flags & SHF_EXECINSTR &&
	       (type == STT_OBJECT || (type == STT_NOTYPE && !is_hidden(s)));
}

static struct symbol_row row_of(const struct elf *elf, const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info), bind = ELF64_ST_BIND(s->st_info);
	bool is_thumb = elf->machine == EM_ARM && type == STT_FUNC && s->st_value & 1;
	uint32_t rank = (type != STT_NOTYPE ? SYMBOL_IS_TYPED : 0) |
			(bind != STB_WEAK ? SYMBOL_IS_STRONG : 0) |
			(bind == STB_GLOBAL ? SYMBOL_IS_GLOBAL : 0);
	return (struct symbol_row){
		.start = s->st_value - is_thumb,
		.size_bytes = s->st_size < MAX_SIZE_BYTES ? (uint32_t)s->st_size : MAX_SIZE_BYTES,
		.rank = rank & 15,
	};
}

/* The id of the first name of a string table; false when there is no room for more of them. */
static bool add_text(struct symbol_table *t, struct str bytes, uint32_t *first)
{
	const struct symbol_text *last = t->texts.n ? &t->texts.p[t->texts.n - 1] : NULL;
	uint64_t next = last ? last->first + (uint64_t)last->bytes.n : 0;
	if (!bytes.n || next + bytes.n > SYMBOL_MADE_FIRST)
		return false;
	*first = (uint32_t)next;
	vec_push(&t->texts, (struct symbol_text){ bytes, *first });
	return true;
}

static void add_code_sections(struct symbol_table *t, const struct elf *elf)
{
	for (uint32_t i = 0; i < elf->sections.n; i++) {
		const struct elf_section *s = &elf->sections.p[i];
		struct symbol_range range = { s->address, s->address + s->size_bytes };
		if (s->flags & SHF_ALLOC && s->flags & SHF_EXECINSTR && range.end > range.start)
			vec_push(&t->code, range);
	}
}

void symbol_table_add(struct symbol_table *t, struct elf *elf, const struct elf_section *section)
{
	struct str bytes = elf_section_bytes(elf, section);
	if (!bytes.n || !linked_section(elf, section))
		return;
	struct str texts = elf_section_bytes(elf, linked_section(elf, section));
	size_t size = symbol_bytes(elf);
	bool may_have_marks = elf->machine != EM_X86_64 && elf->machine != EM_386;
	uint32_t first;
	if (!add_text(t, texts, &first))
		return;
	add_code_sections(t, elf);
	for (size_t at = 0; bytes.n - at >= size && t->rows.n < INDEX_NONE - 1; at += size) {
		Elf64_Sym s = symbol_from(bytes.p + at, elf->is_64);
		if (s.st_name >= texts.n || !is_function(elf, &s))
			continue;
		if (may_have_marks && is_mapping_symbol(elf, text_at(texts, s.st_name)))
			continue;
		struct symbol_row row = row_of(elf, &s);
		row.name = first + s.st_name;
		vec_push(&t->rows, row);
		if (ELF64_ST_TYPE(s.st_info) == STT_GNU_IFUNC)
			vec_push(&t->choosers, row);
	}
}

void symbol_table_add_made(struct symbol_table *t, struct symbol_range range,
			   struct symbol_made made)
{
	if (t->made.n >= UINT32_MAX - SYMBOL_MADE_FIRST)
		return;
	vec_push(&t->rows,
		 (struct symbol_row){
			 .start = range.start,
			 .size_bytes = (uint32_t)(range.end - range.start) & MAX_SIZE_BYTES,
			 .rank = SYMBOL_IS_TYPED | SYMBOL_IS_STRONG | SYMBOL_IS_GLOBAL,
			 .name = SYMBOL_MADE_FIRST + t->made.n,
		 });
	vec_push(&t->made, made);
}

/* --- sealing --- */

/*
 * Stable, by 11 bits of the start at a time: three times as fast here as comparing. Symbols mostly
 * come in order of object files, not of addresses.
 */
static void sort_rows(struct symbol_table *t)
{
	enum { BITS = 11, SLOTS = 1 << BITS };
	uint64_t differing = 0;
	for (uint32_t i = 1; i < t->rows.n; i++)
		differing |= t->rows.p[i].start ^ t->rows.p[0].start;
	struct symbol_row *from = t->rows.p, *to = mem_alloc(t->rows.n, sizeof(*to));
	AUTO_FREE uint32_t *at = mem_alloc(SLOTS, sizeof(*at));
	for (unsigned shift = 0; shift < 64; shift += BITS) {
		if (!(differing >> shift & (SLOTS - 1)))
			continue;
		memset(at, 0, SLOTS * sizeof(*at));
		for (uint32_t i = 0; i < t->rows.n; i++)
			at[from[i].start >> shift & (SLOTS - 1)]++;
		for (uint32_t i = 0, sum = 0; i < SLOTS; i++) {
			uint32_t n = at[i];
			at[i] = sum;
			sum += n;
		}
		for (uint32_t i = 0; i < t->rows.n; i++)
			to[at[from[i].start >> shift & (SLOTS - 1)]++] = from[i];
		struct symbol_row *swap = from;
		from = to;
		to = swap;
	}
	free(to);
	t->rows.p = from;
	t->rows.capacity = t->rows.n;
}

static int by_range_start(const void *a, const void *b)
{
	const struct symbol_range *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int by_start_and_rank(const void *a, const void *b)
{
	const struct symbol_row *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->rank != y->rank ? (int)y->rank - (int)x->rank
				  : (x->name > y->name) - (x->name < y->name);
}

/* Where the section with the address ends; the address itself when it is in none. */
static uint64_t code_end(const struct symbol_table *t, uint64_t address)
{
	uint32_t low = 0, high = t->code.n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (t->code.p[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && t->code.p[low - 1].end > address ? t->code.p[low - 1].end : address;
}

/* What a symbol that says no size may have: up to the next one. */
static uint32_t size_until(const struct symbol_table *t, uint64_t start, uint64_t next_start)
{
	uint64_t end = code_end(t, start);
	if (end > next_start)
		end = next_start;
	return end - start < MAX_SIZE_BYTES ? (uint32_t)(end - start) : MAX_SIZE_BYTES;
}

/*
 * Of the rows [from, to) of one start, appends those that can be shown at `kept`: the best ones, between
 * which only their names decide, and lesser ones that reach further.
 */
static uint32_t keep_best(struct symbol_table *t, uint32_t from, uint32_t to, uint32_t kept)
{
	struct symbol_row *rows = t->rows.p;
	uint64_t next_start = to < t->rows.n ? rows[to].start : UINT64_MAX;
	uint32_t best = 0, reach = 0;
	for (uint32_t i = from; i < to; i++) {
		uint32_t quality = rows[i].rank | (rows[i].size_bytes ? 16 : 0);
		if (quality > best)
			reach = 0;
		if (quality >= best && rows[i].size_bytes > reach)
			reach = rows[i].size_bytes;
		if (quality > best)
			best = quality;
	}
	for (uint32_t i = from; i < to; i++) {
		struct symbol_row row = rows[i];
		uint32_t quality = row.rank | (row.size_bytes ? 16 : 0);
		if (quality < best && row.size_bytes <= reach)
			continue;
		if (!row.size_bytes)
			row.size_bytes = size_until(t, row.start, next_start) & MAX_SIZE_BYTES;
		rows[kept++] = row;
	}
	return kept;
}

static inline uint64_t row_end(const struct symbol_row *row)
{
	return row->start + row->size_bytes;
}

static void find_outer(struct symbol_table *t)
{
	t->outer = mem_alloc(t->rows.n, sizeof(*t->outer));
	for (uint32_t i = 0; i < t->rows.n; i++) {
		uint32_t j = i ? i - 1 : INDEX_NONE;
		while (j != INDEX_NONE && row_end(&t->rows.p[j]) <= row_end(&t->rows.p[i]))
			j = t->outer[j];
		t->outer[i] = j;
	}
}

/* A label without a size that lies inside a function is a place in it, no function of its own. */
static bool has_size(const struct symbol_table *t, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (t->rows.p[i].size_bytes)
			return true;
	return false;
}

void symbol_table_seal(struct symbol_table *t)
{
	uint32_t kept = 0;
	uint64_t reached = 0; /* the end of the functions so far */
	if (!t->rows.n)
		return;
	sort_rows(t);
	if (t->code.n)
		qsort(t->code.p, t->code.n, sizeof(*t->code.p), by_range_start);
	if (t->choosers.n)
		qsort(t->choosers.p, t->choosers.n, sizeof(*t->choosers.p), by_start_and_rank);
	for (uint32_t from = 0, to; from < t->rows.n; from = to) {
		for (to = from + 1; to < t->rows.n; to++)
			if (t->rows.p[to].start != t->rows.p[from].start)
				break;
		if (t->rows.p[from].start >= reached || has_size(t, from, to))
			kept = keep_best(t, from, to, kept);
		if (kept && row_end(&t->rows.p[kept - 1]) > reached)
			reached = row_end(&t->rows.p[kept - 1]);
	}
	t->rows.n = kept;
	t->rows.p = mem_realloc(t->rows.p, kept, sizeof(*t->rows.p));
	t->rows.capacity = kept;
	find_outer(t);
}

/* --- names --- */

static size_t leading_underscores(struct str name)
{
	size_t n = 0;
	while (n < name.n && name.p[n] == '_')
		n++;
	return n;
}

/*
 * The length without the parameters at the end, which perf does not show: `a::f(int) const`, but not
 * `(anonymous namespace)::f`.
 */
static size_t length_without_parameters(struct str name)
{
	size_t end = name.n, depth = 0;
	while (end && name.p[end - 1] != ')' && name.p[end - 1] != ':')
		end--;
	if (!end || name.p[end - 1] == ':')
		return name.n;
	for (size_t i = end; i > 0; i--) {
		depth += name.p[i - 1] == ')';
		if (name.p[i - 1] == '(' && --depth == 0)
			return i - 1;
	}
	return name.n;
}

/* Of two names for the same code: fewer underscores, then longer, as they are read by people. */
static bool is_better_name(struct symbol_table *t, struct str name, struct str best)
{
	AUTO(buf) struct buf readable = { 0 }, readable_best = { 0 };
	size_t n = name.n, best_n = best.n;
	if (str_eq(name, best) || !n || !best_n)
		return n && !best_n;
	bool may_demangle = t->comparisons < MAX_COMPARISONS;
	t->comparisons += may_demangle;
	if (may_demangle && symbol_demangle(name, &readable)) {
		name = buf_str(&readable);
		n = length_without_parameters(name);
	}
	if (may_demangle && symbol_demangle(best, &readable_best)) {
		best = buf_str(&readable_best);
		best_n = length_without_parameters(best);
	}
	size_t underscores = leading_underscores(name), fewest = leading_underscores(best);
	return underscores != fewest ? underscores < fewest : n > best_n;
}

/* How many of n rows start at or before the address. */
static uint32_t rows_before(const struct symbol_row *rows, uint32_t n, uint64_t address)
{
	uint32_t low = 0, high = n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (rows[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct str text_of(const struct symbol_table *t, uint32_t name)
{
	uint32_t i = t->texts.n;
	while (i-- > 0)
		if (t->texts.p[i].first <= name)
			return text_at(t->texts.p[i].bytes, name - t->texts.p[i].first);
	return STR("");
}

/* The best name among rows that start at the address; empty: there are none. */
static struct str name_at(struct symbol_table *t, const struct symbol_row *rows, uint32_t n,
			  uint64_t address)
{
	struct str best = STR("");
	uint32_t first = address ? rows_before(rows, n, address - 1) : 0;
	for (uint32_t i = first; i < n && rows[i].start == address && i - first < MAX_ALIASES;
	     i++) {
		if (rows[i].name >= SYMBOL_MADE_FIRST || rows[i].rank < rows[first].rank)
			continue;
		struct str name = text_of(t, rows[i].name);
		if (is_better_name(t, name, best))
			best = name;
	}
	return best;
}

/*
 * What a stub of the PLT calls; empty when it has no name. One that is chosen when the program starts is
 * known by the function that chooses: it has the same name, or in a stripped file, its own.
 */
static struct str function_of_stub(struct symbol_table *t, const struct symbol_made *m)
{
	if (m->function.n)
		return m->function;
	struct str name = name_at(t, t->choosers.p, t->choosers.n, m->address);
	return name.n ? name : name_at(t, t->rows.p, t->rows.n, m->address);
}

/* Only what is asked for is put together: a hostile file has many stubs for one long name. */
static struct str make_name(struct symbol_table *t, struct symbol_made *m)
{
	AUTO(buf) struct buf text = { 0 };
	if (m->text.n)
		return m->text;
	if (!m->function.n && !m->address)
		return STR(".plt");
	struct str function = function_of_stub(t, m);
	if (function.n && function.n <= MAX_MADE_NAME_BYTES)
		buf_add(&text, function);
	else
		buf_addf(&text, "*ABS*+0x%llx", (unsigned long long)m->address);
	buf_add(&text, STR("@plt"));
	m->text = arena_copy(&t->made_texts, buf_str(&text));
	return m->text;
}

static struct str name_of(struct symbol_table *t, uint32_t name)
{
	if (name >= SYMBOL_MADE_FIRST)
		return make_name(t, &t->made.p[name - SYMBOL_MADE_FIRST]);
	return text_of(t, name);
}

/* --- looking up --- */

static bool holds(const struct symbol_row *row, uint64_t address)
{
	return address - row->start < row->size_bytes;
}

/* The rows [first, last] have one start; those of them that hold the address compete. */
static uint32_t best_of_aliases(struct symbol_table *t, uint32_t first, uint32_t last,
				uint64_t address)
{
	const struct symbol_row *rows = t->rows.p;
	uint32_t best = last;
	struct str best_name = name_of(t, rows[last].name);
	/* The first of equals wins, so they are met from the last. */
	for (uint32_t i = last; i-- > first;) {
		if (!holds(&rows[i], address) || rows[i].rank < rows[best].rank ||
		    rows[i].name == rows[best].name)
			continue;
		struct str name = name_of(t, rows[i].name);
		if (rows[i].rank == rows[best].rank && is_better_name(t, best_name, name))
			continue;
		best = i;
		best_name = name;
	}
	return best;
}

/* A row that holds the address, whose name is the best of all that start where it does. */
static const struct symbol_row *choose_alias(struct symbol_table *t, uint32_t last,
					     uint64_t address)
{
	struct symbol_row *rows = t->rows.p;
	uint32_t first = last;
	while (first && rows[first - 1].start == rows[last].start && last - first < MAX_ALIASES)
		first--;
	if (first == last)
		return &rows[last];
	struct symbol_row best = rows[best_of_aliases(t, first, last, address)];
	/* What it won against is never asked again: comparing means demangling. */
	for (uint32_t i = first; i <= last; i++) {
		if (!holds(&rows[i], address) || rows[i].size_bytes > best.size_bytes)
			continue;
		rows[i].name = best.name;
		rows[i].rank = best.rank;
	}
	return &rows[last];
}

bool symbol_table_find(struct symbol_table *t, uint64_t address, struct binary_symbol *found)
{
	uint32_t n = rows_before(t->rows.p, t->rows.n, address);
	uint32_t i = n ? n - 1 : INDEX_NONE;
	for (int steps = 0; i != INDEX_NONE && !holds(&t->rows.p[i], address); steps++)
		i = steps < MAX_OUTER_STEPS ? t->outer[i] : INDEX_NONE;
	if (i == INDEX_NONE)
		return false;
	found->start = t->rows.p[i].start;
	found->name = name_of(t, choose_alias(t, i, address)->name);
	return found->name.n;
}
