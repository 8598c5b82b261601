// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband import: convert the configuration of dm-ioband 1.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "config/config.h"
#include "config/store.h"
#include "lib/blk.h"
#include "lib/lock.h"
#include "lib/util.h"

#define LEGACY_FILE "/etc/ioband.conf"

struct imports {
	struct config *v;
	size_t nr;
};

/* The logical volume's name, derived from its path if it does not exist. */
static void name_volume(const struct options *opts, struct config *cfg)
{
	struct stat st;
	struct blk blk;

	if (!*opts->sysroot && !stat(cfg->device, &st) &&
	    !blk_find(opts->sysroot, cfg->device, &blk) && *blk.dm_name)
		snprintf(cfg->name, sizeof(cfg->name), "%s", blk.dm_name);
	else if (!blk_dm_name(cfg->name, sizeof(cfg->name), cfg->device))
		/* Too long, as the error for a name with a slash will tell. */
		snprintf(cfg->name, sizeof(cfg->name), "%.127s", cfg->device);
}

static int force;

static const struct option import_long_options[] = {
	{ "force",	no_argument,		&force, true },
	{ 0 }
};

const struct own_options import_options = {
	import_long_options, NULL,
	"      --force          overwrite files that are there\n"
};

/* Refuse what apply would, and a second volume of the name. */
static int check_import(const struct imports *all, const struct config *cfg,
			const char *file, unsigned long nr)
{
	struct parse_error err;
	int status = check_volume_name(cfg->name);

	if (!status && config_check(cfg, &err))
		status = fail(IOBAND_USAGE, "%s: line %lu: %s", file, nr,
			      err.text);
	if (!status)
		status = store_check(cfg);
	for (size_t i = 0; !status && i + 1 < all->nr; i++)
		if (!strcmp(all->v[i].name, cfg->name))
			status = fail(IOBAND_USAGE,
				      "%s: line %lu: there is a volume '%s' further up already",
				      file, nr, cfg->name);
	return status;
}

static int read_line(const struct options *opts, const char *line,
		     const char *file, unsigned long nr,
		     struct imports *imports)
{
	struct parse_error err;
	struct config cfg;
	int r;

	config_init(&cfg, "");
	r = legacy_parse(line, &cfg, &err);
	if (r <= 0) {
		config_free(&cfg);
		return r ? fail(IOBAND_USAGE, "%s: line %lu: %s", file, nr,
				err.text) : 0;
	}
	if (!*cfg.name)
		name_volume(opts, &cfg);
	if (!strcmp(cfg.type, "cgroup") && cfg.nr_groups > 1)
		warn("%s: line %lu: ids of cgroups were others in dm-ioband 1: put paths in their place",
		     file, nr);
	if (*cfg.device >= '0' && *cfg.device <= '9')
		warn("%s: line %lu: device %s may be another one by now: put its path in its place",
		     file, nr, cfg.device);
	imports->v = xreallocarray(imports->v, imports->nr + 1,
				   sizeof(*imports->v));
	imports->v[imports->nr++] = cfg;
	return check_import(imports, &imports->v[imports->nr - 1], file, nr);
}

static int read_file(const struct options *opts, const char *file,
		     struct imports *imports)
{
	FILE *from = fopen(file, "re");
	char *line = NULL;
	size_t size = 0;
	unsigned long nr = 0;
	int status = 0;
	ssize_t len;

	if (!from)
		return fail(errno == EACCES ? IOBAND_PERM : IOBAND_USAGE,
			    "cannot read '%s': %s; name the file to be imported",
			    file, strerror(errno));
	while (!status && (len = getline(&line, &size, from)) > 0) {
		nr++;
		if (strlen(line) != (size_t)len)
			status = fail(IOBAND_USAGE,
				      "%s: line %lu: has a byte 0, expected text",
				      file, nr);
		line[strcspn(line, "\n")] = '\0';
		if (!status)
			status = read_line(opts, line, file, nr, imports);
	}
	if (!status && ferror(from))
		status = fail(IOBAND_USAGE, "cannot read '%s': %s", file,
			      strerror(errno));
	free(line);
	fclose(from);
	return status;
}

static int check_new(const struct options *opts, const struct imports *imports)
{
	struct names names;
	int status = store_names(opts, STORE_ETC, &names);

	for (size_t i = 0; !status && i < imports->nr; i++)
		for (size_t j = 0; !status && j < names.nr; j++)
			if (!strcmp(names.v[j], imports->v[i].name))
				status = fail(IOBAND_BUSY,
					      STORE_ETC "/%s.conf is there already: --force overwrites it",
					      names.v[j]);
	names_free(&names);
	return status;
}

int cmd_import(const struct options *opts, int argc, char **argv)
{
	struct imports imports = { 0 };
	char *file;
	int status;

	file = argc ? xstrdup(argv[0]) :
		      xasprintf("%s" LEGACY_FILE, opts->sysroot);
	/* The lock is not held while somebody writes to a pipe. */
	status = read_file(opts, file, &imports);
	if (!status)
		status = lock_take(opts);
	if (!status && !force)
		status = check_new(opts, &imports);
	/* Every line has been checked before the first file is written. */
	for (size_t i = 0; !status && i < imports.nr; i++) {
		if (opts->dry_run) {
			printf("%s# " STORE_ETC "/%s.conf\n", i ? "\n" : "",
			       imports.v[i].name);
			conf_print(&imports.v[i], stdout);
		} else {
			status = store_save(opts, STORE_ETC, &imports.v[i]);
			if (!status)
				report(opts, "%s: written to " STORE_ETC "/%s.conf; 'ioband apply' makes it so",
				       imports.v[i].name, imports.v[i].name);
		}
	}
	for (size_t i = 0; i < imports.nr; i++)
		config_free(&imports.v[i]);
	free(imports.v);
	free(file);
	return status;
}
