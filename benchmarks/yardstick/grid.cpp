// A* on a generated grid map: arrays by cell, a binary heap, octile distance, 8 ways without cutting corners.
// Ties as in searchlab: smaller f, then smaller h, then the newest entry.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>
#include "measured.h"
using u64 = uint64_t;
static u64 state;
static u64 next_number() {  // splitmix64, as in one_grid.py
  u64 z = (state += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}
static const int DR[8] = {-1, 0, 0, 1, -1, -1, 1, 1}, DC[8] = {0, -1, 1, 0, -1, 1, -1, 1};
static const double DIAGONAL = std::sqrt(2.0), INF = std::numeric_limits<double>::infinity();
struct Entry { double f, h; uint32_t number; int cell; };
static inline bool before(const Entry& a, const Entry& b) {  // whether a is taken before b
  if (a.f != b.f) return a.f < b.f;
  if (a.h != b.h) return a.h < b.h;
  return a.number > b.number;
}
static int side;
static std::vector<uint8_t> grid;
static std::vector<double> g;
static std::vector<int> parent;
static std::vector<uint8_t> closed;
static std::vector<Entry> heap;
static u64 expanded = 0;
static void push(Entry e) {
  size_t i = heap.size();
  heap.push_back(e);
  while (i && before(e, heap[(i - 1) / 2])) { heap[i] = heap[(i - 1) / 2]; i = (i - 1) / 2; }
  heap[i] = e;
}
static Entry pop() {
  Entry top = heap[0], last = heap.back();
  heap.pop_back();
  size_t n = heap.size(), i = 0;
  while (n) {
    size_t child = 2 * i + 1;
    if (child >= n) break;
    if (child + 1 < n && before(heap[child + 1], heap[child])) child++;
    if (!before(heap[child], last)) break;
    heap[i] = heap[child];
    i = child;
  }
  if (n) heap[i] = last;
  return top;
}
static inline double octile(int cell, int goal) {
  int rows = std::abs(cell / side - goal / side), columns = std::abs(cell % side - goal % side);
  return std::max(rows, columns) + (DIAGONAL - 1) * std::min(rows, columns);
}
static double astar(int start, int goal) {
  std::fill(g.begin(), g.end(), INF);
  std::fill(closed.begin(), closed.end(), 0);
  heap.clear();
  uint32_t number = 0;
  g[start] = 0;
  parent[start] = -1;
  push({octile(start, goal), octile(start, goal), number++, start});
  while (!heap.empty()) {
    int cell = pop().cell;
    if (closed[cell]) continue;
    if (cell == goal) return g[cell];
    closed[cell] = 1;
    expanded++;
    int row = cell / side, column = cell % side;
    for (int k = 0; k < 8; k++) {
      int down = row + DR[k], right = column + DC[k];
      if (down < 0 || right < 0 || down >= side || right >= side) continue;
      int to = down * side + right;
      if (!grid[to] || !grid[row * side + right] || !grid[down * side + column]) continue;
      double cost = g[cell] + (k > 3 ? DIAGONAL : 1.0);
      if (closed[to] || cost >= g[to]) continue;
      g[to] = cost;
      parent[to] = cell;
      double h = octile(to, goal);
      push({cost + h, h, number++, to});
    }
  }
  return INF;
}
int main(int argc, char** argv) {  // side, percent of walls, number of searches
  side = std::atoi(argv[1]);
  int walls = std::atoi(argv[2]), searches = std::atoi(argv[3]);
  state = 1;
  size_t cells = size_t(side) * side;
  grid.resize(cells); g.resize(cells); parent.resize(cells); closed.resize(cells);
  for (auto& cell : grid) cell = next_number() % 100 >= u64(walls);
  std::vector<int> ends;
  while (ends.size() < size_t(2 * searches)) {
    int cell = int(next_number() % cells);
    if (grid[cell]) ends.push_back(cell);
  }
  Spent began = spent();
  double cost = 0;
  for (int k = 0; k < searches; k++) {
    double found = astar(ends[2 * k], ends[2 * k + 1]);
    cost += std::isinf(found) ? 0 : found;
  }
  print_spent(began);
  std::printf(", \"expanded\": %llu, \"cost\": %.6f}\n", (unsigned long long)expanded, cost);
}
