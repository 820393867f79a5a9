/* Reads plume's own properties in JSON files, whichever of plume's formats they are in. */
#pragma once
#include "source/source_int.h"

/* A thread being read; there is none until one of its keys was seen. */
struct json_thread {
	struct thread thread;
	bool is_there;
};
struct json_thread source_json_no_thread(void);
/* Takes the current value if key is `comm`, `pid`, `tid` or `container`; else returns false. */
bool source_json_thread_part(struct json *j, struct str key, struct profile *q,
			     struct json_thread *t);
/* Adds it with the ids that q's columns ask for. */
thread_id source_json_add_thread(struct profile *q, const struct json_thread *t);

/* Takes the current value if key is `facts`, `modules`, `marks` or `ledger`; else returns false. */
bool source_json_part(struct json *j, struct str key, struct profile *q);

/* Takes `[["key","text"],["key",12,"unit"]]`. */
label_set source_json_label_set(struct json *j, struct profile *q);

/* FRAME_KIND_COUNT if there is no such kind. */
enum frame_kind source_kind_named(struct str name);
