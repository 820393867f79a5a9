/*
 * Functions with no bound or no error report are compile errors; each has a better sister in base.
 */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fortified and built-in ones are macros, which must go before their names can. */
#undef strcpy
#undef strcat
#undef sprintf
#undef vsprintf
#undef strncpy
#undef alloca
#pragma GCC poison strcpy strcat sprintf vsprintf strtok gets alloca atoi atol strncpy
