/* Feeds stdin to the server, or the client, and its messages to stdout: main [0|1|2|3], as probe_serve says. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

int probe_serve(int how);

/* A clock that goes on by itself, so that a transcript always ends the same way. */
static uint64_t now_ms;

ssize_t probe_read(uint8_t *bytes, size_t len) { return read(STDIN_FILENO, bytes, len); }

ssize_t probe_write(const uint8_t *bytes, size_t len) { return write(STDOUT_FILENO, bytes, len); }

uint64_t probe_now_ms(void) { return now_ms++; }

/* The precompiled core library names it in unwind tables; nothing here unwinds. */
void rust_eh_personality(void) { abort(); }

int main(int argc, char **argv) { return probe_serve(argc > 1 ? atoi(argv[1]) : 0); }
