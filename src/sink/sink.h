/* Output: formats a tree. Does not aggregate anything. */
#pragma once
#include "query/query.h"
#include "sink/diff_table.h"
#include "sink/doctor.h"
#include "sink/fit_text.h"
#include "sink/picture.h"
#include "sink/profile_format.h"
#include "sink/report.h"
#include "sink/sample_length.h"

/* `root;caller;leaf COUNT`, sorted bytewise; with two values `... BEFORE AFTER`. writer_commit reports errors. */
void sink_folded(const struct tree *tree, struct writer *out);
