/* Functions of a Go program without symbols: `-s -w` and strip leave the runtime's own table. */
#include "debug_info/debug_info.h"
#include "symbol/table_int.h"

void symbol_table_add_go(struct symbol_table *t, struct elf *elf)
{
	struct go_function f;
	uint32_t first;
	struct go_table *go = go_table_new(elf);
	if (go && symbol_table_add_text(t, go_table_names(go), &first)) {
		for (uint32_t i = 0; i < go_table_count(go) && t->rows.n < INDEX_NONE - 1; i++) {
			if (!go_table_get(go, i, &f) || f.name >= go_table_names(go).n)
				continue;
			uint64_t size = f.end - f.start;
			vec_push(&t->rows,
				 (struct symbol_row){
					 .start = f.start,
					 .size_bytes = size < SYMBOL_MAX_BYTES ? (uint32_t)size
									       : SYMBOL_MAX_BYTES,
					 .rank = SYMBOL_IS_TYPED | SYMBOL_IS_STRONG,
					 .name = first + f.name,
				 });
		}
	}
	go_table_free(go);
}
