// Expectimax on 4x4 boards of 2048 with random tiles: the value of the best move of each board, `depth` tiles ahead.
// Boards are 16 hexadecimal digits, exponents, the upper-left cell last. Tables of rows for moves and for the score;
// a table of boards whose value is known, begun anew for each move that is asked about.
// usage: expectimax DEPTH TIMES BOARD...
#include <cstdlib>
#include <vector>
#include "board2048.h"
#include "measured.h"

static u64 tries = 0;
static const int BITS = 18;
struct Entry { u64 board; u64 stamp; double value; };
static std::vector<Entry> table(1 << BITS);
static u64 stamp = 0;

static double best(u64 board, int depth);

static double after_move(u64 board, int depth) {
    if (!depth) return rows(board) + rows(transpose(board));
    Entry &entry = table[(board * 0x9E3779B97F4A7C15ULL) >> (64 - BITS)];
    if (entry.board == board && entry.stamp == stamp + depth) return entry.value;
    u64 filled = board | board >> 2;
    u64 free = ~(filled | filled >> 1) & 0x1111111111111111ULL;
    int blanks = __builtin_popcountll(free);
    double expected = 0;
    for (; free; free &= free - 1) {
        u64 two = free & -free;
        expected += 0.9 / blanks * best(board | two, depth - 1);
        expected += 0.1 / blanks * best(board | two << 1, depth - 1);
    }
    entry = {board, stamp + depth, expected};
    return expected;
}

static double best(u64 board, int depth) {
    u64 after[4];
    int count = moves(board, after);
    tries += 4;
    double value = count ? -1e300 : 0;
    for (int k = 0; k < count; k++) value = std::fmax(value, after_move(after[k], depth));
    return value;
}

int main(int argc, char **argv) {
    int depth = atoi(argv[1]), times = atoi(argv[2]);
    fill();
    double sum = 0;
    Spent began = spent();
    for (int time = 0; time < times; time++) {
        sum = 0;
        for (int k = 3; k < argc; k++) {
            u64 after[4];
            int count = moves(strtoull(argv[k], nullptr, 16), after);
            double value = -1e300;
            for (int move = 0; move < count; move++) {
                stamp += 64;
                value = std::fmax(value, after_move(after[move], depth));
            }
            sum += value;
        }
    }
    print_spent(began);
    printf(", \"best\": %.0f, \"tried\": %llu}\n", sum, (unsigned long long)tries);
}
