/*
 * What the frame pointer means in the running function, by the instructions around the address. On entry the frame
 * pointer is the caller's. The function saves it (push rbp; mov rbp, rsp), then fills the slots of its frame (push
 * rsi; push rdi: context, function). At its end it removes them again.
 */
#include "v8/v8_int.h"

enum { MAX_ENTRY_BYTES = 96, MAX_TRAMPOLINE_BYTES = 1536, BEFORE = 8, AROUND = 12 };

static const uint8_t link[] = { 0x55, 0x48, 0x89, 0xe5 }; /* push rbp; mov rbp, rsp */

/* leave; pop rcx; lea rsp, [rsp + ...]; push rcx; ret: parameters go with the frame. */
static bool is_leaving(const uint8_t *at, enum leaf_state *state)
{
	enum {
		LEAVE = 0xc9,
		POP_RCX = 0x59,
		PUSH_RCX = 0x51,
		RET = 0xc3,
		RET_N = 0xc2,
		POP_RBP = 0x5d
	};
	bool is_lea = at[0] == 0x48 && at[1] == 0x8d && at[2] == 0x24;
	*state = LEAF_RETURNING;
	if (at[0] == RET || at[0] == RET_N || (at[-1] == LEAVE && at[0] == POP_RCX))
		return true;
	if (at[-1] == POP_RBP && at[-2] == 0xe5 && at[-3] == 0x8b) /* mov rsp, rbp; pop rbp */
		return true;
	*state = LEAF_RETURN_IN_REGISTER;
	if (at[-2] == LEAVE && at[-1] == POP_RCX && is_lea)
		return true;
	return at[-6] == LEAVE && at[-5] == POP_RCX && at[0] == PUSH_RCX;
}

static ptrdiff_t find_link(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i + sizeof(link) <= n; i++)
		if (memcmp(bytes + i, link, sizeof(link)) == 0)
			return (ptrdiff_t)i;
	return -1;
}

/* Where the entry of a function stands, of which these are the first bytes; at: how far it came. */
static enum leaf_state state_in_entry(const uint8_t *bytes, size_t n, size_t at)
{
	enum { PUSH_RSI = 0x56 };
	ptrdiff_t linked = find_link(bytes, n);
	if (linked < 0)
		return LEAF_BUILT;
	size_t begin = (size_t)linked, end = begin + sizeof(link);
	if (at <= begin)
		return LEAF_NOT_LINKED;
	if (at < end)
		return LEAF_HALF_LINKED;
	if (at == end || (at == end + 1 && end < n && bytes[end] == PUSH_RSI))
		return LEAF_LINKED;
	return LEAF_BUILT;
}

/*
 * The interpreter's entry, behind its end, has what is done before there is a frame: other code may be
 * there for the function, or must be made. Calls from there have frames of their own, of another kind.
 */
static enum leaf_state state_in_interpreter(const uint8_t *bytes, size_t n, size_t at)
{
	ptrdiff_t first = find_link(bytes, n);
	if (first < 0)
		return LEAF_BUILT;
	size_t behind = (size_t)first + sizeof(link);
	ptrdiff_t second = find_link(bytes + behind, n - behind);
	if (second >= 0 && at >= behind + (size_t)second)
		return at == behind + (size_t)second + 1 ? LEAF_HALF_LINKED : LEAF_NOT_LINKED;
	return state_in_entry(bytes, n, at);
}

/* Baseline code calls a builtin that builds its frame. */
static enum leaf_state state_in_baseline(const uint8_t *bytes, size_t n, size_t at)
{
	enum { CALL = 0xe8, CALL_INDIRECT = 0xff };
	for (size_t i = 0; i + 1 < n; i++)
		if (bytes[i] == CALL ||
		    (bytes[i] == CALL_INDIRECT && (bytes[i + 1] & 0xf8) == 0xd0))
			return at <= i ? LEAF_NOT_LINKED : LEAF_BUILT;
	return LEAF_BUILT;
}

static enum leaf_state state_in_code(struct v8_process *p, uint64_t pc)
{
	uint8_t bytes[MAX_TRAMPOLINE_BYTES];
	struct code code;
	if (!v8_code_find(p, pc, &code))
		return LEAF_BUILT;
	size_t most = v8_code_tier(p, &code) == TIER_INTERPRETED ? sizeof(bytes) : MAX_ENTRY_BYTES;
	size_t n = code.size_bytes < most ? code.size_bytes : most;
	if (pc - code.start >= n)
		return LEAF_BUILT;
	if (!memory_read(p->heap.memory, code.start, bytes, n))
		return LEAF_BUILT;
	if (v8_code_tier(p, &code) == TIER_INTERPRETED)
		return state_in_interpreter(bytes, n, (size_t)(pc - code.start));
	if (v8_code_tier(p, &code) == TIER_BASELINE && find_link(bytes, n) < 0)
		return state_in_baseline(bytes, n, (size_t)(pc - code.start));
	return state_in_entry(bytes, n, (size_t)(pc - code.start));
}

static enum leaf_state state_in_trampoline(struct v8_process *p, uint64_t pc)
{
	uint8_t bytes[MAX_TRAMPOLINE_BYTES];
	struct v8_range range = v8_interpreter_range(p, pc);
	size_t n =
		range.end - range.start < sizeof(bytes) ? range.end - range.start : sizeof(bytes);
	if (pc - range.start >= n || !memory_read(p->heap.memory, range.start, bytes, n))
		return LEAF_BUILT;
	return state_in_interpreter(bytes, n, (size_t)(pc - range.start));
}

enum leaf_state v8_leaf_state(struct v8_process *p, uint64_t pc, enum pc_kind kind)
{
	uint8_t around[BEFORE + AROUND];
	enum leaf_state state;
	if (kind != PC_JIT && kind != PC_INTERPRETER)
		return LEAF_BUILT;
	if (memory_read(p->heap.memory, pc - BEFORE, around, sizeof(around)) &&
	    is_leaving(around + BEFORE, &state))
		return state;
	/* The interpreter's entry may be a copy, in memory as other code. */
	return v8_interpreter_range(p, pc).start ? state_in_trampoline(p, pc)
						 : state_in_code(p, pc);
}
