/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Full-screen output that is redrawn all the time.
 */
#ifndef IOBAND_SCREEN_H
#define IOBAND_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

enum {
	SCREEN_ESCAPE	= '\033',
	/* Returned by screen_key() in place of a character. */
	SCREEN_NONE	= 0,
	SCREEN_LEFT	= 256,
	SCREEN_RIGHT,
	SCREEN_UP,
	SCREEN_DOWN,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_RESIZED,
	SCREEN_QUIT,
};

bool screen_possible(void);
int screen_enter(void);
void screen_leave(void);
int screen_key(uint64_t ns);

/* A frame: begin, lines from the top, end. Lines that do not fit are dropped. */
void screen_begin(unsigned int *width, unsigned int *height);
void screen_line(const char *text, bool marked);
void screen_end(void);

#endif /* IOBAND_SCREEN_H */
