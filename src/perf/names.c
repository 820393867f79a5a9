/* Naming: each location becomes frames once, then all stacks and samples go into the profile. */
#include "debug_info/debug_info.h"
#include "name/name.h"
#include "naming/naming.h"
#include "perf/perf_int.h"

/* --- frames of a location --- */

static void begin_location(struct location_names *n, location_id id)
{
	n->first[id] = n->frames.n;
	n->count[id] = 0;
}

static void push_frame(struct location_names *n, location_id id, const struct named_frame *f)
{
	struct source_maps *maps = n->s->options.source_maps;
	struct named_frame original = *f;
	if (maps)
		naming_find_original(maps,
				     n->s->mapped.list.p[n->s->locations.list.p[id].mapped].pid,
				     &original, &n->text);
	vec_push(&n->frames, naming_add_frame(n->s->p, &original));
	n->count[id]++;
}

void location_add_name(struct location_names *n, location_id id, struct str name, struct str module,
		       enum frame_kind kind)
{
	enum { MAX_PARTS = 64 };
	struct str parts[MAX_PARTS];
	size_t count = name_split_inlines(name, parts, MAX_PARTS);
	begin_location(n, id);
	for (size_t i = 0; i < count; i++)
		push_frame(n, id,
			   &(struct named_frame){ .name = parts[i],
						  .module = module,
						  .kind = kind,
						  .is_inlined = i > 0 });
}

static void add_unnamed_function(struct location_names *n, location_id id, struct str module,
				 uint32_t start)
{
	struct named_frame f = { .module = module, .start = start, .kind = FRAME_KIND_COUNT };
	n->is_unnamed[id] = true;
	begin_location(n, id);
	if (n->s->options.keep_addresses) {
		struct str base = module.n ? str_basename(module) : STR("unknown");
		n->text.n = 0;
		buf_addf(&n->text, "[%.*s <%llx>]", STR_ARG(base),
			 (unsigned long long)n->s->locations.list.p[id].ip);
		f.name = buf_str(&n->text);
		f.kind = frame_kind_of_module(module, false);
	}
	push_frame(n, id, &f);
}

void location_add_unnamed(struct location_names *n, location_id id, struct str module)
{
	add_unnamed_function(n, id, module, 0);
}

/* --- recurring functions --- */

static bool symbol_equal(const void *list, uint32_t i, const void *key)
{
	const struct known_symbol *a = &((const struct known_symbol *)list)[i], *b = key;
	return a->start == b->start && a->mapped == b->mapped;
}

static uint32_t hash_symbol(const struct known_symbol *k)
{
	return hash_pair((uint32_t)k->start, (uint32_t)(k->start >> 32) ^ k->mapped << 8);
}

static bool take_known(struct location_names *n, location_id id, const struct known_symbol *key)
{
	uint32_t i =
		index_map_find(&n->symbol_map, hash_symbol(key), symbol_equal, n->symbols.p, key);
	if (i == INDEX_NONE)
		return false;
	n->first[id] = n->symbols.p[i].first;
	n->count[id] = n->symbols.p[i].count;
	return true;
}

static void remember(struct location_names *n, location_id id, struct known_symbol *key)
{
	key->first = n->first[id];
	key->count = n->count[id];
	index_map_add(&n->symbol_map, hash_symbol(key), n->symbols.n);
	vec_push(&n->symbols, *key);
}

/* --- files --- */

static struct debug_info *debug_of(struct location_names *n, struct mapped *m)
{
	const struct symbol_options *o = &n->s->options.names;
	if (m->is_debug_open || !(o->wants_inlines || o->wants_lines))
		return m->debug;
	m->is_debug_open = true;
	struct elf *elf = binary_debug(m->binary);
	m->debug = elf ? debug_info_new(elf) : NULL;
	if (m->debug && !o->wants_lines)
		debug_info_skip_lines(m->debug);
	return m->debug;
}

/* Without lines, a frame gets the start of its function. */
static struct named_frame frame_of_debug(const struct debug_frame *d, bool keeps_lines)
{
	struct named_frame f = { .function_file = d->declared_file.n ? d->declared_file : d->file,
				 .function_line = d->declared_line };
	f.file = keeps_lines ? d->file : f.function_file;
	f.line = keeps_lines ? d->line : f.function_line;
	f.column = keeps_lines ? d->column : 0;
	return f;
}

/* The functions at an address according to DWARF; the outermost gets the symbol's name, if there is one. */
static void add_debug_frames(struct location_names *n, location_id id, struct str module,
			     struct str symbol, const struct debug_frame *frames, uint32_t count)
{
	const struct symbol_options *o = &n->s->options.names;
	begin_location(n, id);
	for (uint32_t i = 0; i < count && (i == 0 || o->wants_inlines); i++) {
		const struct debug_frame *d = &frames[i];
		struct named_frame f = frame_of_debug(d, o->wants_lines);
		f.name = i == 0 && symbol.n ? symbol : d->name;
		f.module = module;
		f.kind = FRAME_KIND_COUNT;
		f.is_inlined = i > 0;
		f.is_symbol = i == 0 || d->is_linkage_name;
		push_frame(n, id, &f);
	}
}

static bool name_in_file(struct location_names *n, location_id id, struct mapped *m)
{
	const struct location *l = &n->s->locations.list.p[id];
	struct binary *b = mapped_binary(&n->s->mapped, l->mapped);
	struct elf *code = binary_code(b);
	struct binary_symbol symbol = { 0 };
	const struct debug_frame *frames;
	uint64_t address;
	m->is_found = code != NULL;
	if (!code || !elf_address_of_offset(code, l->address, &address))
		return false;
	n->is_entry[id] = elf_is_in_entry(code, address);
	bool has_symbol = binary_find_symbol(b, address, &symbol);
	/* A signal handler returns to the start of __restore_rt, which nothing called. */
	if (!has_symbol && l->is_call)
		has_symbol = binary_find_symbol(b, ++address, &symbol);
	struct debug_info *debug = debug_of(n, m);
	uint32_t count = debug ? debug_info_find(debug, address, &frames) : 0;
	if (count && (has_symbol || frames[0].name.n)) {
		add_debug_frames(n, id, mapped_shown_path(m), symbol.name, frames, count);
		return true;
	}
	struct known_symbol key = { .mapped = l->mapped, .start = symbol.start };
	if (!has_symbol)
		return false;
	if (!take_known(n, id, &key)) {
		begin_location(n, id);
		push_frame(n, id,
			   &(struct named_frame){ .name = symbol.name,
						  .module = mapped_shown_path(m),
						  .kind = FRAME_KIND_COUNT,
						  .is_symbol = true });
		remember(n, id, &key);
	}
	return true;
}

/* Tells unnamed functions apart if the file has their bounds. */
static void add_unnamed_in_file(struct location_names *n, location_id id, const struct mapped *m)
{
	uint64_t address, start = 0;
	struct elf *code = m->is_found ? binary_code(m->binary) : NULL;
	uint64_t offset = n->s->locations.list.p[id].address;
	if (!code || !elf_address_of_offset(code, offset, &address) ||
	    !binary_find_start(m->binary, address, &start) || start > UINT32_MAX)
		start = 0;
	add_unnamed_function(n, id, mapped_shown_path(m), (uint32_t)start);
}

/* --- the kernel --- */

static struct str kernel_module_at(const struct perf_session *s, uint64_t address)
{
	for (uint32_t i = 0; i < s->kernel_modules.n; i++)
		if (address >= s->kernel_modules.p[i].start && address < s->kernel_modules.p[i].end)
			return s->kernel_modules.p[i].name;
	return STR("[kernel.kallsyms]");
}

/*
 * An indirect call thunk puts the start of its target on the stack as if it were a return address.
 * The byte before that is padding with its own symbol, `__pfx_f`.
 */
static bool find_in_kernel(struct location_names *n, const struct location *l,
			   struct kernel_symbol *symbol)
{
	if (!kernel_symbols_find(n->kernel, l->address, symbol))
		return l->is_call && kernel_symbols_find(n->kernel, l->ip, symbol);
	if (l->is_call && str_starts(symbol->name, STR("__pfx_")))
		return kernel_symbols_find(n->kernel, l->ip, symbol);
	return true;
}

static void name_in_kernel(struct location_names *n, location_id id)
{
	const struct location *l = &n->s->locations.list.p[id];
	struct kernel_symbol symbol;
	if (!n->kernel)
		n->kernel = kernel_symbols_new(&n->s->kernel, &n->s->options.names);
	if (!find_in_kernel(n, l, &symbol)) {
		location_add_unnamed(n, id, kernel_module_at(n->s, l->address));
		return;
	}
	struct known_symbol key = { .mapped = l->mapped, .start = symbol.start };
	if (take_known(n, id, &key))
		return;
	begin_location(n, id);
	push_frame(n, id,
		   &(struct named_frame){
			   .name = symbol.name, .module = symbol.module, .kind = FRAME_KERNEL });
	remember(n, id, &key);
}

/* --- JIT code with times --- */

static void name_in_jitdump(struct location_names *n, location_id id, const struct mapped *m)
{
	const struct location *l = &n->s->locations.list.p[id];
	struct named_frame f = { .name = jitdump_name(m->jitdump, l->code),
				 .module = m->path,
				 .kind = FRAME_JIT };
	if (n->s->options.names.wants_lines)
		jitdump_line(m->jitdump, l->code, l->address, &f.file, &f.line);
	f.function_file = f.file;
	begin_location(n, id);
	push_frame(n, id, &f);
}

/* --- frames named by the recorder --- */

static void name_found(struct location_names *n, location_id id)
{
	const struct perf_live *live = n->s->options.live;
	const struct perf_found_name *names;
	uint32_t count = live->name_found(live->context,
					  (uint32_t)n->s->locations.list.p[id].address, &names);
	begin_location(n, id);
	for (uint32_t i = 0; i < count; i++)
		push_frame(n, id,
			   &(struct named_frame){ .name = names[i].name,
						  .module = names[i].module,
						  .file = names[i].file,
						  .line = names[i].line,
						  .column = names[i].column,
						  .function_file = names[i].file,
						  .function_line = names[i].function_line,
						  .function_column = names[i].function_column,
						  .kind = names[i].kind,
						  .is_inlined = names[i].is_inlined });
}

/* --- all locations --- */

static void name_location(struct location_names *n, location_id id)
{
	struct mapped *m = &n->s->mapped.list.p[n->s->locations.list.p[id].mapped];
	switch (m->kind) {
	case MAPPED_FILE:
	case MAPPED_VDSO:
		if (!name_in_file(n, id, m))
			add_unnamed_in_file(n, id, m);
		break;
	case MAPPED_KERNEL:
		name_in_kernel(n, id);
		break;
	case MAPPED_KERNEL_CODE:
		location_add_name(n, id, m->path, STR("[bpf]"), FRAME_KERNEL);
		break;
	case MAPPED_JITDUMP:
		name_in_jitdump(n, id, m);
		break;
	case MAPPED_GUEST:
		location_add_unnamed(n, id, m->path);
		break;
	case MAPPED_FOUND:
		name_found(n, id);
		break;
	case MAPPED_GAP:
		location_add_name(n, id, m->path, m->path, FRAME_UNKNOWN);
		break;
	case MAPPED_JIT:
		break; /* handles all of the process */
	}
}

/* Why frames in a file have no name. */
struct unnamed_reason {
	struct buf module, reason, fix;
};

static void unnamed_reason_fini(struct unnamed_reason *r)
{
	buf_fini(&r->module);
	buf_fini(&r->reason);
	buf_fini(&r->fix);
}

static void explain(struct location_names *n, mapped_id id, struct unnamed_reason *why)
{
	struct mapped *m = &n->s->mapped.list.p[id];
	if (m->kind == MAPPED_JIT)
		return; /* reported when its map was searched */
	buf_add(&why->module, mapped_shown_path(m));
	if (m->kind == MAPPED_KERNEL)
		kernel_symbols_explain(n->kernel, &why->reason, &why->fix);
	else if (m->binary)
		binary_explain(m->binary, &why->reason, &why->fix);
	else if (m->kind == MAPPED_GUEST)
		buf_add(&why->reason, STR("they belong to the guest of a virtual machine"));
	if (!why->reason.n)
		buf_add(&why->reason, STR("no symbol covers these addresses"));
}

/* Stores the reason with the mapping: more such frames may appear after its file is closed. */
static void keep_reason(struct location_names *n, mapped_id id, struct unnamed_reason *why)
{
	struct mapped_table *t = &n->s->mapped;
	struct mapped *m = &t->list.p[id];
	struct str module = why->module.n ? buf_str(&why->module) : STR("[unknown]");
	if (m->is_explained && str_eq(m->reason, buf_str(&why->reason)))
		return;
	m->is_explained = true;
	m->unnamed_module = arena_copy(&t->text, module);
	m->reason = arena_copy(&t->text, buf_str(&why->reason));
	m->fix = arena_copy(&t->text, buf_str(&why->fix));
}

static void add_unnamed(struct location_names *n, const uint64_t *location_weight)
{
	struct profile *p = n->s->p;
	const struct mapped_table *t = &n->s->mapped;
	AUTO_FREE uint64_t *frames = mem_zalloc(t->list.n + 1, sizeof(*frames));
	for (uint32_t i = 0; i < n->s->locations.list.n; i++)
		if (n->is_unnamed[i])
			frames[n->s->locations.list.p[i].mapped] += location_weight[i];
	for (uint32_t i = 0; i < t->list.n; i++) {
		const struct mapped *m = &t->list.p[i];
		if (frames[i])
			profile_add_unnamed(
				p, (struct unnamed){ profile_add_str(p, m->unnamed_module),
						     profile_add_str(p, m->reason),
						     profile_add_str(p, m->fix), frames[i] });
	}
}

/* Location ids grouped by mapping: list[start[m]] to list[start[m + 1]]. */
struct grouped_locations {
	location_id *list;
	uint32_t *start;
};

/* Groups those from `first` on. */
static void group_locations(const struct perf_session *s, uint32_t first,
			    struct grouped_locations *g)
{
	uint32_t n = s->locations.list.n, groups = s->mapped.list.n;
	g->list = mem_alloc(n - first + 1, sizeof(*g->list));
	g->start = mem_zalloc(groups + 2, sizeof(*g->start));
	for (uint32_t i = first; i < n; i++)
		g->start[s->locations.list.p[i].mapped + 2]++;
	for (uint32_t i = 2; i < groups + 2; i++)
		g->start[i] += g->start[i - 1];
	for (uint32_t i = first; i < n; i++)
		g->list[g->start[s->locations.list.p[i].mapped + 1]++] = i;
}

/* The number of samples whose stacks include each node of the raw stacks. */
static uint64_t *node_weights(const struct profile *raw)
{
	uint64_t *weight = mem_zalloc(raw->nodes.n, sizeof(*weight));
	for (uint32_t i = 0; i < raw->samples.n; i++)
		weight[raw->samples.node[i]] += raw->samples.count[i];
	for (uint32_t i = raw->nodes.n; i-- > 1;)
		weight[raw->nodes.p[i].parent] += weight[i];
	return weight;
}

/* Live recordings have no build ids, but can read the file. */
static void keep_build_id(struct perf_session *s, struct mapped *m)
{
	struct elf *code = m->binary && m->is_found ? binary_code(m->binary) : NULL;
	if (code && !binary_is_unverified(m->binary))
		m->file_build_id = arena_copy(&s->mapped.text, code->build_id);
}

static void note_file(struct location_names *n, struct mapped *m)
{
	keep_build_id(n->s, m);
	if (m->binary && m->is_found && binary_is_unverified(m->binary)) {
		buf_addf(&n->unverified, "%s%.*s", n->unverified.n ? ", " : "",
			 STR_ARG(str_basename(m->path)));
		n->unverified_count++;
	}
	if (m->debug && debug_info_gave_up(m->debug))
		n->s->p->ledger.count[LEDGER_NO_INLINES]++;
}

/* Notes a file that was too expensive to read to its end. What was read stays, but not its pages. */
static void note_cost(const struct location_names *n, struct mapped *m)
{
	const struct budget *spent = m->binary ? binary_spent_budget(m->binary) : NULL;
	if (spent)
		budgets_note(n->s->options.names.budgets, m->path, spent);
	if (m->binary)
		binary_let_go(m->binary);
}

/* Names the locations of a mapping, and notes why some have no name. */
static void name_group(struct location_names *n, mapped_id id, const location_id *list,
		       uint32_t count)
{
	AUTO(unnamed_reason) struct unnamed_reason why = { 0 };
	struct mapped *m = &n->s->mapped.list.p[id];
	bool is_first = !m->is_used, has_unnamed = false;
	m->is_used = true;
	if (m->kind == MAPPED_JIT)
		names_of_jit(n, id, list, count, &why.reason, &why.fix, &why.module);
	for (uint32_t i = 0; i < count; i++) {
		if (n->first[list[i]] == INDEX_NONE)
			name_location(n, list[i]);
		has_unnamed |= n->is_unnamed[list[i]];
	}
	if (is_first)
		note_file(n, m);
	note_cost(n, m);
	if (has_unnamed) {
		explain(n, id, &why);
		keep_reason(n, id, &why);
	}
}

/* A live recording needs the same files over and over, so some stay open. */
enum { MAX_OPEN_FILES = 48 };

static uint32_t open_files(const struct mapped_table *t)
{
	uint32_t n = 0;
	for (mapped_id i = 0; i < t->list.n; i++)
		n += t->list.p[i].binary != NULL;
	return n;
}

/* Closes files used neither in this round nor by stacks since the last one. */
static void close_idle_files(struct mapped_table *t)
{
	for (mapped_id i = 0; i < t->list.n; i++) {
		struct mapped *m = &t->list.p[i];
		if (m->last_use + 1 < t->round && m->kind != MAPPED_JITDUMP)
			mapped_close(m);
	}
}

/* File by file, so that only one is open at a time if everything is named at once. */
static void name_all(struct location_names *n, const struct grouped_locations *g)
{
	struct perf_session *s = n->s;
	progress_begin(s->options.counted, "naming functions of", g->start[s->mapped.list.n]);
	for (mapped_id i = 0; i < s->mapped.list.n; i++) {
		uint32_t count = g->start[i + 1] - g->start[i];
		if (!count)
			continue;
		progress_add(s->options.counted, count);
		name_group(n, i, g->list + g->start[i], count);
		if (!s->options.live)
			mapped_close(&s->mapped.list.p[i]);
	}
	if (s->options.live && open_files(&s->mapped) > MAX_OPEN_FILES)
		close_idle_files(&s->mapped);
}

static uint64_t *location_weights(const struct perf_session *s, const uint64_t *node_weight)
{
	uint64_t *weight = mem_zalloc(s->locations.list.n + 1, sizeof(*weight));
	for (uint32_t i = 1; i < s->raw->nodes.n; i++)
		weight[s->raw->nodes.p[i].frame] += node_weight[i];
	return weight;
}

void location_names_free(struct location_names *n)
{
	if (!n)
		return;
	vec_fini(&n->frames);
	vec_fini(&n->nodes);
	vec_fini(&n->symbols);
	index_map_fini(&n->symbol_map);
	kernel_symbols_free(n->kernel);
	buf_fini(&n->text);
	buf_fini(&n->unverified);
	free(n->first);
	free(n->count);
	free(n->is_unnamed);
	free(n->is_entry);
	free(n);
}

void perf_session_forget_names(struct perf_session *s)
{
	struct location_names *n = s->names;
	if (!n)
		return;
	struct kernel_symbols *kernel = n->kernel; /* slow to read, and does not change */
	n->kernel = NULL;
	location_names_free(n);
	s->names = mem_zalloc(1, sizeof(*s->names));
	*s->names = (struct location_names){ .s = s, .kernel = kernel };
}

/* Makes room for new locations. */
static void grow(struct location_names *n, uint32_t count)
{
	if (count <= n->n)
		return;
	n->first = mem_realloc(n->first, count, sizeof(*n->first));
	n->count = mem_realloc(n->count, count, sizeof(*n->count));
	n->is_unnamed = mem_realloc(n->is_unnamed, count, sizeof(*n->is_unnamed));
	memset(n->first + n->n, 0xff, (count - n->n) * sizeof(*n->first));
	memset(n->count + n->n, 0, (count - n->n) * sizeof(*n->count));
	n->is_entry = mem_realloc(n->is_entry, count, sizeof(*n->is_entry));
	memset(n->is_unnamed + n->n, 0, (count - n->n) * sizeof(*n->is_unnamed));
	memset(n->is_entry + n->n, 0, (count - n->n) * sizeof(*n->is_entry));
	n->n = count;
}

void perf_session_name(struct perf_session *s)
{
	if (!s->names) {
		s->names = mem_zalloc(1, sizeof(*s->names));
		s->names->s = s;
	}
	struct location_names *n = s->names;
	struct grouped_locations g;
	group_locations(s, n->n, &g);
	s->mapped.round++;
	grow(n, s->locations.list.n);
	AUTO_FREE uint64_t *node_weight = node_weights(s->raw);
	AUTO_FREE uint64_t *location_weight = location_weights(s, node_weight);
	name_all(n, &g);
	perf_session_compare_witnesses(n);
	add_unnamed(n, location_weight);
	perf_session_fill(n, node_weight);
	free(g.list);
	free(g.start);
}

void perf_session_note_budgets(struct perf_session *s)
{
	AUTO(buf) struct buf text = { 0 };
	if (budgets_describe(s->options.names.budgets, &text))
		profile_add_note(s->p, buf_str(&text));
}

/* These files may differ from those that ran, so that names are wrong: the user must know. */
void perf_session_note_unverified(struct perf_session *s)
{
	enum { MAX_LISTED_BYTES = 200 };
	AUTO(buf) struct buf text = { 0 };
	const struct location_names *n = s->names;
	if (!n || !n->unverified_count)
		return;
	struct str listed = str_first(buf_str(&n->unverified), MAX_LISTED_BYTES);
	bool is_one = n->unverified_count == 1;
	buf_addf(&text,
		 "%u %s could not be checked: the recording has no build id for %s, so names are "
		 "wrong if %s changed since: %.*s%s",
		 n->unverified_count, is_one ? "file" : "files", is_one ? "it" : "them",
		 is_one ? "it has" : "they have", STR_ARG(listed),
		 listed.n < n->unverified.n ? ", ..." : "");
	profile_add_note(n->s->p, buf_str(&text));
}
