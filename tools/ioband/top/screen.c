// SPDX-License-Identifier: GPL-2.0-only
/*
 * Full-screen output that is redrawn all the time.
 *
 * Uses only the few ANSI sequences that every terminal in use has: alternate screen,
 * cursor off, cursor home, erase, reverse video.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "cmd.h"
#include "lib/clock.h"
#include "lib/util.h"
#include "screen.h"

static const int caught[] = {
	SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH,
};

enum {
	NR_CAUGHT = sizeof(caught) / sizeof(caught[0]),
};

static struct termios usual;
static int usual_stderr = -1;
/* Signals are only unblocked while waiting for a key, so that none is missed. */
static sigset_t usual_mask;
static volatile sig_atomic_t quit, stop, resized;
static unsigned int columns, lines, line_nr;
static FILE *frame;
static char *frame_text;
static size_t frame_size;

static void catch_signal(int sig)
{
	if (sig == SIGWINCH)
		resized = 1;
	else if (sig == SIGTSTP)
		stop = 1;
	else
		quit = 1;
}

bool screen_possible(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static void write_all(const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(STDOUT_FILENO, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		/* The terminal is gone. */
		if (n <= 0) {
			quit = 1;
			return;
		}
		text += n;
		len -= n;
	}
}

static void write_text(const char *text)
{
	write_all(text, strlen(text));
}

/* No line buffering and no echo; keys that raise signals still do. */
static int set_up(void)
{
	struct termios raw = usual;

	raw.c_lflag &= ~(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw))
		return -errno;
	write_text("\033[?1049h\033[?25l");
	return 0;
}

/* The next frame would overwrite errors: keep them until the screen is left. */
static void keep_errors(void)
{
	int fd = memfd_create("errors", MFD_CLOEXEC);

	if (fd < 0)
		return;
	usual_stderr = dup(STDERR_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

static void tell_errors(void)
{
	char text[1024];
	ssize_t n;

	if (usual_stderr < 0)
		return;
	lseek(STDERR_FILENO, 0, SEEK_SET);
	while ((n = read(STDERR_FILENO, text, sizeof(text))) > 0)
		if (write(usual_stderr, text, n) < 0)
			break;
	dup2(usual_stderr, STDERR_FILENO);
	close(usual_stderr);
	usual_stderr = -1;
}

/**
 * screen_enter - take over the terminal
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int screen_enter(void)
{
	struct sigaction action = { .sa_handler = catch_signal };
	sigset_t mask;
	int r = 0;

	sigemptyset(&mask);
	for (unsigned int i = 0; i < NR_CAUGHT; i++)
		sigaddset(&mask, caught[i]);
	sigprocmask(SIG_BLOCK, &mask, &usual_mask);
	if (tcgetattr(STDIN_FILENO, &usual))
		r = -errno;
	for (unsigned int i = 0; !r && i < NR_CAUGHT; i++)
		if (sigaction(caught[i], &action, NULL))
			r = -errno;
	if (!r)
		r = set_up();
	if (r)
		return fail(IOBAND_USAGE,
			    "cannot use the terminal: %s; try --batch",
			    strerror(-r));
	keep_errors();
	return 0;
}

void screen_leave(void)
{
	write_text("\033[?25h\033[?1049l");
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual);
	tell_errors();
}

/* Stop as the shell expects, with the terminal restored. */
static void do_stop(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL }, ours;
	sigset_t mask;

	stop = 0;
	screen_leave();
	sigaction(SIGTSTP, &action, &ours);
	raise(SIGTSTP);
	sigprocmask(SIG_SETMASK, &usual_mask, &mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGTSTP, &ours, NULL);
	set_up();
	keep_errors();
	resized = 1;
}

/* Arrows are ESC [ C or ESC O C; other sequences are ignored. */
static int read_key(void)
{
	static const struct {
		const char *behind;
		int key;
	} keys[] = {
		{ "A", SCREEN_UP }, { "B", SCREEN_DOWN },
		{ "C", SCREEN_RIGHT }, { "D", SCREEN_LEFT },
		{ "H", SCREEN_HOME }, { "F", SCREEN_END },
		{ "5~", SCREEN_PAGE_UP }, { "6~", SCREEN_PAGE_DOWN },
	};
	unsigned char bytes[16];
	struct pollfd more = { .fd = STDIN_FILENO, .events = POLLIN };
	ssize_t n = read(STDIN_FILENO, bytes, 1);

	if (n < 0)
		return errno == EINTR ? SCREEN_NONE : SCREEN_QUIT;
	/* Readable, but at end of file: a hangup. */
	if (!n)
		return SCREEN_QUIT;
	if (bytes[0] != SCREEN_ESCAPE)
		return bytes[0];
	/* What a key sends comes at once; the key itself sends nothing else. */
	if (poll(&more, 1, 0) > 0)
		n += read(STDIN_FILENO, bytes + 1, sizeof(bytes) - 1);
	if (n == 1)
		return SCREEN_ESCAPE;
	for (size_t i = 0; n > 2 && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i].behind) == (size_t)n - 2 &&
		    !memcmp(bytes + 2, keys[i].behind, n - 2))
			return keys[i].key;
	return SCREEN_NONE;
}

/**
 * screen_key - wait for a key
 * @ns: maximum time to wait
 *
 * Return: a character or one of the SCREEN_ codes, %SCREEN_NONE for no key.
 */
int screen_key(uint64_t ns)
{
	int key = SCREEN_NONE;

	if (!quit && !stop && !resized && clock_wait(ns, STDIN_FILENO,
						     &usual_mask))
		key = read_key();
	if (quit)
		return SCREEN_QUIT;
	if (stop)
		do_stop();
	if (resized) {
		resized = 0;
		return SCREEN_RESIZED;
	}
	return key;
}

void screen_begin(unsigned int *width, unsigned int *height)
{
	struct winsize size;

	columns = 80;
	lines = 24;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col &&
	    size.ws_row) {
		columns = size.ws_col;
		lines = size.ws_row;
	}
	*width = columns;
	*height = lines;
	line_nr = 0;
	frame = xmemstream(&frame_text, &frame_size);
	fputs("\033[H", frame);
}

/**
 * screen_line - draw the next line
 * @text: truncated to the width of the screen; invalid characters appear as ?
 * @marked: in reverse video across the whole width
 */
void screen_line(const char *text, bool marked)
{
	mbstate_t state = { 0 };
	unsigned int used = 0;
	wchar_t c;

	if (line_nr == lines)
		return;
	/* No newline after the last line, which would scroll the screen. */
	if (line_nr++)
		fputs("\r\n", frame);
	if (marked)
		fputs("\033[7m", frame);
	while (*text) {
		size_t len = mbrtowc(&c, text, strlen(text), &state);
		int width = (ssize_t)len > 0 ? wcwidth(c) : -1;

		if (used + (width < 0 ? 1 : width) > columns)
			break;
		if (width < 0) {
			fputc('?', frame);
			used++;
		} else {
			fwrite(text, len, 1, frame);
			used += width;
		}
		if ((ssize_t)len <= 0) {
			memset(&state, 0, sizeof(state));
			len = 1;
		}
		text += len;
	}
	if (marked)
		fprintf(frame, "%*s\033[m", columns - used, "");
	if (used < columns)
		fputs("\033[K", frame);
}

/* Write the frame at once, or the terminal might show half of it. */
void screen_end(void)
{
	if (line_nr < lines)
		fputs("\r\n\033[J", frame);
	xmemclose(frame);
	write_all(frame_text, frame_size);
	free(frame_text);
	frame_text = NULL;
}
