/* SharedFunctionInfo: what all closures of a function share: name, script, code. */
#include "v8/v8_int.h"

enum { MAX_NAME_CHARS = 1024, MAX_WORDS = 9 };

static uint64_t word_behind(const uint64_t *words, const struct v8_layout *l, enum v8_constant c,
			    uint32_t more)
{
	uint32_t i = (uint32_t)v8_get(l, c) / sizeof(*words) + more;
	return i < MAX_WORDS ? words[i] : 0;
}

static uint64_t word_at(const uint64_t *words, const struct v8_layout *l, enum v8_constant c)
{
	return word_behind(words, l, c, 0);
}

/* What the function is known by before it was compiled. */
struct uncompiled {
	uint64_t inferred_name;
	int32_t start;
	bool is;
};

static struct uncompiled read_uncompiled(struct v8_process *p, uint64_t data)
{
	const struct v8_layout *l = p->layout;
	struct uncompiled u = { .start = -1 };
	int32_t type = v8_is_pointer(data) ? v8_type_of(&p->heap, data) : V8_NO_TYPE;
	u.is = type != V8_NO_TYPE && type >= v8_get(l, V8_TYPE_FIRST_UNCOMPILED) &&
	       type <= v8_get(l, V8_TYPE_LAST_UNCOMPILED) && l->origin[V8_TYPE_FIRST_UNCOMPILED];
	if (u.is) {
		v8_read_word(&p->heap, data, v8_get(l, V8_UNCOMPILED_INFERRED_NAME),
			     &u.inferred_name);
		v8_read(&p->heap, data, v8_get(l, V8_UNCOMPILED_START), &u.start, sizeof(u.start));
	}
	return u;
}

static bool add_string(struct v8_process *p, uint64_t string, struct buf *name)
{
	if (!string || !v8_read_string(&p->heap, string, MAX_NAME_CHARS, name))
		name->n = 0;
	return name->n > 0;
}

/* As SharedFunctionInfo::DebugName: its own name, else the one that the compiler made out. */
static void read_name(struct v8_process *p, uint64_t name_or_scope_info, const struct uncompiled *u,
		      struct buf *name, int32_t *start)
{
	struct v8_scope scope = { .start = -1 };
	name->n = 0;
	if (v8_read_scope(&p->heap, name_or_scope_info, &scope)) {
		if (!add_string(p, scope.name, name))
			add_string(p, scope.inferred_name, name);
	} else if (v8_is_pointer(name_or_scope_info)) {
		add_string(p, name_or_scope_info, name);
	}
	if (!name->n && u->is)
		add_string(p, u->inferred_name, name);
	*start = scope.start >= 0 ? scope.start : u->start;
}

/* Up to 11.3 a function that a debugger has looked at has its script behind a DebugInfo. */
static uint64_t script_of(struct v8_process *p, uint64_t word)
{
	const struct v8_layout *l = p->layout;
	uint64_t script;
	if (l->has_debug_info && v8_is_pointer(word) &&
	    v8_type_of(&p->heap, word) == v8_get(l, V8_TYPE_DEBUG_INFO) &&
	    v8_read_word(&p->heap, word, v8_get(l, V8_DEBUG_INFO_SCRIPT), &script))
		return script;
	return word;
}

/*
 * Under constant gc a function may come where another one was, its script and scope where those were: the
 * words are the same then. Functions are numbered from 11.8 on; before, scripts are.
 */
static uint32_t number_of(struct v8_process *p, const uint64_t *words, uint64_t script)
{
	const struct v8_layout *l = p->layout;
	uint64_t id = 0;
	if (l->has_numbers)
		return (uint32_t)word_behind(words, l, V8_SFI_FLAGS, 1);
	v8_read_word(&p->heap, script, v8_get(l, V8_SCRIPT_ID), &id);
	return (uint32_t)v8_smi(id);
}

static void read_function(struct v8_process *p, const uint64_t *words, struct known_function *k,
			  bool *is_compiled)
{
	const struct v8_layout *l = p->layout;
	struct uncompiled u = read_uncompiled(p, word_at(words, l, V8_SFI_DATA));
	struct v8_function f = { 0 };
	int32_t start;
	read_name(p, k->name_or_scope_info, &u, &p->name, &start);
	k->script_slot = v8_script_get(p, script_of(p, k->script));
	if (k->script_slot != V8_NONE) {
		const struct script *s = &p->scripts[k->script_slot];
		f.file = s->file;
		v8_script_line(s, start, &f.line, &f.column);
	}
	f.name = buf_str(&p->name);
	k->function = v8_names_function(p->names, &f);
	*is_compiled = !u.is;
}

static bool is_same(const struct known_function *a, const struct known_function *b)
{
	return a->object == b->object && a->name_or_scope_info == b->name_or_scope_info &&
	       a->script == b->script && a->literal == b->literal && a->number == b->number;
}

/* Only what is used of it: it may be the last object of a page, with nothing behind. */
static bool read_words(struct v8_process *p, uint64_t shared, uint64_t *words)
{
	const struct v8_layout *l = p->layout;
	uint32_t n = (uint32_t)v8_get(l, V8_SFI_FLAGS) / sizeof(*words) + 1 + l->has_numbers;
	memset(words, 0, MAX_WORDS * sizeof(*words));
	return v8_read(&p->heap, shared, 0, words,
		       (n < MAX_WORDS ? n : MAX_WORDS) * sizeof(*words));
}

const struct known_function *v8_function_get(struct v8_process *p, uint64_t shared)
{
	const struct v8_layout *l = p->layout;
	struct known_function *k = &p->functions[v8_slot(shared, KNOWN_FUNCTIONS)];
	uint64_t words[MAX_WORDS];
	if (p->look && k->object == shared && k->look == p->look)
		return k;
	if (!v8_is_pointer(shared) || !read_words(p, shared, words) ||
	    v8_type_of_map(&p->heap, words[0]) != v8_get(l, V8_TYPE_SFI))
		return NULL;
	struct known_function now = {
		.object = shared,
		.name_or_scope_info = word_at(words, l, V8_SFI_NAME_OR_SCOPE_INFO),
		.script = word_at(words, l, V8_SFI_SCRIPT),
		.literal = word_at(words, l, V8_SFI_FLAGS) >> 32,
		.look = p->look,
	};
	now.number = number_of(p, words, now.script);
	k->look = p->look;
	if (is_same(k, &now) &&
	    (k->script_slot == V8_NONE || p->scripts[k->script_slot].object == k->script))
		return k;
	bool is_compiled;
	uint64_t failures = v8_failures(&p->heap);
	*k = now;
	read_function(p, words, k, &is_compiled);
	/* It will be another one soon, with the same words; or a part of it could not be read just now. */
	if (!is_compiled || v8_failures(&p->heap) != failures)
		k->literal = ~k->literal;
	return k;
}

uint64_t v8_shared_of(struct v8_process *p, uint64_t function)
{
	const struct v8_layout *l = p->layout;
	enum { WORDS = 5 };
	uint64_t words[WORDS];
	if (!v8_is_pointer(function) || !v8_read(&p->heap, function, 0, words, sizeof(words)))
		return 0;
	int32_t type = v8_type_of_map(&p->heap, words[0]);
	if (type < v8_get(l, V8_TYPE_FIRST_FUNCTION) || type > v8_get(l, V8_TYPE_LAST_FUNCTION))
		return 0;
	return words[(uint32_t)v8_get(l, V8_JS_FUNCTION_SHARED) / sizeof(*words)];
}
