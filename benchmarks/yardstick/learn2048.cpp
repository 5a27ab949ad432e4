// Learning 2048 by temporal differences of afterstates with temporal coherence: four tuples of six cells, in the eight
// positions of the board, a table each. Boards are 16 nibbles, exponents, the upper-left cell lowest.
// usage: learn2048 MOVES
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

typedef uint64_t u64;

static const int TUPLES = 4, CELLS = 6, POSITIONS = 8, LOOKUPS = TUPLES * POSITIONS, SIZE = 1 << (4 * CELLS);
static const int cells[TUPLES][CELLS] = {
    {0, 1, 2, 3, 4, 5}, {4, 5, 6, 7, 8, 9}, {0, 1, 2, 4, 5, 6}, {4, 5, 6, 8, 9, 10}};
static uint16_t slid[2][65536];
static int32_t earned[65536];
static std::vector<float> weights(size_t(TUPLES) * SIZE);
struct Errors { float sum, size; };
static std::vector<Errors> errors(size_t(TUPLES) * SIZE);
static u64 seed = 88172645463325252ULL;

static inline u64 random_number() {
    seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
    return seed * 0x2545F4914F6CDD1DULL;
}

static void fill() {
    for (int row = 0; row < 65536; row++)
        for (int end = 0; end < 2; end++) {
            int out[4] = {0, 0, 0, 0}, filled = 0, last = 0, points = 0;
            for (int k = 0; k < 4; k++) {
                int tile = (row >> (4 * (end ? 3 - k : k))) & 15;
                if (!tile) continue;
                if (tile == last && tile < 15) { points += 1 << ++out[filled - 1]; last = 0; }
                else { out[filled++] = tile; last = tile; }
            }
            int packed = 0;
            for (int k = 0; k < 4; k++) packed |= out[k] << (4 * (end ? 3 - k : k));
            slid[end][row] = packed;
            earned[row] = points;
        }
}

static inline u64 transpose(u64 x) {
    u64 t = (x ^ (x >> 12)) & 0x0000F0F00000F0F0ULL;
    x ^= t ^ (t << 12);
    t = (x ^ (x >> 24)) & 0x00000000FF00FF00ULL;
    return x ^ t ^ (t << 24);
}

static inline u64 mirror(u64 x) {
    return (x & 0x000F000F000F000FULL) << 12 | (x & 0x00F000F000F000F0ULL) << 4 | (x & 0x0F000F000F000F00ULL) >> 4
         | (x & 0xF000F000F000F000ULL) >> 12;
}

static inline u64 swipe(u64 board, int end, int &points) {
    u64 after = 0;
    for (int row = 0; row < 64; row += 16) {
        int line = board >> row & 0xFFFF;
        after |= u64(slid[end][line]) << row;
        points += earned[line];
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

static inline void look_up(u64 board, uint32_t *places) {
    for (int position = 0; position < POSITIONS; position++) {
        for (int tuple = 0; tuple < TUPLES; tuple++) {
            uint32_t entry = 0;
            for (int k = 0; k < CELLS; k++) entry |= uint32_t(board >> (4 * cells[tuple][k]) & 15) << (4 * k);
            places[position * TUPLES + tuple] = tuple * SIZE + entry;
        }
        board = position % 2 ? mirror(board) : transpose(board);
    }
}

static inline float value_of(const uint32_t *places) {
    float value = 0;
    for (int k = 0; k < LOOKUPS; k++) value += weights[places[k]];
    return value;
}

static inline void correct(const uint32_t *places, float target) {
    float error = target - value_of(places), share = error / LOOKUPS;
    for (int k = 0; k < LOOKUPS; k++) {
        Errors &seen = errors[places[k]];
        weights[places[k]] += seen.size > 0 ? share * std::fabs(seen.sum) / seen.size : share;
        seen.sum += error;
        seen.size += std::fabs(error);
    }
}

int main(int argc, char **argv) {
    long most = argc > 1 ? atol(argv[1]) : 1000000, moves = 0, games = 0;
    double total = 0;
    fill();
    clock_t began = clock();
    while (moves < most) {
        u64 board = with_tile(with_tile(0));
        uint32_t places[4][LOOKUPS], before[LOOKUPS];
        bool learns = false;
        while (true) {
            u64 chosen_board = 0;
            int chosen = -1, chosen_points = 0;
            float best = 0;
            u64 turned = transpose(board);
            for (int move = 0; move < 4; move++) {
                int points = 0;
                u64 from = move < 2 ? board : turned, after = swipe(from, move % 2, points);
                if (after == from) continue;
                if (move >= 2) after = transpose(after);
                look_up(after, places[move]);
                float worth = points + value_of(places[move]);
                if (chosen < 0 || worth > best) { best = worth; chosen = move; chosen_points = points; chosen_board = after; }
            }
            if (learns) correct(before, chosen < 0 ? 0 : best);
            if (chosen < 0) break;
            for (int k = 0; k < LOOKUPS; k++) before[k] = places[chosen][k];
            learns = true;
            total += chosen_points;
            moves++;
            board = with_tile(chosen_board);
        }
        games++;
    }
    double seconds = double(clock() - began) / CLOCKS_PER_SEC;
    printf("games %ld, mean score %.0f, %.3f Mmoves/s\n", games, total / games, moves / seconds / 1e6);
}
