// SPDX-License-Identifier: GPL-2.0-only
/*
 * doctor: what groups get. Do some starve, are promises kept, does the policy do anything?
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "config/current.h"
#include "doctor.h"
#include "lib/blk.h"
#include "lib/clock.h"
#include "lib/interval.h"
#include "lib/units.h"

/* How long to look at groups that wait. */
#define LOOK_NS		3000000000ULL

/* A group as written on a command line; to be freed. */
static char *word_of(const struct sample *sample,
		     const struct interval_group *group, const char *sysroot)
{
	char *name, *word;

	if (group->now->is_default)
		return xstrdup("default");
	name = sample_name(sample, group->vol, group->now, sysroot);
	/* Names of processes and priorities are no words for groups. */
	if (name && (!strcmp(group->vol->table.type, "cgroup") ||
		     !strcmp(group->vol->table.type, "user") ||
		     !strcmp(group->vol->table.type, "uid") ||
		     !strcmp(group->vol->table.type, "gid"))) {
		word = shell_word("%s", name);
		free(name);
		return word;
	}
	free(name);
	return xasprintf("%" PRIu64, group->now->id);
}

static bool same_share(const struct interval_group *a,
		       const struct interval_group *b)
{
	return !strcmp(a->vol->table.share, b->vol->table.share);
}

static bool has_class(const struct interval_group *group, const char *class)
{
	char value[SETTING_LEN];

	setting_value(value, &group->set, SET_CLASS, true);
	return !strcmp(value, class);
}

/* Who got I/O instead, by a setting that puts it first; its key, or NR_SETTINGS. */
static const struct interval_group *
who_goes_first(const struct interval *interval,
	       const struct interval_group *starved, enum setting_key *key)
{
	static const enum setting_key keys[] = {
		SET_MIN, SET_MINIOPS, SET_LATENCY, SET_CLASS,
	};
	const struct interval_group *first = NULL;

	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		for (size_t i = 0; i < interval->nr; i++) {
			const struct interval_group *group = &interval->v[i];

			if (!same_share(group, starved) || group->ios <= 0 ||
			    setting_is_default(&group->set, keys[k]) ||
			    (keys[k] == SET_CLASS && !has_class(group, "rt")))
				continue;
			if (!first || group->ios > first->ios) {
				first = group;
				*key = keys[k];
			}
		}
		if (first)
			break;
	}
	return first;
}

static void tell_starved(struct doctor *doctor, const struct sample *sample,
			 const struct interval *interval,
			 const struct interval_group *group)
{
	const char *name = group->vol->name, *root = doctor->opts->sysroot;
	char *word = word_of(sample, group, root), *other, *text, *advice;
	const struct interval_group *first;
	enum setting_key key = SET_MIN;
	char value[SETTING_LEN];
	bool idle = group->is_idle;

	text = xasprintf("group %s has %" PRIu64 " I/Os waiting, and got nothing for %" PRIu64 " seconds",
			 word, group->now->v[STATS_HELD],
			 group->now->v[STATS_WENT_MS] / 1000);
	first = idle ? NULL : who_goes_first(interval, group, &key);
	if (idle) {
		advice = xasprintf("class=idle waits as long as others have I/O; if that is not meant, 'ioband set %s %s class=be'",
				   group->vol->title, word);
	} else if (first) {
		setting_value(value, &first->set, key, true);
		other = word_of(sample, first, root);
		advice = xasprintf("group %s goes first, by %s=%s; lower that with 'ioband set %s %s %s=...'",
				   other, setting_name(key), value,
				   first->vol->title, other, setting_name(key));
		free(other);
	} else {
		advice = xasprintf("'ioband top %s' shows who gets what",
				   group->vol->title);
	}
	add_finding(doctor, idle ? WARNING : ERROR, "starved", name, text,
		    advice);
	free(word);
}

/*
 * Nothing of the whole share has gone though it waits, or of the volume though it has I/O at
 * the disk: that is the disk's fault.
 */
static bool is_stuck(const struct interval *interval,
		     const struct interval_group *group, bool whole_share)
{
	bool any = false;

	for (size_t i = 0; i < interval->nr; i++) {
		const struct interval_group *other = &interval->v[i];

		if (whole_share ? !same_share(other, group) : other->vol != group->vol)
			continue;
		if (other->ios > 0)
			return false;
		any |= other->now->v[STATS_IN_FLIGHT] > 0;
	}
	return any;
}

static void tell_stuck(struct doctor *doctor, const struct interval *interval,
		       const struct interval_group *group, char *what)
{
	add_finding(doctor, ERROR, "stuck", group->vol->name,
		    xasprintf("%s is at the disk, and nothing has moved for %.0f seconds",
			      what, interval->seconds),
		    xstrdup("see 'dmesg', and whether a device below is suspended: 'dmsetup info'"));
	free(what);
}

static void tell_unmet(struct doctor *doctor, const struct sample *sample,
		       const struct interval *interval,
		       const struct interval_group *group)
{
	bool in_ios = !setting_is_default(&group->set, SET_MINIOPS);
	enum setting_key key = in_ios ? SET_MINIOPS : SET_MIN;
	const char *name = group->vol->name;
	char *word = word_of(sample, group, doctor->opts->sysroot);
	uint64_t before = group->now->v[STATS_UNMET_MIN];
	char value[SETTING_LEN];

	setting_value(value, &group->set, key, true);
	if (group->unmet_s > interval->seconds / 100)
		add_finding(doctor, ERROR, "unmet-minimum", name,
			    xasprintf("group %s gets %.0f %% of its minimum, %s=%s",
				      word, 100 * (1 - group->unmet_s /
						   interval->seconds),
				      setting_name(key), value),
			    xasprintf("the disk does no more in I/Os of this size, or others go first as well; lower it with 'ioband set %s %s %s=...'",
				      group->vol->title, word, setting_name(key)));
	else if (group->unmet_s >= 0 && before)
		add_finding(doctor, NOTE, "unmet-minimum", name,
			    xasprintf("group %s has missed its minimum, %s=%s, by %" PRIu64 " seconds since it was made",
				      word, setting_name(key), value, before),
			    xasprintf("watch column UNMET of 'ioband top -o +UNMET %s'",
				      group->vol->title));
	free(word);
}

static void tell_missed(struct doctor *doctor, const struct sample *sample,
			const struct interval_group *group)
{
	uint64_t nr = group->now->v[STATS_HELD] + group->now->v[STATS_IN_FLIGHT];
	char value[SETTING_LEN], time[UNITS_LEN], *word;
	uint64_t disk[STATS_BUCKETS];

	if (group->late <= MISSED_PART)
		return;
	for (int i = 0; i < STATS_BUCKETS; i++)
		disk[i] = group->now->service[i] -
			  (group->was && group->was->service[i] <=
			   group->now->service[i] ? group->was->service[i] : 0);
	units_time(time, stats_quantile_us(0, disk, 0.99));
	setting_value(value, &group->set, SET_LATENCY, true);
	word = word_of(sample, group, doctor->opts->sysroot);
	add_finding(doctor, ERROR, "missed-target", group->vol->name,
		    xasprintf("%.0f %% of the I/Os of group %s take longer than its target, latency=%s",
			      100 * group->late, word, value),
		    nr > 1 ?
		    xasprintf("it is promised for the I/Os that a task sends one after the other, and %" PRIu64 " are outstanding; have fewer, or a target that the disk can keep: 99 of 100 take it up to %s",
			      nr, time) :
		    xasprintf("the disk itself takes that long at times; have a target that it can keep: 99 of 100 take it up to %s",
			      time));
	free(word);
}

static void tell(struct doctor *doctor, const struct sample *sample,
		 const struct interval *interval)
{
	const char *told = NULL;

	for (size_t i = 0; i < interval->nr; i++) {
		const struct interval_group *group = &interval->v[i];
		const char *share = group->vol->table.share;

		if (!group->vol->chosen)
			continue;
		if (group->starves && is_stuck(interval, group, true)) {
			if (!told || strcmp(told, share))
				tell_stuck(doctor, interval, group,
					   xasprintf("I/O of share %s", share));
			told = share;
		} else if (group->starves && is_stuck(interval, group, false)) {
			if (told != group->vol->name)
				tell_stuck(doctor, interval, group, xstrdup("its I/O"));
			told = group->vol->name;
		} else if (group->starves) {
			tell_starved(doctor, sample, interval, group);
		}
		tell_unmet(doctor, sample, interval, group);
		tell_missed(doctor, sample, group);
	}
}

/* Whether a second look could find anything. */
static bool is_worth_a_look(const struct sample *sample)
{
	struct interval interval;
	struct sample none = { 0 };
	bool worth = false;

	interval_make(&interval, &none, sample);
	for (size_t i = 0; i < interval.nr; i++) {
		const struct interval_group *group = &interval.v[i];

		worth |= group->vol->chosen &&
			 (group->now->v[STATS_HELD] ||
			  !setting_is_default(&group->set, SET_LATENCY));
	}
	interval_free(&interval);
	return worth;
}

static int look(struct doctor *doctor, int argc, char **argv)
{
	struct sample was, now = { 0 };
	struct interval interval;
	int status = sample_read_shares(&was, doctor->opts, argc, argv);

	if (!status && is_worth_a_look(&was))
		clock_wait(LOOK_NS, -1, NULL);
	if (!status)
		status = sample_read_shares(&now, doctor->opts, argc, argv);
	if (!status) {
		interval_make(&interval, &was, &now);
		tell(doctor, &now, &interval);
		interval_free(&interval);
	}
	sample_free(&was);
	sample_free(&now);
	return status;
}

/**
 * doctor_promises - look at what groups of the chosen volumes get, for some seconds if
 *	any of them waits
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int doctor_promises(struct doctor *doctor)
{
	const struct volumes *volumes = &doctor->volumes;
	char **names = xcalloc(volumes->nr + 1, sizeof(*names));
	int nr = 0, status = 0;
	char *why = NULL;

	for (size_t i = 0; i < volumes->nr; i++)
		if (volumes->v[i].chosen && !volumes->v[i].suspended)
			names[nr++] = volumes->v[i].name;
	fail_keep(&why);
	if (nr)
		status = look(doctor, nr, names);
	fail_keep(NULL);
	/* A volume that is changed or gone meanwhile has no promise to keep. */
	if (status == IOBAND_BUSY || status == IOBAND_DEVICE)
		status = 0;
	if (status)
		status = fail(status, "%s", why);
	free(why);
	free(names);
	return status;
}

/**
 * doctor_policy - report a policy that does not divide what is scarce
 * @doctor: the state
 * @vol: a volume of a share with several groups
 */
void doctor_policy(struct doctor *doctor, const struct volume *vol)
{
	static const char * const by_number[] = {
		"default", "weight", "weight-iosize",
	};
	bool divides = false;
	char devno[DEVNO_LEN];

	snprintf(devno, sizeof(devno), "%u:%u", vol->major, vol->minor);
	for (size_t i = 0; i < sizeof(by_number) / sizeof(by_number[0]); i++)
		divides |= !strcmp(vol->table.policy, by_number[i]);
	if (divides && blk_is_rotating(doctor->opts->sysroot, devno))
		add_finding(doctor, WARNING, "policy", vol->name,
			    xasprintf("policy %s does not divide time, and its disks seek: a random I/O takes them a hundred times as long as a sequential one",
				      vol->table.policy),
			    xasprintf("divide their time with 'ioband set %s policy=weight-time'; the groups keep what they are set to",
				      vol->title));
}
