/* Files for pictures: what --nameattr and --cp read, and where a picture goes. */
#include "cmd/show.h"

#include <unistd.h>

/* Reads up to 64 MB. */
static bool read_text_file(const char *path, struct buf *out, struct err *e)
{
	enum { MAX_BYTES = 64 << 20 };
	struct reader *r = reader_open(path, e);
	if (!r)
		return false;
	while (!reader_is_whole(r) && reader_window(r).n <= MAX_BYTES && reader_fill(r)) {
	}
	bool ok = reader_window(r).n <= MAX_BYTES;
	if (ok)
		buf_add(out, reader_window(r));
	else
		err_set(e, "%s: larger than 64 MB", path);
	reader_free(r);
	return ok;
}

static const char PALETTE_PATH[] = "palette.map";

/* Returns NULL and sets e if the existing file is not a palette; it is then left alone. */
static struct palette_map *read_palette(struct err *e)
{
	struct palette_map *m = palette_map_new();
	if (access(PALETTE_PATH, F_OK) != 0)
		return m;
	AUTO(buf) struct buf text = { 0 };
	struct err why = { 0 };
	if (read_text_file(PALETTE_PATH, &text, e)) {
		if (palette_map_parse(m, buf_str(&text), &why))
			return m;
		err_set(e, "--cp: ./%s is not a palette file, so it was left alone: %s",
			PALETTE_PATH, why.text);
	}
	palette_map_free(m);
	return NULL;
}

bool picture_files_read(struct picture_files *f, struct picture_options *o, struct err *e)
{
	const char *path = o->attributes_path;
	if (path &&
	    (!read_text_file(path, &f->attributes_text, e) ||
	     !(f->attributes = name_attributes_parse(buf_str(&f->attributes_text), path, e))))
		return false;
	if (o->keeps_palette && !(f->kept = read_palette(e)))
		return false;
	o->attributes = f->attributes;
	o->kept = f->kept;
	return true;
}

bool picture_files_write(const struct picture_files *f, struct err *e)
{
	if (!f->kept)
		return true;
	AUTO(buf) struct buf text = { 0 };
	struct writer *out = writer_open(PALETTE_PATH, e);
	if (!out)
		return false;
	palette_map_print(f->kept, &text);
	writer_add(out, buf_str(&text));
	bool ok = writer_commit(out, e);
	writer_free(out);
	return ok;
}

void picture_files_fini(struct picture_files *f)
{
	buf_fini(&f->attributes_text);
	name_attributes_free(f->attributes);
	palette_map_free(f->kept);
}

/* --- output path --- */

bool path_is_picture(const char *path)
{
	return str_ends(str_from(path), STR(".svg")) || str_ends(str_from(path), STR(".html"));
}

static struct str stem_of(const char *path)
{
	static const char *const endings[] = { ".gz",	".zst",	   ".txt",   ".perf",
					       ".data", ".folded", ".script" };
	struct str stem = str_basename(str_from(path));
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		if (str_ends(stem, str_from(endings[i])) && stem.n > strlen(endings[i])) {
			stem.n -= strlen(endings[i]);
			i = (size_t)-1; /* x.perf.gz has two extensions */
		}
	return stem;
}

struct picture_path picture_path_new(const char *asked, const struct text_list *files,
				     const char *otherwise, const char *ending)
{
	if (asked || !isatty(STDOUT_FILENO))
		return (struct picture_path){ mem_strdup(asked ? asked : "-"), false };
	AUTO(buf) struct buf path = { 0 };
	bool has_name = files->n && strcmp(files->p[0], "-") != 0;
	struct str stem = has_name ? stem_of(files->p[0]) : str_from(otherwise);
	for (unsigned i = 1; i < 1000; i++) {
		path.n = 0;
		buf_add(&path, stem);
		if (i > 1)
			buf_addf(&path, "-%u", i);
		buf_add(&path, str_from(ending));
		if (access(buf_c_string(&path), F_OK) != 0)
			break;
	}
	return (struct picture_path){ mem_strdup(buf_c_string(&path)), true };
}

void picture_path_fini(struct picture_path *p)
{
	free(p->path);
}
