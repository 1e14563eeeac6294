/* What both programs measure alike. Plain C that is C++ as well. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* What this thread has worked, in ns: a machine that does other things as well does not count. */
static inline uint64_t work_ns(void)
{
        struct timespec time;

        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Bytes of memory of this process: "VmRSS" as it is, "VmHWM" at its highest (proc(5)). */
static inline uint64_t memory_bytes(const char *field)
{
        FILE *file = fopen("/proc/self/status", "re");
        unsigned long long kib = 0;
        char line[256];

        while (file != NULL && fgets(line, sizeof(line), file) != NULL)
                if (strncmp(line, field, strlen(field)) == 0)
                        sscanf(line + strlen(field), ": %llu", &kib);
        if (file != NULL)
                fclose(file);
        return (uint64_t)kib * 1024;
}
