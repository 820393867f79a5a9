/* First looks: transforms that bring the functions of a kind of program to the front. */
#pragma once
#include "model/model.h"

enum { PRESET_MOST_WORDS = 2 };

/* A transform as on the command line: --fold gc,kernel. */
struct preset_word {
	const char *option, *value;
};

struct preset {
	const char *name;
	const char *text;			     /* for a menu: a sentence fragment */
	struct preset_word words[PRESET_MOST_WORDS]; /* those without an option are not used */
};

/* Terminated by an entry without a name; the first has no words. */
extern const struct preset presets[];
/* By index in presets; NULL-terminated. */
extern const char *const preset_names[];
/* The one for most of the profile's samples; the first if there is none. */
const struct preset *preset_for(const struct profile *p);
