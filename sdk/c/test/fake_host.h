/* What the runner of tests knows of the host in memory. */
#ifndef ESPEJOTE_TEST_FAKE_HOST_H
#define ESPEJOTE_TEST_FAKE_HOST_H

/* An empty cluster, and memory that may be used again. */
void fake_forget(void);

/* A result with nothing in it. */
void fake_start(void);

#endif
