// SPDX-License-Identifier: GPL-2.0-only
/*
 * The units that keep a volume what its file says.
 *
 * They are asked for with systemctl: what it does to the links of units, which chroots
 * and images need as well, is not to be had over D-Bus, and a library for that would
 * have to be in every initramfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "generator.h"
#include "lib/util.h"
#include "services.h"

enum {
	/* systemctl, -q, a verb with an option, the units. */
	MAX_ARGS = 4 + NR_SERVICES + 1,
};

/**
 * systemd_wants - whether a unit is enabled
 * @opts: the global options
 * @by: the unit that wants it
 * @unit: the unit
 *
 * Return: whether there is a link, wherever that leads.
 */
bool systemd_wants(const struct options *opts, const char *by,
		   const char *unit)
{
	char *path = xasprintf("%s/etc/systemd/system/%s.wants/%s",
			       opts->sysroot, by, unit);
	struct stat st;
	bool found = !lstat(path, &st);

	free(path);
	return found;
}

/**
 * volume_is_enabled - whether systemd sets up a volume at boot
 * @opts: the global options
 * @name: the volume
 */
bool volume_is_enabled(const struct options *opts, const char *name)
{
	char *escaped = systemd_escape(name, false);
	char *unit = xasprintf("ioband@%s.service", escaped);
	bool enabled = systemd_wants(opts, "ioband.target", unit);

	free(unit);
	free(escaped);
	return enabled;
}

/**
 * systemd_is_running - whether units can be started, as sd_booted(3) has it
 * @opts: the global options
 */
bool systemd_is_running(const struct options *opts)
{
	char *path = xasprintf("%s/run/systemd/system", opts->sysroot);
	struct stat st;
	bool found = !lstat(path, &st) && S_ISDIR(st.st_mode);

	free(path);
	return found;
}

/* Return: the exit status of systemctl, or -errno. */
static int run(char * const *args, bool is_question)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t ends;
	int r, status;
	pid_t pid;

	/* We may ignore what ends us: it ends what we wait for, and then we undo. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGHUP);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &ends);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&files);
	if (is_question) {
		posix_spawn_file_actions_addopen(&files, STDOUT_FILENO,
						 "/dev/null", O_WRONLY, 0);
		posix_spawn_file_actions_addopen(&files, STDERR_FILENO,
						 "/dev/null", O_WRONLY, 0);
	}
	fflush(stdout);
	r = posix_spawnp(&pid, args[0], &files, &attr, args, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	if (r)
		return -r;
	do {
		r = waitpid(pid, &status, 0);
	} while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int ask(const char *verb, char *unit)
{
	char *args[] = { "systemctl", "-q", (char *)verb, unit, NULL };

	return run(args, true);
}

/* Do something to the units that are wanted, if @which says so too. */
static int tell(const struct options *opts, const char *verb,
		const char *option, const struct services *services,
		bool (*which)(const struct service *service))
{
	char *args[MAX_ARGS] = { "systemctl", "-q", (char *)verb };
	size_t nr = 3, first;
	int r;

	if (option)
		args[nr++] = (char *)option;
	first = nr;
	for (int i = NR_SERVICES; services && i--; )
		if (services->v[i].is_wanted && which(&services->v[i]))
			args[nr++] = services->v[i].unit;
	if (services && nr == first)
		return 0;
	if (opts->dry_run) {
		printf("systemctl");
		for (size_t i = 2; i < nr; i++) {
			char *word = shell_word("%s", args[i]);

			printf(" %s", word);
			free(word);
		}
		printf("\n");
		return 0;
	}
	r = run(args, false);
	if (r < 0)
		return fail(IOBAND_USAGE, "cannot run systemctl: %s",
			    strerror(-r));
	return r ? fail(IOBAND_USAGE,
			"'systemctl %s' has failed with status %d", verb, r) : 0;
}

static bool is_disabled(const struct service *service)
{
	return !service->is_enabled;
}

static bool is_idle(const struct service *service)
{
	return !service->is_active;
}

static bool is_any(const struct service *service)
{
	return service->is_enabled || service->is_active;
}

/**
 * services_read - find out about the units of a volume
 * @opts: the global options
 * @name: the volume
 * @services: filled in; to be freed by services_free() in any case
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int services_read(const struct options *opts, const char *name,
		  struct services *services)
{
	char *escaped = systemd_escape(name, false);
	struct service *v = services->v;
	bool running = systemd_is_running(opts);
	int r = 0;

	memset(services, 0, sizeof(*services));
	v[SERVICE_FOLLOW].unit = xasprintf("ioband-follow@%s.service", escaped);
	v[SERVICE_VOLUME].unit = xasprintf("ioband@%s.service", escaped);
	v[SERVICE_TIMER].unit = xstrdup("ioband.timer");
	v[SERVICE_TARGET].unit = xstrdup("ioband.target");
	free(escaped);
	for (int i = 0; r >= 0 && i < NR_SERVICES; i++) {
		r = ask("is-enabled", v[i].unit);
		v[i].is_enabled = !r;
		v[i].is_active = running && !ask("is-active", v[i].unit);
	}
	return r < 0 ? fail(IOBAND_USAGE,
			    "cannot run systemctl: %s; without systemd, let the machine run 'ioband apply' when it starts",
			    strerror(-r)) : 0;
}

/**
 * services_reload - have systemd run ioband-generator, which reads our files
 * @opts: the global options
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int services_reload(const struct options *opts)
{
	return systemd_is_running(opts) ?
	       tell(opts, "daemon-reload", NULL, NULL, NULL) : 0;
}

/**
 * services_start - enable and start the wanted units that are not yet
 * @opts: the global options
 * @services: what services_read() found
 * @reload: the file of the volume is another one now
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int services_start(const struct options *opts, const struct services *services,
		   bool reload)
{
	int status = tell(opts, "enable", NULL, services, is_disabled);

	/* systemctl enable does so by itself. */
	for (int i = 0; i < NR_SERVICES; i++)
		reload &= !services->v[i].is_wanted ||
			  services->v[i].is_enabled;
	if (!status && reload)
		status = services_reload(opts);
	if (!status && systemd_is_running(opts))
		status = tell(opts, "start", NULL, services, is_idle);
	return status;
}

/**
 * services_undo - make the wanted units again what they were
 * @opts: the global options
 * @services: what services_read() found, before services_start()
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int services_undo(const struct options *opts, const struct services *services)
{
	int r = 0, status;

	if (systemd_is_running(opts))
		r = tell(opts, "stop", NULL, services, is_idle);
	status = tell(opts, "disable", NULL, services, is_disabled);
	return status ? status : r;
}

/**
 * services_stop - disable and stop the wanted units
 * @opts: the global options
 * @services: what services_read() found
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int services_stop(const struct options *opts, const struct services *services)
{
	return tell(opts, "disable", systemd_is_running(opts) ? "--now" : NULL,
		    services, is_any);
}

/**
 * services_list - name the wanted units that are enabled or active
 * @services: what services_read() found
 *
 * Return: a list for a sentence, "" if there is none; to be freed.
 */
char *services_list(const struct services *services)
{
	char *list = xstrdup("");

	for (int i = 0; i < NR_SERVICES; i++) {
		char *more;

		if (!services->v[i].is_wanted || !is_any(&services->v[i]))
			continue;
		more = xasprintf("%s%s%s", list, *list ? ", " : "",
				 services->v[i].unit);
		free(list);
		list = more;
	}
	return list;
}

void services_free(struct services *services)
{
	for (int i = 0; i < NR_SERVICES; i++)
		free(services->v[i].unit);
	memset(services, 0, sizeof(*services));
}
