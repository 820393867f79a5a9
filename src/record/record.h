/*
 * Recording: events are opened on whom the user means, their buffers emptied while they fill, and what
 * comes out is named while the programs live.
 */
#pragma once
#include "record/event.h"
#include "record/permission.h"
#include "record/recorder.h"
#include "record/rotation.h"
