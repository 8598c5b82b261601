// SPDX-License-Identifier: GPL-2.0-only
/*
 * Input: "table" or "message", then its words; words end at a blank or a NUL.
 */
#include "dm-ioband/args.h"
#include "fuzz.h"

#define WORDS_MAX 64

/* Each word has an allocation of its own, so that ASan sees its ends. */
static unsigned int split(const u8 *data, size_t size, char **words)
{
	unsigned int nr = 0;
	size_t i, begin = 0;

	for (i = 0; i <= size && nr < WORDS_MAX; i++) {
		if (i < size && data[i] != ' ' && data[i])
			continue;
		words[nr] = malloc(i - begin + 1);
		memcpy(words[nr], data + begin, i - begin);
		words[nr++][i - begin] = '\0';
		begin = i + 1;
	}
	return nr;
}

static void check_error(const struct ioband_error *err)
{
	must(err->brief && *err->brief);
	must(memchr(err->text, '\0', sizeof(err->text)));
	must(*err->text);
	/* It has words, not just the one that was refused. */
	must(strchr(err->text, ' '));
}

/* A path points into the word it came from, behind nothing that was cut off. */
static void check_ref(const struct ioband_ref *ref, char **words,
		      unsigned int nr)
{
	unsigned int i;

	must(!ref->path + !ref->id + !ref->is_default >= 2);
	if (!ref->path)
		return;
	for (i = 0; i < nr && words[i] != ref->path; i++)
		;
	must(i < nr && *ref->path == '/');
}

/* In bounds, whether it makes sense together or not. */
static void check_settings(const struct ioband_settings *settings)
{
	unsigned int id;

	must(!settings->weight ==
	     !(settings->given & BIT(IOBAND_KEY_WEIGHT)));
	must(settings->weight <= IOBAND_WEIGHT_MAX);
	must(settings->class < IOBAND_CLASSES);
	must(settings->min_rate <= IOBAND_RATE_MAX);
	must(settings->min_rate || !settings->min_is_ios);
	must(settings->latency_us <= 60000000);
	for (id = 0; id < IOBAND_LIMITS; id++) {
		const struct ioband_rate *limit = &settings->limits[id];

		must(limit->rate <= IOBAND_RATE_MAX);
		must(limit->burst <= IOBAND_RATE_MAX);
		must(limit->peak <= IOBAND_RATE_MAX);
		must(settings->given & BIT(IOBAND_KEY_LIMITS + id) ||
		     (!limit->rate && !limit->burst && !limit->peak));
	}
}

/* What was accepted makes sense, and is accepted again as it is printed. */
static void check_param(const struct ioband_settings *change,
			const struct ioband_policy *policy)
{
	char printed[1024], *words[] = {
		"d", "s", "0", "0", "none", (char *)policy->name, "0", printed,
	};
	struct ioband_settings settings, again;
	struct ioband_table table;
	struct ioband_error err;

	check_settings(change);
	ioband_settings_init(&settings);
	ioband_settings_merge(&settings, change);
	must(!ioband_settings_check(&settings, policy, &err));

	printed[0] = ':';
	must(ioband_settings_print(&settings, policy, printed + 1,
				   sizeof(printed) - 1) < 1000);
	must(!ioband_parse_table(ARRAY_SIZE(words), words, &table, &err));
	ioband_settings_init(&again);
	ioband_settings_merge(&again, &table.groups[0].settings);
	must(ioband_settings_equal(&settings, &again));
	ioband_table_free(&table);
}

static void check_table(const struct ioband_table *table, char **words,
			unsigned int nr)
{
	unsigned int i;

	must(table->device == words[0] && table->share == words[1]);
	must(*table->share && strlen(table->share) <= IOBAND_SHARE_LEN);
	must(table->settings.io_throttle <= IOBAND_DEPTH_MAX);
	must(table->settings.io_limit <= IOBAND_DEPTH_MAX);
	must(!table->settings.io_limit || table->settings.io_limit >= table->settings.io_throttle);
	must(!strcmp(ioband_type_name(table->type), words[4]));
	must(!strcmp(table->policy->name, words[5]));
	must(table->settings.token_base <= S32_MAX);
	must(table->offset_sectors <= S64_MAX >> 9);
	must(table->auto_depth <= IOBAND_AUTO_DEPTH_MAX);
	must(table->as_linear <= 1);
	must(!table->auto_depth || table->type == IOBAND_TYPE_CGROUP);

	must(table->nr_groups >= 1 && table->nr_groups <= nr);
	must(table->nr_groups == 1 || table->type != IOBAND_TYPE_NONE);
	for (i = 0; i < table->nr_groups; i++) {
		must(table->groups[i].ref.is_default == !i);
		check_ref(&table->groups[i].ref, words, nr);
		check_param(&table->groups[i].settings, table->policy);
		/* Only the default group may be left without anything. */
		must(!i || table->groups[i].settings.given);
	}
}

static void check_message(const struct ioband_message *msg, char **words,
			  unsigned int nr)
{
	check_ref(&msg->ref, words, nr);
	check_settings(&msg->settings);

	switch (msg->verb) {
	case IOBAND_MSG_TYPE:
		must(nr == 2 && !strcmp(ioband_type_name(msg->type), words[1]));
		break;
	case IOBAND_MSG_POLICY:
		must(nr == 2 && !strcmp(msg->policy->name, words[1]));
		break;
	case IOBAND_MSG_ATTACH:
	case IOBAND_MSG_DETACH:
		must(nr == 2 && !msg->ref.is_default);
		break;
	case IOBAND_MSG_WEIGHT:
		must(nr == 2 && msg->settings.weight);
		break;
	case IOBAND_MSG_TOKEN:
	case IOBAND_MSG_CARRYOVER:
		must(nr == 2 && msg->value <= S32_MAX);
		break;
	case IOBAND_MSG_QUANTUM:
		must(nr == 2 && msg->value <= IOBAND_QUANTUM_MS_MAX);
		break;
	case IOBAND_MSG_IO_THROTTLE:
	case IOBAND_MSG_IO_LIMIT:
		must(nr == 2 && msg->value <= IOBAND_DEPTH_MAX);
		break;
	case IOBAND_MSG_SET:
		must(nr >= 3 && msg->settings.given);
		break;
	case IOBAND_MSG_RANGE_BW:
		must(nr == 2 && msg->settings.given);
		break;
	case IOBAND_MSG_RESET:
	case IOBAND_MSG_STATS:
	case IOBAND_MSG_SHOW:
	case IOBAND_MSG_TABLE:
		must(nr == 1);
		break;
	default:
		must(!"a verb that can succeed");
	}
}

static void fuzz_table(char **words, unsigned int nr, struct ioband_error *err)
{
	struct ioband_table table;
	int r;

	memset(&table, 0xa5, sizeof(table));
	r = ioband_parse_table(nr, words, &table, err);
	if (r) {
		must(r == -EINVAL ||
		     (r == -ENOMEM && ioband_shim_out_of_memory));
		must(!table.groups);
		check_error(err);
	} else {
		must(!ioband_shim_out_of_memory);
		check_table(&table, words, nr);
	}
	ioband_table_free(&table);
}

static void fuzz_message(char **words, unsigned int nr,
			 struct ioband_error *err)
{
	struct ioband_message msg;
	int r;

	memset(&msg, 0xa5, sizeof(msg));
	r = ioband_parse_message(nr, words, &msg, err);
	if (r) {
		must(r == -EINVAL);
		check_error(err);
	} else {
		check_message(&msg, words, nr);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *words[WORDS_MAX];
	unsigned int i, nr = split(data, size, words);
	struct ioband_error *err = malloc(sizeof(*err));

	memset(err, 0xa5, sizeof(*err));
	/* "tablE": a table while memory is out. */
	ioband_shim_out_of_memory = words[0][0] && strchr(words[0], 'E');
	if (*words[0] == 'm')
		fuzz_message(words + 1, nr - 1, err);
	else
		fuzz_table(words + 1, nr - 1, err);

	free(err);
	for (i = 0; i < nr; i++)
		free(words[i]);
	return 0;
}
