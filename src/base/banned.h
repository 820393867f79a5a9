/* Functions with no bound or no error report are compile errors; each has a better sister in base. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef alloca
#pragma GCC poison strcpy strcat sprintf vsprintf strtok gets alloca atoi atol strncpy
