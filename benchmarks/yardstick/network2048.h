// Four tables of an n-tuple network, of six cells each, and where a board's weights stand in them: in eight positions.
#pragma once
#include "board2048.h"

static const int TUPLES = 4, CELLS = 6, POSITIONS = 8, LOOKUPS = TUPLES * POSITIONS, SIZE = 1 << (4 * CELLS);
// The cells 0 1 2 3 4 5, 4 5 6 7 8 9, 0 1 2 4 5 6, 4 5 6 8 9 10: how far the first and the last three are shifted.
static const int first_three[TUPLES] = {0, 16, 0, 16}, last_three[TUPLES] = {0, 16, 4, 20};

static inline u64 mirror(u64 x) {
    return (x & 0x000F000F000F000FULL) << 12 | (x & 0x00F000F000F000F0ULL) << 4 | (x & 0x0F000F000F000F00ULL) >> 4
         | (x & 0xF000F000F000F000ULL) >> 12;
}

// Tuple by tuple, for each the entries in all positions: in this order the compiler computes them eight at a time.
template <class Item>
static inline void look_up(u64 board, uint32_t *places, const Item *items) {
    u64 turned[POSITIONS];
    for (int position = 0; position < POSITIONS; position++) {
        turned[position] = board;
        board = position % 2 ? mirror(board) : transpose(board);
    }
    for (int tuple = 0; tuple < TUPLES; tuple++)
        for (int position = 0; position < POSITIONS; position++) {
            u64 from = turned[position];
            uint32_t entry = (from >> first_three[tuple] & 0xFFF) | (from >> last_three[tuple] & 0xFFF000);
            places[tuple * POSITIONS + position] = tuple * SIZE + entry;
        }
    for (int k = 0; k < LOOKUPS; k++) __builtin_prefetch(&items[places[k]]);
}
