// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many users that read at once, in one process: crowd DEVICE FIRST COUNT DEPTH
 *
 * Keeps DEPTH random reads of 4 KiB outstanding for each of the users FIRST ..
 * FIRST + COUNT - 1. A thousand processes of fio would need more memory than the
 * machine has, and most of its time.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIZE = 4096, EVENTS = 64 };

static uint64_t blocks, state = 88172645463325252ULL;

/* G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (14), 2003. */
static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* setresuid() of the C library would change all threads, by signals. */
static void become(unsigned int uid)
{
	if (syscall(SYS_setresuid, uid, 0, 0))
		err(1, "user %u", uid);
}

static void submit(aio_context_t context, struct iocb *io)
{
	become(io->aio_data);
	io->aio_offset = draw() % blocks * SIZE;
	if (syscall(SYS_io_submit, context, 1, &io) != 1)
		err(1, "io_submit");
}

int main(int argc, char **argv)
{
	unsigned int first, count, depth, i;
	aio_context_t context = 0;
	struct iocb *ios;
	uint64_t bytes;
	void *buffer;
	int fd;

	if (argc != 5)
		errx(1, "expected DEVICE FIRST COUNT DEPTH");
	first = atoi(argv[2]);
	count = atoi(argv[3]);
	depth = atoi(argv[4]);
	fd = open(argv[1], O_RDONLY | O_DIRECT);
	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &bytes))
		err(1, "%s", argv[1]);
	blocks = bytes / SIZE;
	ios = calloc(count * depth, sizeof(*ios));
	buffer = aligned_alloc(SIZE, SIZE);
	if (!ios || !buffer)
		err(1, "memory");
	if (syscall(SYS_io_setup, count * depth, &context))
		err(1, "io_setup");

	for (i = 0; i < count * depth; i++) {
		ios[i] = (struct iocb) {
			.aio_data = first + i / depth,
			.aio_lio_opcode = IOCB_CMD_PREAD,
			.aio_fildes = fd,
			.aio_buf = (uintptr_t)buffer,
			.aio_nbytes = SIZE,
		};
		submit(context, &ios[i]);
	}
	for (;;) {
		struct io_event events[EVENTS];
		int j, nr = syscall(SYS_io_getevents, context, 1, EVENTS, events, NULL);

		if (nr < 0)
			err(1, "io_getevents");
		for (j = 0; j < nr; j++) {
			if (events[j].res != SIZE)
				errx(1, "read: %lld", (long long)events[j].res);
			submit(context, (struct iocb *)(uintptr_t)events[j].obj);
		}
	}
}
