/* What the thread that reads a request may answer by itself, so that other requests of that thread need not wait, and
   what a request costs a worker. */
#pragma once

#define GATHERED_BYTES      (256 * 1024)  /* of a body that is kept as it comes, and read once it is whole */
#define INLINE_MODEL_BYTES  (1024 * 1024) /* of a model's memory, without the weights that were dropped */
#define INLINE_NODES        1000          /* of a model, those in subgraphs and functions included */
#define INLINE_NODE_BYTES   4096          /* of a node request */
#define INLINE_ANSWER_BYTES (1024 * 1024) /* of an answer */
#define INLINE_NS           20000000      /* of inference: products of sums may cost the fourth power of a short text */

/* Approximate costs in ns, from reading to answering, by which short requests go before long ones. */
#define COST_BODY_BYTE      50   /* of a body for which no other cost is known */
#define COST_MODEL_BYTE     8    /* of a model's memory, answered in JSON */
#define COST_RPC_MODEL_BYTE 5    /* the same, answered in protobuf */
#define COST_JSON_BYTE      20   /* of a node request in JSON */
#define COST_MESSAGE_BYTE   10   /* of a node request in protobuf */
#define COST_MESSAGE        1500 /* of each node request in protobuf, besides */
