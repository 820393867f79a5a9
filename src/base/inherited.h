/*
 * What this program was started with: a command that it starts must find the same. Remembered once, at
 * the start of main, and not changed after that.
 */
#pragma once
#include <stdbool.h>

/*
 * To be called first in main. Descriptors 0 to 2 that are closed are taken, so that no file that is opened
 * later becomes one of them; a command does not inherit these.
 */
void inherited_remember(void);
/* Whether a signal was ignored, as nohup(1) and shells leave it for jobs in the background. */
bool inherited_ignores(int signal_number);
/*
 * Sets umask, signal dispositions and blocked signals back. For a child between fork and exec: makes
 * system calls only.
 */
void inherited_restore(void);
