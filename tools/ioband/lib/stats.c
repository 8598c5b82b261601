// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse the target's answers to the messages "stats" and "show".
 */
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "words.h"

static const char * const stats_keys[NR_STATS_KEYS] = {
	[STATS_WEIGHT]			= "weight",
	[STATS_RD_IOS]			= "rd_ios",
	[STATS_RD_SECTORS]		= "rd_sectors",
	[STATS_RD_NS]			= "rd_ns",
	[STATS_WR_IOS]			= "wr_ios",
	[STATS_WR_SECTORS]		= "wr_sectors",
	[STATS_WR_NS]			= "wr_ns",
	[STATS_IN_FLIGHT]		= "in_flight",
	[STATS_HELD]			= "held",
	[STATS_HELD_IOS]		= "held_ios",
	[STATS_HELD_NS]			= "held_ns",
	[STATS_WENT_MS]			= "went_ms",
	[STATS_KEPT_BACK]		= "kept_back",
	[STATS_URGENT_IOS]		= "urgent_ios",
	[STATS_LATE_IOS]		= "late_ios",
	[STATS_SERVICE_NS]		= "service_ns",
	[STATS_BECAUSE_WEIGHT_NS]	= "because_weight_ns",
	[STATS_BECAUSE_LIMIT_NS]	= "because_limit_ns",
	[STATS_BECAUSE_DEPTH_NS]	= "because_depth_ns",
	[STATS_BECAUSE_GRACE_NS]	= "because_grace_ns",
	[STATS_BECAUSE_DEBT_NS]		= "because_debt_ns",
	[STATS_BECAUSE_SQUEEZE_NS]	= "because_squeeze_ns",
	[STATS_DUE_PPM]			= "due_ppm",
	[STATS_GOT_PPM]			= "got_ppm",
	[STATS_UNMET_MIN]		= "unmet_min",
};

/* Split off the next line that is not empty; %NULL if there is none. */
static char *next_line(char **rest)
{
	char *line;

	do {
		line = strsep(rest, "\n");
	} while (line && !*line);
	return line;
}

static size_t count_lines(const char *text)
{
	size_t nr = 1;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

static bool parse_id(const char *word, uint64_t *id, bool *is_default)
{
	*id = 0;
	*is_default = !strcmp(word, "-1");
	return *is_default || parse_u64(word, UINT64_MAX, id);
}

/* Comma-separated counts; trailing ones that are left out are 0. */
static bool parse_counts(char *list, uint64_t counts[STATS_BUCKETS])
{
	char *word;

	for (unsigned int i = 0; (word = strsep(&list, ",")); i++)
		if (i == STATS_BUCKETS || !parse_u64(word, UINT64_MAX, &counts[i]))
			return false;
	return true;
}

static bool set_value(struct stats_group *group, const char *key, char *value)
{
	bool is_default;
	uint64_t id;

	for (unsigned int k = 0; k < NR_STATS_KEYS; k++) {
		if (strcmp(key, stats_keys[k]))
			continue;
		group->has |= 1u << k;
		return parse_u64(value, UINT64_MAX, &group->v[k]);
	}
	if (!strcmp(key, "group"))
		return parse_id(value, &group->id, &group->is_default);
	if (!strcmp(key, "parent")) {
		group->parent = value;
		return parse_id(value, &id, &is_default);
	}
	/* The list is empty if the group has done no I/O yet. */
	if (!strcmp(key, "wait_us")) {
		group->has_wait = true;
		return !*value || parse_counts(value, group->wait);
	}
	if (!strcmp(key, "service_us")) {
		group->has_service = true;
		return !*value || parse_counts(value, group->service);
	}
	return true;
}

static int parse_stats_line(char *line, struct stats *stats,
			    struct parse_error *err)
{
	struct stats_group *group = &stats->groups[stats->nr_groups];
	struct words words = { .next = line };
	char *word;

	if (strncmp(line, "group=", 6))
		return refuse(err, "line %zu '%.40s': expected group=ID",
			      stats->nr_groups + 1, line);
	while ((word = next_word(&words))) {
		char *value = strchr(word, '=');

		if (!value)
			return refuse(err, "line %zu, word %lu '%.40s': expected KEY=VALUE",
				      stats->nr_groups + 1, words.nr, word);
		*value++ = '\0';
		if (!set_value(group, word, value))
			return refuse(err, "line %zu, word %lu: '%.40s' is no value of %.20s",
				      stats->nr_groups + 1, words.nr, value, word);
	}
	stats->nr_groups++;
	return 0;
}

/**
 * stats_parse - parse an answer to "stats"
 * @answer: the answer, all lines
 * @stats: filled in; on success to be freed by stats_free()
 * @err: says what was wrong on failure
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int stats_parse(const char *answer, struct stats *stats,
		struct parse_error *err)
{
	char *line, *rest;
	int r = 0;

	memset(stats, 0, sizeof(*stats));
	stats->text = strdup(answer);
	stats->groups = calloc(count_lines(answer), sizeof(*stats->groups));
	if (!stats->text || !stats->groups)
		r = no_memory(err);
	rest = stats->text;
	while (!r && (line = next_line(&rest)))
		r = parse_stats_line(line, stats, err);
	if (r)
		stats_free(stats);
	return r;
}

/**
 * stats_free - free what stats_parse() allocated
 * @stats: an answer, parsed with or without success, or zeroed
 */
void stats_free(struct stats *stats)
{
	free(stats->groups);
	free(stats->text);
	memset(stats, 0, sizeof(*stats));
}

static int compare(const struct stats_group *group, bool is_default,
		   uint64_t id)
{
	if (group->is_default || is_default)
		return group->is_default - is_default;
	return (id > group->id) - (id < group->id);
}

/**
 * stats_find - look up a group
 * @stats: an answer
 * @is_default: look for the default group
 * @id: otherwise the id to look for
 *
 * Return: the group, or %NULL.
 */
const struct stats_group *stats_find(const struct stats *stats,
				     bool is_default, uint64_t id)
{
	size_t from = 0, to = stats->nr_groups;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int order = compare(&stats->groups[middle], is_default, id);

		if (!order)
			return &stats->groups[middle];
		if (order < 0)
			to = middle;
		else
			from = middle + 1;
	}
	return NULL;
}

/**
 * stats_done - count the I/Os of a group that have completed
 * @group: the group; 0 if it has no histogram of them
 */
uint64_t stats_done(const struct stats_group *group)
{
	uint64_t done = 0;

	for (unsigned int i = 0; i < STATS_BUCKETS; i++)
		done += group->service[i];
	return done;
}

static void parse_show_pool(char *line, struct show *show)
{
	const struct {
		const char *key;
		const char **value;
	} keys[] = {
		{ "depth", &show->depth },
		{ "depth_reason", &show->depth_reason },
		{ "contended", &show->contended },
		{ "in_flight", &show->in_flight },
		{ "held", &show->held },
		{ "attribution", &show->attribution },
		{ "note", &show->note },
	};
	struct words words = { .next = line };
	char *word;

	while ((word = next_word(&words))) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = '\0';
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (!strcmp(word, keys[i].key))
				*keys[i].value = value;
	}
}

/**
 * show_parse - parse what an answer to "show" says of the share
 * @answer: the answer, all lines
 * @show: filled in; on success to be freed by show_free()
 * @err: says what was wrong on failure
 *
 * Return: 0 or -ENOMEM.
 */
int show_parse(const char *answer, struct show *show, struct parse_error *err)
{
	char *line, *rest;

	memset(show, 0, sizeof(*show));
	show->text = strdup(answer);
	if (!show->text)
		return no_memory(err);
	rest = show->text;
	while ((line = next_line(&rest)))
		if (strncmp(line, "group=", 6))
			parse_show_pool(line, show);
	return 0;
}

/**
 * show_free - free what show_parse() allocated
 * @show: an answer, parsed with or without success, or zeroed
 */
void show_free(struct show *show)
{
	free(show->text);
	memset(show, 0, sizeof(*show));
}

/**
 * stats_quantile_us - compute a quantile of the time that I/Os took
 * @zeros: number of I/Os that took no time and are in no bucket
 * @counts: histogram of the others
 * @part: which quantile, 0.99 for the 99th percentile
 *
 * I/Os are assumed to be spread evenly within a bucket. The error is at most the
 * width of the bucket: a factor of 2.
 *
 * Return: microseconds; negative if nothing was counted.
 */
double stats_quantile_us(double zeros, const uint64_t counts[STATS_BUCKETS],
			 double part)
{
	double sum = zeros, rank, low, high = 0;

	for (unsigned int i = 0; i < STATS_BUCKETS; i++)
		sum += counts[i];
	if (sum == 0)
		return -1;
	rank = part * sum - zeros;
	if (rank <= 0)
		return 0;
	for (unsigned int i = 0; i < STATS_BUCKETS; i++) {
		if (!counts[i])
			continue;
		low = i ? (double)(1ULL << (i - 1)) : 0;
		high = 1ULL << i;
		if (rank <= counts[i])
			return low + (high - low) * rank / counts[i];
		rank -= counts[i];
	}
	/* Only reached through rounding errors. */
	return high;
}
