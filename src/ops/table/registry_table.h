/* The tables that gen_registry.py writes beside the rows, for registry.c only. */
#pragma once

#include "ops/table/registry.h"

/* One operator: the hash of domain, NUL and name, and its rows. No rows: an empty slot. */
struct op_slot {
        uint32_t hash;
        uint16_t first, count;
};

extern const struct op_slot op_slots[]; /* open addressing; op_slot_mask + 1 of them, a power of two */
extern const uint32_t op_slot_mask;

struct op_domain {
        const char *name;
        int newest;
        bool open; /* the tables have only a part of its operators */
};

extern const struct op_domain op_domains[];
extern const size_t op_domain_count;
