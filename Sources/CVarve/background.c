#ifndef _GNU_SOURCE
#define _GNU_SOURCE // for SCHED_IDLE
#endif
#include "CVarve.h"

#include <pthread.h>
#include <sched.h>

int varve_enter_background(void) {
#if defined(__APPLE__)
    return pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0) == 0;
#elif defined(SCHED_IDLE)
    const struct sched_param none = {0};
    return sched_setscheduler(0, SCHED_IDLE, &none) == 0;
#else
    return 0;
#endif
}
