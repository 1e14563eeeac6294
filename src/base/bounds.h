/* Bounds of the engine's own work, which a caller cannot set, unlike those of limits.def. Past one of them the answer
   is less exact or shorter, and says so. */
#pragma once

enum engine_bound {
        /* -- dimensions: work on one expression. Past a bound an expression is kept as it is written, or a proof is not
           found, so that two equal sizes may print differently -- */
        MAX_DEGREE = 64,         /* factors of a monomial */
        MAX_ARGUMENTS = 64,      /* of max, min and broadcast */
        MAX_CALL_ARGUMENTS = 32, /* of one call in a text */
        MAX_POWER = 16,          /* of a power in a text */
        MAX_PAIRWISE = 8,        /* arguments that are compared each with each */
        MAX_DIVISION = 128,      /* steps of a polynomial division */
        MAX_PRODUCT = 16, /* times the limit of terms: size of a product of two sums before like terms are added up */
        MAX_PROOF = 96,   /* steps of one proof */
        MAX_PROOF_DEPTH = 6,   /* nested replacements in one proof */
        MAX_PROOF_TERMS = 32,  /* terms of a sum on which a proof is tried */
        MAX_SIMPLER = 16,      /* simplifications of one division, one after another */
        MAX_DIVIDE_LEVEL = 48, /* nested divisions that one division leads to */
        MAX_CHANGES = 8,       /* of one sum by relations, one after another */
        MAX_RELATED = 16,      /* terms of a relation that stem from one operand; also the largest divisor of a ring */
        MAX_RELATE_TRIES = 32, /* relations tried on one sum */
        MAX_RELATE_LEVELS = 3, /* nested relations that one leads to */
        MAX_NORMAL = 64,       /* terms of a monomial's normal form */
        MAX_NORMAL_LEVEL = 16, /* nested normal forms that one needs */
        MAX_EXTENT = 256,      /* sums for which bounds are sought for those of one size */
        MAX_EXTENT_DEPTH = 16, /* symbols that bound others, and operations in operations, nested in such a search */
        MAX_FACT_ROUNDS = 8, /* rounds of replacing symbols by equal expressions, which may hold further such symbols */
        MAX_REDUCTIONS = 16, /* steps from a condition to the condition on its operand that decides it */

        /* -- types -- */

        /* Nesting of sequences, optionals, maps and the tensor within, where types are read: no known model nests
           deeper. */
        TYPE_DEPTH = 16,

        /* -- tensors -- */

        /* Payload of one tensor that is kept: 4,096 int64, the default of the limit content_elements. */
        SKIM_TENSOR_BYTES = 32768,
        /* Floats of one tensor that an answer lists. A longer tensor holds weights, which decide no shape. */
        FLOATS_SHOWN = 64,

        /* -- known elements: past a bound they are unknown -- */

        /* Fractions of floats, and constants beside a symbol, are kept while they are certain to be exact in a float32
           for the sizes that occur. A constant may use only a few bits: 20.3 times a size is rounded, and a product
           that is slightly less than 203 becomes 203 in a float. */
        MAX_DENOMINATOR = 1 << 20,
        MAX_ODD_PART = 1 << 12,
        MAX_FACTOR = 16, /* of a size that is divided, 3*N / 7: with it the size is less than 2^24 */
        /* Elements of inputs that are read for the elements of one output: a node may have millions of inputs, and the
           clock is not read within a node. */
        MAX_READS = 1 << 20,
        /* Elements along one axis that are sorted, by comparing each with every other one. */
        MAX_SORTED = 256,
        /* Pairs of boxes that NonMaxSuppression compares. */
        MAX_BOX_PAIRS = 1 << 20,
        /* Elements of an integer input that get symbols of their own: an input that decides sizes has one element for
           each axis, and longer lists are data. */
        ELEMENTS_NAMED = 16,

        /* -- operators that a caller declares: more is an error of the text that declares them -- */

        CUSTOM_BYTES = 64 << 20, /* of memory for one text's operators */
        CUSTOM_ROWS = 4096,
        CUSTOM_ITEMS = 64,      /* inputs, outputs and attributes of a row each; parts of a shape; values of a list */
        CUSTOM_NAMES = 64,      /* that the patterns of a row give sizes */
        CUSTOM_DEPTH = 32,      /* of nested expressions and shapes */
        CUSTOM_OPERATIONS = 64, /* terms of a sum, factors of a product, arguments of a call */

        /* -- walks: past a bound values are left open -- */

        /* Walks of a model. After each one, declared names that stand for several sizes are ignored; in the last one,
           so is every declared name that no input has. */
        WALKS_MOST = 3,
        /* Passes over a loop's body, after which whatever still changes is left open. A size, a rank or an element
           changes once, mostly in the first passes; only chains, where each carried value becomes the next one, take
           longer. */
        CARRY_PASSES = 6,
        /* Nodes that may be walked again in the bodies of one request, in which loops in loops multiply their passes: a
           fixed number plus a number for each byte of the model, and no more than a large model needs. */
        AGAIN_LEAST = 16384,
        AGAIN_FACTOR = 4,
        AGAIN_MOST = 200000,
        /* Nodes that one inference may walk iteration by iteration, in all. */
        UNROLL_NODES = 16384,
        /* Nodes of functions' bodies that are walked with everything that is known about the arguments: a fixed number
           plus a number for each node of the model. Functions that call two others, each with other sizes or contents,
           would walk 2^depth of them; past this bound only kinds and element types of arguments count, of which there
           are few. */
        CALLED_LEAST = 200000,
        CALLED_FACTOR = 64,
        /* For each byte of the model, bytes of names and scopes of the values in functions' bodies, beside the limit
           function_bytes: a long chain of calls gives each value a long scope. */
        CALLED_BYTES_FACTOR = 256,
        /* How many are searched for an equal one: earlier calls of a function, nodes of one operator and first input,
           and constraints. */
        MEMO_SEARCHED = 256,
        TWICE_SEARCHED = 64,
        CONSTRAINTS_SEARCHED = 64,
        /* Inputs, and outputs, of one node: their positions are ints. A node with more ends the request. */
        MAX_NODE_VALUES = 2097088,
        /* Sizes to which a call consistently gives new symbols, and pairs of sizes for which one node does; further
           ones get a symbol at each place. */
        RENEWED = 64,
        PAIRS = 64,

        /* -- the answer -- */

        /* Sets of sizes for which a model is also inferred. */
        COLUMNS_MOST = 16,
        /* In one explanation: steps that are listed, steps that are followed, and values that are named as causes,
           the costliest of those that are counted. */
        STEPS_TOLD = 64,
        STEPS_FOLLOWED = 1000,
        CAUSES_TOLD = 16,
        CAUSES_COUNTED = 256,
        /* Unknown operators whose nodes and values are counted. */
        UNKNOWN_TOLD = 64,
        /* Sizes that depend on data, and are more than a symbol, whose bounds are listed. */
        EXTENTS_TOLD = 1024,
        /* Sizes of inputs whose allowed numbers are listed; numbers that are tried one by one, which also bounds the
           periods of conditions; and ranges for each size. */
        SIZES_TOLD = 256,
        SIZES_TRIED = 1024,
        RANGES_TOLD = 64,
        /* Sizes that are tied together and tried together, conditions that tie them, and equations of these that are
           solved; combinations of their numbers that are listed, and conditions that are looked at to find them. */
        TIED_SIZES = 8,
        TIED_CONDITIONS = 256,
        TIED_SOLVED = 32,
        COMBINATIONS_TOLD = 16,
        COMBINATION_TRIES = 1 << 18,
        /* Numbers that are tried in conditions to find what leaves none, all conditions of a model together. */
        CONTRADICTION_TRIES = 1 << 20,
        /* Sizes, and conditions about them, that are tried together. */
        JOINT_SIZES = 8,
        JOINT_CONDITIONS = 16,

        /* Diagnostics and constraints that are kept; further ones are only counted. Nobody reads a longer list to its
           end, and each entry may hold long texts. */
        DIAGS_KEPT = 10000,
        CONSTRAINTS_KEPT = 10000,

        /* In a diagnostic: bytes of a name and of a dimension's expression in its sentence, and inputs whose shapes it
           lists. Names may be 64 KiB long, and 10,000 diagnostics may repeat them. */
        NAME_SHOWN = 80,
        DIM_SHOWN = 80,
        SHAPES_SHOWN = 8,
        /* Inputs that are searched for the place of a size: only those whose shapes are shown. */
        INPUTS_SEARCHED = SHAPES_SHOWN,
        /* Known names that are listed when a given name is unknown. */
        NAMES_LISTED = 16,
        /* Nodes of a cycle that its sentence names. */
        CYCLE_SHOWN = 8,
        /* Faults for which the nearest known name is searched, and names that are compared for one of them: a
           comparison takes up to 4,096 steps. */
        HINTS_SOUGHT = 32,
        NAMES_SEARCHED = 1024,

        /* -- sizes of lists that stand on the stack or are searched one by one. No answer depends on these -- */
        FEW_TERMS = 32,  /* of an expression that is printed */
        FEW_DIMS = 8,    /* of shapes that broadcast */
        FEW_VALUES = 6,  /* inputs, and outputs, of a node */
        FEW_INPUTS = 16, /* of a single node */
        FEW_IMPORTS = 8, /* of operator sets */
};
