/* Unwinding by elfutils' libdwfl: what ours is measured against. */
#pragma once
#include "recording.h"

#include <elfutils/libdwfl.h>

struct dwfl_process {
	Dwfl *dwfl;
	const struct sample *sample; /* the one being unwound */
};

/* bias_of says where a mapping's file is loaded; false: it is no ELF file. */
typedef bool bias_of(void *context, const struct map *map, uint64_t *bias);

bool dwfl_process_init(struct dwfl_process *d, const struct recording *r, const struct process *p,
		       bias_of *bias, void *context);
void dwfl_process_fini(struct dwfl_process *d);
uint32_t dwfl_unwind(struct dwfl_process *d, const struct sample *s, uint64_t *addresses,
		     uint32_t max);
/* A file with this process's own vdso, which is that of every process; NULL: there is none. */
const char *vdso_path(void);
