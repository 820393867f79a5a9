/*
 * The state this program was started with (umask, signals), so that a command it starts gets the
 * same. Saved once, at the start of main, and never changed after that.
 */
#pragma once
#include <stdbool.h>

/*
 * Call this first in main. Occupies descriptors 0 to 2 if they are closed, so that no file opened
 * later becomes one of them; a command does not inherit these.
 */
void inherited_remember(void);
/* Whether a signal was ignored, as set by nohup(1) and by shells for background jobs. */
bool inherited_ignores(int signal_number);
/*
 * Restores umask, signal dispositions and blocked signals. Only makes system calls, so it is safe
 * in a child between fork and exec.
 */
void inherited_restore(void);
