// What a part of a program takes: CPU seconds, user and system apart, and the memory that it needs in addition.
// A program measures the part that searchlab measures, the search alone, and prints one JSON object.
#pragma once
#include <cstdio>
#include <sys/resource.h>

struct Spent { double user, system; unsigned long long most_bytes; };

// Not ru_maxrss, which counts what the process held that started this one.
static inline unsigned long long most_bytes() {
    unsigned long long kilobytes = 0;
    char line[128];
    std::FILE *status = std::fopen("/proc/self/status", "r");
    while (status && std::fgets(line, sizeof line, status))
        if (std::sscanf(line, "VmHWM: %llu", &kilobytes) == 1) break;
    if (status) std::fclose(status);
    return 1024 * kilobytes;
}

static inline Spent spent() {
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    return {used.ru_utime.tv_sec + 1e-6 * used.ru_utime.tv_usec, used.ru_stime.tv_sec + 1e-6 * used.ru_stime.tv_usec,
            most_bytes()};
}

// Prints the beginning of the object: what was spent since `began`.
static inline void print_spent(Spent began) {
    Spent now = spent();
    std::printf("{\"user\": %.6f, \"system\": %.6f, \"peak_bytes\": %llu", now.user - began.user,
                now.system - began.system, now.most_bytes - began.most_bytes);
}
