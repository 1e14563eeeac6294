/* Conditions that cannot all hold. */
#pragma once

#include "infer/internal.h"

/* Makes an error of each pair of conditions that must hold in any case, or more of them, that no sizes fulfil: it
   stands at the last of their nodes and names another. Of a walk that is over. */
void contradict_find(struct infer *f);
