#pragma once
#include <stddef.h>

// The bytes of the heap that are in use, with the allocator's own overhead; 0 where it does not say.
size_t heap_bytes_in_use(void);
