/*
 * What a fuzz target defines: libFuzzer calls it with what it makes up, replay.c with the files of
 * a corpus.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
