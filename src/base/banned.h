/*
 * Makes unbounded functions, and those that cannot report errors, compile errors. base has a better
 * replacement for each.
 */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Some are macros (fortified or built in); undefine them before poisoning the names. */
#undef strcpy
#undef strcat
#undef sprintf
#undef vsprintf
#undef strncpy
#undef alloca
#pragma GCC poison strcpy strcat sprintf vsprintf strtok gets alloca atoi atol strncpy
