/* Any bytes as lines of /proc/PID/maps. */
#include "fuzz.h"
#include "target/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(buf) struct buf text = { 0 };
	struct str rest = { (const char *)data, size };
	while (rest.n) {
		ptrdiff_t end = str_find_char(rest, '\n');
		struct str line = str_first(rest, end < 0 ? rest.n : (size_t)end);
		struct process_mapping m;
		bool ok = target_parse_mapping(line, &m, &text);
		if (ok && (m.end <= m.start || m.path.n > line.n))
			abort();
		if (ok && m.path.n && m.path.p[0] == ' ')
			abort();
		rest = str_from_byte(rest, line.n + 1);
	}
	return 0;
}
