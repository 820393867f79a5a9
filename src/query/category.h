/*
 * Whose code a frame is, so that the reader of a picture can tell it at a glance. The model says
 * what a frame is (kind); this says who should look at it. Colours and legends are in palette.h.
 */
#pragma once
#include "model/model.h"

enum category {
	CATEGORY_PROCESS, /* not a function: the process, or the root */
	CATEGORY_APP,
	CATEGORY_DEPENDENCY,
	CATEGORY_RUNTIME,
	CATEGORY_BUILTIN,
	CATEGORY_REGEXP,
	CATEGORY_GC,
	CATEGORY_NATIVE,
	CATEGORY_KERNEL,
	CATEGORY_UNKNOWN,
	CATEGORY_COUNT
};

/* "app", "dependency", ...: the word used on the command line, in legends and on the page. */
const char *category_name(enum category c);
/* A short description for a legend. */
const char *category_text(enum category c);

/* The category with that name, or CATEGORY_COUNT. */
enum category category_by_name(struct str name);

/* A frame that stands for several of a category, such as [runtime]. */
struct stand_in {
	struct str name;
	enum frame_kind kind;
};
const struct stand_in *category_stand_in(enum category c);
/* The category of a run of frames of several categories. seen: a bit for each. */
enum category category_of_several(unsigned seen);
/* Code between a caller and a called function: its time is the caller's. */
bool name_is_gateway(struct str name);

enum category category_of_label(const struct tree_label *l);
enum category category_of_frame(const struct profile *p, const struct frame *f);
/* The program's own code, or that of a package it uses: what its author can change. */
static inline bool category_is_yours(enum category c)
{
	return c == CATEGORY_APP || c == CATEGORY_DEPENDENCY;
}
/* That, or compiled code without a name: its time must not be charged to its caller. */
bool label_may_be_yours(const struct tree_label *l);
bool frame_may_be_yours(const struct profile *p, const struct frame *f);
