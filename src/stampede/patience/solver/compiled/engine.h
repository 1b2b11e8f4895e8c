/* What the compiled search offers. This file is also read by the cffi builder. */
typedef struct Engine Engine;

/* law: for each suit a mask of those that may lie on it, home is final, aces first, largest
   group (0: any), cards a draw, single pass. A column lists its cards bottom first, all columns in one row. */
Engine *engine_open(const int *law, const unsigned char *cards, const unsigned char *lengths,
                    const unsigned char *down, const unsigned char *home,
                    const unsigned char *talon, int many, int waste);
void engine_close(Engine *engine);

/* Starts a search over with these nine weights; 0, or -1 when memory is short. */
int engine_begin(Engine *engine, const int *weights);

/* Looks at that many more positions: 1 won, 0 exhausted, -1 not done, -2 out of memory. */
int engine_run(Engine *engine, unsigned int nodes);
unsigned int engine_nodes(const Engine *engine);

/* The won line as numbers card + 64 * place + 512 * draws before it; its length. */
int engine_line(const Engine *engine, unsigned short *line, int room);

/* Plays so many blind games from the deal; how many were won. */
int engine_playouts(Engine *engine, int games, const int *likings);
