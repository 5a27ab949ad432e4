// A* on a stack of at most 16 pancakes: a word a state, open addressing with prefetches, buckets by f and h.
// The gap heuristic (Helmert 2010) is updated by the one gap that a flip changes.
// Ties as in searchlab: smaller f, then smaller h, then the newest entry.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "measured.h"
using u64 = uint64_t; using u32 = uint32_t; using u8 = uint8_t;
static int n;
static inline int at(u64 s, int i) { return int(s >> (4 * i) & 15); }
static inline int gap(int a, int b) { return a - b > 1 || b - a > 1; }
static inline u64 mix(u64 x) { x ^= x >> 32; x *= 0x9E3779B97F4A7C15ULL; x ^= x >> 29; return x; }
struct Node { u64 state; u32 parent; u8 g, h, closed; };
static std::vector<Node> nodes;
static std::vector<u64> table;  // the number of a node + 1 below, the upper half of its hash above
static u64 mask, generated = 0, expanded = 0;
static std::vector<u32> open[64][32];  // number << 8 | g; an entry whose g is another one is stale
static int lowest = 0;
static void grow() {
  table.assign(table.empty() ? 1 << 16 : table.size() * 4, 0);
  mask = table.size() - 1;
  for (u32 node = 0; node < nodes.size(); node++) {
    u64 hash = mix(nodes[node].state), slot = hash & mask;
    while (table[slot]) slot = (slot + 1) & mask;
    table[slot] = hash >> 32 << 32 | (node + 1);
  }
}
static void push(u32 node) {
  int f = nodes[node].g + nodes[node].h;
  open[f][nodes[node].h].push_back(node << 8 | nodes[node].g);
  if (f < lowest) lowest = f;
}
static void reach(u64 s, u64 hash, u32 from, int cost, int estimate) {
  u64 slot = hash & mask;
  for (; table[slot]; slot = (slot + 1) & mask) {
    if ((table[slot] ^ hash) >> 32) continue;
    Node& node = nodes[u32(table[slot]) - 1];
    if (node.state != s) continue;
    if (cost >= node.g) return;
    node = {s, from, u8(cost), node.h, 0};
    push(u32(table[slot]) - 1);
    return;
  }
  u32 node = u32(nodes.size());
  nodes.push_back({s, from, u8(cost), u8(estimate), 0});
  table[slot] = hash >> 32 << 32 | (node + 1);
  push(node);
  if (2 * nodes.size() > table.size()) grow();
}
int main(int argc, char** argv) {  // the stack from its top, pancakes 1 … n
  n = argc - 1;
  u64 start = 0, goal = 0;
  for (int i = 0; i < n; i++) {
    start |= u64(std::atoi(argv[i + 1]) - 1) << (4 * i);
    goal |= u64(i) << (4 * i);
  }
  int estimate = gap(at(start, n - 1), n);
  for (int i = 0; i + 1 < n; i++) estimate += gap(at(start, i), at(start, i + 1));
  Spent began = spent();
  grow();
  lowest = estimate;
  reach(start, mix(start), ~u32(0), 0, estimate);
  for (;;) {
    u32 node = 0;
    bool found = false;
    for (; lowest < 64 && !found; lowest += !found)
      for (int k = 0; k < 32 && !found; k++)
        while (!open[lowest][k].empty() && !found) {
          u32 entry = open[lowest][k].back();
          open[lowest][k].pop_back();
          node = entry >> 8;
          found = !nodes[node].closed && nodes[node].g == (entry & 255);
        }
    if (!found) return 1;
    u64 s = nodes[node].state;
    if (s == goal) {
      print_spent(began);
      std::printf(", \"moves\": %d, \"expanded\": %llu, \"generated\": %llu, \"stored\": %zu}\n",
                  nodes[node].g, (unsigned long long)expanded, (unsigned long long)generated, nodes.size());
      return 0;
    }
    nodes[node].closed = 1;
    expanded++;
    u32 parent = nodes[node].parent;
    u64 before = parent == ~u32(0) ? ~u64(0) : nodes[parent].state, turned = s & 15, next[16], hash[16];
    int cost = nodes[node].g + 1, known = nodes[node].h, top = int(turned), estimates[16], count = 0;
    for (int k = 2; k <= n; k++) {
      turned = turned << 4 | u64(at(s, k - 1));
      int below = k < n ? at(s, k) : n;
      next[count] = (k < 16 ? s >> (4 * k) << (4 * k) : 0) | turned;
      if (next[count] == before) continue;
      hash[count] = mix(next[count]);
      __builtin_prefetch(&table[hash[count] & mask]);
      estimates[count++] = known - gap(at(s, k - 1), below) + gap(top, below);
    }
    generated += count;
    for (int k = 0; k < count; k++) reach(next[k], hash[k], node, cost, estimates[k]);
  }
}
