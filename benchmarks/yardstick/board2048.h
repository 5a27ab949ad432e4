// 4x4 boards of 2048 in 16 nibbles, exponents, the upper-left cell lowest: moves and the score `smooth`, by tables of rows.
#pragma once
#include <cmath>
#include <cstdint>

typedef uint64_t u64;

static uint16_t slid[2][65536];
static double line[65536];
static int32_t earned[65536];

static void fill() {
    for (int row = 0; row < 65536; row++) {
        int e[4];
        for (int k = 0; k < 4; k++) e[k] = (row >> (4 * k)) & 15;
        for (int end = 0; end < 2; end++) {
            int out[4] = {0, 0, 0, 0}, filled = 0, last = 0, points = 0;
            for (int k = 0; k < 4; k++) {
                int tile = end ? e[3 - k] : e[k];
                if (!tile) continue;
                if (tile == last && tile < 15) { points += 1 << ++out[filled - 1]; last = 0; }
                else { out[filled++] = tile; last = tile; }
            }
            int packed = 0;
            for (int k = 0; k < 4; k++) packed |= out[k] << (4 * (end ? 3 - k : k));
            slid[end][row] = packed;
            earned[row] = points;
        }
        double score = 200000, falls = 0, rises = 0, before = -1;
        int tile_before = 0;
        for (int k = 0; k < 4; k++) {
            double power = 0;
            if (!e[k]) score += 425;
            else {
                power = std::pow(e[k], 3.45);
                score -= 11.3 * std::pow(e[k], 2.95);
                if (e[k] == tile_before) score += 700;
                tile_before = e[k];
            }
            if (before >= 0) { falls += std::fmax(0, before - power); rises += std::fmax(0, power - before); }
            before = power;
        }
        line[row] = score - 25 * std::fmin(falls, rises);
    }
}

static inline u64 transpose(u64 x) {
    u64 t = (x ^ (x >> 12)) & 0x0000F0F00000F0F0ULL;
    x ^= t ^ (t << 12);
    t = (x ^ (x >> 24)) & 0x00000000FF00FF00ULL;
    return x ^ t ^ (t << 24);
}

static inline u64 slide(u64 x, int end) {
    return (u64)slid[end][x & 0xFFFF] | (u64)slid[end][(x >> 16) & 0xFFFF] << 16
         | (u64)slid[end][(x >> 32) & 0xFFFF] << 32 | (u64)slid[end][x >> 48] << 48;
}

static inline double rows(u64 x) {
    return line[x & 0xFFFF] + line[(x >> 16) & 0xFFFF] + line[(x >> 32) & 0xFFFF] + line[x >> 48];
}

static inline int moves(u64 board, u64 *out) {
    u64 columns = transpose(board);
    int count = 0;
    for (int direction = 0; direction < 4; direction++) {
        u64 lines = direction < 2 ? columns : board, after = slide(lines, direction % 2);
        if (after != lines) out[count++] = direction < 2 ? transpose(after) : after;
    }
    return count;
}
