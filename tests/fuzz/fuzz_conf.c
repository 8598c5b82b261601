// SPDX-License-Identifier: GPL-2.0-only
/*
 * Input: "conf", "param" or "legacy" and a newline, then the text of a
 * configuration file, the parameter of a group, or a line of dm-ioband 1.
 */
#include "config/config.h"
#include "fuzz.h"

static char *print_conf(const struct config *cfg)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	must(to);
	conf_print(cfg, to);
	must(!fclose(to));
	return text;
}

/* One sentence with words, that names a line where there are several. */
static void check_error(const struct parse_error *err)
{
	must(memchr(err->text, '\0', sizeof(err->text)));
	must(strchr(err->text, ' '));
}

/* What is written reads back, and is written the same again. */
static void check_round_trip(const struct config *cfg)
{
	char *text = print_conf(cfg), *again;
	struct parse_error err;
	struct config back;

	config_init(&back, cfg->name);
	must(!conf_parse(&back, text, &err));
	again = print_conf(&back);
	must(!strcmp(text, again));
	free(again);
	free(text);
	config_free(&back);
}

/* So does the line of a table. */
static void check_table(struct config *cfg)
{
	struct parse_error err;
	struct table_line line;
	struct config back;
	char *params, *again;
	size_t i;

	for (i = 0; i < cfg->nr_groups; i++) {
		struct config_group *group = &cfg->groups[i];

		group->id = i;
		group->has_id = !group->is_default;
		/* By then it is a number. */
		if (group->set.v[SET_PARENT].given)
			strcpy(group->set.parent, "7");
	}
	if (!*cfg->share)
		strcpy(cfg->share, "s");
	params = config_params(cfg, "8:16", 2048);
	must(!table_parse(params, &line, &err));
	config_init(&back, cfg->name);
	must(!config_from_table(&back, &line, &err));
	again = config_params(&back, "8:16", line.offset_sectors);
	must(!strcmp(params, again));
	for (i = 0; i < cfg->nr_groups; i++) {
		const struct config_group *is = &cfg->groups[i];
		const struct config_group *group =
			config_find(&back, is->is_default, is->id);
		int key;

		must(group);
		for (key = 0; key < NR_SETTINGS; key++)
			must(setting_equal(&is->set, &group->set, key));
	}
	free(again);
	free(params);
	table_free(&line);
	config_free(&back);
}

static void fuzz_conf(const char *text)
{
	struct parse_error err;
	struct config cfg;

	config_init(&cfg, "fuzz");
	if (conf_parse(&cfg, text, &err)) {
		check_error(&err);
		must(!strncmp(err.text, "line ", 5));
	} else {
		check_round_trip(&cfg);
		check_table(&cfg);
	}
	config_free(&cfg);
}

static void fuzz_param(const char *text)
{
	static const char * const policies[] = { "weight", "limit", "range-bw" };
	char again[8192], twice[8192];
	struct settings set, back;
	struct parse_error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		memset(&set, 0, sizeof(set));
		memset(&back, 0, sizeof(back));
		if (settings_take_param(&set, policies[i], text, &err)) {
			check_error(&err);
			continue;
		}
		must(settings_param(again, sizeof(again), policies[i],
				    &set) > 0);
		must(!settings_take_param(&back, policies[i], again, &err));
		must(settings_param(twice, sizeof(twice), policies[i],
				    &back) > 0);
		must(!strcmp(again, twice));
	}
}

static void fuzz_legacy(const char *text)
{
	struct parse_error err;
	struct config cfg;
	int r;

	config_init(&cfg, "");
	r = legacy_parse(text, &cfg, &err);
	if (r < 0) {
		check_error(&err);
	} else if (r) {
		must(*cfg.device);
		check_round_trip(&cfg);
		check_table(&cfg);
	}
	config_free(&cfg);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	/* An allocation of its own, so that ASan sees its end. */
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	if (!strncmp(text, "conf\n", 5))
		fuzz_conf(text + 5);
	else if (!strncmp(text, "param\n", 6))
		fuzz_param(text + 6);
	else if (!strncmp(text, "legacy\n", 7))
		fuzz_legacy(text + 7);
	free(text);
	return 0;
}
