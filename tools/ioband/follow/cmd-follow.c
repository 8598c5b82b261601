// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband follow: apply io.weight and io.max of cgroups to a volume.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cmd.h"
#include "config/store.h"
#include "follow.h"
#include "lib/clock.h"
#include "lib/lock.h"
#include "lib/util.h"

enum {
	/* Batch events that arrive within this time. */
	GATHER_NS	= 50000000,
	/* How often the volume is compared, to undo changes made by others. */
	COMPARE_S	= 30,
	/* Give up on a volume that keeps refusing groups. */
	MAX_TRIES	= 10,
};

static int once;

static const struct option follow_long_options[] = {
	{ "once",	no_argument,		&once, true },
	{ 0 }
};

const struct own_options follow_options = {
	follow_long_options, NULL,
	"      --once           make it so, and end\n"
};

/**
 * struct follow - the state
 * @compared_ns: when the volume was last compared with the cgroups
 * @is_waiting: the volume has no ioband, which has been told
 */
struct follow {
	const struct options *opts;
	const char *name;
	struct tree tree;
	struct mirror mirror;
	uint64_t compared_ns;
	bool is_waiting;
};

/* Apply all cgroups that are marked dirty. */
static int flush(struct follow *follow)
{
	struct followed *group;
	int status = 0;

	while (!status && (group = tree_take_dirty(&follow->tree))) {
		/* One that is gone may live on as another entry with the same id. */
		struct followed *same = group->gone ?
			tree_find_id(&follow->tree, group->id) : NULL;

		if (same && group->have.weight)
			same->have = group->have;
		if (!same)
			status = tree_read_files(&follow->tree, group,
						 &follow->mirror.devices);
		if (!status && !same)
			status = mirror_apply(&follow->mirror, group);
		if (group->gone)
			tree_forget(group);
	}
	return status;
}

/* Compare the volume with the cgroups, and apply all differences. */
static int converge(struct follow *follow)
{
	int status = lock_take(follow->opts);

	for (unsigned int i = 0; !status && i < MAX_TRIES; i++) {
		status = mirror_read(&follow->mirror, follow->opts,
				     follow->name);
		if (!status)
			status = mirror_compare(&follow->mirror, &follow->tree);
		if (!status)
			status = flush(follow);
		if (!follow->mirror.stale) {
			follow->compared_ns = clock_now_ns();
			break;
		}
	}
	lock_drop();
	if (!status && follow->mirror.stale)
		status = fail(IOBAND_BUSY,
			      "'%s' refuses groups again and again: 'dmesg' says why",
			      follow->name);
	return status;
}

/* One descriptor for all that end the wait; -1 with errno set. */
static int wait_for(int events, int signals)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd < 0 || epoll_ctl(fd, EPOLL_CTL_ADD, events, &event) ||
	    epoll_ctl(fd, EPOLL_CTL_ADD, signals, &event))
		return -1;
	return fd;
}

/*
 * Who puts ioband into a volume writes its record first, and holds the lock until it is
 * done: then the volume has no groups yet. Where there is no directory of records
 * nothing has been put anywhere.
 */
static void watch_records(struct follow *follow)
{
	char *dir = xasprintf("%s" STORE_RUN, follow->opts->sysroot);

	tree_watch_records(&follow->tree, dir);
	free(dir);
}

/* Block the signals that end the command: they are read from a signalfd. */
static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -1;
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static bool told_to_end(int signals)
{
	struct signalfd_siginfo info;

	return read(signals, &info, sizeof(info)) == sizeof(info);
}

static void tell_status(struct follow *follow, const char *first)
{
	char *text = xasprintf("%sSTATUS=%zu groups of cgroups on %s", first,
			       tree_count(&follow->tree), follow->name);

	notify_systemd(text);
	free(text);
}

/*
 * LVM has put its own table back, as it does for the first snapshot: the device is there,
 * and ioband.timer or somebody will put ioband into it again.
 */
static bool is_lost(const struct follow *follow)
{
	const struct volumes *volumes = &follow->mirror.volumes;

	for (size_t i = 0; !follow->mirror.vol && i < volumes->devices.nr; i++)
		if (!strcmp(volumes->devices.v[i].name, follow->name))
			return true;
	return false;
}

/* converge(), which may have to wait for ioband in the volume. */
static int keep_up(struct follow *follow)
{
	char *why;
	int status;

	watch_records(follow);
	fail_keep(&why);
	status = converge(follow);
	fail_keep(NULL);
	if (status == IOBAND_DEVICE && is_lost(follow)) {
		if (!follow->is_waiting)
			fail(status, "%s", why);
		follow->is_waiting = true;
		notify_systemd("STATUS=waiting for ioband in the volume");
		follow->compared_ns = clock_now_ns();
		status = 0;
	} else if (status) {
		fail(status, "%s", why);
	} else {
		follow->is_waiting = false;
		tell_status(follow, "");
	}
	free(why);
	return status;
}

static int run(struct follow *follow, int signals)
{
	int fd = wait_for(follow->tree.fd, signals);
	int status = 0;

	if (fd < 0)
		return fail(IOBAND_USAGE, "cannot wait for events: %s",
			    strerror(errno));
	tell_status(follow, "READY=1\n");
	while (!status) {
		uint64_t now = clock_now_ns();
		uint64_t end = follow->compared_ns + COMPARE_S * 1000000000ULL;
		bool is_due = now >= end;

		if (!is_due && clock_wait(end - now, fd, NULL)) {
			if (told_to_end(signals))
				break;
			clock_wait(GATHER_NS, -1, NULL);
			status = tree_read_events(&follow->tree);
			is_due = follow->tree.has_records;
			follow->tree.has_records = false;
			if (!status && !is_due && follow->mirror.vol) {
				status = lock_take(follow->opts);
				if (!status)
					status = flush(follow);
				lock_drop();
			}
			is_due |= follow->mirror.stale;
		}
		if (!status && is_due)
			status = keep_up(follow);
	}
	notify_systemd("STOPPING=1");
	close(fd);
	return status;
}

int cmd_follow(const struct options *opts, int argc, char **argv)
{
	struct follow follow = { .opts = opts };
	int status, signals = -1;
	size_t nr;
	char *name = NULL;

	if (!argc)
		return fail(IOBAND_USAGE,
			    "which volume? 'ioband list' shows those there are");
	follow.name = argv[0];
	if (!once) {
		signals = open_signals();
		if (signals < 0)
			return fail(IOBAND_USAGE, "cannot wait for signals: %s",
				    strerror(errno));
	}
	/* Report a volume that cannot be followed before reading anything else. */
	status = mirror_read(&follow.mirror, opts, follow.name);
	/* Nothing needs to be mounted at a mount point for ever. */
	if (!status)
		follow.name = name = xstrdup(follow.mirror.vol->name);
	if (!status)
		status = tree_open(&follow.tree, opts->sysroot, !once);
	if (!status && !once)
		watch_records(&follow);
	if (!status)
		status = tree_scan(&follow.tree);
	if (!status)
		status = converge(&follow);
	nr = status ? 1 : tree_count(&follow.tree);
	if (!nr)
		warn("%s: no cgroup has an io.weight, so there is nothing to follow: give a unit one with 'systemctl set-property UNIT IOWeight=', on a kernel with CONFIG_BLK_CGROUP_IOCOST",
		     follow.mirror.vol->title);
	if (!status && !once)
		status = run(&follow, signals);
	else if (!status && nr)
		report(opts, "%s: has groups as %zu cgroup%s", follow.mirror.vol->title,
		       nr, nr == 1 ? " says" : "s say");
	if (follow.tree.mount)
		tree_close(&follow.tree);
	mirror_free(&follow.mirror);
	free(name);
	if (signals >= 0)
		close(signals);
	return status;
}
