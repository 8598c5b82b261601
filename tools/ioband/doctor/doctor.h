/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ioband doctor: find out what is wrong, and what to do about it.
 */
#ifndef IOBAND_DOCTOR_H
#define IOBAND_DOCTOR_H

#include "lib/iofiles.h"
#include "lib/util.h"
#include "lib/volume.h"

struct options;

enum severity {
	NOTE,		/* may be intended */
	WARNING,	/* something does not have the effect that it seems to have */
	ERROR,		/* something does not work */
};

/**
 * struct finding - one problem
 * @check: keyword of the check
 * @subject: device, volume or file
 * @text: what is wrong
 * @advice: what to do
 */
struct finding {
	enum severity severity;
	const char *check;
	char *subject;
	char *text;
	char *advice;
};

/**
 * struct patient - a device under examination
 * @name: name for the output
 * @devices: itself and all devices it lies on
 * @volume: whether it has an ioband target
 */
struct patient {
	char *name;
	struct io_devices devices;
	bool volume;
};

/**
 * struct doctor - state of the examination
 * @words: the names given as arguments
 * @patients: volumes, and other devices that were named
 */
struct doctor {
	const struct options *opts;
	int nr_words;
	char **words;
	struct volumes volumes;
	struct patient *patients;
	size_t nr_patients;
	struct finding *findings;
	size_t nr_findings;
};

void add_finding(struct doctor *doctor, enum severity severity,
		 const char *check, const char *subject, char *text,
		 char *advice);
bool doctor_is_named(const struct doctor *doctor, const char *name);
bool doctor_wants(const struct doctor *doctor, const char *name);
char *sys_block_line(const char *sysroot, const char *devno, const char *file);

bool doctor_has_file(const struct doctor *doctor, const char *dir,
		     const char *name);

char *doctor_title(const struct doctor *doctor, const char *name);

int doctor_volumes(struct doctor *doctor);
int doctor_lost(struct doctor *doctor);
int doctor_promises(struct doctor *doctor);
void doctor_policy(struct doctor *doctor, const struct volume *vol);
void doctor_disks(struct doctor *doctor);
void doctor_cgroups(struct doctor *doctor);

#endif /* IOBAND_DOCTOR_H */
