/*
 * Source maps, version 3 (ECMA-426): written by compilers and bundlers to say where their output came from. They map
 * a position in the generated script to the original file, line and column, and a minified name to the original one.
 * Maps belong to whoever is recorded, so they may contain arbitrary bytes, and reading is bounded.
 */
#pragma once
#include "base/base.h"

/* --- a single map (map.c, mappings.c, find.c) --- */

struct source_map;

/*
 * folder: the folder of the map, to which relative sources refer; without a trailing slash. Skips the text of the
 * sources (sourcesContent). On failure returns NULL and sets e, without the name of the file.
 */
struct source_map *source_map_read(struct reader *r, struct str folder, struct err *e);
void source_map_free(struct source_map *m);
uint32_t source_map_segments(const struct source_map *m);

/* A position in the original source; lines and columns from 1. */
struct source_place {
	struct str file; /* the map's */
	uint32_t line, column;
};
/* The original position of a generated one; from 1. Returns false if the map does not say. */
bool source_map_find(const struct source_map *m, uint32_t line, uint32_t column,
		     struct source_place *original);
/* The only original file; empty if there are several. */
struct str source_map_only_file(const struct source_map *m);

/* Original names can be found only after this has read the words of the generated script. */
void source_map_read_words(struct source_map *m, struct str script);
/*
 * The original name of a function that begins at a generated position, where it is called
 * `function`. Empty if it is the same or not known.
 */
struct str source_map_function(const struct source_map *m, uint32_t line, uint32_t column,
			       struct str function);

/*
 * Appends the text of an original file, if the map has it (sourcesContent). map: its JSON. folder:
 * as above. file: as in struct source_place.
 */
bool source_map_content(struct str map, struct str folder, struct str file, struct buf *text);

/* --- locations of maps (url.c, path.c) --- */

/* The URL in the last `//# sourceMappingURL=` of a script. Returns false if its last lines have none. */
bool source_map_url(struct str script, struct str *url);
/* Decodes a data: URL. Returns false if it is not one, or is malformed. */
bool source_map_data(struct str url, struct buf *bytes);
/* The path of a script from V8's name for it, a path or file:// URL. Returns false if it is not a file. */
bool source_map_script_path(struct str name, struct buf *path);
/* The path or name of a source: strips `webpack://` and resolves `..`. */
void source_map_resolve(struct str folder, struct str root, struct str source, struct buf *path);

/* --- the maps of many scripts (maps.c) --- */

struct source_maps;

/* How to open files of processes. */
struct source_map_files {
	void *context;
	/* Identifies the root folder under which the process sees files: equal ones share maps. */
	uint64_t (*root)(void *context, int32_t pid);
	/*
	 * Never opens anything outside that root, or anything but a regular file. Returns NULL and
	 * sets e and errno on failure.
	 */
	struct reader *(*open)(void *context, int32_t pid, const char *path, struct err *e);
};
struct source_maps *source_maps_new(const struct source_map_files *files);
void source_maps_free(struct source_maps *maps);
/* The map of a script, read on first use; NULL if it has none. */
const struct source_map *source_maps_get(struct source_maps *maps, int32_t pid, struct str script);
/* From here on, scripts that have changed are read again on request; maps returned before become invalid. */
void source_maps_check_again(struct source_maps *maps);
/* Appends `3 of 5 scripts had one, 1 could not be read`, or nothing if no script was requested. */
void source_maps_describe(const struct source_maps *maps, struct buf *out);
/* The scripts that have a map: their number, and their paths in the process. */
uint32_t source_maps_scripts(const struct source_maps *maps);
void source_maps_script(const struct source_maps *maps, uint32_t i, struct buf *path);
/* Why maps could not be read, one sentence each for the first few, then how many more. */
uint32_t source_maps_troubles(const struct source_maps *maps);
void source_maps_trouble(const struct source_maps *maps, uint32_t i, struct buf *sentence);
