#include "unwind/unwind.h"
#define W __attribute__((weak))
W struct unwind_table *unwind_table_cached(struct elf *elf, const char *c, struct err *e){(void)elf;(void)c;(void)e;return NULL;}
W uint32_t unwind_stack(const struct unwinder *u, const struct unwind_registers *r,const struct unwind_memory *m, uint64_t *a, uint64_t *is_return,uint32_t max, enum unwind_end *end){(void)u;(void)r;(void)m;(void)a;(void)is_return;(void)max;*end=UNWIND_LOST;return 0;}
