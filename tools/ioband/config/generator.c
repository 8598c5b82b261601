// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband-generator: tell systemd which device the service of each volume waits for.
 *
 * The template ioband@.service is the same for all volumes; the device that it has to
 * come after is named in /etc/ioband/NAME.conf. systemd runs this at boot and at each
 * reload, with three directories, and then reads the units written to them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <blkid.h>

#include "cmd.h"
#include "generator.h"
#include "lib/blk.h"
#include "lib/util.h"
#include "store.h"

/**
 * systemd_escape - escape a string for the name of a unit
 * @text: the string
 * @is_path: escape it as a path, like systemd-escape --path
 *
 * Return: the escaped string, to be freed.
 */
char *systemd_escape(const char *text, bool is_path)
{
	char *out = xcalloc(strlen(text) + 1, 4), *to = out;
	const char *from = text;

	while (is_path && *from == '/')
		from++;
	for (const char *first = from; *from; from++) {
		unsigned char c = *from;

		if (is_path && c == '/' && (from[1] == '/' || !from[1]))
			continue;
		if (c == '/')
			*to++ = '-';
		else if (isalnum(c) || c == ':' || c == '_' ||
			 (c == '.' && from != first))
			*to++ = c;
		else
			to += sprintf(to, "\\x%02x", c);
	}
	return out;
}

/* The link that udev makes, or NULL. */
static char *tag_path(const char *tag, const char *value)
{
	static const char * const tags[][2] = {
		{ "UUID", "by-uuid" }, { "LABEL", "by-label" },
		{ "PARTUUID", "by-partuuid" }, { "PARTLABEL", "by-partlabel" },
	};
	size_t size = 4 * strlen(value) + 1;
	char *name = xcalloc(size, 1), *path = NULL;

	blkid_encode_string(value, name, size);
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (!strcmp(tag, tags[i][0]))
			path = xasprintf("/dev/disk/%s/%s", tags[i][1], name);
	free(name);
	return path;
}

/* The path of the device node of a volume, or NULL; to be freed. */
static char *device_path(const struct config *cfg)
{
	const char *device = cfg->device;
	char *tag, *value;

	if (!*device)
		return xasprintf("/dev/mapper/%s", cfg->name);
	if (blk_parse_tag(device, &tag, &value)) {
		char *path = tag_path(tag, value);

		free(tag);
		free(value);
		return path;
	}
	if (*device == '/')
		return xstrdup(device);
	if (strchr(device, '/'))
		return xasprintf("/dev/%s", device);
	/* MAJOR:MINOR, or a form that only blk_find() can resolve. */
	return NULL;
}

static int write_dropin(const char *dir, const struct config *cfg)
{
	char *path = device_path(cfg), *unit, *device, *dropin, *name;
	FILE *file;
	int status = 0;

	if (!path)
		return 0;
	name = systemd_escape(cfg->name, false);
	device = systemd_escape(path, true);
	unit = xasprintf("%s/ioband@%s.service.d", dir, name);
	dropin = xasprintf("%s/50-device.conf", unit);
	file = mkdir(unit, 0755) && errno != EEXIST ? NULL :
						      fopen(dropin, "we");
	if (file)
		fprintf(file,
			"# Written by ioband-generator, as " STORE_ETC "/%s.conf says.\n"
			"[Unit]\n"
			"BindsTo=%s.device\n"
			"After=%s.device\n", cfg->name, device, device);
	if (!file || fclose(file))
		status = fail(IOBAND_USAGE, "cannot write '%s': %s", dropin,
			      strerror(errno));
	free(dropin);
	free(unit);
	free(device);
	free(name);
	free(path);
	return status;
}

/**
 * generator - write drop-ins for the services of all volumes
 * @opts: the global options
 * @argc: number of arguments
 * @argv: the directories; the first is for units that files of the administrator
 *	override
 *
 * A bad file of one volume does not keep the others from being processed.
 *
 * Return: an exit code after errors have been reported.
 */
int generator(const struct options *opts, int argc, char **argv)
{
	struct names names;
	int status;

	if (argc < 1)
		return fail(IOBAND_USAGE,
			    "ioband-generator: expected a directory, as systemd gives it");
	status = store_names(opts, STORE_ETC, &names);
	for (size_t i = 0; i < names.nr; i++) {
		struct config cfg;
		bool found;
		int r = store_load(opts, STORE_ETC, names.v[i], &cfg, &found);

		if (!r && found && (*cfg.device || cfg.is_attached))
			r = write_dropin(argv[0], &cfg);
		status = status ? status : r;
		config_free(&cfg);
	}
	names_free(&names);
	return status;
}
