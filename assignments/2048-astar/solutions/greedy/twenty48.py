"""2048 without chance, by A*."""

from heapq import heappop, heappush


class Board:
    """A board, which does not change."""

    def __init__(self, rows):
        """Make a board of a list of rows; a blank cell is 0."""
        self.rows = tuple(tuple(row) for row in rows)
        self.n = len(self.rows)

    def tile_at(self, row, column):
        """Return the tile in a row and a column, counted from 0."""
        return self.rows[row][column]

    def largest_tile(self):
        """Return the largest tile, 0 for a blank board."""
        return max(max(row) for row in self.rows)

    def neighbors(self):
        """Return a list of the boards after each possible move."""
        columns = tuple(zip(*self.rows, strict=True))
        swiped = [
            [*zip(*(slid(line) for line in columns), strict=True)],
            [*zip(*(slid(line[::-1])[::-1] for line in columns), strict=True)],
            [slid(row) for row in self.rows],
            [slid(row[::-1])[::-1] for row in self.rows],
        ]
        found = []
        for rows in swiped:
            blank = next((number for number, row in enumerate(rows) if row[-1] == 0), None)
            if tuple(map(tuple, rows)) != self.rows and blank is not None:
                found.append(Board([(*row[:-1], 2) if number == blank else row for number, row in enumerate(rows)]))
        return found

    def __eq__(self, other):
        return self.rows == other.rows

    def __hash__(self):
        return hash(self.rows)


def slid(line):
    """Return a line after a swipe to its beginning."""
    tiles = [tile for tile in line if tile]
    merged = []
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile:
            tile += tiles.pop(0)
        merged.append(tile)
    return tuple(merged) + (0,) * (len(line) - len(merged))


def distance_weighted(tiles):
    """Return the sum of each tile times its distance from the upper right cell."""
    n = tiles.shape[0]
    total = 0
    for row in range(n):
        for column in range(n):
            total += tiles[row, column] * (row + n - 1 - column)
    return total


def left_weighted(tiles):
    """Return the weighted first column, plus tiles that are about to merge into it, minus the lower right tile."""
    n = tiles.shape[0]
    total = -tiles[n - 1, n - 1]
    weight = 0
    for row in range(n):
        weight += n - 2 + row
        first, second = tiles[row, 0], tiles[row, 1]
        total += weight * first
        if second == first or 2 * second == first:
            total += second
    return total


def astar(start, goal, h):
    """Return the boards of a shortest game from `start` to a tile of at least `goal`, None if there is none."""
    came_from, moves = {start: None}, {start: 0}
    waiting = [(h(start), 0, start)]
    number = 0
    while waiting:
        _, _, board = heappop(waiting)
        if board.largest_tile() >= goal:
            boards = []
            while board is not None:
                boards.append(board)
                board = came_from[board]
            return boards[::-1]
        for after in board.neighbors():
            if after not in moves:
                number += 1
                moves[after], came_from[after] = moves[board] + 1, board
                heappush(waiting, (h(after), -number, after))
    return None


def transcript(boards):
    """Return the text of a game."""
    lines = [f"{len(boards) - 1} moves"]
    for board in boards:
        lines += ["", *(" ".join(str(tile) for tile in row) for row in board.rows)]
    return "\n".join(lines)
