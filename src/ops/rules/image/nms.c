/* NonMaxSuppression (10, 11). Detectors end in it. The number of selected boxes depends on data, but is computed here
   for constant boxes. */
#include <math.h>

#include "base/bounds.h"
#include "ops/kit/elements.h"
#include "ops/kit/sizes.h"
#include "ops/rules/image.h"

/* A number as runtimes compute it in float32: within `error` of `value`; exact if `error` is 0. */
struct approx {
        double value, error;
};

/* The relative rounding error of a float32, half a unit in the last place, doubled to be safe. */
#define FLOAT_STEP 0x1p-23

static struct approx rounded(double value, double error, bool exact)
{
        if (!exact || (double)(float)value != value)
                error += fabs(value) * FLOAT_STEP;
        return (struct approx){value, error};
}

static struct approx plus(struct approx a, struct approx b)
{
        double sum = a.value + b.value, part = sum - a.value;
        double lost = (a.value - (sum - part)) + (b.value - part);

        return rounded(sum, a.error + b.error, lost == 0);
}

static struct approx minus(struct approx a, struct approx b)
{
        return plus(a, (struct approx){-b.value, b.error});
}

static struct approx times(struct approx a, struct approx b)
{
        double product = a.value * b.value;
        double error = fabs(a.value) * b.error + fabs(b.value) * a.error + a.error * b.error;

        return rounded(product, error, fma(a.value, b.value, -product) == 0);
}

struct box {
        struct approx low[2], high[2], area;
};

static struct approx least(struct approx a, struct approx b)
{
        return a.value < b.value ? a : b;
}

static struct approx most(struct approx a, struct approx b)
{
        return a.value < b.value ? b : a;
}

/* False if a coordinate is unknown, or if a box is empty: the text does not define its overlap. */
static bool read_box(const double *at, bool centered, struct box *ret)
{
        struct approx c[4], half = {0.5, 0};

        for (int i = 0; i < 4; i++) {
                if (!isfinite(at[i]) || fabs(at[i]) > 0x1p60)
                        return false;
                c[i] = (struct approx){at[i], 0};
        }
        for (int i = 0; i < 2; i++) {
                /* The order of the axes does not matter. */
                if (centered && c[i + 2].value < 0)
                        return false;
                struct approx a = centered ? minus(c[i], times(c[i + 2], half)) : c[i];
                struct approx b = centered ? plus(c[i], times(c[i + 2], half)) : c[i + 2];

                ret->low[i] = least(a, b);
                ret->high[i] = most(a, b);
        }
        ret->area = times(minus(ret->high[0], ret->low[0]), minus(ret->high[1], ret->low[1]));
        return ret->area.value > ret->area.error;
}

/* Whether the intersection over the union is strictly greater than the threshold: 1, 0, or -1 where rounding decides.
 */
static int overlap(const struct box *a, const struct box *b, double threshold)
{
        struct approx side[2];

        for (int i = 0; i < 2; i++) {
                side[i] = minus(least(a->high[i], b->high[i]), most(a->low[i], b->low[i]));
                if (side[i].value + side[i].error <= 0)
                        return 0;
                if (side[i].value - side[i].error <= 0)
                        return -1;
        }
        struct approx both = times(side[0], side[1]), either = minus(plus(a->area, b->area), both);

        if (either.value <= either.error)
                return -1;
        double ratio = both.value / either.value;

        if (both.error == 0 && either.error == 0)
                return (ratio > threshold) == ((double)(float)ratio > threshold) ? ratio > threshold : -1;
        double error = ratio * (both.error / both.value + either.error / (either.value - either.error) + FLOAT_STEP);

        return ratio - error > threshold ? 1 : ratio + error < threshold ? 0 : -1;
}

struct suppression {
        const double *boxes, *scores; /* of one class of one batch */
        int64_t n_box, most;
        double iou, least_score;
        bool has_least, centered;
        struct box *box; /* room for n_box */
        bool *gone;      /* likewise */
};

static bool same_box(const struct suppression *s, int64_t a, int64_t b)
{
        for (int i = 0; i < 4; i++)
                if (s->boxes[4 * a + i] != s->boxes[4 * b + i])
                        return false;
        return true;
}

/* The remaining box with the highest score; -1 if there is none, -2 if the order of boxes with equal scores would
   matter. */
static int64_t next_box(const struct suppression *s)
{
        int64_t best = -1;

        for (int64_t i = 0; i < s->n_box; i++)
                if (!s->gone[i] && (best < 0 || s->scores[i] > s->scores[best]))
                        best = i;
        for (int64_t i = best + 1; best >= 0 && i < s->n_box; i++)
                if (!s->gone[i] && s->scores[i] == s->scores[best] && !same_box(s, i, best))
                        return -2;
        return best;
}

/* The number of boxes selected for one class; -1 if it is not certain. */
static int64_t select_class(const struct suppression *s)
{
        int64_t count = 0;

        for (int64_t i = 0; i < s->n_box; i++) {
                /* A box whose score equals the threshold is kept according to the text, but some runtimes drop it. */
                if (isnan(s->scores[i]) || (s->has_least && s->scores[i] == s->least_score))
                        return -1;
                s->gone[i] = s->has_least && s->scores[i] < s->least_score;
        }
        while (count < s->most) {
                int64_t best = next_box(s);

                if (best == -1)
                        return count;
                if (best < 0)
                        return -1;
                s->gone[best] = true;
                count++;
                for (int64_t i = 0; i < s->n_box; i++) {
                        int over = s->gone[i] ? 0 : overlap(&s->box[i], &s->box[best], s->iou);

                        if (over < 0)
                                return -1;
                        s->gone[i] = s->gone[i] || over;
                }
        }
        return count;
}

/* Reads a scalar input; false if it is given but unknown. */
static bool read_threshold(const struct node *n, int i, double *ret, bool *ret_given)
{
        const struct content *content = in_content(n, i);

        *ret_given = in_given(n, i);
        if (!*ret_given)
                return true;
        if (!content || content->count != 1 || content_at(content, 0).kind != SCALAR_FLOAT ||
            isnan(content_at(content, 0).f))
                return false;
        *ret = content_at(content, 0).f;
        return true;
}

/* The total number of selected boxes; false if it is not certain. */
static bool select_all(struct node *n, int64_t most_a_class, int64_t *ret)
{
        const struct content *of_boxes = in_content(n, 0), *of_scores = in_content(n, 1);
        const double *boxes, *scores;
        struct suppression s = {.most = most_a_class, .centered = attr_int_or(n, "center_point_box", 0) != 0};
        struct grid box_grid, score_grid;
        bool given;

        if (!of_boxes || !of_scores || !content_floats(of_boxes, &boxes) || !content_floats(of_scores, &scores) ||
            !grid_of(n, in_type(n, 0), &box_grid) || !grid_of(n, in_type(n, 1), &score_grid) ||
            of_boxes->count != (size_t)box_grid.count || of_scores->count != (size_t)score_grid.count ||
            !read_threshold(n, 3, &s.iou, &given) || !read_threshold(n, 4, &s.least_score, &s.has_least))
                return false;
        s.n_box = box_grid.dim[1];
        if (score_grid.count * s.n_box > MAX_BOX_PAIRS)
                return false;
        s.box = arena_new_array(n->arena, struct box, (size_t)s.n_box);
        s.gone = arena_new_array(n->arena, bool, (size_t)s.n_box);
        *ret = 0;
        for (int64_t b = 0; b < score_grid.dim[0]; b++) {
                s.boxes = boxes + 4 * s.n_box * b;
                for (int64_t i = 0; i < s.n_box; i++)
                        if (!read_box(s.boxes + 4 * i, s.centered, &s.box[i]))
                                return false;
                for (int64_t c = 0; c < score_grid.dim[1]; c++) {
                        s.scores = scores + s.n_box * (score_grid.dim[1] * b + c);
                        int64_t count = select_class(&s);

                        if (count < 0)
                                return false;
                        *ret += count;
                }
        }
        return true;
}

/* The largest number of boxes that may be selected: 0 without max_output_boxes_per_class, whose default is 0. */
static struct dim count_boxes(struct node *n)
{
        int64_t number = 0, selected;

        bool is_known = !in_given(n, 2) || in_int(n, 2, &number);

        if (is_known && number <= 0)
                return dim_int(0);
        if (!in_has_rank(n, 1))
                return out_fresh(n, 0, 0);
        if (is_known && select_all(n, number, &selected))
                return dim_int(selected);
        struct dim classes = dim_mul(n->dims, in_dim(n, 1, 0), in_dim(n, 1, 1)), most = in_dim(n, 1, 2);

        if (is_known)
                most = lesser_dim(n, most, dim_int(number));
        return out_fresh_at_most(n, 0, 0, dim_mul(n->dims, most, classes));
}

/* Boxes [batches, boxes, 4] and scores [batches, classes, boxes] give a row of batch, class and box for each selected
   box. */
enum ox_code infer_NonMaxSuppression(struct node *n)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 2), coordinates = dim_int(4);

        for (int i = 0; i < 2; i++) {
                TRY(in_expect_tensor(n, i));
                TRY(in_expect_rank(n, i, 3));
        }
        for (int i = 2; i < 5; i++)
                TRY(in_expect_scalar(n, i));
        if (in_has_rank(n, 0))
                TRY(in_agree(n, &coordinates, 0, 2));
        if (in_has_rank(n, 0) && in_has_rank(n, 1)) {
                struct dim batches = in_dim(n, 0, 0), boxes = in_dim(n, 0, 1);

                TRY(in_agree(n, &batches, 1, 0));
                TRY(in_agree(n, &boxes, 1, 2));
        }
        dims[0] = count_boxes(n);
        dims[1] = dim_int(3);
        return out_tensor(n, 0, ELEM_INT64, 2, dims);
}
