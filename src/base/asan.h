/* What tells the address sanitizer that memory is not in use; nothing in other builds. */
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define USES_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define USES_ASAN 1
#endif
#endif
#ifdef USES_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size)   ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif
