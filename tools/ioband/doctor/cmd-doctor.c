// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband doctor: find out what is wrong, and what to do about it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "config/current.h"
#include "config/store.h"
#include "doctor.h"
#include "lib/blk.h"
#include "lib/leaf.h"
#include "lib/target.h"

enum {
	COL_SEVERITY,
	COL_CHECK,
	COL_SUBJECT,
	COL_FINDING,
	COL_ADVICE,
};

const struct column doctor_columns[] = {
	[COL_SEVERITY] = { "SEVERITY", COLUMN_STRING, true,
		"error, warning or note" },
	[COL_CHECK] = { "CHECK", COLUMN_STRING, true,
		"a word for what was looked at" },
	[COL_SUBJECT] = { "SUBJECT", COLUMN_STRING, true,
		"volume or device" },
	[COL_FINDING] = { "FINDING", COLUMN_STRING, true,
		"what was found" },
	[COL_ADVICE] = { "ADVICE", COLUMN_STRING, true,
		"what to do" },
	{ 0 }
};

static const char * const severities[] = {
	[NOTE] = "note", [WARNING] = "warning", [ERROR] = "error",
};

static void add_patient(struct doctor *doctor, const char *name,
			unsigned int major, unsigned int minor, bool volume)
{
	struct patient *patient;

	doctor->patients = xreallocarray(doctor->patients,
					 doctor->nr_patients + 1,
					 sizeof(*doctor->patients));
	patient = &doctor->patients[doctor->nr_patients++];
	patient->name = xstrdup(name);
	patient->volume = volume;
	io_devices_find(&patient->devices, doctor->opts->sysroot, major, minor);
}

/* Add a disk or partition that is not a device-mapper device. */
static int add_path(struct doctor *doctor, const char *word)
{
	unsigned int major, minor;
	struct blk blk;
	char *why, *path, *meant;

	if (!strpbrk(word, "/:")) {
		meant = blk_lv_called(doctor->opts->sysroot, word);
		fail(IOBAND_DEVICE,
		     "cannot look at '%s': device-mapper has no such device; %s%s%s",
		     word, meant ? "do you mean the logical volume '" :
		     "give a path such as /dev/sda for others",
		     meant ? meant : "", meant ? "'?" : "");
		free(meant);
		return IOBAND_DEVICE;
	}
	why = blk_look_up(doctor->opts->sysroot, word, &blk);
	if (why)
		fail(IOBAND_DEVICE, "cannot look at '%s': %s", word, why);
	free(why);
	if (why || sscanf(blk.devno, "%u:%u", &major, &minor) != 2)
		return IOBAND_DEVICE;
	path = blk_path(doctor->opts->sysroot, blk.devno);
	add_patient(doctor, path, major, minor, false);
	free(path);
	return 0;
}

/*
 * Words for devices are replaced by names, or numbers where device-mapper has none. A
 * logical volume may be gone.
 */
static void replace_words(struct doctor *doctor, char (*names)[VOLUME_LEN])
{
	for (int i = 0; i < doctor->nr_words; i++) {
		const char *word = doctor->words[i];
		struct blk blk;
		char *why;

		if (volumes_device(&doctor->volumes, word, NULL) ||
		    !strpbrk(word, "/:"))
			continue;
		why = blk_look_up(doctor->opts->sysroot, word, &blk);
		if (!why && !volumes_find(&doctor->volumes, blk.dm_name))
			leaf_find(doctor->opts->sysroot, &blk);
		if (!why)
			snprintf(names[i], sizeof(names[i]), "%s",
				 *blk.dm_name ? blk.dm_name : blk.devno);
		else if (blk_is_lv(word) &&
			 !volume_known(doctor->opts, &doctor->volumes, word, names[i]))
			blk_dm_name(names[i], sizeof(names[i]), word);
		if (*names[i])
			doctor->words[i] = names[i];
		free(why);
	}
}

static int find_patients(struct doctor *doctor)
{
	const struct volumes *volumes = &doctor->volumes;
	int status = 0;

	for (size_t i = 0; i < volumes->devices.nr; i++) {
		const struct ioband_dm_device *dev = &volumes->devices.v[i];
		bool named = doctor_is_named(doctor, dev->name), volume = false;

		for (size_t j = 0; j < volumes->nr; j++) {
			if (strcmp(volumes->v[j].name, dev->name))
				continue;
			volume = true;
			volumes->v[j].chosen = named || !doctor->nr_words;
		}
		if (named || (volume && !doctor->nr_words))
			add_patient(doctor, dev->name, dev->major, dev->minor,
				    volume);
	}
	for (int i = 0; !status && i < doctor->nr_words; i++) {
		const char *word = doctor->words[i];

		/* A configured volume that is missing will be a finding. */
		if (!volumes_device(volumes, word, NULL) &&
		    !doctor_has_file(doctor, STORE_ETC, word))
			status = add_path(doctor, word);
	}
	return status;
}

/* Return: whether there is a usable target. */
static bool check_target(struct doctor *doctor, int *status)
{
	struct ioband_dm_version version = { 0 };
	unsigned int major = 0, minor = 0;
	int r = ioband_dm_version(TARGET_TYPE, &version);

	if (r == -ENOPKG) {
		add_finding(doctor, ERROR, "module", "dm-ioband",
			    xstrdup("this kernel has no target 'ioband'"),
			    xstrdup("install the module for this kernel, then 'modprobe dm-ioband'; with Secure Boot its key has to be enrolled"));
		return false;
	}
	if (r) {
		*status = fail_errno(r, ioband_dm_error(),
				     "cannot ask for the version of target '%s'",
				     TARGET_TYPE);
		return false;
	}
	if (version.major < TARGET_MAJOR_MIN) {
		add_finding(doctor, ERROR, "module", "dm-ioband",
			    xasprintf("the target is of version %u.%u.%u, which is too old for this command",
				      version.major, version.minor,
				      version.patch),
			    xasprintf("load a module of version %d.0.0 or later: remove all volumes, then 'modprobe -r dm-ioband' and 'modprobe dm-ioband'",
				      TARGET_MAJOR_MIN));
		return false;
	}
	sscanf(IOBAND_VERSION, "%u.%u", &major, &minor);
	if (version.major > major ||
	    (version.major == major && version.minor > minor))
		add_finding(doctor, NOTE, "module", "dm-ioband",
			    xasprintf("the target, %u.%u.%u, is newer than this command, %s",
				      version.major, version.minor,
				      version.patch, IOBAND_VERSION),
			    xstrdup("install the command of the same version: this one cannot show all"));
	return true;
}

static int compare_findings(const void *pa, const void *pb)
{
	const struct finding *a = pa, *b = pb;
	int order = (int)b->severity - (int)a->severity;

	if (!order)
		order = strcmp(a->subject, b->subject);
	if (!order)
		order = strcmp(a->check, b->check);
	return order ? order : strcmp(a->text, b->text);
}

static int print_listing(const struct doctor *doctor)
{
	struct listing *list;
	int status;

	status = listing_new(&list, doctor->opts, "findings", doctor_columns);
	for (size_t i = 0; !status && i < doctor->nr_findings; i++) {
		const struct finding *finding = &doctor->findings[i];

		listing_row(list);
		listing_string(list, COL_SEVERITY,
			       severities[finding->severity]);
		listing_string(list, COL_CHECK, finding->check);
		listing_string(list, COL_SUBJECT, finding->subject);
		listing_string(list, COL_FINDING, finding->text);
		listing_string(list, COL_ADVICE, finding->advice);
	}
	if (!status)
		status = listing_print(list);
	listing_free(list);
	return status;
}

/* Names may hold any byte; control characters must not reach the terminal. */
static void print_safe(const char *text)
{
	for (; *text; text++)
		putchar((unsigned char)*text < 0x20 || *text == 0x7f ?
			'?' : *text);
}

/* Two lines of prose per finding, the second with what to type. */
static void print_lines(const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_findings; i++) {
		const struct finding *finding = &doctor->findings[i];
		char *title = doctor_title(doctor, finding->subject);

		printf("%s: ", severities[finding->severity]);
		print_safe(title);
		free(title);
		printf(": ");
		print_safe(finding->text);
		printf("\n    ");
		print_safe(finding->advice);
		putchar('\n');
	}
	if (!doctor->nr_findings && !doctor->nr_patients)
		printf("no volume has ioband: 'ioband enable vg/data' puts it into a logical volume\n");
	else if (!doctor->nr_findings)
		printf("nothing wrong found\n");
}

static void free_doctor(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_patients; i++) {
		free(doctor->patients[i].name);
		io_devices_free(&doctor->patients[i].devices);
	}
	free(doctor->patients);
	for (size_t i = 0; i < doctor->nr_findings; i++) {
		free(doctor->findings[i].subject);
		free(doctor->findings[i].text);
		free(doctor->findings[i].advice);
	}
	free(doctor->findings);
	volumes_free(&doctor->volumes);
}

static bool is_listing(const struct options *opts)
{
	return opts->json || opts->raw || opts->columns;
}

static int print_findings(struct doctor *doctor)
{
	const struct options *opts = doctor->opts;
	int status = 0;

	if (doctor->nr_findings)
		qsort(doctor->findings, doctor->nr_findings,
		      sizeof(*doctor->findings), compare_findings);
	if (is_listing(opts))
		status = print_listing(doctor);
	else
		print_lines(doctor);
	if (!status && doctor->nr_findings &&
	    doctor->findings[0].severity > NOTE)
		status = IOBAND_FINDINGS;
	return status;
}

int cmd_doctor(const struct options *opts, int argc, char **argv)
{
	struct doctor doctor = {
		.opts = opts,
		.nr_words = argc,
		.words = argv,
	};
	char (*names)[VOLUME_LEN];
	bool has_target;
	int status = 0;

	if (opts->noheadings && !is_listing(opts))
		return fail(IOBAND_USAGE,
			    "'ioband doctor' prints sentences: leave out --noheadings, or add --raw or --output");
	names = xcalloc(argc + 1, sizeof(*names));
	/* Without the target there are no volumes, but there may be other findings. */
	has_target = check_target(&doctor, &status);
	if (has_target)
		status = volumes_read(&doctor.volumes);
	else if (!status && ioband_dm_list(&doctor.volumes.devices))
		add_finding(&doctor, ERROR, "module", "device-mapper",
			    xstrdup("device-mapper does not answer"),
			    xstrdup("try 'modprobe dm_mod'"));
	if (!status) {
		replace_words(&doctor, names);
		status = find_patients(&doctor);
	}
	if (!status)
		status = doctor_volumes(&doctor);
	if (!status)
		status = doctor_promises(&doctor);
	if (!status && has_target)
		status = doctor_lost(&doctor);
	if (!status) {
		doctor_disks(&doctor);
		doctor_cgroups(&doctor);
		status = print_findings(&doctor);
	}
	free_doctor(&doctor);
	free(names);
	return status;
}
