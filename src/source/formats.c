#include "source/source_int.h"

#define FORMAT(format, name) { &format, name },
const struct source_row source_formats[] = { SOURCE_FORMATS(FORMAT){ 0 } };

#define NAME(format, name) name,
const char *const source_input_names[] = { "auto", SOURCE_FORMATS(NAME) NULL };

#define LISTED(format, name) ", " name
const char source_input_help[] = "read the input as NAME: auto (the default, which detects the "
				 "format)" SOURCE_FORMATS(LISTED);
