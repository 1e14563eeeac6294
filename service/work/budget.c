#include "work/budget.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct budget *budget_of(struct arena_source *source)
{
        return (struct budget *)((char *)source - offsetof(struct budget, source));
}

static bool source_take(struct arena_source *source, size_t bytes)
{
        return budget_take(budget_of(source), bytes);
}

static void source_give(struct arena_source *source, size_t bytes)
{
        budget_give(budget_of(source), bytes);
}

void budget_init(struct budget *budget, int64_t most, struct metrics *metrics, bool (*reclaim)(void *user), void *user)
{
        *budget = (struct budget){.metrics = metrics, .reclaim = reclaim, .user = user};
        snprintf(budget->text, sizeof(budget->text),
                 "there is no memory left for this request: all together may take memory_bytes (%" PRId64 ")", most);
        budget->source = (struct arena_source){source_take, source_give, (size_t)most, budget->text};
}

bool budget_take(struct budget *budget, size_t bytes)
{
        _Atomic int64_t *taken = metric_at(budget->metrics, METRIC_memory_bytes);
        int64_t most = (int64_t)budget->source.most, now = atomic_load_explicit(taken, memory_order_relaxed);

        while (bytes <= (size_t)most) {
                if (now <= most - (int64_t)bytes) {
                        if (atomic_compare_exchange_weak_explicit(taken, &now, now + (int64_t)bytes,
                                                                  memory_order_relaxed, memory_order_relaxed))
                                return true;
                        continue;
                }
                if (!budget->reclaim || !budget->reclaim(budget->user))
                        break;
                now = atomic_load_explicit(taken, memory_order_relaxed);
        }
        metric_add(budget->metrics, METRIC_memory_full_total, 1);
        return false;
}

void budget_give(struct budget *budget, size_t bytes)
{
        if (bytes)
                atomic_fetch_sub_explicit(metric_at(budget->metrics, METRIC_memory_bytes), (int64_t)bytes,
                                          memory_order_relaxed);
}

/* -- the memory of the machine or container -- */

/* The number in a file; -1 if there is none, as where cgroups write "max". */
static int64_t read_number(const char *path)
{
        FILE *file = fopen(path, "re");
        char line[32] = "", *end = line;
        int64_t number = -1;

        errno = 0;
        if (file && fgets(line, sizeof(line), file))
                number = strtoll(line, &end, 10);
        if (file)
                fclose(file);
        return end == line || errno ? -1 : number;
}

/* The file with the memory limit of this process' control group (version 2); "" if it cannot be determined. */
static void group_file(char *path, size_t size)
{
        char line[1024];
        FILE *file = fopen("/proc/self/cgroup", "re");

        path[0] = '\0';
        while (file && fgets(line, sizeof(line), file)) {
                line[strcspn(line, "\n")] = '\0';
                if (strncmp(line, "0::/", 4) == 0)
                        snprintf(path, size, "/sys/fs/cgroup%s/memory.max", line + 3);
        }
        if (file)
                fclose(file);
}

int64_t budget_share(void)
{
        /* A container sees its own group as the root, of either version. */
        char own[1100];
        const char *const files[] = {own, "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
        long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
        int64_t most = pages > 0 && page > 0 ? (int64_t)pages * page : INT64_C(4) << 30;

        group_file(own, sizeof(own));
        for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
                int64_t limit = read_number(files[i]);

                if (limit > 0 && limit < most)
                        most = limit;
        }
        return most / 2;
}
