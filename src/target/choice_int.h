/* One function per kind of target. Each fills a choice, or sets e. */
#pragma once
#include "target/choice.h"

bool choose_numbers(const struct target_wish *wish, struct target_choice *choice, struct err *e);
bool choose_properties(const struct target_wish *wish, struct target_choice *choice, struct err *e);
bool choose_cgroup(const char *path, struct target_choice *choice, struct err *e);
bool choose_service(const char *unit, struct target_choice *choice, struct err *e);
bool choose_container(const char *wish, struct target_choice *choice, struct err *e);

/* Replaces control characters: names of processes and containers are untrusted, and terminals act on them. */
void choice_clean(char *text);
/* Sets the title, formatted as by printf, and the stem for files. */
void choice_name(struct target_choice *choice, struct str stem, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
