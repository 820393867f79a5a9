/*
 * Recording: events are opened on whom the user means, their buffers emptied while they fill, and what
 * comes out is named while the programs live.
 */
#pragma once
#include "perf/perf.h"
#include "record/event.h"
#include "record/permission.h"
#include "record/rotation.h"
#include "target/target.h"

enum call_graph { CALL_GRAPH_AUTO, CALL_GRAPH_FP, CALL_GRAPH_DWARF, CALL_GRAPH_NONE };
