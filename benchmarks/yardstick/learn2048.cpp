// Learning 2048 by temporal differences of afterstates with temporal coherence: four tuples of six cells, in the eight
// positions of the board, a table each. Boards are 16 nibbles, exponents, the upper-left cell lowest. A weight and its
// errors are one record of 12 bytes; the records of all moves are fetched ahead, on huge pages where there are any.
// usage: learn2048 MOVES
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include "measured.h"
#include "network2048.h"

struct Record { float weight, sum, size; };
static Record *records;
static u64 seed = 88172645463325252ULL;

static inline u64 random_number() {
    seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
    return seed * 0x2545F4914F6CDD1DULL;
}

static void reserve() {
    size_t bytes = size_t(TUPLES) * SIZE * sizeof(Record);
    void *memory = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) { perror("mmap"); exit(1); }
    madvise(memory, bytes, MADV_HUGEPAGE);
    records = (Record *)memory;
}

static inline u64 swipe(u64 board, int end, int &points) {
    u64 after = 0;
    for (int row = 0; row < 64; row += 16) {
        int cells = board >> row & 0xFFFF;
        after |= u64(slid[end][cells]) << row;
        points += earned[cells];
    }
    return after;
}

static u64 with_tile(u64 board) {
    int blank = 0;
    for (int k = 0; k < 64; k += 4) blank += !(board >> k & 15);
    u64 drawn = random_number();
    int nth = (drawn >> 32) * blank >> 32;
    u64 tile = (drawn & 0xFFFFFFFF) < 429496730 ? 2 : 1;
    for (int k = 0; k < 64; k += 4)
        if (!(board >> k & 15) && nth-- == 0) return board | tile << k;
    return board;
}

static inline float value_of(const uint32_t *places) {
    float value = 0;
    for (int tuple = 0; tuple < TUPLES; tuple++) {
        float of_tuple = 0;
        for (int k = 0; k < POSITIONS; k++) of_tuple += records[places[tuple * POSITIONS + k]].weight;
        value += of_tuple;
    }
    return value;
}

static inline void correct(const uint32_t *places, float target) {
    float error = target - value_of(places), share = error / LOOKUPS;
    for (int k = 0; k < LOOKUPS; k++) {
        Record &seen = records[places[k]];
        seen.weight += seen.size > 0 ? share * std::fabs(seen.sum) / seen.size : share;
        seen.sum += error;
        seen.size += std::fabs(error);
    }
}

int main(int argc, char **argv) {
    long most = argc > 1 ? atol(argv[1]) : 1000000, moves = 0, games = 0;
    double total = 0;
    fill();
    reserve();
    Spent began = spent();
    while (moves < most) {
        u64 board = with_tile(with_tile(0));
        uint32_t places[2][4][LOOKUPS], *before = nullptr;  // of this move and the one before, in turn
        int turn = 0;
        while (true) {
            u64 turned = transpose(board);
            u64 afters[4];
            int points[4] = {0, 0, 0, 0};
            for (int move = 0; move < 4; move++) {
                u64 from = move < 2 ? board : turned, after = swipe(from, move % 2, points[move]);
                if (after == from) { points[move] = -1; continue; }
                afters[move] = move < 2 ? after : transpose(after);
                look_up(afters[move], places[turn][move], records);
            }
            int chosen = -1;
            float best = 0;
            for (int move = 0; move < 4; move++) {
                if (points[move] < 0) continue;
                float worth = points[move] + value_of(places[turn][move]);
                if (chosen < 0 || worth > best) { best = worth; chosen = move; }
            }
            if (before) correct(before, chosen < 0 ? 0 : best);
            if (chosen < 0) break;
            before = places[turn][chosen];
            turn ^= 1;
            total += points[chosen];
            moves++;
            board = with_tile(afters[chosen]);
        }
        games++;
    }
    print_spent(began);
    printf(", \"learned\": %ld, \"games\": %ld, \"mean_score\": %.1f}\n", moves, games, total / games);
}
