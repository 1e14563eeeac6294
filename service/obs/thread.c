#include "obs/thread.h"

#include <stdatomic.h>

_Thread_local unsigned thread_own;

static _Atomic unsigned count;

unsigned thread_begin(void)
{
        thread_own = atomic_fetch_add(&count, 1) + 1;
        return thread_own;
}

unsigned thread_count(void)
{
        return atomic_load(&count);
}
