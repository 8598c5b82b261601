// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband show: show the present state of the scheduler of each share.
 *
 * Keys are passed on as they come, as later targets may report more of them.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lib/action.h"
#include "lib/output.h"
#include "lib/util.h"
#include "lib/volume.h"
#include "lib/words.h"

enum {
	COL_VOLUME,
	COL_KEY,
	COL_VALUE,
};

const struct column show_columns[] = {
	[COL_VOLUME] = { "VOLUME", COLUMN_STRING, true,
		"VG/LV or name of the volume; its device-mapper name with --json and --raw" },
	[COL_KEY] = { "KEY", COLUMN_STRING, true,
		"what the value is of" },
	[COL_VALUE] = { "VALUE", COLUMN_ANY, true,
		"the value" },
	{ 0 }
};

static void add_line(struct listing *list, const struct volume *vol, char *line)
{
	struct words words = { .next = line };
	char *word;

	while ((word = next_word(&words))) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = '\0';
		listing_row(list);
		listing_volume(list, COL_VOLUME, vol->name, vol->title);
		listing_string(list, COL_KEY, word);
		listing_string(list, COL_VALUE, value);
	}
}

static int add_volume(struct listing *list, const struct volume *vol)
{
	char *answer, *line, *next;
	int r;

	r = ioband_dm_message(vol->name, vol->start, "show", &answer);
	if (r)
		return fail_change(r, "cannot ask '%s' for its state",
				   vol->name);
	for (line = answer; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		add_line(list, vol, line);
	}
	free(answer);
	return 0;
}

int cmd_show(const struct options *opts, int argc, char **argv)
{
	struct volumes volumes = { 0 };
	struct listing *list;
	int status;

	status = listing_new(&list, opts, "state", show_columns);
	if (!status)
		status = volumes_read(&volumes);
	if (!status)
		status = volumes_choose(opts, &volumes, argc, argv);
	for (size_t i = 0; !status && i < volumes.nr; i++)
		if (volumes.v[i].chosen)
			status = add_volume(list, &volumes.v[i]);
	if (!status)
		status = listing_print(list);
	volumes_free(&volumes);
	listing_free(list);
	return status;
}
