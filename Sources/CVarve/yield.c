#include "CVarve.h"

#include <sched.h>

// Fails nowhere that Swift runs.
void varve_yield(void) { (void)sched_yield(); }
