/*
 * Recording: opens events on the selected targets, empties their buffers as they fill, and names
 * the results while the programs are alive.
 */
#pragma once
#include "record/event.h"
#include "record/permission.h"
#include "record/recorder.h"
#include "record/rotation.h"
