/* Feeds a fuzz target without libFuzzer: every file of the folders that are named, and random changes of them for
   `-seconds=N`. The changes come from a seed, `-seed=N` or a fixed one, so that what fails once fails again. The input
   that fails is written to `-failed=FILE`. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define INPUT_MAX   ((size_t)1 << 20)
#define SEEDS_MAX   4096
#define CHANGES_MAX 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seed {
        uint8_t *data;
        size_t size;
};

struct driver {
        struct seed seed[SEEDS_MAX];
        size_t n_seed;
        uint64_t random;
        uint8_t *scratch;
};

/* What runs now, for whoever ends the process. */
static struct {
        const char *path; /* NULL: it is not wanted */
        const uint8_t *data;
        size_t size;
} running;

static void keep_running(int number)
{
        int file = running.path ? open(running.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;

        signal(number, SIG_DFL);
        if (file >= 0 && write(file, running.data, running.size) == (ssize_t)running.size)
                close(file);
        raise(number);
}

static void run(const uint8_t *data, size_t size)
{
        running.data = data;
        running.size = size;
        LLVMFuzzerTestOneInput(data, size);
}

static uint64_t next_random(struct driver *d)
{
        /* xorshift64*, Vigna 2014 */
        d->random ^= d->random >> 12;
        d->random ^= d->random << 25;
        d->random ^= d->random >> 27;
        return d->random * UINT64_C(2685821657736338717);
}

static size_t below(struct driver *d, size_t limit)
{
        return limit == 0 ? 0 : (size_t)(next_random(d) % limit);
}

static void add_file(struct driver *d, const char *path)
{
        FILE *file = fopen(path, "rbe");
        struct seed *seed = &d->seed[d->n_seed];

        if (file == NULL || d->n_seed == SEEDS_MAX) {
                if (file != NULL)
                        fclose(file);
                return;
        }
        seed->data = malloc(INPUT_MAX);
        if (seed->data == NULL)
                exit(EXIT_FAILURE);
        seed->size = fread(seed->data, 1, INPUT_MAX, file);
        seed->data = realloc(seed->data, seed->size + 1);
        if (seed->data == NULL)
                exit(EXIT_FAILURE);
        d->n_seed++;
        fclose(file);
}

static void add_path(struct driver *d, const char *path)
{
        struct dirent *entry;
        struct stat status;
        char inner[4096];
        DIR *folder;

        if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
                add_file(d, path);
                return;
        }
        folder = opendir(path);
        if (folder == NULL)
                return;
        while ((entry = readdir(folder)) != NULL) {
                if (entry->d_name[0] == '.')
                        continue;
                snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
                add_path(d, inner);
        }
        closedir(folder);
}

/* One change in place; returns the new size. */
static size_t change(struct driver *d, uint8_t *data, size_t size)
{
        static const uint8_t telling[] = {0, 1, 0x7f, 0x80, 0xff, 0xfe, 0x08, 0x0a, 0x12, 0x3a};
        size_t at = below(d, size), length = below(d, 64), from;

        switch (next_random(d) % 8) {
        case 0: /* one bit */
                if (size > 0)
                        data[at] ^= (uint8_t)(1U << below(d, 8));
                return size;
        case 1: /* one byte */
                if (size > 0)
                        data[at] = telling[below(d, sizeof(telling))];
                return size;
        case 2: /* cut short */
                return at;
        case 3: /* a piece removed */
                if (length > size - at)
                        length = size - at;
                memmove(data + at, data + at + length, size - at - length);
                return size - length;
        case 4: /* a piece doubled */
                if (length > size - at)
                        length = size - at;
                if (size + length > INPUT_MAX)
                        return size;
                memmove(data + at + length, data + at, size - at);
                return size + length;
        case 5: /* bytes at the end */
        case 6:
                for (length %= 16; length > 0 && size < INPUT_MAX; length--)
                        data[size++] = (uint8_t)next_random(d);
                return size;
        default: /* a piece copied over another */
                from = below(d, size);
                if (length > size - at)
                        length = size - at;
                if (length > size - from)
                        length = size - from;
                memmove(data + at, data + from, length);
                return size;
        }
}

static void run_changes(struct driver *d, long seconds)
{
        time_t end = time(NULL) + seconds;
        unsigned long runs = 0;

        while (time(NULL) < end) {
                const struct seed *seed = &d->seed[below(d, d->n_seed)];
                size_t size = seed->size, changes = 1 + below(d, CHANGES_MAX);
                uint8_t *exact;

                memcpy(d->scratch, seed->data, size);
                for (size_t i = 0; i < changes; i++)
                        size = change(d, d->scratch, size);
                /* A block of the very size, so that reading past its end is seen. */
                exact = malloc(size > 0 ? size : 1);
                if (exact == NULL)
                        exit(EXIT_FAILURE);
                memcpy(exact, d->scratch, size);
                run(exact, size);
                free(exact);
                runs++;
        }
        printf("ok - %lu changed inputs\n", runs);
}

int main(int argc, char **argv)
{
        struct driver *d = calloc(1, sizeof(*d));
        const char *models = getenv("SHAPED_MODELS");
        long seconds = 0;

        if (d == NULL)
                return EXIT_FAILURE;
        d->scratch = malloc(INPUT_MAX);
        if (d->scratch == NULL)
                exit(EXIT_FAILURE);
        d->random = 88172645463325252;
        for (int i = 1; i < argc; i++) {
                if (strncmp(argv[i], "-seconds=", 9) == 0)
                        seconds = strtol(argv[i] + 9, NULL, 10);
                else if (strncmp(argv[i], "-seed=", 6) == 0)
                        d->random += strtoull(argv[i] + 6, NULL, 10);
                else if (strncmp(argv[i], "-failed=", 8) == 0)
                        running.path = argv[i] + 8;
                else
                        add_path(d, argv[i]);
        }
        signal(SIGABRT, keep_running);
        signal(SIGSEGV, keep_running);
        if (models != NULL)
                add_path(d, models);
        if (d->n_seed == 0)
                d->seed[d->n_seed++].data = calloc(1, 1);
        for (size_t i = 0; i < d->n_seed; i++)
                run(d->seed[i].data, d->seed[i].size);
        printf("ok - %zu inputs as they are\n", d->n_seed);
        run_changes(d, seconds);
        for (size_t i = 0; i < d->n_seed; i++)
                free(d->seed[i].data);
        free(d->scratch);
        free(d);
        return EXIT_SUCCESS;
}
