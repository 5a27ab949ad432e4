# ruff: noqa
"""What newcomers write: heuristics of each sort for the 8-puzzle."""

import numpy as np

GOAL = {0: (0, 0), 1: (0, 1), 2: (0, 2), 3: (1, 0), 4: (1, 1), 5: (1, 2), 6: (2, 0), 7: (2, 1), 8: (2, 2)}
CORNERS = {(0, 0), (0, 2), (2, 0), (2, 2)}
GOAL_ROW = [0, 0, 0, 1, 1, 1, 2, 2, 2]
WEIGHTS = {"row": 1, "column": 2}


def with_dict(tiles):
    total = 0
    for row in range(3):
        for column in range(3):
            tile = tiles[row][column]
            if tile != 0:
                goal_row, goal_column = GOAL[tile]
                total += abs(row - goal_row) + abs(column - goal_column)
    return total


def with_generator(tiles):
    return sum(1 for row in range(3) for column in range(3) if tiles[row, column] not in (0, 3 * row + column))


def with_list(tiles):
    flat = [tile for row in tiles for tile in row]
    misplaced = []
    for place, tile in enumerate(flat):
        if tile != 0 and tile != place:
            misplaced.append(tile)
    return len(misplaced)


def with_set(tiles):
    wrong = 0
    for row, column in [(0, 0), (0, 2), (1, 1), (2, 0), (2, 2)]:
        if (row, column) in CORNERS and tiles[row, column] != 3 * row + column:
            wrong += 1
    return wrong


def with_set_of_rows(tiles):
    return 3 - len({tile // 3 for tile in tiles[0]})


def with_numpy(tiles):
    goal = np.arange(9).reshape(3, 3)
    return np.sum((tiles != goal) & (tiles != 0))


def with_numpy_mask(tiles):
    return np.count_nonzero(tiles[tiles > 4] == 8)


def with_recursion(tiles):
    def count(place):
        if place == 9:
            return 0
        return int(tiles[place // 3, place % 3] != place) + count(place + 1)

    return count(0) / 2


def count_from(tiles, place):
    if place == 9:
        return 0
    return (tiles[place // 3, place % 3] != place) + count_from(tiles, place + 1)


def with_recursion_outside(tiles):
    return count_from(tiles, 0) / 2


def with_sorted(tiles):
    inversions = 0
    for row in tiles:
        for tile, other in zip(row, sorted(row)):
            if tile != other:
                inversions += 1
    return inversions / 3


def with_sorted_key(tiles):
    places = sorted([(tiles[r, c], r, c) for r in range(3) for c in range(3)], key=lambda place: place[0])
    return sum(abs(r - tile // 3) for tile, r, c in places if tile)


class Puzzle:
    def __init__(self, tiles):
        self.tiles = tiles

    def misplaced(self):
        return sum(1 for place, tile in enumerate(self.tiles.ravel()) if tile not in (0, place))


def with_class(tiles):
    return Puzzle(tiles).misplaced()


def make_heuristic(weight):
    def weighted(tiles):
        return weight * sum(abs(GOAL_ROW[tile] - row) for row in range(3) for tile in tiles[row] if tile)

    return weighted


with_closure = make_heuristic(WEIGHTS["row"])


def with_closure_inside(tiles):
    def distance(row, column):
        tile = tiles[row, column]
        return abs(row - tile // 3) + abs(column - tile % 3) if tile else 0

    return sum(distance(row, column) for row in range(3) for column in range(3))


def with_string(tiles):
    text = "".join(str(tile) for tile in tiles.ravel())
    return sum(1 for have, want in zip(text, "012345678") if have != want and have != "0")


def with_settings(tiles):
    return WEIGHTS["row"] * sum(tiles[row, 0] != 3 * row for row in range(1, 3))


def with_any_and_all(tiles):
    if all(tiles[row][column] == 3 * row + column for row in range(3) for column in range(3)):
        return 0
    return 2 if any(tile == 8 for tile in tiles[0]) else 1


def with_max(tiles):
    return max(abs(row - GOAL[tiles[row, column]][0]) for row in range(3) for column in range(3))


def with_min_key(tiles):
    best = min(range(9), key=lambda tile: GOAL[tile])
    return best


def with_lambda_map(tiles):
    return sum(map(lambda pair: pair[0] != pair[1], zip(tiles.ravel(), range(9)))) / 2


def with_counter(tiles):
    counts = {}
    for tile in tiles.ravel():
        counts[tile % 3] = counts.get(tile % 3, 0) + 1
    return counts[0] - 3


def with_index(tiles):
    row, column = np.argwhere(tiles == 8)[0]
    return abs(row - 2) + abs(column - 2)


def with_tolist(tiles):
    flat = tiles.flatten().tolist()
    return sum(1 for i in range(9) if flat[i] != 0 and flat[i] != i)


def with_where(tiles):
    total = 0
    for tile in range(1, 9):
        rows, columns = np.where(tiles == tile)
        total += abs(rows[0] - tile // 3) + abs(columns[0] - tile % 3)
    return total


def with_try(tiles):
    try:
        return GOAL[tiles[0, 0]][0]
    except KeyError:
        return 0
