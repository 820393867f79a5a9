/*
 * Where V8 keeps things: field offsets, object types, frame slots. V8 exports most of it for debuggers, as symbols
 * v8dbg_NAME whose value is a number in the program's data. The rest is in a table by version, verified on builds of
 * that version. Nothing is guessed: for a version that is not in the table, plume names no JavaScript.
 */
#pragma once
#include "elf/elf.h"

/*
 * NAME, its name in V8, and the v8dbg_ symbols that hold it. A symbol ending in _ is a prefix, as
 * the type after it changes from version to version.
 */
#define V8_CONSTANTS(X)                                                                            \
	X(MAP_INSTANCE_TYPE, "Map.instance_type", "class_Map__instance_type__")                    \
	X(JS_FUNCTION_SHARED, "JSFunction.shared", "class_JSFunction__shared__")                   \
	X(SFI_DATA, "SharedFunctionInfo.function_data",                                            \
	  "class_SharedFunctionInfo__function_data__")                                             \
	X(SFI_NAME_OR_SCOPE_INFO, "SharedFunctionInfo.name_or_scope_info",                         \
	  "class_SharedFunctionInfo__name_or_scope_info__")                                        \
	X(SFI_SCRIPT, "SharedFunctionInfo.script",                                                 \
	  "class_SharedFunctionInfo__script_or_debug_info__|"                                      \
	  "class_SharedFunctionInfo__script__")                                                    \
	X(SFI_FLAGS, "SharedFunctionInfo.flags", "class_SharedFunctionInfo__flags__")              \
	X(SFI_WRAPPER_SHARED, "SharedFunctionInfoWrapper.shared_info",                             \
	  "class_SharedFunctionInfoWrapper__shared_info__")                                        \
	X(DEBUG_INFO_SCRIPT, "DebugInfo.script", "class_DebugInfo__script__")                      \
	X(SCRIPT_SOURCE, "Script.source", "class_Script__source__")                                \
	X(SCRIPT_NAME, "Script.name", "class_Script__name__")                                      \
	X(SCRIPT_LINE_OFFSET, "Script.line_offset", "class_Script__line_offset__")                 \
	X(SCRIPT_COLUMN_OFFSET, "Script.column_offset", "class_Script__column_offset__")           \
	X(SCRIPT_LINE_ENDS, "Script.line_ends", "class_Script__line_ends__")                       \
	X(SCRIPT_ID, "Script.id", "class_Script__id__")                                            \
	X(SCRIPT_EVAL_FROM, "Script.eval_from_shared",                                             \
	  "class_Script__eval_from_shared_or_wrapped_arguments_")                                  \
	X(SCRIPT_EVAL_POSITION, "Script.eval_from_position", "class_Script__eval_from_position__") \
	X(STRING_LENGTH, "String.length", "class_String__length__")                                \
	X(SEQ_ONE_BYTE_CHARS, "SeqOneByteString.chars", "class_SeqOneByteString__chars__")         \
	X(SEQ_TWO_BYTE_CHARS, "SeqTwoByteString.chars", "class_SeqTwoByteString__chars__")         \
	X(CONS_FIRST, "ConsString.first", "class_ConsString__first__")                             \
	X(CONS_SECOND, "ConsString.second", "class_ConsString__second__")                          \
	X(THIN_ACTUAL, "ThinString.actual", "class_ThinString__actual__")                          \
	X(SLICED_PARENT, "SlicedString.parent", "class_SlicedString__parent__")                    \
	X(SLICED_OFFSET, "SlicedString.offset", "class_SlicedString__offset__")                    \
	X(EXTERNAL_DATA, "ExternalString.resource_data", "class_ExternalString__resource_data__")  \
	X(STRING_REPRESENTATION_MASK, "kStringRepresentationMask", "StringRepresentationMask")     \
	X(STRING_ENCODING_MASK, "kStringEncodingMask", "StringEncodingMask")                       \
	X(ONE_BYTE_TAG, "kOneByteStringTag", "OneByteStringTag")                                   \
	X(FIRST_NONSTRING_TYPE, "FIRST_NONSTRING_TYPE", "FirstNonstringType")                      \
	X(ARRAY_LENGTH, "FixedArrayBase.length", "class_FixedArrayBase__length__")                 \
	X(ARRAY_DATA, "FixedArray.data", "class_FixedArray__data__")                               \
	X(UNCOMPILED_INFERRED_NAME, "UncompiledData.inferred_name",                                \
	  "class_UncompiledData__inferred_name__")                                                 \
	X(UNCOMPILED_START, "UncompiledData.start_position",                                       \
	  "class_UncompiledData__start_position__")                                                \
	X(SCOPE_INFO_FIRST_VARS, "ScopeInfo first variable", "scopeinfo_idx_first_vars")           \
	X(CODE_DEOPT_DATA, "Code.deoptimization_data", "class_Code__deoptimization_data__")        \
	X(CODE_POSITIONS, "Code.source_position_table", "class_Code__source_position_table__")     \
	X(CODE_START, "Code.instruction_start", "class_Code__instruction_start__")                 \
	X(CODE_SIZE, "Code.instruction_size", "class_Code__instruction_size__")                    \
	X(CODE_FLAGS, "Code.flags", "class_Code__flags__")                                         \
	X(CODE_KIND_BASELINE, "CodeKind::BASELINE", "CodeKindBaseline")                            \
	X(BYTECODE_DATA, "BytecodeArray.data", "class_BytecodeArray__data__")                      \
	X(BYTECODE_POSITIONS, "BytecodeArray.source_position_table",                               \
	  "class_BytecodeArray__source_position_table__")                                          \
	X(DEOPT_LITERALS, "DeoptimizationData literals", "DeoptimizationDataLiteralArrayIndex")    \
	X(DEOPT_SFI, "DeoptimizationData function",                                                \
	  "DeoptimizationDataSharedFunctionInfoIndex|"                                             \
	  "DeoptimizationDataSharedFunctionInfoWrapperIndex|"                                      \
	  "DeoptimizationDataWrappedSharedFunctionInfoIndex")                                      \
	X(DEOPT_INLINING, "DeoptimizationData inlining positions",                                 \
	  "DeoptimizationDataInliningPositionsIndex")                                              \
	X(FRAME_CONTEXT, "frame slot: context", "off_fp_context")                                  \
	X(FRAME_FUNCTION, "frame slot: function", "off_fp_function")                               \
	X(FRAME_BYTECODE_ARRAY, "frame slot: bytecode array", "off_fp_bytecode_array")             \
	X(FRAME_BYTECODE_OFFSET, "frame slot: bytecode offset", "off_fp_bytecode_offset")          \
	X(TYPE_SFI, "type of SharedFunctionInfo",                                                  \
	  "type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE")                                    \
	X(TYPE_SFI_WRAPPER, "type of SharedFunctionInfoWrapper",                                   \
	  "type_SharedFunctionInfoWrapper__")                                                      \
	X(TYPE_SCOPE_INFO, "type of ScopeInfo", "type_ScopeInfo__SCOPE_INFO_TYPE")                 \
	X(TYPE_SCRIPT, "type of Script", "type_Script__SCRIPT_TYPE")                               \
	X(TYPE_DEBUG_INFO, "type of DebugInfo", "type_DebugInfo__DEBUG_INFO_TYPE")                 \
	X(TYPE_MAP, "type of Map", "type_Map__MAP_TYPE")                                           \
	X(TYPE_FIXED_ARRAY, "type of FixedArray", "type_FixedArray__FIXED_ARRAY_TYPE")             \
	X(TYPE_CODE, "type of Code", "type_Code__CODE_TYPE")                                       \
	X(TYPE_INSTRUCTION_STREAM, "type of InstructionStream",                                    \
	  "type_InstructionStream__INSTRUCTION_STREAM_TYPE")                                       \
	X(TYPE_BYTECODE_ARRAY, "type of BytecodeArray", "type_BytecodeArray__BYTECODE_ARRAY_TYPE") \
	X(TYPE_INTERPRETER_DATA, "type of InterpreterData",                                        \
	  "type_InterpreterData__INTERPRETER_DATA_TYPE")                                           \
	X(TYPE_FIRST_UNCOMPILED, "first type of UncompiledData",                                   \
	  "type_UncompiledDataWithPreparseData__UNCOMPILED_DATA_WITH_PREPARSE_DATA_TYPE")          \
	X(TYPE_LAST_UNCOMPILED, "last type of UncompiledData",                                     \
	  "type_UncompiledDataWithoutPreparseDataWithJob__|"                                       \
	  "type_UncompiledDataWithoutPreparseData__")                                              \
	X(TYPE_FIRST_FUNCTION, "first type of JSFunction",                                         \
	  "FirstJSFunctionType|type_JSFunction__JS_FUNCTION_TYPE")                                 \
	X(TYPE_LAST_FUNCTION, "last type of JSFunction", "LastJSFunctionType")

enum v8_constant {
#define X(name, text, symbols) V8_##name,
	V8_CONSTANTS(X)
#undef X
		V8_CONSTANT_COUNT
};

/* How a number is known. */
enum v8_origin {
	V8_UNKNOWN,  /* this version has no such thing */
	V8_EXPORTED, /* its symbol exists */
	V8_INFERRED, /* from another exported one */
	V8_TABLED,   /* not exported by this version, but verified on it */
};

/* From start to before end. */
struct v8_range {
	uint64_t start, end;
};

enum { V8_INTERPRETER_RANGES = 4 };

/* The encoding of the frames that compiled code stands for (translation.c). */
struct v8_translations {
	uint16_t from, to;    /* versions, such as 1103 */
	const char *operands; /* operand count of each opcode, one digit each */
	uint8_t begin[2], frame[2];
	uint8_t match;	  /* as in an earlier one; 0 if there is none */
	bool has_numbers; /* opcodes are encoded as numbers, not as bytes */
};

struct v8_layout {
	uint32_t major, minor, build;
	int32_t value[V8_CONSTANT_COUNT];
	uint8_t origin[V8_CONSTANT_COUNT]; /* enum v8_origin */

	/* Other differences: properties of a version, not numbers. */
	bool has_code_inside;	  /* instructions are part of the Code object, not beside it */
	uint32_t code_alignment;  /* of objects that contain instructions */
	bool has_raw_scope_flags; /* ScopeInfo: flags are a plain number, positions come first */
	bool has_early_modules;	  /* ScopeInfo: the module variable count precedes the names */
	bool has_hashed_names;	  /* ScopeInfo: with 75 or more context locals */
	bool has_receiver_info;	  /* ScopeInfo has a slot for it */
	bool has_class_positions; /* ScopeInfo of classes has positions, too */
	bool has_debug_info;	  /* a function's script may be behind a DebugInfo */
	/* The function of compiled code is behind a SharedFunctionInfoWrapper. */
	bool has_shared_wrapper;
	bool has_numbers; /* each SharedFunctionInfo has a unique number, after its flags */
	bool has_unsigned_offsets; /* source positions: offset << 2, then two bits */
	bool has_maglev;	   /* a tier between baseline and TurboFan */
	bool has_frame_size;	   /* Maglev's safepoint table begins with it */
	bool has_all_positions;	   /* TurboFan has positions of all but moves and jumps */
	uint32_t regexp_kind;	   /* of code */
	uint8_t jump_loop;	   /* the bytecode at the end of a loop */
	uint8_t exit_bytes;	   /* per deoptimization exit of compiled code */
	const struct v8_translations *translations;

	/* V8's builtins in the program's file, as file offsets. */
	struct v8_range blob;  /* empty if not found */
	uint64_t blob_address; /* the same as an address of the program */
	/* Functions that interpreted frames return to. */
	struct v8_range interpreter[V8_INTERPRETER_RANGES];
	struct buf bytecode_sizes; /* one row per operand scale; empty if not found */
};

/* Whether the file contains V8. Cheap. */
bool v8_is_inside(struct elf *elf);
/* Returns false and sets e if this V8 cannot be supported. */
bool v8_layout_read(struct elf *elf, struct v8_layout *l, struct err *e);
void v8_layout_fini(struct v8_layout *l);
/* The name of a constant in V8. */
const char *v8_constant_name(enum v8_constant c);
const char *v8_origin_name(enum v8_origin origin);

static inline int32_t v8_get(const struct v8_layout *l, enum v8_constant c)
{
	return l->value[c];
}
