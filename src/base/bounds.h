/* Bounds that are none of the caller's limits (limits.def): what they bound is a constant of the engine's own work.
   Where one of them bites, the answer is less exact or shorter, and says so. */
#pragma once

enum bound {
        /* Diagnostics and constraints that are kept one by one; further ones are counted. A model with more of them is
           read by no one to the end, and each may hold long texts. */
        DIAGS_KEPT = 10000,
        CONSTRAINTS_KEPT = 10000,

        /* Of a diagnostic: bytes of a name and of a dimension's expression in a sentence, and inputs whose shapes it
           has. Names may be 64 KiB long, and 10,000 diagnostics may repeat them. */
        NAME_SHOWN = 80,
        DIM_SHOWN = 80,
        SHAPES_SHOWN = 8,
        /* Inputs that are searched for the place where a size stands: only those whose shapes are shown. */
        INPUTS_SEARCHED = SHAPES_SHOWN,
        /* Nodes of a cycle that its sentence names. */
        CYCLE_SHOWN = 8,
        /* Faults for which the nearest known name is sought, and values among which: each comparison takes up to 4,096
           steps. */
        HINTS_SOUGHT = 32,
        NAMES_SEARCHED = 1024,
};
