/* org.openvinotoolkit: regions of images. */
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/foreign.h"

/* An attribute that is a size; unknown where it is left out. */
static struct size size_given(const struct node *n, const char *name)
{
        int64_t value;

        return attr_int(n, name, &value) ? size_int(value) : (struct size){0};
}

/* ExperimentalDetectronTopKROIs: [number_of_ROIs, 4] and their probabilities; [max_rois, 4], of which the rest is
   undefined. */
enum ox_code infer_ExperimentalDetectronTopKROIs(struct node *n)
{
        struct size regions = {0}, four = size_int(4), most = size_given(n, "max_rois");

        TRY(IN_SIZED(n, 0, &regions, &four));
        TRY(IN_SIZED(n, 1, &regions));
        return OUT_SIZED(n, 0, &most, &four);
}

/* ExperimentalDetectronGenerateProposalsSingleImage: im_info [3], anchors [height * width * number_of_channels, 4];
   [post_nms_count, 4] and [post_nms_count], with zeros behind the proposals. */
enum ox_code infer_ExperimentalDetectronGenerateProposalsSingleImage(struct node *n)
{
        struct size three = size_int(3), four = size_int(4), count = size_given(n, "post_nms_count");

        TRY(IN_SIZED(n, 0, &three));
        TRY(IN_SIZED(n, 1, NULL, &four));
        TRY(in_expect_rank(n, 2, 3));
        TRY(in_expect_rank(n, 3, 3));
        TRY(OUT_SIZED(n, 0, &count, &four));
        return OUT_SIZED(n, 1, &count);
}

/* ExperimentalDetectronROIFeatureExtractor: regions [number_of_ROIs, 4], levels of the pyramid [1, number_of_channels,
   height, width]; [number_of_ROIs, number_of_channels, output_size, output_size] and the regions. */
enum ox_code infer_ExperimentalDetectronROIFeatureExtractor(struct node *n)
{
        struct size regions = {0}, C = {0}, one = size_int(1), four = size_int(4), size = size_given(n, "output_size");

        TRY(IN_SIZED(n, 0, &regions, &four));
        for (int i = 1; i < n->n_in; i++)
                TRY(IN_SIZED(n, i, &one, &C, NULL, NULL));
        TRY(OUT_SIZED(n, 0, &regions, &C, &size, &size));
        return OUT_SIZED(n, 1, &regions, &four);
}
