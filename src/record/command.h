/* The command that is started to be recorded. */
#pragma once
#include "base/base.h"

struct started_command {
	int32_t pid; /* 0: none */
	int go_fd, failure_fd;
	bool is_over;
	bool was_ended; /* by us: its status says nothing of its own doing */
	int status;
};
/* Forks; the command waits until it may go. */
bool command_prepare(struct started_command *c, char *const *words, struct err *e);
bool command_go(struct started_command *c, const char *name, struct err *e);
/* Has it ended? Does not wait. */
bool command_is_over(struct started_command *c);
/* It is not needed any more: asked to end, if it has not, and waited for, though not for long. */
void command_end(struct started_command *c);
void command_fini(struct started_command *c);
