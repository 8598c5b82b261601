// SPDX-License-Identifier: GPL-2.0-only
/*
 * Report the state of a service to systemd.
 *
 * The protocol is a single datagram, which sd_notify(3) guarantees to be stable. That
 * is not worth a library that machines without systemd would need as well.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "follow.h"

/* @state: lines such as "READY=1". Does nothing if $NOTIFY_SOCKET is not set. */
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
	/* An abstract socket. */
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
