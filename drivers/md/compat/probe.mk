# SPDX-License-Identifier: GPL-2.0-only
# Which of several interfaces this kernel has, asked of its headers: stable and
# distribution kernels take changes back, so a version number proves nothing.
# Each probe becomes a HAVE_ name that compat.h alone looks at.

ioband-probe = $(shell grep -qE '$(2)' $(srctree)/include/$(1) && echo -D$(3))

# 6.16: prepare_ioctl learns which ioctl it is.
ioband-compat-flags := $(call ioband-probe,linux/device-mapper.h,dm_prepare_ioctl_fn.*cmd,HAVE_PREPARE_IOCTL_CMD)

# 6.10: __assign_str() lost its second argument.
ioband-compat-flags += $(call ioband-probe,trace/stages/stage6_event_callback.h,define __assign_str[(]dst[)],HAVE_ASSIGN_STR_1)

# 6.8, and stable: "block: reject invalid operation in submit_bio_noacct". Before,
# passthrough operations were let through in a bio; the zone operations were even
# numbers, and no writes.
ioband-compat-flags += $(call ioband-probe,linux/blk_types.h,REQ_OP_ZONE_APPEND.*[^0-9]7[^0-9],HAVE_BIO_OPS_CHECKED)

# 6.13: hrtimer_setup() took the place of hrtimer_init().
ioband-compat-flags += $(call ioband-probe,linux/hrtimer.h,hrtimer_setup,HAVE_HRTIMER_SETUP)
