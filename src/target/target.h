/*
 * The program to be profiled: which one the user selected, what must be kept open of it while it
 * lives, and what it is (Node.js, a JVM, a container).
 */
#pragma once
#include "target/choice.h"
#include "target/container.h"
#include "target/facts.h"
#include "target/held.h"
#include "target/frame_pointers.h"
#include "target/jvm.h"
#include "target/living.h"
