/* The vdso: code that the kernel puts into every process, an ELF image without a file. */
#pragma once
#include "base/base.h"

/* The image of this process; it stays as long as the process. False: there is none. */
bool vdso_image(struct str *bytes);
