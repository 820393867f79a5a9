/* The vdso: code that the kernel maps into every process, an ELF image without a file. */
#pragma once
#include "base/base.h"

/* The image in this process, valid for its lifetime. Returns false if there is none. */
bool vdso_image(struct str *bytes);
