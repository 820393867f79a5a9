/* The command that plume starts in order to record it. */
#pragma once
#include "base/base.h"

struct started_command {
	int32_t pid; /* 0 if none */
	int go_fd, failure_fd;
	bool is_over;
	bool was_ended; /* by plume, so its status is meaningless */
	int status;
};
/* Forks; the command waits for command_go. */
bool command_prepare(struct started_command *c, char *const *words, struct err *e);
bool command_go(struct started_command *c, const char *name, struct err *e);
/* Whether it has exited. Does not wait. */
bool command_is_over(struct started_command *c);
/* Terminates the command if it still runs and waits a short time for it. */
void command_end(struct started_command *c);
void command_fini(struct started_command *c);
