/* Tables: hashing them and playing moves on them. */
#include "table.h"
#include <string.h>

uint64_t mix(uint64_t z) {
    z += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

Hash chain(Hash h, int card) {
    h.a = (h.a ^ (uint64_t)(card + 1)) * 0xd6e8feb86659fd93ULL;
    h.a ^= h.a >> 32;
    h.b = (h.b + (uint64_t)(card + 77)) * 0xa0761d6478bd642fULL;
    h.b ^= h.b >> 29;
    return h;
}

Hash column_hash(Hash h, int length, int down) {
    Hash out = {0, 0};
    if (length) {
        out.a = mix(h.a + 64u * (unsigned)down);
        out.b = mix(h.b ^ (0x1234567ULL + ((uint64_t)down << 40)));
    }
    return out;
}

Hash talon_hash(const Law *law, uint32_t talon, int waste) {
    int n = __builtin_popcount(talon);
    Hash h = {0, 0};
    if (!law->draw) return h;
    /* From all these places the very same cards can be had. */
    if (!law->single_pass && (law->draw == 1 || waste == n || waste % law->draw == 0)) waste = 0;
    h.a = mix(talon | (uint64_t)waste << 32);
    h.b = mix(h.a ^ 0x51ed270b4d3f1e6bULL);
    return h;
}

Hash table_hash(const Law *law, const Table *t) {
    Hash whole = talon_hash(law, t->talon, t->waste);
    const uint8_t *c = t->cards;
    for (int j = 0; j < COLUMNS; j++) {
        Hash h = {1, 1};
        for (int i = 0; i < t->len[j]; i++) h = chain(h, *c++);
        h = column_hash(h, t->len[j], t->down[j]);
        whole.a += h.a;
        whole.b += h.b;
    }
    return whole;
}

int offsets(const Table *t, int *off) {
    int o = 0;
    for (int j = 0; j < COLUMNS; j++) { off[j] = o; o += t->len[j]; }
    return o;
}

static void turn_up(Table *t, int j) {
    if (t->len[j] && t->down[j] == t->len[j]) t->down[j]--;
}

/* Takes `n` cards from the end of column j into `out`. */
void take(Table *t, int j, int n, uint8_t *out) {
    int off[COLUMNS], total = offsets(t, off), end = off[j] + t->len[j];
    memcpy(out, t->cards + end - n, n);
    memmove(t->cards + end - n, t->cards + end, total - end);
    t->len[j] -= n;
    turn_up(t, j);
}

void put(Table *t, int k, const uint8_t *cards, int n) {
    int off[COLUMNS], total = offsets(t, off), end = off[k] + t->len[k];
    memmove(t->cards + end + n, t->cards + end, total - end);
    memcpy(t->cards + end, cards, n);
    t->len[k] += n;
}

void play(const Law *law, Table *t, int move) {
    int card = move & 63, place = move >> 6 & 7;
    uint8_t group[52];
    int n = 1, i, off[COLUMNS];
    group[0] = card;
    offsets(t, off);
    for (int j = 0; j < COLUMNS; j++)
        for (i = 0; i < t->len[j]; i++)
            if (t->cards[off[j] + i] == card) { n = t->len[j] - i; take(t, j, n, group); goto taken; }
    if (t->home[card & 3] > card >> 2) t->home[card & 3]--;
    else
        for (i = 0, n = 0; i < 24; i++)
            if (t->talon >> i & 1) {
                if (law->stock[i] == card) { t->talon ^= 1u << i; t->waste = n; break; }
                n++;
            }
    n = 1;
taken:
    if (place == HOME) t->home[card & 3]++;
    else put(t, place, group, n);
}
