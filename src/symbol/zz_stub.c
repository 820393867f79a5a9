#include "symbol/symbol.h"
#define W __attribute__((weak))
W struct debug_info *debug_info_new(struct elf *e){(void)e;return NULL;}
W void debug_info_free(struct debug_info *d){(void)d;}
W uint32_t debug_info_find(struct debug_info *d, uint64_t a, const struct debug_frame **f){(void)d;(void)a;(void)f;return 0;}
W bool debug_info_gave_up(const struct debug_info *d){(void)d;return false;}
W struct jitdump *jitdump_read(struct reader *r, struct err *e){(void)r;(void)e;return NULL;}
W void jitdump_free(struct jitdump *j){(void)j;}
W uint32_t jitdump_find(const struct jitdump *j, uint64_t a, uint64_t t){(void)j;(void)a;(void)t;return INDEX_NONE;}
W struct str jitdump_name(const struct jitdump *j, uint32_t c){(void)j;(void)c;return STR("");}
W bool jitdump_line(const struct jitdump *j, uint32_t c, uint64_t a, struct str *f,uint32_t *l){(void)j;(void)c;(void)a;(void)f;(void)l;return false;}
W struct kernel_symbols *kernel_symbols_new(const struct kernel_id *id,const struct symbol_options *o){(void)id;(void)o;return NULL;}
W void kernel_symbols_free(struct kernel_symbols *k){(void)k;}
W bool kernel_symbols_find(struct kernel_symbols *k, uint64_t a, struct kernel_symbol *f){(void)k;(void)a;(void)f;return false;}
W void kernel_symbols_explain(struct kernel_symbols *k, struct buf *r, struct buf *f){(void)k;(void)r;(void)f;}
W bool vdso_image(struct str *b);
W bool vdso_image(struct str *b){(void)b;return false;}
