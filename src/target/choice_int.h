/* The ways of saying whom one means: each fills a choice, or says why not. */
#pragma once
#include "target/choice.h"

bool choose_numbers(const struct target_wish *wish, struct target_choice *choice, struct err *e);
bool choose_properties(const struct target_wish *wish, struct target_choice *choice, struct err *e);
bool choose_cgroup(const char *path, struct target_choice *choice, struct err *e);
bool choose_service(const char *unit, struct target_choice *choice, struct err *e);
bool choose_container(const char *wish, struct target_choice *choice, struct err *e);

/* Names of processes and containers may hold anything; a terminal acts on some of it. */
void choice_clean(char *text);
/* Title as printf makes it, and the stem of what else there is. */
void choice_name(struct target_choice *choice, struct str stem, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
