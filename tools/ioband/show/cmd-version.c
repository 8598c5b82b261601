// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband version: check that command and module fit each other.
 */
#include <stdlib.h>

#include "cmd.h"
#include "lib/target.h"
#include "lib/util.h"

enum {
	COL_COMPONENT,
	COL_VERSION,
};

const struct column version_columns[] = {
	[COL_COMPONENT] = { "COMPONENT", COLUMN_STRING, true,
		"this command, or the target in the kernel" },
	[COL_VERSION] = { "VERSION", COLUMN_STRING, true,
		"its version" },
	{ 0 }
};

static void add_version(struct listing *list, const char *component,
			const char *version)
{
	listing_row(list);
	listing_string(list, COL_COMPONENT, component);
	if (version)
		listing_string(list, COL_VERSION, version);
}

int cmd_version(const struct options *opts, int argc, char **argv)
{
	struct ioband_dm_version version;
	struct listing *list;
	char *text = NULL;
	int status, r;

	(void)argc;
	(void)argv;
	status = listing_new(&list, opts, "versions", version_columns);
	if (status)
		goto out;

	status = target_check(&version);
	if (version.major)
		text = xasprintf("%u.%u.%u", version.major, version.minor,
				 version.patch);
	add_version(list, "command", IOBAND_VERSION);
	add_version(list, "target", text);
	r = listing_print(list);
	if (!status)
		status = r;
out:
	free(text);
	listing_free(list);
	return status;
}
