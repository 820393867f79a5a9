#include "cmd/record_periods.h"

#include "cmd/invoker.h"
#include "cmd/record_output.h"

#include <errno.h>
#include <unistd.h>

struct period_files {
	const struct rotation_options *o;
	struct rotation *rotation;
	struct growing_file file; /* out is NULL if it could not be created yet */
	struct buf trouble;	  /* the last message, if it still holds; empty if all is well */
	bool had_trouble;	  /* in this period */
	bool has_nothing_to_give; /* ... and the user was told that samples are lost */
	uint64_t written, cut;	  /* number of periods */
};

/* --- errors --- */

/* Says it once, however long the problem lasts. */
static void say_trouble(struct period_files *f, const char *text)
{
	f->had_trouble = true;
	if (str_eq(buf_str(&f->trouble), str_from(text)))
		return;
	say("%s", text);
	f->trouble.n = 0;
	buf_add(&f->trouble, str_from(text));
}

/* A period passed without any. */
static void end_trouble(struct period_files *f)
{
	if (f->trouble.n && !f->had_trouble) {
		say("%s: writing works again", f->o->folder);
		f->trouble.n = 0;
		f->has_nothing_to_give = false;
	}
	f->had_trouble = false;
}

static bool is_full(int error)
{
	return error == ENOSPC || error == EDQUOT;
}

/* Removes the oldest recording. Returns false if that would not help, or there is none. */
static bool make_room(struct period_files *f, int error)
{
	AUTO(buf) struct buf text = { 0 };
	if (!is_full(error))
		return false;
	invoker_enter();
	bool has_room = rotation_make_room(f->rotation);
	invoker_leave();
	f->had_trouble = true;
	if (f->has_nothing_to_give)
		return has_room;
	f->has_nothing_to_give = !has_room;
	buf_addf(&text, "%s: the disk is full: %s", f->o->folder,
		 has_room ? "removing the oldest recordings"
			  : "recording continues, but new samples are lost");
	say_trouble(f, buf_c_string(&text));
	return has_room;
}

/* Leaves out the file's name, which differs in each period. A full disk was reported earlier. */
static void say_error_number(struct period_files *f, int error)
{
	AUTO(buf) struct buf text = { 0 };
	if (is_full(error))
		return;
	buf_addf(&text, "%s: cannot write: %s; trying again each period", f->o->folder,
		 strerror(error));
	say_trouble(f, buf_c_string(&text));
}

/* --- the current file --- */

/* Includes what is waiting to be written. */
static uint64_t file_will_be(const struct period_files *f)
{
	return period_files_bytes(f) + (f->file.out ? writer_waiting_bytes(f->file.out) : 0);
}

/* Returns whether everything that was waiting is written. */
static bool write_file(struct period_files *f)
{
	struct writer *out = f->file.out;
	if (f->o->max_bytes && file_will_be(f) > f->o->max_bytes) {
		AUTO(buf) struct buf text = { 0 };
		buf_addf(&text, "%s: a burst exceeded --max-size and was lost; raise it",
			 f->o->folder);
		say_trouble(f, buf_c_string(&text));
		return false;
	}
	invoker_enter();
	rotation_expect(f->rotation, writer_waiting_bytes(out));
	invoker_leave();
	bool ok = writer_write_waiting(out);
	while (!ok && make_room(f, writer_error(out)))
		ok = writer_write_waiting(out);
	if (!ok)
		say_error_number(f, writer_error(out));
	return ok;
}

/* Returns 0 or errno. */
static int open_file(struct period_files *f, struct err *e)
{
	invoker_enter();
	AUTO_FREE char *path = mem_strdup(rotation_next(f->rotation));
	rotation_prune(f->rotation);
	invoker_leave();
	int error = growing_file_open(&f->file, path, e) ? 0 : errno;
	while (error && make_room(f, error))
		error = growing_file_open(&f->file, path, e) ? 0 : errno;
	if (error)
		return error;
	*e = (struct err){ 0 }; /* errors from before there was room */
	writer_set_patient(f->file.out);
	write_file(f); /* from now on it is readable, whatever happens */
	return 0;
}

static bool has_file(struct period_files *f)
{
	struct err e = { 0 };
	int error = f->file.out ? 0 : open_file(f, &e);
	if (error)
		say_error_number(f, error);
	return !error;
}

/* --- periods --- */

struct period_files *period_files_new(const struct rotation_options *o, struct err *e)
{
	struct period_files *f = mem_zalloc(1, sizeof(*f));
	f->o = o;
	invoker_enter();
	f->rotation = rotation_new(o, e);
	invoker_leave();
	if (f->rotation && open_file(f, e) == 0)
		return f;
	period_files_free(f);
	return NULL;
}

void period_files_free(struct period_files *f)
{
	if (!f)
		return;
	growing_file_fini(&f->file);
	rotation_free(f->rotation);
	buf_fini(&f->trouble);
	free(f);
}

void period_files_append(struct period_files *f, const struct profile *p)
{
	if (!has_file(f))
		return;
	growing_file_append(&f->file, p);
	write_file(f);
}

/* Removes a file if nothing was written to it. */
static void remove_empty(struct period_files *f)
{
	if (!f->file.path || !store_is_empty(file_bytes(f->file.path)))
		return;
	invoker_enter();
	unlink(f->file.path);
	invoker_leave();
}

void period_files_end(struct period_files *f, const struct profile *p)
{
	struct err e = { 0 };
	bool is_whole = has_file(f);
	if (is_whole) {
		store_writer_end(f->file.store, p);
		is_whole = write_file(f) && writer_commit(f->file.out, &e);
		if (e.kind)
			say_trouble(f, e.text);
	}
	f->written += is_whole;
	f->cut += !is_whole;
	if (!is_whole)
		remove_empty(f);
	growing_file_fini(&f->file);
	end_trouble(f);
}

void period_files_begin(struct period_files *f)
{
	has_file(f); /* otherwise with the first samples */
}

bool period_files_is_large(const struct period_files *f)
{
	return f->o->max_bytes && file_will_be(f) >= f->o->max_bytes / 2;
}

uint64_t period_files_bytes(const struct period_files *f)
{
	return f->file.path ? file_bytes(f->file.path) : 0;
}

void period_files_say_summary(const struct period_files *f)
{
	AUTO(buf) struct buf text = { 0 };
	uint64_t removed = rotation_removed(f->rotation);
	buf_addf(&text, "%s: wrote ", f->o->folder);
	buf_add_grouped(&text, f->written);
	buf_addf(&text, f->written == 1 ? " file" : " files");
	if (removed) {
		buf_addf(&text, ", removed the ");
		buf_add_grouped(&text, removed);
		buf_addf(&text, " oldest");
	}
	if (f->cut) {
		buf_addf(&text, "; ");
		buf_add_grouped(&text, f->cut);
		buf_addf(&text, f->cut == 1 ? " period is incomplete" : " periods are incomplete");
	}
	say("%s", buf_c_string(&text));
}
