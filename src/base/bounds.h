/* Bounds that are none of the caller's limits (limits.def): what they bound is a constant of the engine's own work.
   Where one of them bites, the answer is less exact or shorter, and says so. */
#pragma once

enum engine_bound {
        /* -- dimensions: work on one expression. Past one of them an expression is kept as it is written, or a proof is
           not found, so that two equal sizes may print differently -- */
        MAX_DEGREE = 64,         /* factors of a monomial */
        MAX_ARGUMENTS = 64,      /* of max, min and broadcast */
        MAX_CALL_ARGUMENTS = 32, /* of one call in a text */
        MAX_POWER = 16,          /* of a power in a text */
        MAX_PAIRWISE = 8,        /* arguments that are compared each with each */
        MAX_DIVISION = 128,      /* steps of a polynomial division */
        MAX_PRODUCT = 16, /* times the limit of terms: what multiplying two sums may come to before like terms join */
        MAX_PROOF = 96,   /* steps of one proof, */
        MAX_PROOF_DEPTH = 6,   /* replacements in it, one within another, */
        MAX_PROOF_TERMS = 32,  /* and terms of a sum that it is tried on */
        MAX_SIMPLER = 16,      /* simplifications of one division, one after another */
        MAX_DIVIDE_LEVEL = 48, /* divisions that one division leads to, one within another */
        MAX_CHANGES = 8,       /* of one sum by relations, one after another */
        MAX_RELATED = 16,      /* terms of a relation that stem from one operand; also the largest divisor of a ring */
        MAX_RELATE_TRIES = 32, /* relations tried on one sum */
        MAX_RELATE_LEVELS = 3, /* and relations that one leads to, one within another */
        MAX_NORMAL = 64,       /* terms of a monomial's normal form */
        MAX_NORMAL_LEVEL = 16, /* normal forms that finding one leads to, one within another */
        MAX_FACT_ROUNDS =
                8, /* replacements of symbols by what they equal, which may hold others that equal something */
        MAX_REDUCTIONS = 16, /* steps from a condition to the one of its operand that decides it */

        /* -- types -- */

        /* Nesting of sequences, optionals, maps and the tensor within, where types are read: no model's nest deeper. */
        TYPE_DEPTH = 16,

        /* -- tensors -- */

        /* Payload of one tensor that is kept: the elements of 4,096 int64, which is what contents are known of. */
        SKIM_TENSOR_BYTES = 32768,
        /* Floats of one tensor that an answer has. More of them are weights, which decide no shape. */
        FLOATS_SHOWN = 64,

        /* -- known elements: past one of them they are unknown -- */

        /* Fractions of floats, and constants beside a symbol, are kept while they are certain to be exact in a float32
           for sizes that occur. Of constants few bits may be used: 20.3 times a size is rounded, and what is a little
           less than 203 exactly is 203 in a float. */
        MAX_DENOMINATOR = 1 << 20,
        MAX_ODD_PART = 1 << 12,
        /* Elements of inputs that are read for the elements of one output: a node may have millions of inputs, and the
           clock is not read within a node. */
        MAX_READS = 1 << 20,
        /* Elements along one axis that are sorted, by comparing each with each. */
        MAX_SORTED = 256,
        /* Pairs of boxes that NonMaxSuppression compares. */
        MAX_BOX_PAIRS = 1 << 20,
        /* Elements of an integer input that are symbols of their own: an axis each has what decides sizes, and longer
           lists are data. */
        ELEMENTS_NAMED = 16,

        /* -- walks: past one of them values are left open -- */

        /* Walks of a model, after which names that it declares for several sizes say nothing, and at last no name that
           no input has. */
        WALKS_MOST = 3,
        /* Passes over a loop's body before what still changes is given up on. A size, a rank or an element changes
           once, and most of what changes does so in the first passes: only chains, where each carried value becomes the
           next one, take longer. */
        CARRY_PASSES = 6,
        /* Nodes that may be walked again in the bodies of one request: loops in loops multiply their passes. */
        AGAIN_MOST = 200000,
        /* Nodes that one inference may walk iteration by iteration, in all. */
        UNROLL_NODES = 16384,
        /* Nodes of functions' bodies that are walked with all that is known of the arguments: a fixed number, and
           another for each node of the model. Calls that call others twice, each with other sizes or contents, would
           walk 2^depth of them; past this only kinds and element types count, of which there are few. */
        CALLED_LEAST = 200000,
        CALLED_FACTOR = 64,
        /* Earlier calls of a function that are searched for an equal one, nodes of one operator and first input for an
           equal one, and constraints for an equal one. */
        MEMO_SEARCHED = 256,
        TWICE_SEARCHED = 64,
        CONSTRAINTS_SEARCHED = 64,
        /* Inputs, and outputs, of one node: their positions are ints. A node with more ends the request. */
        MAX_NODE_VALUES = 2097088,
        /* Sizes that a call gives new symbols consistently, and pairs of sizes that one node joins so; more of them
           stay without a name in common. */
        RENEWED = 64,
        PAIRS = 64,

        /* -- what is said -- */

        /* Sets of sizes for which a model is inferred once more. */
        COLUMNS_MOST = 16,
        /* Of one explanation: steps that are told, and followed; and values that are named as causes. */
        STEPS_TOLD = 64,
        STEPS_FOLLOWED = 1000,
        CAUSES_TOLD = 256,
        /* Sizes of inputs of which is told which numbers run; numbers that are tried one by one, which the periods of
           conditions are also bounded by; and ranges for each. */
        SIZES_TOLD = 256,
        SIZES_TRIED = 1024,
        RANGES_TOLD = 64,

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
        /* Names that there are, where one was given that is not there. */
        NAMES_LISTED = 16,
        /* Nodes of a cycle that its sentence names. */
        CYCLE_SHOWN = 8,
        /* Faults for which the nearest known name is sought, and values among which: each comparison takes up to 4,096
           steps. */
        HINTS_SOUGHT = 32,
        NAMES_SEARCHED = 1024,

        /* -- what is small enough for the stack, or to be searched one by one. No answer depends on these -- */
        FEW_TERMS = 32,  /* of an expression that is printed */
        FEW_DIMS = 8,    /* of shapes that broadcast */
        FEW_VALUES = 4,  /* inputs, and outputs, of a node */
        FEW_INPUTS = 16, /* of a single node */
        FEW_IMPORTS = 8, /* of operator sets */
};
