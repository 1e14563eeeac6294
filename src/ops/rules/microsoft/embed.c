/* Embeddings of words, positions and segments. */
#include "ops/kit/sized.h"
#include "ops/rules/microsoft.h"

enum {
        EMBED_IDS,
        EMBED_SEGMENT_IDS,
        EMBED_WORDS,
        EMBED_POSITIONS,
        EMBED_SEGMENTS,
        EMBED_GAMMA,
        EMBED_BETA,
        EMBED_MASK
};

/* Inputs of both operators: ids and mask (batch_size, sequence_length), embeddings (, hidden_size), gamma and beta
   (hidden_size). */
static enum ox_code embed(struct node *n, struct size *batch, struct size *length, struct size *hidden)
{
        static const int ids[] = {EMBED_IDS, EMBED_SEGMENT_IDS, EMBED_MASK};
        static const int tables[] = {EMBED_WORDS, EMBED_POSITIONS, EMBED_SEGMENTS};

        for (int k = 0; k < 3; k++) {
                TRY(IN_SIZED(n, ids[k], batch, length));
                TRY(IN_SIZED(n, tables[k], NULL, hidden));
        }
        TRY(IN_SIZED(n, EMBED_GAMMA, hidden));
        TRY(IN_SIZED(n, EMBED_BETA, hidden));
        TRY(OUT_SIZED(n, 0, batch, length, hidden));
        return OUT_SIZED(n, 1, batch);
}

/* EmbedLayerNormalization 1: position_ids may have a batch of 1. The optional output is the sum of the embeddings
   before normalization. */
enum ox_code infer_EmbedLayerNormalization(struct node *n)
{
        enum { POSITION_IDS = 8 };
        struct size batch = {0}, length = {0}, hidden = {0};

        TRY(IN_SIZED(n, POSITION_IDS, NULL, &length));
        if (in_has_rank(n, POSITION_IDS))
                TRY(size_at_or_one(n, &batch, POSITION_IDS, 0));
        TRY(embed(n, &batch, &length, &hidden));
        return OUT_SIZED(n, 2, &batch, &length, &hidden);
}

/* QEmbedLayerNormalization 1: the same with embeddings of 8 bits; scales and zero points do not affect shapes. Inputs
   of segments "must either all be provided or all be omitted". */
enum ox_code infer_QEmbedLayerNormalization(struct node *n)
{
        enum { SEGMENT_SCALE = 10, SEGMENT_ZERO_POINT = 15 };
        static const int segments[] = {EMBED_SEGMENTS, SEGMENT_SCALE, SEGMENT_ZERO_POINT};
        struct size batch = {0}, length = {0}, hidden = {0};

        for (int k = 0; k < 3; k++)
                if (in_given(n, segments[k]) != in_given(n, EMBED_SEGMENT_IDS))
                        return node_error(n, REASON_MISSING_INPUT, segments[k],
                                          "segment_ids, segment_embedding, its scale and its zero point must be given "
                                          "together");
        return embed(n, &batch, &length, &hidden);
}
