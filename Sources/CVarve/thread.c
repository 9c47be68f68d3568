#ifndef _GNU_SOURCE
#define _GNU_SOURCE // for pthread_getattr_np
#endif
#include "CVarve.h"

#include <pthread.h>

static _Thread_local varve_release release;

varve_release *varve_release_of_thread(void) { return &release; }

#if defined(__linux__)
static _Thread_local uintptr_t stack_start;
static _Thread_local uintptr_t stack_end;

static void find_stack(void) {
    pthread_attr_t attributes;
    void *start = 0;
    size_t size = 0;
    stack_end = 1;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return;
    }
    if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
        stack_start = (uintptr_t)start;
        stack_end = (uintptr_t)start + size;
    }
    pthread_attr_destroy(&attributes);
}

size_t varve_stack_left(void) {
    if (stack_end == 0) {
        find_stack();
    }
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here > stack_start && here < stack_end ? here - stack_start : SIZE_MAX;
}
#elif defined(__APPLE__)
size_t varve_stack_left(void) {
    const pthread_t thread = pthread_self();
    const uintptr_t end = (uintptr_t)pthread_get_stackaddr_np(thread);
    const uintptr_t start = end - pthread_get_stacksize_np(thread);
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here > start && here < end ? here - start : SIZE_MAX;
}
#else
size_t varve_stack_left(void) { return SIZE_MAX; }
#endif
