/* Cards, columns and what is known about the law, shared by the compiled parts.
 *
 * A card is rank * 4 + suit (ace 0, suits S H D C). A column lists its cards bottom first.
 */
#ifndef STAMPEDE_TABLE_H
#define STAMPEDE_TABLE_H
#include <stdint.h>

#define COLUMNS 7
#define HOME 7
#define KINGS (15ULL << 48)

typedef struct {
    uint8_t cards[52]; /* the columns, one after the other */
    uint8_t len[COLUMNS], down[COLUMNS], home[4];
    uint8_t waste;  /* how many of the talon's cards lie on the waste */
    uint32_t talon; /* which places of the stock still hold their card */
} Table;

typedef struct {
    uint64_t children[52]; /* cards that may lie on this one */
    int home_is_final, aces_first, group_limit, draw, single_pass;
    uint8_t stock[24]; /* as dealt, first to be drawn first */
} Law;

typedef struct {
    uint64_t a, b;
} Hash;

uint64_t mix(uint64_t z);
Hash chain(Hash h, int card);
Hash column_hash(Hash h, int length, int down);
Hash talon_hash(const Law *law, uint32_t talon, int waste);
Hash table_hash(const Law *law, const Table *t);

int offsets(const Table *t, int *off);
/* Takes n cards from the end of column j into out, and turns up what lies under them. */
void take(Table *t, int j, int n, uint8_t *out);
void put(Table *t, int k, const uint8_t *cards, int n);
/* card + 64 * place; a card of the talon leaves the waste as deep as it lay. */
void play(const Law *law, Table *t, int move);

/* Whether some card can never get home, even if whatever was once exposed stays so. */
int dead_end(const Law *law, const Table *t);

/* Blind games from this table; how many were won. */
int playouts(const Law *law, const Table *deal, int games, const int *likings);
#endif
