/* Numbers of threads, for what each keeps for itself: two that write to one line of the cache wait for each other. */
#pragma once

/* Gives the calling thread its number. */
unsigned thread_begin(void);

extern _Thread_local unsigned thread_own; /* 0 until then */

/* The number of the calling thread: from 1, in the order in which threads ask for theirs. */
static inline unsigned thread_number(void)
{
        return thread_own ? thread_own : thread_begin();
}

/* How many threads have a number. */
unsigned thread_count(void);
