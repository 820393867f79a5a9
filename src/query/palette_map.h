/*
 * --cp: functions keep their colours from one picture to the next. The text is that of
 * flamegraph.pl's palette.map: `name->rgb(r,g,b)`, a line each.
 */
#pragma once
#include "query/palette.h"

struct palette_map;

struct palette_map *palette_map_new(void);
void palette_map_free(struct palette_map *m);
/* False and e when a line is something else: the file is not a palette and must stay as it is. */
bool palette_map_parse(struct palette_map *m, struct str text, struct err *e);
/* False: the name is not there yet. */
bool palette_map_get(const struct palette_map *m, struct str name, struct colour *c);
void palette_map_add(struct palette_map *m, struct str name, struct colour c);
/* Sorted by name. */
void palette_map_print(const struct palette_map *m, struct buf *out);
