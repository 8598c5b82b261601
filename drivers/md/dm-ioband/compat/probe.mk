# SPDX-License-Identifier: GPL-2.0-only
# Find which variant of an interface this kernel has by searching its headers: stable
# and distribution kernels backport changes, so a version number proves nothing. Each
# probe defines a HAVE_ macro, which only compat.h uses.

ioband-probe = $(shell grep -qE '$(2)' $(srctree)/include/$(1) && echo -D$(3))

# 6.16: prepare_ioctl is told which ioctl it is for.
ioband-compat-flags := $(call ioband-probe,linux/device-mapper.h,bool .forward,HAVE_PREPARE_IOCTL_CMD)

# 6.16: device-mapper passes atomic writes.
ioband-compat-flags += $(call ioband-probe,linux/device-mapper.h,DM_TARGET_ATOMIC_WRITES,HAVE_ATOMIC_WRITES)

# 6.10: __assign_str() lost its second argument.
ioband-compat-flags += $(call ioband-probe,trace/stages/stage6_event_callback.h,define __assign_str[(]dst[)],HAVE_ASSIGN_STR_1)

# 6.8, and stable: "block: reject invalid operation in submit_bio_noacct". Before, bios
# with passthrough operations were let through, and REQ_OP_ZONE_OPEN was an even
# number, which is no write.
ioband-compat-flags += $(call ioband-probe,linux/blk_types.h,REQ_OP_ZONE_APPEND.*[^0-9]7[^0-9],HAVE_BIO_OPS_CHECKED)

# 6.13: hrtimer_setup() replaces hrtimer_init().
ioband-compat-flags += $(call ioband-probe,linux/hrtimer.h,hrtimer_setup,HAVE_HRTIMER_SETUP)

# 6.18: a workqueue whose workers run where work was queued has to say so, and the
# system's own, system_wq, was renamed.
ioband-compat-flags += $(call ioband-probe,linux/workqueue.h,WQ_PERCPU,HAVE_WQ_PERCPU)

# By 7.2: bdev_rot() replaces its opposite, bdev_nonrot().
ioband-compat-flags += $(call ioband-probe,linux/blkdev.h,bool bdev_rot\b,HAVE_BDEV_ROT)

# 6.4: folio_memcg_check() is what page_memcg_check() is made of.
ioband-compat-flags += $(call ioband-probe,linux/memcontrol.h,folio_memcg_check,HAVE_FOLIO_MEMCG_CHECK)
