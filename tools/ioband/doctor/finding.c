// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all checks use: they add findings, about what was asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

/* Takes over @text and @advice. */
void add_finding(struct doctor *doctor, enum severity severity,
		 const char *check, const char *subject, char *text,
		 char *advice)
{
	doctor->findings = xreallocarray(doctor->findings,
					 doctor->nr_findings + 1,
					 sizeof(*doctor->findings));
	doctor->findings[doctor->nr_findings++] = (struct finding){
		.severity = severity,
		.check = check,
		.subject = xstrdup(subject),
		.text = text,
		.advice = advice,
	};
}

/* Whether a device-mapper device is one of those that were asked for. */
bool doctor_is_named(const struct doctor *doctor, const char *name)
{
	for (int i = 0; i < doctor->nr_words; i++)
		if (!strcmp(doctor->words[i], name))
			return true;
	return false;
}

/* Whether a device-mapper device of that name is to be examined. */
bool doctor_wants(const struct doctor *doctor, const char *name)
{
	return !doctor->nr_words || doctor_is_named(doctor, name);
}

/**
 * sys_block_line - read the first line of a sysfs file of a device
 * @sysroot: prefix of /sys
 * @devno: MAJOR:MINOR
 * @file: path relative to the directory of the device
 *
 * Return: the line without its newline, to be freed; %NULL if there is no such file.
 */
char *sys_block_line(const char *sysroot, const char *devno, const char *file)
{
	char *path, line[256], *text = NULL;
	FILE *f;

	/* @devno comes from a table: do not trust it in a path. */
	if (devno[strspn(devno, "0123456789:")])
		return NULL;
	path = xasprintf("/sys/dev/block/%s/%s", devno, file);
	f = open_below(sysroot, path);
	free(path);
	if (!f)
		return NULL;
	if (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		text = xstrdup(line);
	}
	fclose(f);
	return text;
}
