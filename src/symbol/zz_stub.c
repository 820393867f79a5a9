#include "symbol/symbol.h"
#define W __attribute__((weak))
W struct kernel_symbols *kernel_symbols_new(const struct kernel_id *id,const struct symbol_options *o){(void)id;(void)o;return NULL;}
W void kernel_symbols_free(struct kernel_symbols *k){(void)k;}
W bool kernel_symbols_find(struct kernel_symbols *k, uint64_t a, struct kernel_symbol *f){(void)k;(void)a;(void)f;return false;}
W void kernel_symbols_explain(struct kernel_symbols *k, struct buf *r, struct buf *f){(void)k;(void)r;(void)f;}
W bool vdso_image(struct str *b);
W bool vdso_image(struct str *b){(void)b;return false;}
