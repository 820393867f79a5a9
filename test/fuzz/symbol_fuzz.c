#include "fuzz.h"
#include "name/name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str name = { (const char *)data, size }, parts[4];
	AUTO(buf) struct buf out = { 0 };
	size_t mark_at = 0;
	name_tidy(name, &out);
	if (memchr(out.p ? out.p : "", '\n', out.n))
		abort();
	size_t n = name_split_inlines(name, parts, 4), bytes = 0;
	if (n < 1 || n > 4)
		abort();
	for (size_t i = 0; i < n; i++)
		bytes += parts[i].n;
	if (bytes + 2 * (n - 1) != size)
		abort();
	if (name_v8_tier(name, &mark_at) != NAME_TIER_NONE && mark_at >= size)
		abort();
	return 0;
}
