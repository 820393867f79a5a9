/*
 * Folded stacks from anywhere as pictures: well-formed, and no frame lost. The first byte says how,
 * the first line is heading, ledger and name of what is counted; the rest are stacks.
 */
#include "fuzz.h"
#include "query/query.h"
#include "sink/sink.h"
#include "source/source_int.h"
#include "xml_check.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

enum how { INVERTED = 1, COMPAT = 2, HASHED = 4, IN_ORDER = 8, BOTH_SIDES = 16, NARROW = 32 };

struct drain {
	int fd;
	struct buf text;
};

static void *read_all(void *context)
{
	struct drain *d = context;
	ssize_t n;
	while ((n = read(d->fd, buf_reserve(&d->text, 65536), 65536)) > 0)
		d->text.n += (size_t)n;
	return NULL;
}

typedef void print_function(const void *what, struct writer *out);

/* What is printed, by way of a pipe: files are made with care that a fuzzer has no time for. */
static struct buf printed(print_function *print, const void *what)
{
	int ends[2];
	char path[64];
	struct err e = { 0 };
	pthread_t thread;
	if (pipe2(ends, O_CLOEXEC) < 0)
		abort();
	struct drain d = { .fd = ends[0] };
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
	if (pthread_create(&thread, NULL, read_all, &d) != 0)
		abort();
	struct writer *out = writer_open(path, &e);
	if (!out)
		abort();
	print(what, out);
	if (!writer_commit(out, &e))
		abort();
	writer_free(out);
	close(ends[1]);
	pthread_join(thread, NULL);
	close(ends[0]);
	return d.text;
}

static void print_svg(const void *what, struct writer *out)
{
	sink_svg(what, out);
}

static void print_json(const void *what, struct writer *out)
{
	sink_diff_json(what, out);
}

static void print_table(const void *what, struct writer *out)
{
	struct report_style style = { .columns = 80 };
	sink_diff_table(what, &style, out);
}

static void check_picture(const struct picture *p)
{
	AUTO(buf) struct buf text = printed(print_svg, p);
	uint32_t frames = 0;
	xml_check(buf_str(&text));
	struct str rest = buf_str(&text);
	for (ptrdiff_t at; (at = str_find(rest, STR("<title>"))) >= 0; frames++)
		rest = str_from_byte(rest, (size_t)at + 1);
	if (frames != p->layout->boxes.n)
		abort();
}

static void check_report(const struct tree *t, const struct comparison *c, const char *title)
{
	enum { LIMIT_PERCENT = 5 };
	AUTO(functions) struct functions f = { 0 };
	AUTO(grown_list) struct grown_list grown = { 0 };
	functions_of_tree(t, &f);
	grown_find(&(struct grown_view){ t, c }, 1, LIMIT_PERCENT, &grown);
	struct diff_report r = { .pair = t,
				 .comparison = c,
				 .functions = &f,
				 .side_text = { str_from(title), str_from(title) },
				 .count_name = title,
				 .factor = 1,
				 .fail_above = LIMIT_PERCENT,
				 .grown = &grown };
	AUTO(buf) struct buf json = printed(print_json, &r);
	AUTO(buf) struct buf table = printed(print_table, &r);
	if (str_find(buf_str(&json), STR("<")) >= 0 || !json.n || !table.n)
		abort();
	for (size_t i = 0; i < json.n; i++)
		if ((unsigned char)json.p[i] < ' ' && json.p[i] != '\n')
			abort();
}

static struct comparison comparison_of(const struct tree *t, unsigned how)
{
	struct comparison c = { .by_self = how & HASHED,
				.total = { t->total[0][0], t->total[1][0] },
				.samples = { (double)t->total[0][0], (double)t->total[1][0] } };
	comparison_set_scale(&c, t, how % 3);
	return c;
}

static struct colour *label_colours(const struct tree *t, const struct layout *l, unsigned how)
{
	struct painter p = { .palette = PALETTE_KIND + how % (PALETTE_COUNT - 1),
			     .shade_by = how & HASHED ? SHADE_BY_HASH : SHADE_BY_NAME,
			     .by_marks_only = how & COMPAT };
	struct colour *colours = mem_alloc(l->boxes.n, sizeof(*colours));
	for (uint32_t i = 0; i < l->boxes.n; i++)
		colours[i] = paint_label(&p, tree_label_of(t, l->boxes.p[i].node),
					 l->boxes.p[i].node == 0);
	return colours;
}

static void draw(const struct tree *t, unsigned how, const char *title)
{
	unsigned side = t->value_count - 1;
	uint64_t total = t->total[side][0];
	struct comparison c = t->value_count > 1 ? comparison_of(t, how) : (struct comparison){ 0 };
	struct layout_query q = { .self = t->self[side],
				  .total = t->total[side],
				  .min_value = how & NARROW ? (double)total / 100 : 0 };
	AUTO(layout) struct layout l = { 0 };
	AUTO(legend) struct legend legend = { 0 };
	layout_tree(t, &q, &l);
	if (t->value_count > 1)
		legend_of_diff(&legend, &c);
	AUTO_FREE struct colour *colours = t->value_count > 1
						   ? diff_colours(t, &c, &l, how & INVERTED)
						   : label_colours(t, &l, how);
	struct picture_style style = { .title = title,
				       .subtitle = how & INVERTED ? title : NULL,
				       .count_name = title,
				       .name_type = title,
				       .font_type = "Verdana",
				       .font_size = 12,
				       .font_width = 0.59,
				       .frame_height = 16,
				       .width = 1200,
				       .is_inverted = how & INVERTED,
				       .factor = 1 };
	struct picture p = { .tree = t,
			     .layout = &l,
			     .style = &style,
			     .total = total,
			     .min_value = q.min_value,
			     .colours = colours,
			     .legend = &legend,
			     .ledger = str_from(title),
			     .comparison = t->value_count > 1 ? &c : NULL };
	if (!(how & COMPAT) && l.boxes.n + l.narrow != t->n)
		abort();
	check_picture(&p);
	if (t->value_count > 1)
		check_report(t, &c, title);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	unsigned how = size ? data[0] : 0;
	ptrdiff_t newline = str_find_char(text, '\n');
	if (newline < 1)
		return 0;
	AUTO(buf) struct buf title = { 0 };
	buf_add(&title, (struct str){ text.p + 1, (size_t)newline - 1 });
	text = str_from_byte(text, (size_t)newline + 1);
	const struct source_format *format =
		how & BOTH_SIDES ? &folded_diff_format : &folded_format;
	struct source_options options = { .keep_names = how & COMPAT };
	struct query q = { .by_kind = !(how & COMPAT),
			   .in_order = how & IN_ORDER,
			   .as_lines = how & COMPAT };
	struct query_ledger ledger;
	struct err e = { 0 };
	struct profile *p = profile_new(query_columns(&q));
	void *state = format->begin(p, &options, text);
	format->feed(state, text, 0, true);
	format->end(state, false);
	profile_seal(p);
	struct tree *t = query_tree(p, &q, &ledger, &e);
	if (t && t->total[t->value_count - 1][0])
		draw(t, how, buf_c_string(&title));
	tree_free(t);
	profile_unref(p);
	return 0;
}
