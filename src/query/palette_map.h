/*
 * --cp: functions keep their colours from one picture to the next. The format is that of
 * flamegraph.pl's palette.map: `name->rgb(r,g,b)`, one per line.
 */
#pragma once
#include "query/palette.h"

struct palette_map;

struct palette_map *palette_map_new(void);
void palette_map_free(struct palette_map *m);
/* Returns false and sets e if a line is something else: the file is not a palette and must not be changed. */
bool palette_map_parse(struct palette_map *m, struct str text, struct err *e);
/* Returns false if the name is not in the map. */
bool palette_map_get(const struct palette_map *m, struct str name, struct colour *c);
void palette_map_add(struct palette_map *m, struct str name, struct colour c);
/* Sorted by name. */
void palette_map_print(const struct palette_map *m, struct buf *out);
