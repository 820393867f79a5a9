/*
 * Shared by the pprof reader and writer: field numbers of its profile.proto, and how plume stores
 * what the format has no field for. doc/formats/pprof.md has the details.
 */
#pragma once

enum pprof_profile {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING_TABLE = 6,
	PPROF_DROP_FRAMES = 7,
	PPROF_KEEP_FRAMES = 8,
	PPROF_TIME_NANOS = 9,
	PPROF_DURATION_NANOS = 10,
	PPROF_PERIOD_TYPE = 11,
	PPROF_PERIOD = 12,
	PPROF_COMMENT = 13,
	PPROF_DEFAULT_SAMPLE_TYPE = 14,
	PPROF_DOC_URL = 15,
};

enum pprof_value_type { PPROF_TYPE_NAME = 1, PPROF_TYPE_UNIT = 2 };

enum pprof_sample { PPROF_SAMPLE_LOCATION = 1, PPROF_SAMPLE_VALUE = 2, PPROF_SAMPLE_LABEL = 3 };

enum pprof_label {
	PPROF_LABEL_KEY = 1,
	PPROF_LABEL_TEXT = 2,
	PPROF_LABEL_NUMBER = 3,
	PPROF_LABEL_UNIT = 4,
};

enum pprof_mapping {
	PPROF_MAPPING_ID = 1,
	PPROF_MAPPING_FILE = 5,
	PPROF_MAPPING_BUILD_ID = 6,
	PPROF_MAPPING_HAS_FUNCTIONS = 7,
	PPROF_MAPPING_HAS_FILES = 8,
	PPROF_MAPPING_HAS_LINES = 9,
	PPROF_MAPPING_HAS_INLINES = 10,
	PPROF_MAPPING_LAST = 10,
};

enum pprof_location {
	PPROF_LOCATION_ID = 1,
	PPROF_LOCATION_MAPPING = 2,
	PPROF_LOCATION_ADDRESS = 3,
	PPROF_LOCATION_LINE = 4,
	PPROF_LOCATION_IS_FOLDED = 5,
};

enum pprof_line { PPROF_LINE_FUNCTION = 1, PPROF_LINE_LINE = 2, PPROF_LINE_COLUMN = 3 };

enum pprof_function {
	PPROF_FUNCTION_ID = 1,
	PPROF_FUNCTION_NAME = 2,
	PPROF_FUNCTION_SYSTEM_NAME = 3,
	PPROF_FUNCTION_FILE = 4,
	PPROF_FUNCTION_START_LINE = 5,
};

/*
 * The kind of a frame if its module does not tell: words after the function's system name,
 * `f_[jit,inlined]`. The word for a kind is frame_kind_name.
 */
#define PPROF_WORD_INLINED "inlined"
#define PPROF_WORD_WAKER   "waker"
#define PPROF_WORD_MARKED  "marked"

/* Other tools drop samples without a location, so plume gives them a function with this name and this system name. */
#define PPROF_NO_STACK	    "[no stack]"
#define PPROF_NO_STACK_MARK "_[no stack]"

/* A value type that counts the samples of the following one: `samples`, or `cycles:samples`. */
#define PPROF_COUNT_NAME "samples"
#define PPROF_COUNT_TAIL ":samples"

/* The value type of perf's clocks; a comment has the event's own name. */
#define PPROF_CPU_NAME	"cpu"
#define PPROF_CLOCK_KEY "perf event"
