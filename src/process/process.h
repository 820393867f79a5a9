/* Processes: what can be seen of one from outside, whether it lives or has ended. */
#pragma once
#include "process/open.h"
#include "process/status.h"
