/* What exporters of detectors write for TensorRT, MMDeploy and PyTorch: boxes, regions, and what they are made of. */
#include "ops/kit/axes.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/foreign.h"

static struct size attr_size(const struct node *n, const char *name)
{
        return size_int(attr_int_or(n, name, 0));
}

/* Boxes (batch_size, number_boxes, 4), or one for each class, (batch_size, number_boxes, number_classes, 4). */
static enum ox_code agree_boxes(struct node *n, struct size *batch, struct size *boxes)
{
        struct size four = size_int(4);

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 3));
        TRY(in_expect_rank_most(n, 0, 4));
        return in_rank(n, 0) == 4 ? IN_SIZED(n, 0, batch, boxes, NULL, &four) : IN_SIZED(n, 0, batch, boxes, &four);
}

/* For each image a number, and as many boxes, scores and classes. */
static enum ox_code out_detections(struct node *n, struct size *batch, struct size *kept)
{
        struct size one = size_int(1), four = size_int(4);

        TRY(OUT_SIZED(n, 0, batch, &one));
        TRY(OUT_SIZED(n, 1, batch, kept, &four));
        TRY(OUT_SIZED(n, 2, batch, kept));
        return OUT_SIZED(n, 3, batch, kept);
}

/* EfficientNMS_TRT: scores (batch_size, number_boxes, number_classes), anchors (1 or batch_size, number_boxes, 4). */
enum ox_code infer_EfficientNMS_TRT(struct node *n)
{
        struct size batch = {0}, boxes = {0}, four = size_int(4), kept = attr_size(n, "max_output_boxes");

        TRY(agree_boxes(n, &batch, &boxes));
        TRY(IN_SIZED(n, 1, &batch, &boxes, NULL));
        TRY(IN_SIZED(n, 2, NULL, &boxes, &four));
        return out_detections(n, &batch, &kept);
}

/* BatchedNMS_TRT, BatchedNMSDynamic_TRT: boxes (batch_size, number_boxes, number_classes or 1, 4). */
enum ox_code infer_batched_nms(struct node *n)
{
        struct size batch = {0}, boxes = {0}, kept = attr_size(n, "keepTopK");

        TRY(agree_boxes(n, &batch, &boxes));
        TRY(IN_SIZED(n, 1, &batch, &boxes, NULL));
        return out_detections(n, &batch, &kept);
}

/* TRTBatchedNMS, TRTBatchedRotatedNMS of mmdeploy: boxes (N, num_boxes, num_classes or 1, 4 or, rotated, 5), dets (N,
   valid_num_boxes, one more), labels (N, valid_num_boxes). The text gives scores four axes, exporters three. */
enum ox_code infer_trt_batched_nms(struct node *n)
{
        struct size batch = {0}, boxes = {0}, kept = {0}, numbers = {0}, more;

        TRY(IN_SIZED(n, 0, &batch, &boxes, NULL, &numbers));
        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_rank_least(n, 1, 3));
        TRY(in_expect_rank_most(n, 1, 4));
        for (int d = 0; in_has_rank(n, 1) && d < 2; d++)
                TRY(size_at(n, d == 0 ? &batch : &boxes, 1, d));
        more = size_add(n, numbers, size_int(1));
        TRY(OUT_SIZED(n, 0, &batch, &kept, &more));
        return OUT_SIZED(n, 1, &batch, &kept);
}

/* NMSRotated of mmdeploy: boxes (N, 5), scores (N); the boxes that are kept (K). */
enum ox_code infer_NMSRotated(struct node *n)
{
        struct size N = {0}, five = size_int(5), kept = {0};

        TRY(IN_SIZED(n, 0, &N, &five));
        TRY(IN_SIZED(n, 1, &N));
        if (N.known)
                kept = (struct size){true, out_fresh_at_most(n, 0, 0, N.dim)};
        return OUT_SIZED(n, 0, &kept);
}

/* NonMaxSuppression of mmcv: boxes (num_boxes, 4), scores (num_boxes), indices (num_valid_boxes). For TensorRT the name
   stands for more, which the text does not tell. */
enum ox_code infer_mmdeploy_NonMaxSuppression(struct node *n)
{
        struct size boxes = {0}, four = size_int(4), kept = {0};

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        if (in_has_rank(n, 0) ? in_rank(n, 0) != 2 : in_rank(n, 1) != 1)
                return OX_OK;
        TRY(IN_SIZED(n, 0, &boxes, &four));
        TRY(IN_SIZED(n, 1, &boxes));
        if (boxes.known)
                kept = (struct size){true, out_fresh_at_most(n, 0, 0, boxes.dim)};
        return OUT_SIZED(n, 0, &kept);
}

/* SoftNonMaxSuppression of mmcv: boxes (N, 4), scores (N); dets (num_valid_boxes, 5), indices (num_valid_boxes). */
enum ox_code infer_SoftNonMaxSuppression(struct node *n)
{
        struct size N = {0}, four = size_int(4), five = size_int(5), kept = {0};

        TRY(IN_SIZED(n, 0, &N, &four));
        TRY(IN_SIZED(n, 1, &N));
        if (N.known)
                kept = (struct size){true, out_fresh_at_most(n, 0, 0, N.dim)};
        TRY(OUT_SIZED(n, 0, &kept, &five));
        return OUT_SIZED(n, 1, &kept);
}

/* NMSMatch of mmdeploy: boxes (b, N, 4), scores (b, c, N); matches (K, 4). */
enum ox_code infer_NMSMatch(struct node *n)
{
        struct size batch = {0}, boxes = {0}, four = size_int(4), matches = {0};

        TRY(IN_SIZED(n, 0, &batch, &boxes, &four));
        TRY(IN_SIZED(n, 1, &batch, NULL, &boxes));
        return OUT_SIZED(n, 0, &matches, &four);
}

/* -- regions of images (N, C, H, W): (num_rois, C, output_height, output_width) -- */

static enum ox_code out_regions(struct node *n, struct size *regions, struct size *C)
{
        struct size height = attr_size(n, "output_height"), width = attr_size(n, "output_width");

        return OUT_SIZED(n, 0, regions, C, &height, &width);
}

/* ROIAlign_TRT: rois (num_rois, 4), batch_indices (num_rois). */
enum ox_code infer_ROIAlign_TRT(struct node *n)
{
        struct size regions = {0}, C = {0}, four = size_int(4);

        TRY(IN_SIZED(n, 0, NULL, &C, NULL, NULL));
        TRY(IN_SIZED(n, 1, &regions, &four));
        TRY(IN_SIZED(n, 2, &regions));
        return out_regions(n, &regions, &C);
}

/* MMCVRoIAlign of mmdeploy: rois (num_rois, 5), of which one number is the image's; RoIAlignRotated: (num_rois, 6). */
enum ox_code infer_region_align(struct node *n)
{
        struct size regions = {0}, C = {0}, numbers = size_int(op_find_attr(n->row, "clockwise") ? 6 : 5);

        TRY(IN_SIZED(n, 0, NULL, &C, NULL, NULL));
        TRY(IN_SIZED(n, 1, &regions, &numbers));
        return out_regions(n, &regions, &C);
}

/* MMCVMultiLevelRoiAlign of mmdeploy: rois (num_rois, 5), and images of as many levels as there are other inputs. */
enum ox_code infer_MMCVMultiLevelRoiAlign(struct node *n)
{
        struct size regions = {0}, C = {0}, five = size_int(5);

        TRY(IN_SIZED(n, 0, &regions, &five));
        for (int i = 1; i < n->n_in; i++)
                TRY(IN_SIZED(n, i, NULL, &C, NULL, NULL));
        return out_regions(n, &regions, &C);
}

/* PyramidROIAlign_TRT: roi (N, rois, 4), feature maps (N, C, H, W); the output is (N, rois, C, pooled_size,
   pooled_size). */
enum ox_code infer_PyramidROIAlign_TRT(struct node *n)
{
        struct size N = {0}, regions = {0}, C = {0}, four = size_int(4), pooled = attr_size(n, "pooled_size");

        TRY(IN_SIZED(n, 0, &N, &regions, &four));
        for (int i = 1; i < n->n_in; i++)
                TRY(IN_SIZED(n, i, &N, &C, NULL, NULL));
        return OUT_SIZED(n, 0, &N, &regions, &C, &pooled, &pooled);
}

/* -- convolutions, attention, samples -- */

/* ModulatedDeformConv2d, MMCVModulatedDeformConv2d: offset and mask (N, , outH, outW), weight (output_channel, , kH,
   kW). */
enum ox_code infer_modulated_deform_conv(struct node *n)
{
        struct size N = {0}, channels = {0}, height = {0}, width = {0};

        TRY(IN_SIZED(n, 0, &N, NULL, NULL, NULL));
        TRY(IN_SIZED(n, 1, &N, NULL, &height, &width));
        TRY(IN_SIZED(n, 2, &N, NULL, &height, &width));
        TRY(IN_SIZED(n, 3, &channels, NULL, NULL, NULL));
        TRY(IN_SIZED(n, 4, &channels));
        return OUT_SIZED(n, 0, &N, &channels, &height, &width);
}

/* MMCVDeformConv2d: offset (N, , outH, outW), weight (output_channel, , kH, kW). */
enum ox_code infer_MMCVDeformConv2d(struct node *n)
{
        struct size N = {0}, channels = {0}, height = {0}, width = {0};

        TRY(IN_SIZED(n, 0, &N, NULL, NULL, NULL));
        TRY(IN_SIZED(n, 1, &N, NULL, &height, &width));
        TRY(IN_SIZED(n, 2, &channels, NULL, NULL, NULL));
        return OUT_SIZED(n, 0, &N, &channels, &height, &width);
}

/* MMCVMultiScaleDeformableAttention: as MultiscaleDeformableAttnPlugin_TRT, but that the output is (N, Lq, M * D). */
enum ox_code infer_MMCVMultiScaleDeformableAttention(struct node *n)
{
        struct size N = {0}, M = {0}, D = {0}, L = {0}, Lq = {0}, P = {0}, two = size_int(2), embedding;

        TRY(IN_SIZED(n, 0, &N, NULL, &M, &D));
        TRY(IN_SIZED(n, 1, &L, &two));
        TRY(IN_SIZED(n, 2, &L));
        TRY(IN_SIZED(n, 3, &N, &Lq, &M, &L, &P, &two));
        TRY(IN_SIZED(n, 4, &N, &Lq, &M, &L, &P));
        embedding = size_product(n, M, D);
        return OUT_SIZED(n, 0, &N, &Lq, &embedding);
}

/* cummax, cummin of mmcv: both outputs have the shape of the input. */
enum ox_code infer_cumulative_extreme(struct node *n)
{
        int axis;

        TRY(in_expect_tensor(n, 0));
        if (in_rank(n, 0) > 0)
                TRY(attr_axis(n, "dim", 0, in_rank(n, 0), &axis));
        TRY(out_like(n, 0, out_row_elem(n, 0), 0));
        return out_like(n, 1, out_row_elem(n, 1), 0);
}

/* grid_sampler of mmdeploy: input (N, C, inH, inW), grid (N, outH, outW, 2). */
enum ox_code infer_grid_sampler(struct node *n)
{
        struct size N = {0}, C = {0}, height = {0}, width = {0}, two = size_int(2);

        TRY(IN_SIZED(n, 0, &N, &C, NULL, NULL));
        TRY(IN_SIZED(n, 1, &N, &height, &width, &two));
        return OUT_SIZED(n, 0, &N, &C, &height, &width);
}

/* DisentangledAttention_TRT: data0 and the result (batch_size * number_heads, sequence_length, sequence_length), the
   others (batch_size * number_heads, sequence_length, relative_distance * 2). */
enum ox_code infer_DisentangledAttention_TRT(struct node *n)
{
        struct size heads = {0}, length = {0}, distance = {0};

        TRY(IN_SIZED(n, 0, &heads, &length, &length));
        TRY(IN_SIZED(n, 1, &heads, &length, &distance));
        TRY(IN_SIZED(n, 2, &heads, &length, &distance));
        return OUT_SIZED(n, 0, &heads, &length, &length);
}

/* MultiscaleDeformableAttnPlugin_TRT: value [N, S, M, D], spatial_shapes [L, 2], level_start_index [L],
   sampling_locations [N, Lq, M, L, P, 2], attention_weights [N, Lq, M, L, P]; the output is [N, Lq, M, D]. */
enum ox_code infer_MultiscaleDeformableAttnPlugin_TRT(struct node *n)
{
        struct size N = {0}, M = {0}, D = {0}, L = {0}, Lq = {0}, P = {0}, two = size_int(2);

        TRY(IN_SIZED(n, 0, &N, NULL, &M, &D));
        TRY(IN_SIZED(n, 1, &L, &two));
        TRY(IN_SIZED(n, 2, &L));
        TRY(IN_SIZED(n, 3, &N, &Lq, &M, &L, &P, &two));
        TRY(IN_SIZED(n, 4, &N, &Lq, &M, &L, &P));
        return OUT_SIZED(n, 0, &N, &Lq, &M, &D);
}

/* ScaledDotProductAttentionTRT of mmdeploy: query (batch_size, sequence_length, embedding_size), key and value of a
   length of their own; the second output is softmax(q @ k.T). */
enum ox_code infer_ScaledDotProductAttentionTRT(struct node *n)
{
        struct size batch = {0}, length = {0}, keys = {0}, embedding = {0}, values = {0};

        TRY(IN_SIZED(n, 0, &batch, &length, &embedding));
        TRY(IN_SIZED(n, 1, &batch, &keys, &embedding));
        TRY(IN_SIZED(n, 2, &batch, &keys, &values));
        TRY(in_expect_rank_least(n, 3, 2));
        TRY(in_expect_rank_most(n, 3, 3));
        TRY(OUT_SIZED(n, 0, &batch, &length, &values));
        return OUT_SIZED(n, 1, &batch, &length, &keys);
}

/* GatherTopk of mmdeploy: data (A0, ..., An, G0, C0, ...), indices (A0, ..., An, G1); the output is (A0, ..., An, G1,
   C0, ...). */
enum ox_code infer_GatherTopk(struct node *n)
{
        int rank = in_rank(n, 0), last = in_rank(n, 1) - 1;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_rank_least(n, 1, 1));
        if (!in_has_rank(n, 0) || !in_has_rank(n, 1))
                return out_elem(n, 0, out_row_elem(n, 0));
        TRY(in_expect_rank_least(n, 0, last + 1));
        struct dim *dims = in_dims(n, 0);

        for (int d = 0; d < last; d++)
                TRY(in_agree(n, &dims[d], 1, d));
        dims[last] = in_dim(n, 1, last);
        return out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}

/* GridPriorsTRT of mmdeploy: base (num_base_anchor, 4), and vectors that are as long as the map is high and wide. */
enum ox_code infer_GridPriorsTRT(struct node *n)
{
        struct size base = {0}, height = {0}, width = {0}, four = size_int(4), anchors;

        TRY(IN_SIZED(n, 0, &base, &four));
        TRY(IN_SIZED(n, 1, &height));
        TRY(IN_SIZED(n, 2, &width));
        anchors = size_product(n, base, size_product(n, height, width));
        return OUT_SIZED(n, 0, &anchors, &four);
}

/* PillarScatterPlugin: voxels [N, P, C], voxel_coords [N, P, 4], num_pillar [N]; the map is [N, C, H, W]. */
enum ox_code infer_PillarScatterPlugin(struct node *n)
{
        struct size N = {0}, P = {0}, C = {0}, four = size_int(4), map[2] = {{0}};
        const int64_t *shape;
        size_t count = 0;

        attr_ints(n, "dense_shape", &shape, &count);
        for (size_t d = 0; d < count && d < 2; d++)
                map[d] = size_int(shape[d]);
        TRY(IN_SIZED(n, 0, &N, &P, &C));
        TRY(IN_SIZED(n, 1, &N, &P, &four));
        TRY(IN_SIZED(n, 2, &N));
        return OUT_SIZED(n, 0, &N, &C, &map[0], &map[1]);
}

/* VoxelGeneratorPlugin: points [N, M, C], num_points [N]; voxels [N, V, P, C'], voxel_coords [N, V, 4], num_pillar
   [N]. */
enum ox_code infer_VoxelGeneratorPlugin(struct node *n)
{
        struct size N = {0}, V = attr_size(n, "max_voxels"), P = attr_size(n, "max_num_points_per_voxel"),
                    C = attr_size(n, "voxel_feature_num"), four = size_int(4);

        TRY(IN_SIZED(n, 0, &N, NULL, NULL));
        TRY(IN_SIZED(n, 1, &N));
        TRY(OUT_SIZED(n, 0, &N, &V, &P, &C));
        TRY(OUT_SIZED(n, 1, &N, &V, &four));
        return OUT_SIZED(n, 2, &N);
}

/* ATen of org.pytorch.aten: "embedding" takes rows of a matrix, by PyTorch's document; of what else a name stands for,
   nothing is told. */
enum ox_code infer_ATen(struct node *n)
{
        enum { WEIGHT, INDICES };
        int rank = in_rank(n, INDICES);

        if (!attr_is(n, "operator", "embedding") && !attr_is(n, "operator", "aten::embedding")) {
                node_note(n, REASON_NO_RULE, -1, "the operators of PyTorch have no rules");
                return OX_OK;
        }
        TRY(in_expect_rank(n, WEIGHT, 2));
        TRY(in_expect_tensor(n, INDICES));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, in_elem(n, WEIGHT));
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank + 1);

        for (int d = 0; d < rank; d++)
                dims[d] = in_dim(n, INDICES, d);
        dims[rank] = in_has_rank(n, WEIGHT) ? in_dim(n, WEIGHT, 1) : out_fresh(n, 0, rank);
        return out_tensor(n, 0, in_elem(n, WEIGHT), rank + 1, dims);
}
