// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioband target in the kernel.
 */
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "target.h"
#include "util.h"

/**
 * target_check - check that the kernel has a usable target
 * @version: set to its version, zeroed if there is none
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int target_check(struct ioband_dm_version *version)
{
	int r;

	memset(version, 0, sizeof(*version));
	r = ioband_dm_version(TARGET_TYPE, version);
	if (r == -ENOPKG)
		return fail(IOBAND_MODULE,
			    "this kernel has no target '%s': install the module dm-ioband for it, then try 'modprobe dm-ioband'",
			    TARGET_TYPE);
	if (r)
		return fail_errno(r, ioband_dm_error(),
				  "cannot ask for the version of target '%s'",
				  TARGET_TYPE);
	if (version->major < TARGET_MAJOR_MIN)
		return fail(IOBAND_MODULE,
			    "target '%s' is of version %u.%u.%u, which is too old: load a module dm-ioband of version %d.0.0 or later",
			    TARGET_TYPE, version->major, version->minor,
			    version->patch, TARGET_MAJOR_MIN);
	return 0;
}
