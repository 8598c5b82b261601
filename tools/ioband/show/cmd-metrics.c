// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband metrics: print all counters as Prometheus text.
 *
 * In its format 0.0.4, the only one that the textfile collector of node_exporter reads.
 * OpenMetrics has other names for the types of counters, and lines of its own.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "config/store.h"
#include "lib/replace.h"
#include "lib/sample.h"
#include "lib/target.h"
#include "lib/util.h"

enum {
	NS_PER_SEC	= 1000000000,
	BUCKET_FIRST	= 2,
	BUCKET_LAST	= 22,
};

/* One sample per group. */
struct series {
	enum stats_key key;
	const char *label;	/* with its value, or "" */
};

/* The format wants all samples of a metric in one block. */
struct metric {
	const char *name;
	const char *type;
	const char *help;
	struct series series[NR_STATS_BECAUSE];
	unsigned int nr_series;
};

static const struct metric metrics[] = {
	{ "ioband_group_ios_total", "counter",
	  "I/Os passed on to the device below.",
	  { { STATS_RD_IOS, ",direction=\"read\"" },
	    { STATS_WR_IOS, ",direction=\"write\"" } }, 2 },
	{ "ioband_group_bytes_total", "counter",
	  "Bytes that these read and wrote.",
	  { { STATS_RD_SECTORS, ",direction=\"read\"" },
	    { STATS_WR_SECTORS, ",direction=\"write\"" } }, 2 },
	{ "ioband_group_io_seconds_total", "counter",
	  "Time that completed I/Os took, held or at the disk.",
	  { { STATS_RD_NS, ",direction=\"read\"" },
	    { STATS_WR_NS, ",direction=\"write\"" } }, 2 },
	{ "ioband_group_held_ios_total", "counter",
	  "I/Os that had to wait.", { { STATS_HELD_IOS, "" } }, 1 },
	{ "ioband_group_held_seconds_total", "counter",
	  "Time that I/Os waited.", { { STATS_HELD_NS, "" } }, 1 },
	{ "ioband_group_held_because_seconds_total", "counter",
	  "Time that I/Os waited, by what held them.",
	  { { STATS_BECAUSE_WEIGHT_NS, ",reason=\"weight\"" },
	    { STATS_BECAUSE_LIMIT_NS, ",reason=\"limit\"" },
	    { STATS_BECAUSE_DEPTH_NS, ",reason=\"depth\"" },
	    { STATS_BECAUSE_GRACE_NS, ",reason=\"grace\"" },
	    { STATS_BECAUSE_DEBT_NS, ",reason=\"debt\"" },
	    { STATS_BECAUSE_SQUEEZE_NS, ",reason=\"squeeze\"" } }, 6 },
	{ "ioband_group_urgent_ios_total", "counter",
	  "I/Os passed on out of turn, because they must not wait.",
	  { { STATS_URGENT_IOS, "" } }, 1 },
	{ "ioband_group_late_ios_total", "counter",
	  "I/Os that took longer than the latency target of the group.",
	  { { STATS_LATE_IOS, "" } }, 1 },
	{ "ioband_group_unmet_minimum_seconds_total", "counter",
	  "Time by which the group did not get its minimum.",
	  { { STATS_UNMET_MIN, "" } }, 1 },
	{ "ioband_group_weight", "gauge",
	  "Weight of the group.", { { STATS_WEIGHT, "" } }, 1 },
	{ "ioband_group_waiting", "gauge",
	  "I/Os that wait now.", { { STATS_HELD, "" } }, 1 },
	{ "ioband_group_in_flight", "gauge",
	  "I/Os at the disk now.", { { STATS_IN_FLIGHT, "" } }, 1 },
	{ "ioband_group_due_ratio", "gauge",
	  "Part of the service of the share due to the group since contention began.",
	  { { STATS_DUE_PPM, "" } }, 1 },
	{ "ioband_group_got_ratio", "gauge",
	  "Part of the service of the share that the group got since contention began.",
	  { { STATS_GOT_PPM, "" } }, 1 },
};

/* The value, escaped; to be freed. */
static char *label_value(const char *value)
{
	char *text = output_utf8(value);
	char *escaped = xcalloc(2 * strlen(text) + 1, 1), *to = escaped;

	for (const char *s = text; *s; s++) {
		if (*s == '\\' || *s == '"')
			*to++ = '\\';
		*to++ = *s;
	}
	free(text);
	return escaped;
}

/* Labels that identify a group; to be freed. */
static char *group_labels(const struct sample *sample,
			  const struct volume *vol,
			  const struct stats_group *group, const char *sysroot)
{
	char *name = sample_name(sample, vol, group, sysroot);
	char *volume = label_value(vol->name);
	char *share = label_value(vol->table.share);
	char *escaped = label_value(name ? name : "");
	char *id = group->is_default ? xstrdup("default") :
				       xasprintf("%" PRIu64, group->id);
	char *labels = xasprintf("volume=\"%s\",share=\"%s\",group=\"%s\",name=\"%s\"",
				 volume, share, id, escaped);

	free(id);
	free(escaped);
	free(share);
	free(volume);
	free(name);
	return labels;
}

static void print_head(FILE *out, const char *name, const char *type,
		       const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_seconds(FILE *out, uint64_t ns)
{
	fprintf(out, "%" PRIu64 ".%09" PRIu64 "\n", ns / NS_PER_SEC,
		ns % NS_PER_SEC);
}

static void print_value(FILE *out, enum stats_key key, uint64_t value)
{
	switch (key) {
	case STATS_RD_SECTORS:
	case STATS_WR_SECTORS:
		fprintf(out, "%.0f\n", 512.0 * value);
		break;
	case STATS_RD_NS:
	case STATS_WR_NS:
	case STATS_HELD_NS:
	case STATS_BECAUSE_WEIGHT_NS:
	case STATS_BECAUSE_LIMIT_NS:
	case STATS_BECAUSE_DEPTH_NS:
	case STATS_BECAUSE_GRACE_NS:
	case STATS_BECAUSE_DEBT_NS:
	case STATS_BECAUSE_SQUEEZE_NS:
		print_seconds(out, value);
		break;
	case STATS_DUE_PPM:
	case STATS_GOT_PPM:
		fprintf(out, "%" PRIu64 ".%06" PRIu64 "\n", value / 1000000,
			value % 1000000);
		break;
	default:
		fprintf(out, "%" PRIu64 "\n", value);
	}
}

/* @labels: one string per group, in the order of the sample */
static void print_metric(FILE *out, const struct metric *metric,
			 const struct sample *sample, char * const *labels)
{
	size_t nr = 0;

	print_head(out, metric->name, metric->type, metric->help);
	for (size_t i = 0; i < sample->volumes.nr; i++) {
		const struct stats *stats = &sample->stats[i];

		for (size_t j = 0; j < stats->nr_groups; j++, nr++) {
			for (unsigned int k = 0; k < metric->nr_series; k++) {
				const struct series *series =
					&metric->series[k];

				if (!stats_has(&stats->groups[j], series->key))
					continue;
				fprintf(out, "%s{%s%s} ", metric->name,
					labels[nr], series->label);
				print_value(out, series->key,
					    stats->groups[j].v[series->key]);
			}
		}
	}
}

/*
 * How long the I/Os of a group were at the disk in all. Of an older target it is reckoned:
 * each bucket is twice as wide as the one before it, so two thirds of its upper bound are
 * within a third of what each I/O in it took.
 */
static uint64_t service_ns(const struct stats_group *group)
{
	uint64_t ns = 0;

	if (stats_has(group, STATS_SERVICE_NS))
		return group->v[STATS_SERVICE_NS];
	for (unsigned int i = 0; i < STATS_BUCKETS; i++)
		ns += group->service[i] * ((2048ULL << i) / 3);
	return ns;
}

/*
 * Every other bucket from 4 us to 4 s, always the same ones, as each costs a time
 * series per group. %.10g prints these powers of two, in nanoseconds, exactly.
 */
static void print_buckets(FILE *out, const char *name, const char *labels,
			  const uint64_t counts[STATS_BUCKETS], uint64_t ns)
{
	uint64_t nr = 0;

	for (unsigned int i = 0; i < STATS_BUCKETS; i++) {
		nr += counts[i];
		if (i >= BUCKET_FIRST && i <= BUCKET_LAST && i % 2 == 0)
			fprintf(out, "%s_bucket{%s,le=\"%.10g\"} %" PRIu64 "\n",
				name, labels, (1024ULL << i) / 1e9, nr);
	}
	fprintf(out, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels, nr);
	fprintf(out, "%s_sum{%s} ", name, labels);
	print_seconds(out, ns);
	fprintf(out, "%s_count{%s} %" PRIu64 "\n", name, labels, nr);
}

static void print_histogram(FILE *out, bool wait, const struct sample *sample,
			    char * const *labels)
{
	const char *name = wait ? "ioband_group_wait_seconds" :
				  "ioband_group_service_seconds";
	size_t nr = 0;

	print_head(out, name, "histogram",
		   wait ? "I/Os that were held, by how long." :
			  "I/Os by how long they were at the disk.");
	for (size_t i = 0; i < sample->volumes.nr; i++) {
		const struct stats *stats = &sample->stats[i];

		for (size_t j = 0; j < stats->nr_groups; j++, nr++) {
			const struct stats_group *group = &stats->groups[j];

			if (wait && group->has_wait)
				print_buckets(out, name, labels[nr], group->wait,
					      group->v[STATS_HELD_NS]);
			if (!wait && group->has_service)
				print_buckets(out, name, labels[nr],
					      group->service,
					      service_ns(group));
		}
	}
}

static void print_shares(FILE *out, const struct sample *sample)
{
	static const struct {
		const char *name, *help;
		size_t offset;
	} gauges[] = {
		{ "ioband_share_depth",
		  "I/Os at the disk beyond which the next one is held.",
		  offsetof(struct show, depth) },
		{ "ioband_share_contended",
		  "Whether I/O is being put in order now.",
		  offsetof(struct show, contended) },
		{ "ioband_share_in_flight", "I/Os of the share at the disk now.",
		  offsetof(struct show, in_flight) },
		{ "ioband_share_waiting", "I/Os of the share that wait now.",
		  offsetof(struct show, held) },
	};

	for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++) {
		print_head(out, gauges[i].name, "gauge", gauges[i].help);
		for (size_t j = 0; j < sample->volumes.nr; j++) {
			const char *value = *(const char **)
				((char *)&sample->shows[j] + gauges[i].offset);
			char *share;

			/* A word from the kernel: only a number is a valid sample. */
			if (!value || !*value ||
			    value[strspn(value, "0123456789")])
				continue;
			share = label_value(sample->volumes.v[j].table.share);
			fprintf(out, "%s{share=\"%s\"} %s\n", gauges[i].name,
				share, value);
			free(share);
		}
	}
}

/*
 * Each volume that has a file, also if the device is not there, has lost ioband, or the
 * kernel has no module: nothing else here would tell of it. @all: not just those chosen
 */
static int print_up(FILE *out, const struct options *opts,
		    const struct sample *sample, bool all)
{
	struct names names;
	int status = store_names(opts, STORE_ETC, &names);

	if (!status && names.nr)
		print_head(out, "ioband_volume_up", "gauge",
			   "Whether a configured volume is there, with ioband.");
	for (size_t i = 0; !status && i < names.nr; i++) {
		const struct volume *vol = volumes_find(&sample->volumes,
							names.v[i]);
		char *name = label_value(names.v[i]);

		if (all || (vol && vol->chosen))
			fprintf(out, "ioband_volume_up{volume=\"%s\"} %d\n",
				name, vol != NULL);
		free(name);
	}
	names_free(&names);
	return status;
}

static int print_versions(FILE *out, const struct sample *sample)
{
	struct ioband_dm_version version = { 0 };
	int status;

	/* Without volumes, asking for the version would load the module. */
	if (sample->volumes.nr) {
		status = target_check(&version);
		if (status)
			return status;
	}
	print_head(out, "ioband_build_info", "gauge",
		   "Versions of the command and of the target in the kernel.");
	fprintf(out, "ioband_build_info{version=\"%s\",target=\"", IOBAND_VERSION);
	if (version.major)
		fprintf(out, "%u.%u.%u", version.major, version.minor,
			version.patch);
	fputs("\"} 1\n", out);
	return 0;
}

static int print_all(FILE *out, const struct options *opts,
		     const struct sample *sample, bool all)
{
	size_t nr = 0, nr_labels = 0;
	char **labels;
	int status;

	status = print_versions(out, sample);
	if (!status)
		status = print_up(out, opts, sample, all);
	if (status)
		return status;
	for (size_t i = 0; i < sample->volumes.nr; i++)
		nr_labels += sample->stats[i].nr_groups;
	labels = xcalloc(nr_labels, sizeof(*labels));
	for (size_t i = 0; i < sample->volumes.nr; i++)
		for (size_t j = 0; j < sample->stats[i].nr_groups; j++)
			labels[nr++] = group_labels(sample,
						    &sample->volumes.v[i],
						    &sample->stats[i].groups[j],
						    opts->sysroot);

	print_shares(out, sample);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		print_metric(out, &metrics[i], sample, labels);
	print_histogram(out, true, sample, labels);
	print_histogram(out, false, sample, labels);

	for (size_t i = 0; i < nr_labels; i++)
		free(labels[i]);
	free(labels);
	return 0;
}

/* Without device-mapper there are no volumes, and that is what is to be told. */
static int read_sample(struct sample *sample, const struct options *opts,
		       int argc, char **argv)
{
	struct ioband_dm_devices devices = { 0 };
	bool is_none = ioband_dm_list(&devices) == -ENOPKG;

	ioband_dm_devices_free(&devices);
	return is_none && !argc ? 0 : sample_read(sample, opts, argc, argv);
}

int cmd_metrics(const struct options *opts, int argc, char **argv)
{
	struct sample sample = { 0 };
	char *text = NULL;
	size_t len = 0;
	int status = 0, r;
	FILE *out;

	if (opts->columns)
		status = replace_check("--output", opts->columns);
	if (!status)
		status = read_sample(&sample, opts, argc, argv);
	if (!status)
		status = sample_read_shows(&sample);
	if (!status) {
		out = xmemstream(&text, &len);
		status = print_all(out, opts, &sample, !argc);
		xmemclose(out);
	}
	if (!status && opts->columns) {
		r = replace_file(opts->columns, text, len, false);
		if (r)
			status = fail(r == -EACCES ? IOBAND_PERM : IOBAND_USAGE,
				      "cannot write '%s': %s; what was there stays",
				      opts->columns, strerror(-r));
	} else if (!status) {
		fputs(text, stdout);
	}
	free(text);
	sample_free(&sample);
	return status;
}
