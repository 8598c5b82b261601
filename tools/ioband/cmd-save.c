// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband save: write down what there is, for apply to make it again.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "current.h"
#include "store.h"
#include "util.h"
#include "words.h"

/* A number is a cgroup in this run of the machine only. */
static void name_parents(struct config *cfg)
{
	for (size_t i = 0; i < cfg->nr_groups; i++) {
		struct settings *set = &cfg->groups[i].set;
		const struct config_group *parent;
		uint64_t id;

		if (!set->v[SET_PARENT].given ||
		    !parse_u64(set->parent, UINT64_MAX, &id))
			continue;
		parent = config_find(cfg, false, id);
		if (parent)
			snprintf(set->parent, sizeof(set->parent), "%s",
				 parent->name);
	}
}

static void drop_unsaved(struct config *cfg)
{
	bool is_cgroup = !strcmp(cfg->type, "cgroup");
	size_t i = 0;

	while (i < cfg->nr_groups) {
		struct config_group *group = &cfg->groups[i];
		bool is_silent = group->is_auto &&
				 settings_are_default(&group->set);

		if (is_cgroup && group->has_id && *group->name != '/' &&
		    !is_silent)
			warn("'%s': group %s is left out, for its cgroup is gone",
			     cfg->name, group->name);
		else if (!is_silent) {
			i++;
			continue;
		}
		config_drop_group(cfg, group);
	}
}

static int save(const struct options *opts, const struct volume *vol,
		bool is_first)
{
	struct config cfg;
	int status;

	status = volume_config(opts, vol, &cfg);
	if (!status)
		status = check_volume_name(cfg.name);
	if (!status) {
		drop_unsaved(&cfg);
		name_parents(&cfg);
		if (store_has_dropins(opts, cfg.name))
			warn("'%s' has files in " STORE_ETC "/%s.conf.d, and what they say takes the place of what is saved",
			     cfg.name, cfg.name);
	}
	if (!status && opts->dry_run) {
		printf("%s# " STORE_ETC "/%s.conf\n", is_first ? "" : "\n",
		       cfg.name);
		conf_print(&cfg, stdout);
	} else if (!status) {
		status = store_save(opts, STORE_ETC, &cfg);
	}
	config_free(&cfg);
	return status;
}

int cmd_save(const struct options *opts, int argc, char **argv)
{
	struct volumes volumes = { 0 };
	unsigned int nr = 0;
	int status;

	status = volumes_read(&volumes);
	if (!status)
		status = volumes_choose(&volumes, argc, argv);
	for (size_t i = 0; !status && i < volumes.nr; i++) {
		const struct volume *vol = &volumes.v[i];

		if (!vol->chosen)
			continue;
		/* Lines of different shares have one name and would be one file. */
		if (volumes_find(&volumes, vol->name) != vol)
			status = fail(IOBAND_DEVICE,
				      "cannot save '%s': its lines have different shares, which a configuration cannot tell",
				      vol->name);
		else
			status = save(opts, vol, !nr++);
	}
	volumes_free(&volumes);
	return status;
}
