/* Function prologues. */
#pragma once
#include "target/frame_pointers.h"

enum prologue {
	PROLOGUE_NONE, /* no frame of its own, or some other beginning */
	PROLOGUE_KEEPS_FRAME_POINTER,
	PROLOGUE_OMITS_FRAME_POINTER,
};
enum { PROLOGUE_BYTES = 48 }; /* checked per function */
enum prologue prologue_x86_64(struct str code);
