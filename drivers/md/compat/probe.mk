# SPDX-License-Identifier: GPL-2.0-only
# Which of several interfaces this kernel has, asked of its headers: stable and
# distribution kernels take changes back, so a version number proves nothing.
# Each probe becomes a HAVE_ name that compat.h alone looks at.

ioband-probe = $(shell grep -qE '$(2)' $(srctree)/include/$(1) && echo -D$(3))

# 6.16: prepare_ioctl learns which ioctl it is.
ioband-compat-flags := $(call ioband-probe,linux/device-mapper.h,dm_prepare_ioctl_fn.*cmd,HAVE_PREPARE_IOCTL_CMD)

# 6.10: __assign_str() lost its second argument.
ioband-compat-flags += $(call ioband-probe,trace/stages/stage6_event_callback.h,define __assign_str[(]dst[)],HAVE_ASSIGN_STR_1)
