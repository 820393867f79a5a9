/* What plume can tell about the JavaScript in a process. Each of these is a subcommand of `plume js`. */
#pragma once
#include "cmd/cmd.h"
#include "target/target.h"
#include "v8/v8.h"

struct js_options {
	const char *pid, *output, *width_text;
	bool is_json, is_forced;
	struct common_options common;
};

/* Option sets; each subcommand takes some of them. */
extern const struct option_set js_process_set, js_output_set, js_doctor_set, js_map_set;

/* Returns false and sets e on failure; an argument that is not an option is an error. */
bool js_options_parse(struct js_options *o, const struct command *self, char **words, size_t n,
		      struct err *e);
/* Opens the process given with -p and fills p with it. Returns NULL and sets e on failure. */
struct v8_inspection *js_open_process(const struct js_options *o, struct living_process *p,
				      struct err *e);

extern const struct command js_doctor_command, js_map_command;
