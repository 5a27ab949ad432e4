// Expectimax on 4x4 boards of 2048 with random tiles: the value of the best move of each board, `depth` tiles ahead.
// Boards are 16 hexadecimal digits, exponents, the upper-left cell last. Tables of rows for moves and for the score;
// a table of boards whose value is known, begun anew for each move that is asked about.
// usage: expectimax DEPTH TIMES BOARD...
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

typedef uint64_t u64;

static uint16_t slid[2][65536];
static double line[65536];
static u64 tries = 0;
static const int BITS = 18;
struct Entry { u64 board; u64 stamp; double value; };
static std::vector<Entry> table(1 << BITS);
static u64 stamp = 0;

static void fill() {
    for (int row = 0; row < 65536; row++) {
        int e[4];
        for (int k = 0; k < 4; k++) e[k] = (row >> (4 * k)) & 15;
        for (int end = 0; end < 2; end++) {
            int out[4] = {0, 0, 0, 0}, filled = 0, last = 0;
            for (int k = 0; k < 4; k++) {
                int tile = end ? e[3 - k] : e[k];
                if (!tile) continue;
                if (tile == last) { if (out[filled - 1] < 15) out[filled - 1]++; last = 0; }
                else { out[filled++] = tile; last = tile; }
            }
            int packed = 0;
            for (int k = 0; k < 4; k++) packed |= out[k] << (4 * (end ? 3 - k : k));
            slid[end][row] = packed;
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
    clock_t began = clock();
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
    double seconds = double(clock() - began) / CLOCKS_PER_SEC;
    printf("best=%.0f, %llu moves tried, %.2f Mtries/s\n", sum, (unsigned long long)tries, tries / seconds / 1e6);
}
