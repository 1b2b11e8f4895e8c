/* The blind player of ../playout.py: picks moves by its likings, never returns to a position. */
#include "table.h"
#include <string.h>

#define MOST_ACTIONS 1000
#define TRIES 8
#define DRAW 0xffff
#define SLOTS 4096

enum { L_TURN, L_HOME, L_APART, L_PLAIN, L_WASTE, L_DRAW };

typedef struct {
    uint16_t move;
    int liking;
} Choice;

static int list(const Law *law, const Table *t, const int *likings, Choice *out) {
    int n = 0, off[COLUMNS], empty = -1, aces = 0;
    offsets(t, off);
    for (int k = COLUMNS - 1; k >= 0; k--) {
        if (!t->len[k]) empty = k;
        else if (t->cards[off[k] + t->len[k] - 1] < 4) aces = 1;
    }
    aces = aces && law->aces_first;
#define CHOICE(x, place, like) \
    do { out[n].move = (uint16_t)((x) | (place) << 6); out[n++].liking = (like); } while (0)
    for (int j = 0; j < COLUMNS; j++) {
        const uint8_t *c = t->cards + off[j];
        int len = t->len[j], down = t->down[j], low = down;
        if (!len) continue;
        if (t->home[c[len - 1] & 3] == c[len - 1] >> 2 && (!aces || c[len - 1] < 4))
            CHOICE(c[len - 1], HOME, down && down == len - 1 ? likings[L_TURN] : likings[L_HOME]);
        if (aces) continue;
        if (law->group_limit && len - law->group_limit > low) low = len - law->group_limit;
        for (int i = low; i < len; i++) {
            int x = c[i], like = likings[L_PLAIN];
            if (down && i == down) like = likings[L_TURN];
            else if (i && law->children[c[i - 1]] >> x & 1) like = likings[L_APART];
            if (x >= 48) {
                if (empty >= 0 && i) CHOICE(x, empty, like);
                continue;
            }
            for (int k = 0; k < COLUMNS; k++)
                if (k != j && t->len[k] && law->children[t->cards[off[k] + t->len[k] - 1]] >> x & 1)
                    CHOICE(x, k, like);
        }
    }
    if (!law->draw || aces) return n;
    int talon = __builtin_popcount(t->talon);
    if (t->waste) {
        int x = 0, at = 0;
        for (int i = 0; i < 24; i++)
            if (t->talon >> i & 1 && ++at == t->waste) x = law->stock[i];
        if (t->home[x & 3] == x >> 2) CHOICE(x, HOME, likings[L_HOME]);
        if (x >= 48) {
            if (empty >= 0) CHOICE(x, empty, likings[L_WASTE]);
        } else
            for (int k = 0; k < COLUMNS; k++)
                if (t->len[k] && law->children[t->cards[off[k] + t->len[k] - 1]] >> x & 1)
                    CHOICE(x, k, likings[L_WASTE]);
    }
    if (t->waste < talon || (t->waste && !law->single_pass)) {
        out[n].move = DRAW;
        out[n++].liking = likings[L_DRAW];
    }
    return n;
}

static void act(const Law *law, Table *t, int move) {
    if (move == DRAW) {
        int talon = __builtin_popcount(t->talon);
        if (t->waste == talon) t->waste = 0;
        else t->waste = (uint8_t)(t->waste + law->draw < talon ? t->waste + law->draw : talon);
    } else play(law, t, move);
}

static Hash exact_hash(const Law *law, const Table *t) {
    Hash h = table_hash(law, t);
    h.a += mix(t->waste + 1000);
    h.b = (h.b + mix(t->waste + 2000)) | 1;
    return h;
}

static int meet(Hash *met, Hash h) {
    uint64_t i = h.a % SLOTS;
    while (met[i].b) {
        if (met[i].a == h.a && met[i].b == h.b) return 0;
        i = (i + 1) % SLOTS;
    }
    met[i] = h;
    return 1;
}

static int won_blind(const Law *law, const Table *deal, int game, const int *likings) {
    Hash met[SLOTS];
    Choice choices[512];
    Table t = *deal;
    uint64_t state = mix((uint64_t)game);
    memset(met, 0, sizeof met);
    meet(met, exact_hash(law, &t));
    for (int actions = 0; actions < MOST_ACTIONS; actions++) {
        int n = list(law, &t, likings, choices), tries = 0;
        uint64_t total = 0;
        for (int i = 0; i < n; i++) total += (uint64_t)choices[i].liking;
        if (!n) return 0;
        for (; tries < TRIES; tries++) {
            Table next = t;
            int i = 0;
            uint64_t r;
            state += 0x9e3779b97f4a7c15ULL;
            r = (mix(state) >> 32) * total >> 32;
            while (r >= (uint64_t)choices[i].liking) r -= (uint64_t)choices[i++].liking;
            act(law, &next, choices[i].move);
            if (meet(met, exact_hash(law, &next))) { t = next; break; }
        }
        if (tries == TRIES) return 0;
        if (t.home[0] + t.home[1] + t.home[2] + t.home[3] == 52) return 1;
    }
    return 0;
}

int playouts(const Law *law, const Table *deal, int games, const int *likings) {
    int won = 0;
    for (int game = 0; game < games; game++) won += won_blind(law, deal, game, likings);
    return won;
}
