/* The same best-first search and blind player as in ../search.py and ../playout.py.
 *
 * A card is rank * 4 + suit (ace 0, suits S H C D, so that odd is red). A position waiting
 * to be looked at is only its parent and a move: its place in the queue and its hash follow
 * from the two columns that change, and it is dealt out when its turn comes. There is no
 * clock in here; the caller runs it in slices.
 */
#include <stdlib.h>
#include <string.h>
#include "engine.h"
#include "table.h"

#define BUCKETS 16384
#define MOST_WAITING 40000000u

typedef struct {
    Table table;
    uint32_t parent;
    uint16_t move, depth;
} Seen;

typedef struct {
    uint32_t parent, next;
    uint16_t move;
} Waiting;

struct Engine {
    Law law;
    Table deal;
    int weights[9];
    Seen *seen;
    uint32_t seens, seen_room;
    Waiting *waiting;
    uint32_t waits, wait_room;
    Hash *known;
    uint64_t known_mask, knowns;
    uint32_t bucket[BUCKETS];
    int lowest, state;
    uint16_t last_move;
    uint32_t last_parent;
};

enum { W_CARD, W_DOWN, W_BREAK, W_OVER, W_EMPTY, W_BASE, W_DEPTH, W_TALON, W_PASS };

/* Whether no card still in play can ever need x to lie on. */
static int harmless(const Law *law, const uint8_t *home, int x) {
    int r = x >> 2;
    for (int s = 0; r && s < 4; s++) { /* nothing lies on an ace */
        if (s == (x & 3)) continue;
        if (law->children[x] >> (r * 4 - 4 + s) & 1) { if (home[s] < r) return 0; }
        else if (!law->home_is_final && home[s] < r - 1) return 0;
    }
    return 1;
}

/* ---- the queue ----------------------------------------------------------------- */

/* 1 new, 0 known already, -1 no memory */
static int note(Engine *e, Hash h) {
    h.b |= 1;
    if (e->knowns * 10 > e->known_mask * 6) {
        uint64_t mask = e->known_mask * 2 + 1;
        Hash *bigger = calloc(mask + 1, sizeof *bigger);
        if (!bigger) return -1;
        for (uint64_t i = 0; i <= e->known_mask; i++)
            if (e->known[i].b) {
                uint64_t k = e->known[i].a & mask;
                while (bigger[k].b) k = (k + 1) & mask;
                bigger[k] = e->known[i];
            }
        free(e->known);
        e->known = bigger;
        e->known_mask = mask;
    }
    uint64_t i = h.a & e->known_mask;
    while (e->known[i].b) {
        if (e->known[i].a == h.a && e->known[i].b == h.b) return 0;
        i = (i + 1) & e->known_mask;
    }
    e->known[i] = h;
    e->knowns++;
    return 1;
}

static int enqueue(Engine *e, uint32_t parent, int move, int score, int depth) {
    if (e->waits == e->wait_room) {
        uint32_t room = e->wait_room ? e->wait_room * 2 : 4096;
        Waiting *bigger = room > MOST_WAITING ? NULL : realloc(e->waiting, room * sizeof *bigger);
        if (!bigger) return -1;
        e->waiting = bigger;
        e->wait_room = room;
    }
    int place = (score * 8 + e->weights[W_DEPTH] * depth) >> 3;
    if (place < 0) place = 0;
    if (place >= BUCKETS) place = BUCKETS - 1;
    Waiting *w = e->waiting + e->waits;
    w->parent = parent;
    w->move = (uint16_t)move;
    w->next = e->bucket[place];
    e->bucket[place] = ++e->waits; /* one more than the index, so that 0 ends a list */
    if (place < e->lowest) e->lowest = place;
    return 0;
}

/* ---- one position ----------------------------------------------------------------- */

typedef struct {
    Engine *e;
    const Table *t;
    uint32_t self;
    int depth, score, off[COLUMNS];
    Hash whole, prefix[COLUMNS][53], own[COLUMNS];
    int prefix_score[COLUMNS][53], own_score[COLUMNS];
    uint8_t low[COLUMNS][4];
} View;

static int step_score(const Engine *e, uint8_t *low, int under, int x) {
    int score = 0;
    if (under >= 0 && !(e->law.children[under] >> x & 1)) score += e->weights[W_BREAK];
    if (low[x & 3] < x >> 2) score += e->weights[W_OVER];
    else low[x & 3] = (uint8_t)(x >> 2);
    return score;
}

static int column_score(const Engine *e, int bottom, int steps, int length, int down) {
    if (!length) return -e->weights[W_EMPTY];
    return steps + e->weights[W_DOWN] * down + (bottom >> 2 == 12 ? 0 : e->weights[W_BASE]);
}

static int talon_score(const Engine *e, uint32_t talon, int waste) {
    return e->weights[W_TALON] * __builtin_popcount(talon) +
           (e->law.single_pass ? e->weights[W_PASS] * waste : 0);
}

static void survey(View *v) {
    Engine *e = v->e;
    const Table *t = v->t;
    offsets(t, v->off);
    v->whole = talon_hash(&e->law, t->talon, t->waste);
    v->score = talon_score(e, t->talon, t->waste);
    for (int s = 0; s < 4; s++) v->score += e->weights[W_CARD] * (13 - t->home[s]);
    for (int j = 0; j < COLUMNS; j++) {
        const uint8_t *c = t->cards + v->off[j];
        int n = t->len[j];
        Hash h = {1, 1};
        v->prefix[j][0] = h;
        v->prefix_score[j][0] = 0;
        memset(v->low[j], 99, 4);
        for (int i = 0; i < n; i++) {
            v->prefix[j][i + 1] = chain(v->prefix[j][i], c[i]);
            v->prefix_score[j][i + 1] =
                v->prefix_score[j][i] + step_score(e, v->low[j], i ? c[i - 1] : -1, c[i]);
        }
        v->own[j] = column_hash(v->prefix[j][n], n, t->down[j]);
        v->own_score[j] = column_score(e, c[0], v->prefix_score[j][n], n, t->down[j]);
        v->whole.a += v->own[j].a;
        v->whole.b += v->own[j].b;
        v->score += v->own_score[j];
    }
}

/* Column j after its cards from i on are gone. */
static void cut(const View *v, int j, int i, Hash *h, int *score) {
    int down = v->t->down[j];
    if (i && down == i) down--;
    Hash c = column_hash(v->prefix[j][i], i, down);
    h->a += c.a - v->own[j].a;
    h->b += c.b - v->own[j].b;
    *score += column_score(v->e, v->t->cards[v->off[j]], v->prefix_score[j][i], i, down) -
              v->own_score[j];
}

/* Column k after n cards came to it. */
static void grow(const View *v, int k, const uint8_t *cards, int n, Hash *h, int *score) {
    int length = v->t->len[k], steps = v->prefix_score[k][length];
    int bottom = length ? v->t->cards[v->off[k]] : cards[0];
    int under = length ? v->t->cards[v->off[k] + length - 1] : -1;
    Hash c = v->prefix[k][length];
    uint8_t low[4];
    memcpy(low, v->low[k], 4);
    for (int i = 0; i < n; i++) {
        c = chain(c, cards[i]);
        steps += step_score(v->e, low, under, cards[i]);
        under = cards[i];
    }
    c = column_hash(c, length + n, v->t->down[k]);
    h->a += c.a - v->own[k].a;
    h->b += c.b - v->own[k].b;
    *score += column_score(v->e, bottom, steps, length + n, v->t->down[k]) - v->own_score[k];
}

static int offer(const View *v, Hash h, int score, int move) {
    int fresh = note(v->e, h);
    if (fresh <= 0) return fresh;
    return enqueue(v->e, v->self, move, score, v->depth + 1);
}

static int won_by(Engine *e, const View *v, int move) {
    const uint8_t *f = v->t->home;
    if (f[0] + f[1] + f[2] + f[3] != 51) return 0;
    e->last_parent = v->self;
    e->last_move = (uint16_t)move;
    return 1;
}

#define OFFER(h, score, move)                                    \
    do { if (offer(&v, h, score, move) < 0) return -2; } while (0)

/* Which cards of the talon can be had, each with the draws it takes. */
static int reach(const Engine *e, int n, int waste, uint8_t *index, uint8_t *draws) {
    uint32_t had = 0;
    int out = 0, k = 0, w = waste;
    for (;;) {
        if (w && !(had >> (w - 1) & 1)) {
            had |= 1u << (w - 1);
            index[out] = (uint8_t)(w - 1);
            draws[out++] = (uint8_t)k;
        }
        if (w >= n) break;
        w = w + e->law.draw < n ? w + e->law.draw : n;
        k++;
    }
    if (!e->law.single_pass && n) {
        k++;
        for (w = 0; w < n;) {
            w = w + e->law.draw < n ? w + e->law.draw : n;
            k++;
            if (!(had >> (w - 1) & 1)) {
                had |= 1u << (w - 1);
                index[out] = (uint8_t)(w - 1);
                draws[out++] = (uint8_t)k;
            }
        }
    }
    return out;
}

static int expand(Engine *e, uint32_t self) {
    const Table copy = e->seen[self].table, *t = &copy;
    View v;
    v.e = e;
    v.t = t;
    v.self = self;
    v.depth = e->seen[self].depth;
    survey(&v);

    /* One harmless move home is as good as all: nothing else need be tried. Aces come before
       it, since some games ask for that. */
    int homes[COLUMNS], n_homes = 0, forced = 0;
    for (int j = 0; j < COLUMNS && !forced; j++) {
        if (!t->len[j]) continue;
        int x = t->cards[v.off[j] + t->len[j] - 1];
        if (t->home[x & 3] != x >> 2) continue;
        homes[n_homes++] = j;
        if (x < 4) { homes[0] = j; forced = 1; }
    }
    for (int i = 0; i < n_homes && !forced; i++) {
        int x = t->cards[v.off[homes[i]] + t->len[homes[i]] - 1];
        if (harmless(&e->law, t->home, x)) { homes[0] = homes[i]; forced = 1; }
    }
    if (forced) n_homes = 1;
    for (int i = 0; i < n_homes; i++) {
        int j = homes[i], x = t->cards[v.off[j] + t->len[j] - 1], score = v.score;
        Hash h = v.whole;
        if (won_by(e, &v, x | HOME << 6)) return 1;
        cut(&v, j, t->len[j] - 1, &h, &score);
        OFFER(h, score - e->weights[W_CARD], x | HOME << 6);
    }
    if (forced) return -1;

    int order[COLUMNS], spots = 0, empty = 0;
    uint64_t want[COLUMNS];
    for (int k = 0; k < COLUMNS; k++) {
        uint64_t w = KINGS;
        if (t->len[k]) w = e->law.children[t->cards[v.off[k] + t->len[k] - 1]];
        else if (empty) continue;
        else empty = 1;
        if (w) { order[spots] = k; want[spots++] = w; }
    }
    if (t->talon) {
        uint8_t left[24], at[24], index[24], draws[24];
        int n = 0;
        for (int i = 0; i < 24; i++)
            if (t->talon >> i & 1) { left[n] = e->law.stock[i]; at[n++] = (uint8_t)i; }
        int many = reach(e, n, t->waste, index, draws), first = 0, last = many;
        if (e->law.draw == 1 && !e->law.single_pass)
            for (int q = 0; q < many; q++) {
                int x = left[index[q]];
                if (t->home[x & 3] == x >> 2 && harmless(&e->law, t->home, x)) {
                    first = q; last = q + 1; forced = 1; break;
                }
            }
        for (int q = first; q < last; q++) {
            uint8_t x = left[index[q]];
            uint32_t rest = t->talon & ~(1u << at[index[q]]);
            int turns = draws[q] << 9, base;
            Hash was = talon_hash(&e->law, t->talon, t->waste), is = talon_hash(&e->law, rest, index[q]), h;
            h.a = v.whole.a - was.a + is.a;
            h.b = v.whole.b - was.b + is.b;
            base = v.score - talon_score(e, t->talon, t->waste) + talon_score(e, rest, index[q]);
            if (t->home[x & 3] == x >> 2) {
                if (won_by(e, &v, x | HOME << 6 | turns)) return 1;
                OFFER(h, base - e->weights[W_CARD], x | HOME << 6 | turns);
            }
            if (forced) return -1;
            for (int m = 0; m < spots; m++)
                if (want[m] >> x & 1) {
                    int score = base, k = order[m];
                    Hash g = h;
                    grow(&v, k, &x, 1, &g, &score);
                    OFFER(g, score, x | k << 6 | turns);
                }
        }
    }
    for (int m = 0; m < spots; m++) {
        int k = order[m];
        for (int j = 0; j < COLUMNS; j++) {
            if (j == k || !t->len[j]) continue;
            const uint8_t *c = t->cards + v.off[j];
            int n = t->len[j], low = t->down[j];
            if (e->law.group_limit && n - e->law.group_limit > low) low = n - e->law.group_limit;
            if (!t->len[k] && low == 0) low = 1; /* a bottom king gains nothing */
            uint64_t found = 0;
            uint8_t where[52];
            for (int i = low; i < n; i++)
                if (want[m] >> c[i] & 1) { found |= 1ULL << c[i]; where[c[i]] = (uint8_t)i; }
            while (found) {
                int x = __builtin_ctzll(found), i = where[x], score = v.score;
                Hash h = v.whole;
                found &= found - 1;
                cut(&v, j, i, &h, &score);
                grow(&v, k, c + i, n - i, &h, &score);
                OFFER(h, score, x | k << 6);
            }
        }
        if (e->law.home_is_final) continue;
        uint64_t tops = 0;
        for (int s = 0; s < 4; s++)
            if (t->home[s]) tops |= 1ULL << ((t->home[s] - 1) * 4 + s);
        for (tops &= want[m]; tops; tops &= tops - 1) {
            uint8_t x = (uint8_t)__builtin_ctzll(tops);
            int score = v.score + e->weights[W_CARD];
            Hash h = v.whole;
            grow(&v, k, &x, 1, &h, &score);
            OFFER(h, score, x | k << 6);
        }
    }
    return -1;
}

/* ---- what the caller sees ------------------------------------------------------------ */

Engine *engine_open(const int *law, const unsigned char *cards, const unsigned char *lengths,
                    const unsigned char *down, const unsigned char *home,
                    const unsigned char *talon, int many, int waste) {
    Engine *e = calloc(1, sizeof *e);
    int total = 0;
    if (!e) return NULL;
    for (int p = 4; p < 52; p++)
        e->law.children[p] = (uint64_t)law[p & 3] << ((p >> 2) * 4 - 4);
    e->law.home_is_final = law[4];
    e->law.aces_first = law[5];
    e->law.group_limit = law[6];
    e->law.draw = law[7];
    e->law.single_pass = law[8];
    for (int j = 0; j < COLUMNS; j++) {
        e->deal.len[j] = lengths[j];
        e->deal.down[j] = down[j];
        total += lengths[j];
    }
    memcpy(e->deal.cards, cards, total);
    memcpy(e->deal.home, home, 4);
    memcpy(e->law.stock, talon, many);
    e->deal.talon = (1u << many) - 1;
    e->deal.waste = (uint8_t)waste;
    return e;
}

void engine_close(Engine *e) {
    if (!e) return;
    free(e->seen);
    free(e->waiting);
    free(e->known);
    free(e);
}

int engine_begin(Engine *e, const int *weights) {
    memcpy(e->weights, weights, sizeof e->weights);
    memset(e->bucket, 0, sizeof e->bucket);
    free(e->known);
    e->known_mask = (1u << 14) - 1;
    e->known = calloc(e->known_mask + 1, sizeof *e->known);
    e->knowns = e->waits = e->seens = 0;
    e->lowest = BUCKETS - 1;
    e->state = -1;
    if (!e->known) return e->state = -2, -1;
    return 0;
}

static int look(Engine *e, const Table *t, uint32_t parent, int move, int depth) {
    if (e->seens == e->seen_room) {
        uint32_t room = e->seen_room ? e->seen_room * 2 : 1024;
        Seen *bigger = realloc(e->seen, room * sizeof *bigger);
        if (!bigger) return -2;
        e->seen = bigger;
        e->seen_room = room;
    }
    Seen *s = e->seen + e->seens;
    s->table = *t;
    s->parent = parent;
    s->move = (uint16_t)move;
    s->depth = (uint16_t)depth;
    e->seens++;
    if (dead_end(&e->law, t)) return -1;
    return expand(e, e->seens - 1);
}

int engine_run(Engine *e, unsigned int nodes) {
    if (e->state != -1) return e->state;
    if (!e->seens && nodes) {
        View v;
        v.e = e;
        v.t = &e->deal;
        survey(&v);
        if (note(e, v.whole) < 0) return e->state = -2;
        nodes--;
        e->state = look(e, &e->deal, 0, 0, 0);
    }
    while (e->state == -1 && nodes) {
        while (e->lowest < BUCKETS && !e->bucket[e->lowest]) e->lowest++;
        if (e->lowest == BUCKETS) return e->state = 0;
        Waiting w = e->waiting[e->bucket[e->lowest] - 1];
        e->bucket[e->lowest] = w.next;
        Table t = e->seen[w.parent].table;
        play(&e->law, &t, w.move);
        nodes--;
        e->state = look(e, &t, w.parent, w.move, e->seen[w.parent].depth + 1);
    }
    return e->state;
}

unsigned int engine_nodes(const Engine *e) { return e->seens; }

int engine_line(const Engine *e, unsigned short *line, int room) {
    int n = 1, i;
    uint32_t p;
    if (e->state != 1) return -1;
    for (p = e->last_parent; p; p = e->seen[p].parent) n++;
    if (n > room) return -1;
    i = n;
    line[--i] = e->last_move;
    for (p = e->last_parent; p; p = e->seen[p].parent) line[--i] = e->seen[p].move;
    return n;
}

int engine_playouts(Engine *e, int games, const int *likings) {
    return playouts(&e->law, &e->deal, games, likings);
}
