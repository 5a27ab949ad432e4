# lines_off.py
from searchlab import Heuristic, plugin


def lines_off(tiles, goal_row, goal_col):
    """Count the tiles outside their row, and those outside their column."""
    count = 0
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            tile = tiles[row, column]
            if tile != 0:
                count += goal_row[tile] != row
                count += goal_col[tile] != column
    return count


hooks = plugin(Heuristic("lines-off", lines_off, domains={"sliding-tile"}, admissible=True, consistent=True))
