// Games of 2048 with random tiles, the same ones that searchlab plays from the same seeds: its draws, its players.
// The value of a board is summed up in searchlab's order, so that equal sums are equal here, too.
// usage: play2048 greedy|expectimax:DEPTH|ntuple:WEIGHTS SEEDS
// SEEDS has a line a game: the state of PCG64 and its increment as four numbers, upper halves first. WEIGHTS are float32,
// four tables of 16^6: of the cells 0 1 2 3 4 5, 4 5 6 7 8 9, 0 1 2 4 5 6 and 4 5 6 8 9 10, the first cell counting 1.
#pragma GCC optimize("fp-contract=off")
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>
#include "board2048.h"
#include "measured.h"
#include "network2048.h"

typedef unsigned __int128 u128;

static u128 state, increment;

static inline u64 random_number() {  // PCG64, XSL-RR (O'Neill 2014)
    state = state * ((u128)0x2360ED051FC65DA4ULL << 64 | 0x4385DF649FCCF645ULL) + increment;
    u64 mixed = u64(state >> 64) ^ u64(state);
    int turn = int(state >> 122);
    return mixed >> turn | mixed << (-turn & 63);
}

static inline u64 blanks_of(u64 board) {
    u64 filled = board | board >> 2;
    return ~(filled | filled >> 1) & 0x1111111111111111ULL;
}

static inline u64 with_tile(u64 board) {
    u64 free = blanks_of(board), drawn = random_number();
    if (!free) return board;
    for (u64 nth = (drawn >> 32) * __builtin_popcountll(free) >> 32; nth; nth--) free &= free - 1;
    u64 two = free & -free;
    return board | (double(drawn & 0xFFFFFFFF) < 0.9 * 4294967296.0 ? two : two << 1);
}

static inline double smooth(u64 board) {
    double total = 0;
    u64 columns = transpose(board);
    for (int row = 0; row < 64; row += 16) total += line[board >> row & 0xFFFF];
    for (int row = 0; row < 64; row += 16) total += line[columns >> row & 0xFFFF];
    return total;
}

// ---- looking ahead: the probabilities of boards are passed on as rungs of a ladder, as searchlab does
static const double CUTOFF = 0.01;
static const int BITS = 14;
struct Entry { u64 board; double reached; int depth; double value; };
static std::vector<Entry> table(1 << BITS);

static inline double rung(double probability) {
    u64 bits;
    std::memcpy(&bits, &probability, 8);
    bits &= 0xFFFC000000000000ULL;
    std::memcpy(&probability, &bits, 8);
    return probability;
}

static double after_move(u64 board, int depth, double probability) {
    if (!depth || probability < CUTOFF) return smooth(board);
    double reached = rung(probability), expected = 0;
    Entry &entry = table[(board * 0x9E3779B97F4A7C15ULL) >> (64 - BITS)];
    if (entry.board == board && entry.reached == reached && entry.depth == depth) return entry.value;
    u64 free = blanks_of(board);
    int blanks = __builtin_popcountll(free);
    for (; free; free &= free - 1) {
        u64 two = free & -free;
        for (int four = 0; four < 2; four++) {
            double chance = (four ? 1 - 0.9 : 0.9) / blanks, best = -INFINITY;
            u64 after[4];
            int count = moves(board | two << four, after);
            for (int k = 0; k < count; k++) best = std::fmax(best, after_move(after[k], depth - 1, reached * chance));
            expected += chance * (count ? best : 0);
        }
    }
    entry = {board, reached, depth, expected};
    return expected;
}

// ---- a network
static const float *weights;

static inline double sum_up(const uint32_t *places) {
    double value = 0;
    for (int tuple = 0; tuple < TUPLES; tuple++) {
        double of_tuple = 0;
        for (int k = 0; k < POSITIONS; k++) of_tuple += weights[places[tuple * POSITIONS + k]];
        value += of_tuple;
    }
    return value;
}

static const float *mapped(const char *name) {
    size_t bytes = size_t(TUPLES) * SIZE * sizeof(float);
    int file = open(name, O_RDONLY);
    void *memory = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (file < 0 || memory == MAP_FAILED) { perror(name); exit(1); }
    madvise(memory, bytes, MADV_HUGEPAGE);
    for (size_t at = 0; at < bytes;) {
        ssize_t got = read(file, (char *)memory + at, bytes - at);
        if (got <= 0) { fprintf(stderr, "%s is too short\n", name); exit(1); }
        at += got;
    }
    return (const float *)memory;
}

// ---- games
struct Played { long moves, score; };

template <class Values>  // sets the values of `count` boards after moves, given the points these earn
static Played play(Values values) {
    u64 board = with_tile(with_tile(0)), after[4];
    Played played = {0, 0};
    while (true) {
        u64 columns = transpose(board);
        int points[4], count = 0;
        for (int direction = 0; direction < 4; direction++) {
            u64 lines = direction < 2 ? columns : board, next = slide(lines, direction % 2);
            if (next == lines) continue;
            points[count] = earned[lines & 0xFFFF] + earned[lines >> 16 & 0xFFFF] + earned[lines >> 32 & 0xFFFF]
                          + earned[lines >> 48];
            after[count++] = direction < 2 ? transpose(next) : next;
        }
        if (!count) return played;
        int chosen = 0;
        if (count > 1) {
            double value[4], best = -INFINITY;
            values(after, points, count, value);
            for (int move = 0; move < count; move++)
                if (value[move] > best) { best = value[move]; chosen = move; }
        }
        played.moves++;
        played.score += points[chosen];
        board = with_tile(after[chosen]);
    }
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    const char *argument = strchr(argv[1], ':');
    FILE *seeds = fopen(argv[2], "r");
    if (!seeds) { perror(argv[2]); return 1; }
    std::vector<u64> numbers;
    for (u64 number; fscanf(seeds, "%" SCNu64, &number) == 1;) numbers.push_back(number);
    fill();
    int depth = argv[1][0] == 'e' ? atoi(argument + 1) : 0;
    if (argv[1][0] == 'n') weights = mapped(argument + 1);
    Spent began = spent();
    long moves = 0, score = 0, games = 0;
    for (size_t game = 0; game + 4 <= numbers.size(); game += 4) {
        state = (u128)numbers[game] << 64 | numbers[game + 1];
        increment = (u128)numbers[game + 2] << 64 | numbers[game + 3];
        Played played = weights ? play([](const u64 *after, const int *points, int count, double *value) {
            uint32_t places[4][LOOKUPS];
            for (int move = 0; move < count; move++) look_up(after[move], places[move], weights);
            for (int move = 0; move < count; move++) value[move] = points[move] + sum_up(places[move]);
        }) : play([depth](const u64 *after, const int *, int count, double *value) {
            for (int move = 0; move < count; move++) value[move] = after_move(after[move], depth, 1);
        });
        moves += played.moves;
        score += played.score;
        games++;
    }
    print_spent(began);
    printf(", \"games\": %ld, \"played\": %ld, \"score\": %ld}\n", games, moves, score);
}
