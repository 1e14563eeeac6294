/* Sizes of inputs that conditions tie together. */
#pragma once

#include "infer/internal.h"

/* Sets `tied` of the result: for each group of the listed symbols (numbers, each >= 0 and an input's) that certain
   conditions connect, these conditions, and combinations of numbers that fulfil all. `all_known`: what must hold for
   every node is known. Takes the symbols to be at least 1 from here on, so it comes last. */
void tied_find(struct infer *f, const uint32_t *symbol, size_t n_symbol, bool all_known, struct ox_result *result);
