/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terminal as a screen that is drawn anew again and again.
 */
#ifndef IOBAND_SCREEN_H
#define IOBAND_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/* What screen_key() gives besides characters. */
	SCREEN_NONE	= 0,
	SCREEN_LEFT	= 256,
	SCREEN_RIGHT,
	SCREEN_RESIZED,
	SCREEN_QUIT,
};

bool screen_possible(void);
int screen_enter(void);
void screen_leave(void);
int screen_key(uint64_t ns);

/* A frame: begin, lines from the top, end. What does not fit is left out. */
void screen_begin(unsigned int *width, unsigned int *height);
void screen_line(const char *text, bool marked);
void screen_end(void);

#endif /* IOBAND_SCREEN_H */
