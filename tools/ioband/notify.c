// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tell systemd how a service is doing.
 *
 * The protocol is one datagram, and sd_notify(3) promises that it stays as it is.
 * So little is not worth a library that machines without systemd would need, too.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "follow.h"

/* Lines such as "READY=1". Nothing happens if nobody wants to know. */
void notify_systemd(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || len >= sizeof(address.sun_path) ||
	    (*path != '/' && *path != '@'))
		return;
	memcpy(address.sun_path, path, len);
	/* A name that is no file. */
	if (*path == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL,
	       (struct sockaddr *)&address,
	       offsetof(struct sockaddr_un, sun_path) + len);
	close(fd);
}
