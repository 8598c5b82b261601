// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find out why the kernel refused something, which only its log tells.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "klog.h"

enum {
	/* The longest record that the kernel returns. */
	RECORD_LEN = 8192,
};

/* The rest of @text after @prefix, or NULL. */
static const char *skip(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return text && !strncmp(text, prefix, len) ? text + len : NULL;
}

/* Skip "253:0: ", with which device-mapper begins a message about a device. */
static const char *skip_device(const char *text, const char *device)
{
	size_t len = strspn(text, "0123456789:");

	if (text[len] != ' ' || len < 2 || text[len - 1] != ':')
		return NULL;
	if (device && (strlen(device) != len - 1 ||
		       strncmp(text, device, len - 1)))
		return NULL;
	return text + len + 1;
}

/**
 * klog_match - whether a record of the kernel log gives a reason
 * @record: record from /dev/kmsg, "LEVEL,SEQUENCE,TIME,FLAGS;TEXT\n..."
 * @device: MAJOR:MINOR that it must be about, or %NULL for any
 * @reason: %KLOG_REASON_LEN bytes, filled in if it does
 *
 * Return: the rank of the reason, 0 if there is none: the target's own sentence is
 * better than a message of device-mapper, and that better than the target's short form.
 */
int klog_match(const char *record, const char *device, char *reason)
{
	const char *text = strchr(record, ';');
	const char *found;
	int rank = 3;

	if (!text)
		return 0;
	text = skip(text + 1, "device-mapper: ");
	found = skip(text, "ioband: ");
	if (found) {
		found = skip_device(found, device);
	} else {
		found = skip(text, "table: ");
		if (found)
			found = skip_device(found, device);
		rank = found && skip(found, "ioband: ") ? 1 : 2;
	}
	if (!found || !*found || *found == '\n')
		return 0;
	snprintf(reason, KLOG_REASON_LEN, "%.*s", (int)strcspn(found, "\n"),
		 found);
	return rank;
}

/**
 * klog_begin - start watching the kernel log
 * @log: to be passed to klog_end()
 */
void klog_begin(struct klog *log)
{
	log->fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log->fd >= 0 && lseek(log->fd, 0, SEEK_END) < 0) {
		close(log->fd);
		log->fd = -1;
	}
}

/**
 * klog_end - find the reason for a failure since klog_begin()
 * @log: log that klog_begin() has set up
 * @device: MAJOR:MINOR of the device that failed, or %NULL if it is not known
 * @reason: %KLOG_REASON_LEN bytes; "" if the log has none; %NULL if nothing failed
 */
void klog_end(struct klog *log, const char *device, char *reason)
{
	char record[RECORD_LEN], text[KLOG_REASON_LEN];
	int best = 0;
	ssize_t n;

	if (reason)
		*reason = '\0';
	if (log->fd < 0)
		return;
	while (reason) {
		int rank;

		n = read(log->fd, record, sizeof(record) - 1);
		/* Records were overwritten before we read them. */
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			break;
		record[n] = '\0';
		rank = klog_match(record, device, text);
		if (rank > best) {
			best = rank;
			memcpy(reason, text, sizeof(text));
		}
	}
	close(log->fd);
	log->fd = -1;
}
