/* The dead-end test: a fixpoint in which whatever was once exposed stays exposed. If some
 * card still never gets home, the position is lost. See ../dead_end.py for the argument. */
#include "table.h"
#include <string.h>

#define NOWHERE 255

int dead_end(const Law *law, const Table *t) {
    uint8_t under[52], stack[512], leaving[512], later_x[512], later_p[512];
    uint64_t over[52], exposed = 0, left = 0, down = 0, in_column = 0, outside = 0, talon = 0;
    int stacked = 0, leavings = 0, laters = 0, need = 0, empty = 0, home[4], o = 0;
    memset(under, NOWHERE, sizeof under);
    for (int j = 0; j < COLUMNS; j++) {
        const uint8_t *c = t->cards + o;
        int n = t->len[j];
        uint64_t above = 0;
        o += n;
        if (!n) { empty = 1; continue; }
        stack[stacked++] = c[n - 1];
        need += n;
        for (int i = n - 1; i >= 0; i--) {
            int x = c[i];
            under[x] = i ? c[i - 1] : NOWHERE;
            over[x] = above;
            above |= 1ULL << x;
            if (i < t->down[j]) down |= 1ULL << x;
        }
        in_column |= above;
    }
    if (!need) return 0;
    for (int i = 0; i < 24; i++)
        if (t->talon >> i & 1) talon |= 1ULL << law->stock[i];
    outside = talon;
    for (int s = 0; s < 4; s++) {
        home[s] = t->home[s];
        if (!law->home_is_final)
            for (int r = 0; r < home[s]; r++) outside |= 1ULL << (r * 4 + s);
        while (home[s] < 13 && talon >> (home[s] * 4 + s) & 1) home[s]++;
    }
#define PUSH(x) (stack[stacked++] = (uint8_t)(x))
#define LEAVE(x) (leaving[leavings++] = (uint8_t)(x))
#define KINGS_FREE()                                                                      \
    do {                                                                                  \
        for (int k = 48; k < 52; k++) {                                                   \
            if (outside >> k & 1) { if (!(exposed >> k & 1)) PUSH(k); }                   \
            else if ((in_column >> k & 1) && under[k] != NOWHERE && !(left >> k & 1) &&   \
                     (!(down >> k & 1) || exposed >> k & 1)) LEAVE(k);                    \
        }                                                                                 \
    } while (0)
    if (empty) KINGS_FREE();
    for (;;) {
        while (stacked || leavings) {
            if (leavings) {
                int x = leaving[--leavings];
                if (left >> x & 1) continue;
                left |= 1ULL << x;
                if (under[x] != NOWHERE) {
                    if (!(exposed >> under[x] & 1)) PUSH(under[x]);
                } else if (!empty) { empty = 1; KINGS_FREE(); }
                continue;
            }
            int p = stack[--stacked];
            if (exposed >> p & 1) continue;
            exposed |= 1ULL << p;
            if (in_column >> p & 1) {
                if (!--need) return 0;
                int s = p & 3;
                if (home[s] == p >> 2)
                    for (int q = p; q < 52; q += 4) {
                        if (in_column >> q & 1) { if (!(exposed >> q & 1)) break; }
                        else if (!(talon >> q & 1)) break;
                        home[s]++;
                        if ((in_column & ~left) >> q & 1) LEAVE(q);
                    }
                if ((down & ~left) >> p & 1) {
                    if (p >= 48) { if (empty && under[p] != NOWHERE) LEAVE(p); }
                    else
                        for (int q = (p | 3) + 1; q <= (p | 3) + 4; q++)
                            if ((exposed >> q & 1) && (law->children[q] >> p & 1)) {
                                later_x[laters] = p; later_p[laters++] = q;
                            }
                }
            }
            uint64_t kids = law->children[p] & ~left;
            while (kids) {
                int x = __builtin_ctzll(kids);
                kids &= kids - 1;
                if (!(in_column >> x & 1)) {
                    if ((outside & ~exposed) >> x & 1) PUSH(x);
                } else if ((down & ~exposed) >> x & 1) continue;
                else if (over[x] >> p & 1) { later_x[laters] = x; later_p[laters++] = p; }
                else LEAVE(x);
            }
        }
        int kept = 0;
        for (int i = 0; i < laters; i++) {
            int x = later_x[i], p = later_p[i];
            if (left >> x & 1) continue;
            uint64_t upto = in_column >> p & 1 ? ~over[p] : ~0ULL;
            if (!(over[x] >> p & 1) || (over[x] & upto & left)) LEAVE(x);
            else { later_x[kept] = x; later_p[kept++] = p; }
        }
        laters = kept;
        if (!leavings) return 1;
    }
}
