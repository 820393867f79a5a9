/* The first instructions of functions. */
#pragma once
#include "target/frame_pointers.h"

enum prologue {
	PROLOGUE_NONE, /* no frame of its own, or begins with something else */
	PROLOGUE_KEEPS_FRAME_POINTER,
	PROLOGUE_OMITS_FRAME_POINTER,
};
enum { PROLOGUE_BYTES = 48 }; /* so many of a function are looked at */
enum prologue prologue_x86_64(struct str code);
