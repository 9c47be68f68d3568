#ifndef _GNU_SOURCE
#define _GNU_SOURCE // for SCHED_IDLE
#endif
#include "CVarve.h"

#include <pthread.h>
#include <sched.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>

// A thread of that class would ask the disk in the idle class as well, which schedulers of disks may keep
// waiting while there is anything else: and what the file system orders behind it, too. Best effort, its middle
// level, is what other threads have. The values are those of linux/ioprio.h, which not every system installs.
static void keep_disk_priority(void) {
    const int who_process = 1, best_effort = 2, middle = 4;
    (void)syscall(SYS_ioprio_set, who_process, 0, (best_effort << 13) | middle);
}
#endif

int varve_enter_background(void) {
#if defined(__APPLE__)
    return pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0) == 0;
#elif defined(__linux__)
    // Not sched_setscheduler, which musl has but does not do.
    const struct sched_param none = {0};
    keep_disk_priority();
    return pthread_setschedparam(pthread_self(), SCHED_IDLE, &none) == 0;
#else
    return 0;
#endif
}
