/* The live picture: what it counts, how it fits, and that nothing of a hostile name reaches the terminal. */
#include "cmd/record_screen.h"
#include "tap.h"

static void add_sample(struct profile *p, struct str name, struct str module, uint32_t line)
{
	struct frame root = { .name = profile_add_str(p, STR("main")) };
	struct frame f = { .name = profile_add_str(p, name),
			   .module = profile_add_str(p, module),
			   .line = line,
			   .kind = str_starts(module, STR("[kernel")) ? FRAME_KERNEL : FRAME_USER };
	struct sample s = { .count = 1, .period = 1, .time_ns = p->samples.n + 1 };
	s.node = profile_add_node(p, NODE_ROOT, profile_add_frame(p, &root));
	s.node = profile_add_node(p, s.node, profile_add_frame(p, &f));
	profile_add_sample(p, &s);
}

static void add_samples(struct profile *p, unsigned n, struct str name, struct str module)
{
	for (unsigned i = 0; i < n; i++)
		add_sample(p, name, module, i % 3);
}

static struct profile *new_profile(unsigned columns)
{
	struct profile *p = profile_new(columns);
	profile_add_event(p, (struct event){ .name = profile_add_str(p, STR("cpu-clock")) });
	return p;
}

/* --- counting --- */

static uint64_t self_of(const struct hot_functions *h, struct str name)
{
	for (uint32_t i = 0; i < h->list.n; i++)
		if (str_eq(profile_str(h->profile, h->list.p[i].name), name))
			return h->list.p[i].self;
	return 0;
}

static void check_counting(void)
{
	struct hot_functions h = { 0 };
	uint32_t top[2];
	struct profile *p = new_profile(COLUMN_TIME);
	hot_functions_update(&h, p);
	tap_num_eq(hot_functions_top(&h, top, 2), 0, "nothing yet");
	add_samples(p, 5, STR("hot"), STR("/bin/a"));
	add_samples(p, 2, STR("cold"), STR("/bin/a"));
	hot_functions_update(&h, p);
	tap_num_eq(h.list.n, 2, "lines of a function are one");
	add_samples(p, 9, STR("pv_native_safe_halt"), STR("[kernel.kallsyms]"));
	add_samples(p, 4, STR("cold"), STR("/bin/a"));
	add_samples(p, 3, STR("hot"), STR("/bin/b"));
	hot_functions_update(&h, p);
	tap_num_eq(h.total, 14, "idle time is no share of anything");
	tap_num_eq(h.idle, 9, "... and counted apart");
	tap_ok(hot_functions_top(&h, top, 2) == 2 && h.list.p[top[0]].self == 6 &&
		       h.list.p[top[1]].self == 5,
	       "the hottest come first");
	tap_num_eq(self_of(&h, STR("cold")), 6, "what is new is added");
	tap_num_eq(self_of(&h, STR("hot")), 5, "the same name in another file is another one");
	struct profile *next = new_profile(COLUMN_TIME);
	add_samples(next, 1, STR("cold"), STR("/bin/a"));
	hot_functions_update(&h, next);
	tap_num_eq(h.total, 1, "another profile begins anew");
	hot_functions_fini(&h);
	profile_unref(p);
	profile_unref(next);
}

static void check_shared_rows(void)
{
	struct hot_functions h = { 0 };
	struct profile *p = new_profile(0);
	for (int i = 0; i < 3; i++) {
		add_sample(p, STR("f"), STR("/bin/a"), 0);
		hot_functions_update(&h, p);
	}
	tap_num_eq(self_of(&h, STR("f")), 3, "rows that grow are counted whole");
	hot_functions_fini(&h);
	profile_unref(p);
}

static void check_events(void)
{
	struct hot_functions h = { 0 };
	struct profile *p = profile_new(COLUMN_TIME);
	struct sample s = { .count = 1 };
	profile_add_event(p, (struct event){ .name = profile_add_str(p, STR("page-faults")) });
	s.event =
		profile_add_event(p, (struct event){ .name = profile_add_str(p, STR("cycles:u")) });
	add_samples(p, 5, STR("f"), STR("/bin/a"));
	s.node = 1;
	profile_add_sample(p, &s);
	hot_functions_update(&h, p);
	tap_num_eq(h.total, 1, "of several events the one that samples time is shown");
	hot_functions_fini(&h);
	profile_unref(p);
}

/* --- drawing --- */

static const struct record_progress usual = { .elapsed_ns = 12400000000,
					      .duration_ns = 30000000000,
					      .samples = 1228,
					      .on_cpu = 0.99,
					      .output_bytes = 1234567,
					      .state = "recording" };

/* Without what moves the cursor and colours; *lines: how many there are. */
static void add_plain(struct buf *out, struct str frame, unsigned *lines)
{
	*lines = 1;
	for (size_t i = 0; i < frame.n; i++) {
		if (frame.p[i] == '\033' && i + 1 < frame.n && frame.p[i + 1] == '[') {
			for (i += 2; i < frame.n && !(frame.p[i] >= '@' && frame.p[i] <= '~');)
				i++;
		} else if (frame.p[i] != '\r') {
			*lines += frame.p[i] == '\n';
			buf_add_char(out, frame.p[i]);
		}
	}
}

static struct profile *node_profile(void)
{
	struct profile *p = new_profile(COLUMN_TIME);
	add_samples(p, 60, STR("JS:*handleRequest /srv/app/lib/server.js:12:5"),
		    STR("/tmp/perf-12.map"));
	add_samples(p, 25, STR("v8::internal::Heap::Scavenge(v8::internal::Isolate*)"),
		    STR("/usr/bin/node"));
	add_samples(p, 14, STR("copy_user_enhanced_fast_string"), STR("[kernel.kallsyms]"));
	add_samples(p, 1, STR(""), STR("/usr/lib/libssl.so.3"));
	return p;
}

static void check_picture(unsigned columns, bool is_unicode, const char *want, const char *what)
{
	struct hot_functions h = { 0 };
	struct profile *p = node_profile();
	AUTO(buf) struct buf frame = { 0 }, plain = { 0 };
	struct record_view v = { { columns, false, is_unicode }, 24, "node (pid 12)" };
	unsigned lines;
	hot_functions_update(&h, p);
	record_screen_draw(&v, &usual, &h, &frame);
	add_plain(&plain, buf_str(&frame), &lines);
	tap_str_eq(buf_str(&plain), str_from(want), "%s", what);
	hot_functions_fini(&h);
	profile_unref(p);
}

/* --- anything, in any size --- */

static struct profile *hostile_profile(void)
{
	static const struct str names[] = {
		STR("\033]0;owned\007\033[2J\033[31m"),
		STR("a\nb\rc\td\be\vf"),
		STR("\xff\xfe\xc0\x80\xed\xa0\x80 broken"),
		STR("\xc2\x9b"
		    "31m eight bits"),
		STR("\xe2\x80\xae turned around"),
		STR("\xc4\x9b\xc4\x9b\xc4\x9b latin"),
		STR("std::vector<std::basic_string<char, std::char_traits<char>>>::push_back(int)"),
		STR("\xe4\xb8\xad\xe6\x96\x87\xe5\x87\xbd\xe6\x95\xb0"),
		STR("x"),
		STR("a\0b"),
		STR("((((((((((((((<<<<<<<<<<<<<<<"),
		STR(""),
	};
	struct profile *p = new_profile(COLUMN_TIME);
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		add_samples(p, 20 - i, names[i], names[(i + 1) % ARRAY_SIZE(names)]);
	return p;
}

/* Control characters other than those of the picture itself, and what is no UTF-8. */
static bool is_clean(struct str frame, bool is_unicode)
{
	for (size_t at = 0; at < frame.n;) {
		uint32_t code = utf8_next(frame, &at);
		if (code == '\033') {
			struct str rest = str_from_byte(frame, at);
			size_t n = strspn(rest.n ? rest.p : "", "[?0123456789;");
			if (!rest.n || rest.p[0] != '[' || n >= rest.n ||
			    !memchr("hlmKJA", rest.p[n], 6))
				return false;
			at += n + 1;
		} else if ((code < ' ' && code != '\r' && code != '\n') ||
			   (code >= 0x7f && code < 0xa0) || code == UTF8_REPLACEMENT ||
			   code == 0x202e || (code >= 0x80 && !is_unicode)) {
			return false;
		}
	}
	return true;
}

static size_t widest(struct str text)
{
	size_t most = 0;
	while (text.n) {
		ptrdiff_t end = str_find_char(text, '\n');
		struct str line = end < 0 ? text : str_first(text, (size_t)end);
		size_t n = utf8_count(line);
		most = n > most ? n : most;
		text = str_from_byte(text, line.n + 1);
	}
	return most;
}

static void check_size(const struct hot_functions *h, const struct record_progress *progress,
		       struct record_view v, unsigned *wrong)
{
	AUTO(buf) struct buf frame = { 0 }, plain = { 0 };
	unsigned lines;
	record_screen_draw(&v, progress, h, &frame);
	add_plain(&plain, buf_str(&frame), &lines);
	bool fits = lines <= v.lines && lines <= 1 + RECORD_SCREEN_FUNCTIONS &&
		    widest(buf_str(&plain)) <= (v.style.columns > 1 ? v.style.columns - 1 : 1);
	if (!fits || !is_clean(buf_str(&frame), v.style.is_unicode)) {
		printf("# %u x %u, unicode %d: %u lines, %zu columns\n", v.style.columns, v.lines,
		       v.style.is_unicode, lines, widest(buf_str(&plain)));
		++*wrong;
	}
}

static void check_sizes(void)
{
	static const struct record_progress progress[] = {
		{ .state = "recording" },
		{ .elapsed_ns = UINT64_MAX,
		  .duration_ns = UINT64_MAX,
		  .samples = UINT64_MAX,
		  .lost = UINT64_MAX,
		  .on_cpu = 1e300,
		  .output_bytes = UINT64_MAX,
		  .state = "\033[2Jnaming" },
		{ .elapsed_ns = 61000000000,
		  .samples = 1,
		  .lost = 3,
		  .on_cpu = -1,
		  .state = "naming" },
	};
	struct hot_functions h = { 0 };
	struct profile *p = hostile_profile();
	unsigned wrong = 0, n = 0;
	hot_functions_update(&h, p);
	for (unsigned columns = 0; columns <= 220; columns++)
		for (unsigned lines = 1; lines <= 14; lines++)
			for (unsigned i = 0; i < 4 * ARRAY_SIZE(progress); i++, n++) {
				struct record_view v = { { columns, i & 1, i & 2 },
							 lines,
							 "node \033[2J(pid 12)" };
				check_size(&h, &progress[i / 4], v, &wrong);
			}
	tap_num_eq(wrong, 0, "%u pictures of hostile names fit and are clean", n);
	hot_functions_fini(&h);
	profile_unref(p);
}

static void check_top_is_found_again(void)
{
	struct hot_functions h = { 0 };
	struct profile *p = node_profile();
	AUTO(buf) struct buf frame = { 0 };
	struct record_view v = { { 80, true, true }, 4, "x" };
	hot_functions_update(&h, p);
	record_screen_draw(&v, &usual, &h, &frame);
	tap_ok(str_ends(buf_str(&frame), STR("\033[J\033[?7h\r\033[2A")),
	       "of four lines three are used, and the cursor goes back to the first");
	hot_functions_fini(&h);
	profile_unref(p);
}

static void check_no_terminal(void)
{
	struct record_screen *s = record_screen_new(-1, "x");
	tap_ok(!s, "no terminal, no picture");
	record_screen_update(s, &usual, NULL);
	record_screen_clear(s);
	record_screen_free(s);
}

int main(void)
{
	check_counting();
	check_shared_rows();
	check_events();
	check_picture(60, false,
		      "node (pid 12)  12.4 s of 30 s  1,228 samples  99 % cpu\n"
		      " 60.0 % #########  JS:*handleRequest            [jit]\n"
		      " 25.0 % ####       Heap::Scavenge               node\n"
		      " 14.0 % ##         copy_user_enhanced_fast_s..  [kernel]\n"
		      "  1.0 %            [libssl.so.3]                libssl.so.3",
		      "60 columns");
	check_picture(
		80, false,
		"recording node (pid 12)  12.4 s of 30 s  1,228 samples  99 % of one cpu  0 lost\n"
		" 60.0 % #############  JS:*handleRequest server.js:12           [jit]\n"
		" 25.0 % #####          v8::internal::Heap::Scavenge             node\n"
		" 14.0 % ###            copy_user_enhanced_fast_string           [kernel]\n"
		"  1.0 %                [libssl.so.3]                            libssl.so.3",
		"80 columns");
	check_picture(120, true,
		      "recording node (pid 12)  12.4 s of 30 s  1,228 samples  99 % of one cpu  "
		      "1.2 MB  0 lost\n"
		      " 60.0 % ███████████████████  JS:*handleRequest /srv/app/lib/server.js:12:5  "
		      "                    [jit]\n"
		      " 25.0 % ███████▉             "
		      "v8::internal::Heap::Scavenge(v8::internal::Isolate*)               node\n"
		      " 14.0 % ████▍                copy_user_enhanced_fast_string                 "
		      "                    [kernel]\n"
		      "  1.0 % ▍                    [libssl.so.3]                                  "
		      "                    libssl.so.3",
		      "120 columns");
	check_top_is_found_again();
	check_sizes();
	check_no_terminal();
	return tap_done();
}
