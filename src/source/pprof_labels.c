/*
 * Labels of a sample. Some say what the model has columns for, under the names of perf_data_converter
 * or of other profilers; the rest stay labels.
 */
#include "source/pprof_int.h"

enum role {
	ROLE_UNSEEN,
	ROLE_LABEL,
	ROLE_PID,
	ROLE_TID,
	ROLE_COMM,
	ROLE_CONTAINER,
	ROLE_CPU,
	ROLE_TIME,
	ROLES,
	ROLE_BITS = 3, /* what is above them in pprof_labels.roles is the rank: lower is better */
};

static const struct {
	struct str key;
	enum role role;
	uint8_t rank;
} keys[] = {
	{ STR("pid"), ROLE_PID, 0 },
	{ STR("process_id"), ROLE_PID, 1 },
	{ STR("tid"), ROLE_TID, 0 },
	{ STR("thread_id"), ROLE_TID, 1 },
	{ STR("thread id"), ROLE_TID, 2 },
	{ STR("thread_comm"), ROLE_COMM, 0 },
	{ STR("comm"), ROLE_COMM, 1 },
	{ STR("thread_name"), ROLE_COMM, 2 },
	{ STR("thread name"), ROLE_COMM, 3 },
	{ STR("thread"), ROLE_COMM, 4 },
	{ STR("container"), ROLE_CONTAINER, 0 },
	{ STR("cpu"), ROLE_CPU, 0 },
	{ STR("timestamp_ns"), ROLE_TIME, 0 },
};

/* Of one sample; a label of two bytes takes forty in memory. */
enum { MAX_LABELS = 1 << 16 };

/* The best label of each role in a sample. */
struct choice {
	uint32_t row[ROLES]; /* INDEX_NONE: none */
	uint8_t rank[ROLES];
	int64_t number[ROLES];
};

void pprof_labels_add(struct pprof_labels *l, const struct protobuf *field)
{
	struct protobuf m = protobuf_inside(field);
	struct pprof_label_row row = { .offset = (uint32_t)protobuf_offset(&m) };
	while (protobuf_next(&m)) {
		if (m.type != PROTOBUF_VARINT)
			continue;
		if (m.field == PPROF_LABEL_KEY)
			row.key = m.number;
		else if (m.field == PPROF_LABEL_TEXT)
			row.text = m.number;
		else if (m.field == PPROF_LABEL_NUMBER)
			row.number = (int64_t)m.number;
		else if (m.field == PPROF_LABEL_UNIT)
			row.unit = m.number;
	}
	if (l->rows.n < MAX_LABELS)
		vec_push(&l->rows, row);
	else
		l->has_too_many = true;
}

static uint8_t role_of_key(struct str key)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (str_eq(key, keys[i].key))
			return (uint8_t)(keys[i].rank << ROLE_BITS | keys[i].role);
	return ROLE_LABEL;
}

static uint8_t role_of(struct pprof_labels *l, const struct pprof_tables *t, uint64_t key)
{
	struct str text;
	if (!l->roles)
		l->roles = mem_zalloc(t->texts.n + 1, 1);
	if (!pprof_text(t, key, &text))
		return ROLE_LABEL;
	if (!l->roles[key])
		l->roles[key] = role_of_key(text);
	return l->roles[key];
}

/* The number that a label holds, also as text. */
static bool number_of(const struct pprof_tables *t, const struct pprof_label_row *row,
		      int64_t *number)
{
	struct str text;
	int32_t small;
	*number = row->number;
	if (!row->text)
		return true;
	if (!pprof_text(t, row->text, &text) || !str_to_i32(text, &small))
		return false;
	*number = small;
	return true;
}

/* Whether the label can stand for its role: numbers that fit, texts for names. */
static bool is_fit(const struct pprof_tables *t, const struct pprof_label_row *row, enum role role,
		   int64_t *number)
{
	struct str text;
	if (role == ROLE_COMM || role == ROLE_CONTAINER)
		return row->text && pprof_text(t, row->text, &text) && text.n;
	if (!number_of(t, row, number))
		return false;
	if (role == ROLE_TIME)
		return *number >= 0;
	if (role == ROLE_CPU)
		return *number >= 0 && *number <= INT32_MAX;
	return *number > INT32_MIN && *number <= INT32_MAX;
}

static void choose(struct pprof_labels *l, const struct pprof_tables *t, struct choice *c)
{
	*c = (struct choice){ 0 };
	memset(c->row, 0xff, sizeof(c->row));
	for (uint32_t i = 0; i < l->rows.n; i++) {
		uint8_t ranked = role_of(l, t, l->rows.p[i].key);
		enum role role = ranked & ((1 << ROLE_BITS) - 1);
		uint8_t rank = ranked >> ROLE_BITS;
		int64_t number = 0;
		if (role == ROLE_LABEL || !is_fit(t, &l->rows.p[i], role, &number))
			continue;
		if (c->row[role] != INDEX_NONE && c->rank[role] <= rank)
			continue;
		c->row[role] = i;
		c->rank[role] = rank;
		c->number[role] = number;
	}
}

static int compare_keys(const void *a, const void *b)
{
	str_id x = ((const struct label *)a)->key, y = ((const struct label *)b)->key;
	return x < y ? -1 : x > y;
}

static bool is_chosen(const struct choice *c, uint32_t row)
{
	for (unsigned role = 0; role < ROLES; role++)
		if (c->row[role] == row)
			return true;
	return false;
}

static void keep_label(struct pprof_labels *l, struct pprof_tables *t,
		       const struct pprof_label_row *row)
{
	struct str key, text;
	if (!pprof_text(t, row->key, &key) || !key.n || !pprof_text(t, row->text, &text) ||
	    !pprof_text(t, row->unit, &text)) {
		source_bad_record(t->p, row->offset,
				  "a label refers to a string that does not exist");
		return;
	}
	if (!(t->p->columns & COLUMN_LABELS))
		return;
	struct label label = { .key = pprof_text_id(t, row->key) };
	if (row->text) {
		label.text = pprof_text_id(t, row->text);
	} else {
		label.is_number = true;
		label.number = row->number;
		label.unit = pprof_text_id(t, row->unit);
	}
	vec_push(&l->kept, label);
}

/* Go writes the labels of one set in any order: here they have one. */
static label_set label_set_of(struct pprof_labels *l, struct pprof_tables *t,
			      const struct choice *c)
{
	label_set set = LABELS_NONE;
	l->kept.n = 0;
	for (uint32_t i = 0; i < l->rows.n; i++)
		if (!is_chosen(c, i))
			keep_label(l, t, &l->rows.p[i]);
	if (l->kept.n > 1)
		qsort(l->kept.p, l->kept.n, sizeof(*l->kept.p), compare_keys);
	for (uint32_t i = 0; i < l->kept.n; i++)
		set = profile_add_label(t->p, set, l->kept.p[i]);
	return set;
}

static str_id chosen_text(const struct pprof_labels *l, struct pprof_tables *t,
			  const struct choice *c, enum role role)
{
	return c->row[role] == INDEX_NONE ? STR_NONE
					  : pprof_text_id(t, l->rows.p[c->row[role]].text);
}

static int32_t chosen_id(const struct choice *c, enum role role, bool is_wanted)
{
	return is_wanted && c->row[role] != INDEX_NONE ? (int32_t)c->number[role] : PID_UNKNOWN;
}

static thread_id thread_of(struct pprof_labels *l, struct pprof_tables *t, const struct choice *c)
{
	unsigned columns = t->p->columns;
	struct thread thread = {
		.pid = chosen_id(c, ROLE_PID, columns & (COLUMN_PID | COLUMN_TID)),
		.tid = chosen_id(c, ROLE_TID, columns & COLUMN_TID),
		.comm = chosen_text(l, t, c, ROLE_COMM),
		.container = chosen_text(l, t, c, ROLE_CONTAINER),
	};
	if (memcmp(&thread, &l->thread, sizeof(thread)) != 0) {
		l->thread = thread;
		l->thread_id = profile_add_thread(t->p, thread);
	}
	return l->thread_id;
}

bool pprof_labels_apply(struct pprof_labels *l, struct pprof_tables *t, struct sample *sample)
{
	struct choice c;
	if (l->rows.n == 0)
		return false;
	if (l->has_too_many)
		source_bad_record(t->p, l->rows.p[0].offset, "a sample has more than %u labels",
				  (unsigned)MAX_LABELS);
	l->has_too_many = false;
	choose(l, t, &c);
	sample->thread = thread_of(l, t, &c);
	sample->labels = label_set_of(l, t, &c);
	if (c.row[ROLE_CPU] != INDEX_NONE)
		sample->cpu = (int32_t)c.number[ROLE_CPU];
	if (c.row[ROLE_TIME] == INDEX_NONE)
		return false;
	sample->time_ns = (uint64_t)c.number[ROLE_TIME];
	return true;
}

void pprof_labels_fini(struct pprof_labels *l)
{
	vec_fini(&l->rows);
	vec_fini(&l->kept);
	free(l->roles);
}
