#include "obs/process.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct output {
        ox_write write;
        void *user;
};

static void put(const struct output *out, const char *name, const char *type, const char *help, double value)
{
        char text[512];
        int length = snprintf(text, sizeof(text), "# HELP %s %s\n# TYPE %s %s\n%s %.17g\n", name, help, name, type,
                              name, value);

        if (length > 0 && (size_t)length < sizeof(text))
                out->write(out->user, text, (size_t)length);
}

/* The numbers of the needed fields of /proc/self/stat (proc(5)). */
enum { UTIME = 14, STIME = 15, START_TIME = 22, VIRTUAL_BYTES = 23, RESIDENT_PAGES = 24, FIELDS = 25 };

/* False if there is no /proc. */
static bool read_stat(uint64_t field[FIELDS])
{
        char text[1024];
        FILE *file = fopen("/proc/self/stat", "re");
        size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

        if (file)
                fclose(file);
        text[length] = '\0';
        /* The second field, the name in parentheses, may hold anything; the third is a letter. */
        char *at = strrchr(text, ')');

        if (!at || strlen(at) < 4)
                return false;
        at += 4;
        for (int i = 4; i < FIELDS; i++)
                field[i] = strtoull(at, &at, 10);
        return true;
}

/* The time when the machine was started, in seconds since 1970. */
static double boot_time(void)
{
        struct timespec now, since;

        clock_gettime(CLOCK_REALTIME, &now);
        clock_gettime(CLOCK_BOOTTIME, &since);
        return (double)(now.tv_sec - since.tv_sec) + (double)(now.tv_nsec - since.tv_nsec) / 1e9;
}

static int count_files(void)
{
        DIR *folder = opendir("/proc/self/fd");
        int count = 0;

        if (!folder)
                return -1;
        while (readdir(folder))
                count++;
        closedir(folder);
        return count - 3; /* ".", "..", and the folder itself */
}

void process_write(ox_write write, void *user)
{
        const struct output out = {write, user};
        double ticks = (double)sysconf(_SC_CLK_TCK), page = (double)sysconf(_SC_PAGESIZE);
        uint64_t field[FIELDS];
        struct rlimit files;
        int open_files = count_files();

        if (read_stat(field)) {
                put(&out, "process_cpu_seconds_total", "counter", "seconds of CPU time, of user and system",
                    (double)(field[UTIME] + field[STIME]) / ticks);
                put(&out, "process_resident_memory_bytes", "gauge", "memory that is resident",
                    (double)field[RESIDENT_PAGES] * page);
                put(&out, "process_virtual_memory_bytes", "gauge", "virtual memory", (double)field[VIRTUAL_BYTES]);
                put(&out, "process_start_time_seconds", "gauge", "when the process began, in seconds since 1970",
                    boot_time() + (double)field[START_TIME] / ticks);
        }
        if (open_files >= 0)
                put(&out, "process_open_fds", "gauge", "file descriptors that are open", open_files);
        if (getrlimit(RLIMIT_NOFILE, &files) == 0)
                put(&out, "process_max_fds", "gauge", "file descriptors that may be open", (double)files.rlim_cur);
}
