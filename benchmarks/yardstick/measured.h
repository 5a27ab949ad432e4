// What a part of a program takes: CPU seconds, user and system apart, and the most memory that the process held.
// A program measures the part that searchlab measures, the search alone, and prints one JSON object.
#pragma once
#include <cstdio>
#include <sys/resource.h>

struct Spent { double user, system; };

static inline Spent spent() {
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    return {used.ru_utime.tv_sec + 1e-6 * used.ru_utime.tv_usec, used.ru_stime.tv_sec + 1e-6 * used.ru_stime.tv_usec};
}

static inline unsigned long long most_bytes() {
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss * 1024ULL;
}

// Prints the beginning of the object: what was spent since `began`.
static inline void print_spent(Spent began) {
    Spent now = spent();
    std::printf("{\"user\": %.6f, \"system\": %.6f", now.user - began.user, now.system - began.system);
}
