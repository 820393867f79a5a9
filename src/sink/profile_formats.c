#include "sink/profile_format.h"

#define FORMAT(format) &format,
const struct profile_format *const profile_formats[] = { PROFILE_FORMATS(FORMAT) NULL };

const struct profile_format *profile_format_named(const char *name)
{
	for (size_t i = 0; profile_formats[i]; i++)
		if (strcmp(profile_formats[i]->name, name) == 0)
			return profile_formats[i];
	return NULL;
}

/* The longest ending that the path has decides: .speedscope.json is not .json. */
const struct profile_format *profile_format_of_path(struct str path)
{
	const struct profile_format *best = NULL;
	size_t best_bytes = 0;
	if (str_ends(path, STR(".gz")))
		path.n -= strlen(".gz");
	for (size_t i = 0; profile_formats[i]; i++) {
		const struct profile_format *f = profile_formats[i];
		for (size_t k = 0; k < ARRAY_SIZE(f->endings) && f->endings[k]; k++) {
			struct str ending = str_from(f->endings[k]);
			if (str_ends(path, ending) && ending.n > best_bytes) {
				best = f;
				best_bytes = ending.n;
			}
		}
	}
	return best;
}

bool profile_format_is_gzip(const struct profile_format *f, struct str path)
{
	return str_ends(path, STR(".gz")) ||
	       (f->is_gzip && !str_ends(path, str_from(f->endings[0])));
}

void profile_format_add_names(struct buf *out)
{
	for (size_t i = 0; profile_formats[i]; i++)
		buf_addf(out, "%s%s", i ? ", " : "", profile_formats[i]->name);
}

void profile_format_add_endings(struct buf *out)
{
	for (size_t i = 0; profile_formats[i]; i++)
		buf_addf(out, "%s%s%s", i ? ", " : "", profile_formats[i]->endings[0],
			 profile_formats[i]->is_gzip ? ".gz" : "");
}

bool profile_format_suits_terminal(const struct profile_format *f, struct err *e)
{
	return !(f->is_gzip || f == &plume_sink) ||
	       err_usage(e, "%s cannot be written to a terminal: use -o FILE or a pipe", f->title);
}
