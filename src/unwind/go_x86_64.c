/* How Go functions begin on x86-64 (cmd/internal/obj/x86/obj6.go of Go). */
#include "unwind/unwind_int.h"

enum { PUSH_RBP = 0x55 };

/*
 * From 1.21 on `push %rbp`, whose effect the frame size shows at once; from 1.7 on `sub $size,%rsp`, then
 * `mov %rbp,size-8(%rsp)`. Before, and in assembly that does as it likes, nothing of the kind.
 */
uint64_t go_saves_frame_pointer_x86_64(struct str code, uint64_t at, uint32_t size_bytes)
{
	static const struct str zero = { "\x48\x89\x2c\x24", 4 }, near = { "\x48\x89\x6c\x24", 4 },
				far = { "\x48\x89\xac\x24", 4 };
	struct str rest = str_from_byte(code, at);
	uint32_t distance = 0;
	if (at && at <= code.n && code.p[at - 1] == PUSH_RBP && size_bytes == 8)
		return at;
	if (str_starts(rest, zero))
		return size_bytes == 8 ? at + zero.n : UINT64_MAX;
	if (str_starts(rest, near) && rest.n > near.n)
		distance = (uint8_t)rest.p[near.n] & 0x7f;
	else if (str_starts(rest, far) && rest.n >= far.n + sizeof(distance))
		memcpy(&distance, rest.p + far.n, sizeof(distance));
	else
		return UINT64_MAX;
	if (distance != size_bytes - 8)
		return UINT64_MAX;
	return at + (str_starts(rest, near) ? near.n + 1 : far.n + sizeof(distance));
}
