/* Files in which runtimes store container state: JSON that anybody may have written. */
#include "target/container_int.h"

enum { MAX_TEXT_BYTES = 4096, MAX_ID_BYTES = 128, MAX_CONTAINERS_IN_FILE = 1 << 14 };

enum field_type {
	FIELD_NUMBER,
	FIELD_ID,
	FIELD_TEXT,
	FIELD_BUNDLE, /* `bundle=PATH` among other texts */
};

/* Keys with a dot between; the keys of annotations hold dots themselves. */
static const struct field {
	const char *path;
	enum field_type type;
	size_t offset;
} fields[] = {
#define FIELD(path, type, member)                                                                  \
	{                                                                                          \
		path, type, offsetof(struct container_state, member)                               \
	}
	/* docker: config.v2.json, daemon.json */
	FIELD("ID", FIELD_ID, id),
	FIELD("Name", FIELD_TEXT, name),
	FIELD("State.Pid", FIELD_NUMBER, pid),
	FIELD("Config.Labels.io.kubernetes.container.name", FIELD_TEXT, kubernetes_name),
	FIELD("Config.Labels.io.kubernetes.pod.name", FIELD_TEXT, pod),
	FIELD("data-root", FIELD_TEXT, data_root),
	/* podman and cri-o: containers.json; runc: state.json */
	FIELD("id", FIELD_ID, id),
	FIELD("names", FIELD_TEXT, name),
	FIELD("init_process_pid", FIELD_NUMBER, pid),
	FIELD("init_process_start", FIELD_NUMBER, start_ticks),
	FIELD("config.labels", FIELD_BUNDLE, bundle),
	/* crun: status */
	FIELD("pid", FIELD_NUMBER, pid),
	FIELD("process-start-time", FIELD_NUMBER, start_ticks),
	FIELD("bundle", FIELD_TEXT, bundle),
	/* what every runtime is given: config.json */
	FIELD("annotations.io.container.manager", FIELD_TEXT, manager),
	FIELD("annotations.io.kubernetes.container.name", FIELD_TEXT, kubernetes_name),
	FIELD("annotations.io.kubernetes.pod.name", FIELD_TEXT, pod),
	FIELD("annotations.io.kubernetes.cri.container-name", FIELD_TEXT, kubernetes_name),
	FIELD("annotations.io.kubernetes.cri.sandbox-name", FIELD_TEXT, pod),
	FIELD("annotations.nerdctl/name", FIELD_TEXT, name),
#undef FIELD
};

/* --- texts --- */

static bool is_plain(struct str text, size_t most)
{
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] < ' ' || text.p[i] == 127)
			return false;
	return text.n > 0 && text.n <= most;
}

/* Ids become parts of paths. */
static bool is_id(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '/')
			return false;
	return is_plain(text, MAX_ID_BYTES) && text.p[0] != '.';
}

static void set_text(char **to, struct str text)
{
	AUTO(buf) struct buf copy = { 0 };
	if (*to)
		return;
	buf_add(&copy, text);
	*to = mem_strdup(buf_c_string(&copy));
}

static void take_text(struct json *j, const struct field *field, char **to)
{
	struct str text;
	if (!json_string(j, &text) || !is_plain(text, MAX_TEXT_BYTES))
		return;
	if (field->type == FIELD_BUNDLE) {
		if (!str_starts(text, STR("bundle=")))
			return;
		text = str_from_byte(text, sizeof("bundle=") - 1);
	}
	if (field->type != FIELD_ID || is_id(text))
		set_text(to, text);
}

/* --- the document --- */

static void take_value(struct json *j, const struct field *field, struct container_state *s)
{
	void *to = (char *)s + field->offset;
	int64_t number;
	if (field->type == FIELD_NUMBER) {
		if (json_number(j, 0, &number))
			*(int64_t *)to = number;
	} else if (json_peek(j) == JSON_ARRAY) {
		json_array(j);
		while (json_element(j))
			take_text(j, field, to);
	} else {
		take_text(j, field, to);
	}
}

/* The field with this path, or one below it when is_inside. */
static const struct field *find_field(struct str path, bool is_inside)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		struct str known = str_from(fields[i].path);
		if (is_inside
			    ? known.n > path.n && str_starts(known, path) && known.p[path.n] == '.'
			    : str_eq(known, path))
			return &fields[i];
	}
	return NULL;
}

/* Goes no deeper than the paths of fields do. */
static void take_object(struct json *j, struct buf *path, struct container_state *s)
{
	size_t n = path->n;
	struct str key;
	if (!json_object(j))
		return;
	while (json_key(j, &key)) {
		path->n = n;
		if (n)
			buf_add_char(path, '.');
		buf_add(path, str_first(key, MAX_TEXT_BYTES));
		const struct field *field = find_field(buf_str(path), false);
		if (field)
			take_value(j, field, s);
		else if (find_field(buf_str(path), true))
			take_object(j, path, s);
		else
			json_skip(j);
	}
	path->n = n;
}

static void state_fini(struct container_state *s)
{
	free(s->id);
	free(s->name);
	free(s->pod);
	free(s->kubernetes_name);
	free(s->manager);
	free(s->bundle);
	free(s->data_root);
}

static void take_state(struct json *j, container_on_state *on, void *context)
{
	AUTO(buf) struct buf path = { 0 };
	struct container_state s = { 0 };
	take_object(j, &path, &s);
	/* Half a file is no state: what is missing might be what matters. */
	if (!json_fault(j))
		on(context, &s);
	state_fini(&s);
}

void container_states_read(struct reader *r, container_on_state *on, void *context)
{
	struct json *j = json_new(r);
	if (json_peek(j) == JSON_ARRAY) {
		json_array(j);
		for (uint32_t n = 0; n < MAX_CONTAINERS_IN_FILE && json_element(j); n++)
			take_state(j, on, context);
	} else {
		take_state(j, on, context);
	}
	json_free(j);
}
