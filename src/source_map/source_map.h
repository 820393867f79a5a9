/*
 * Source maps, version 3 (ECMA-426): what a compiler or a bundler says of where its output came from. A place
 * of the generated script becomes the original file, line and column, and a shortened name the one that was
 * written. Maps are files of whoever is recorded: any bytes will do, and what is read is bounded.
 */
#pragma once
#include "base/base.h"

/* --- one map (map.c, mappings.c, find.c) --- */

struct source_map;

/*
 * folder: where the map lies, which relative sources are seen from; without a slash at its end. The texts of
 * the sources (sourcesContent) are passed over. NULL: e says what is wrong, without the name of the file.
 */
struct source_map *source_map_read(struct reader *r, struct str folder, struct err *e);
void source_map_free(struct source_map *m);
uint32_t source_map_segments(const struct source_map *m);

/* A place that a person wrote; lines and columns from 1. */
struct source_place {
	struct str file; /* the map's */
	uint32_t line, column;
};
/* Where a generated place, from 1, came from. False: the map does not say. */
bool source_map_find(const struct source_map *m, uint32_t line, uint32_t column,
		     struct source_place *original);
/* The only file that all came from; empty: there are more. */
struct str source_map_only_file(const struct source_map *m);

/* Names can be told once the words of the generated script are known. */
void source_map_read_words(struct source_map *m, struct str script);
/*
 * What the function was called that begins at a generated place, and is called `function` there. Empty: as
 * there, or not known.
 */
struct str source_map_function(const struct source_map *m, uint32_t line, uint32_t column,
			       struct str function);

/* --- where maps are (url.c, path.c) --- */

/* The address in the last `//# sourceMappingURL=` of a script. False: there is none in its last lines. */
bool source_map_url(struct str script, struct str *url);
/* The bytes of a data: URL. False: it is none, or it is broken. */
bool source_map_data(struct str url, struct buf *bytes);
/* The path of a script by the name that V8 has for it, a path or file:// URL. False: it is no file. */
bool source_map_script_path(struct str name, struct buf *path);
/* Where a source lies, or what it is called: `webpack://` is taken off, and `..` resolved. */
void source_map_resolve(struct str folder, struct str root, struct str source, struct buf *path);

/* --- the maps of many scripts (maps.c) --- */

struct source_maps;

/* How files of processes are opened. */
struct source_map_files {
	void *context;
	/* A number for the root folder that the process sees files below: equal ones share maps. */
	uint64_t (*root)(void *context, int32_t pid);
	/* Never outside of that root, never what is no plain file. NULL: e, and errno. */
	struct reader *(*open)(void *context, int32_t pid, const char *path, struct err *e);
};
struct source_maps *source_maps_new(const struct source_map_files *files);
void source_maps_free(struct source_maps *maps);
/* The map of a script, read when it is asked for first; NULL: it has none. */
const struct source_map *source_maps_get(struct source_maps *maps, int32_t pid, struct str script);
/* Scripts that were written since are read anew when they are asked for: maps that were given out go then. */
void source_maps_check_again(struct source_maps *maps);
/* `3 of 5 scripts had one, 1 could not be read`; nothing is added when no script was asked for. */
void source_maps_describe(const struct source_maps *maps, struct buf *out);
/* Why maps could not be read, a sentence each; the first few, and then how many more. */
uint32_t source_maps_troubles(const struct source_maps *maps);
void source_maps_trouble(const struct source_maps *maps, uint32_t i, struct buf *sentence);
