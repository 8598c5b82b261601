# SPDX-License-Identifier: GPL-2.0-only
#
# The module by DKMS, which builds it again for each kernel that is installed.
#
#   make dkms-install [KVER="VERSION ..."]	for these kernels; else the running one
#   make dkms-install DESTDIR=DIR		only copy what DKMS needs, for packages
#   make dkms-uninstall [DESTDIR=DIR]
#
# Can be included by another makefile, or used by itself with make -f.

dkms-top	:= $(abspath $(dir $(lastword $(MAKEFILE_LIST)))..)
dkms-version	:= $(strip $(file <$(dkms-top)/VERSION))
$(if $(dkms-version),,$(error $(dkms-top)/VERSION is missing or empty))

dkms-src	:= /usr/src/dm-ioband-$(dkms-version)
dkms-module	:= dm-ioband/$(dkms-version)
DKMS		?= dkms

dkms-files	= $(sort $(wildcard $(addprefix $(dkms-top)/drivers/md/dm-ioband/, \
		    Makefile Kconfig *.[ch] compat/* sched/*)))

# dkms before 3.1 calls "make clean" in its own copy, which is a fresh one anyway.
dkms-copy:
	rm -rf $(DESTDIR)$(dkms-src)
	@set -e; for file in $(dkms-files:$(dkms-top)/%=%); do \
		install -D -m 644 $(dkms-top)/$$file $(DESTDIR)$(dkms-src)/$$file; \
	done
	sed 's/@VERSION@/$(dkms-version)/' $(dkms-top)/dkms/dkms.conf.in \
		>$(DESTDIR)$(dkms-src)/dkms.conf
	printf 'clean:\n\t@:\n' >$(DESTDIR)$(dkms-src)/Makefile

ifneq ($(DESTDIR),)

dkms-install: dkms-copy

dkms-uninstall:
	rm -rf $(DESTDIR)$(dkms-src)

else

# What an earlier call has built from other sources would be taken for current.
dkms-forget:
	test -z "$$($(DKMS) status $(dkms-module))" || \
		$(DKMS) remove $(dkms-module) --all

dkms-copy: dkms-forget

dkms-install: dkms-copy
	$(DKMS) add $(dkms-module)
	set -e; for kver in $(or $(KVER),$$(uname -r)); do \
		$(DKMS) build $(dkms-module) -k $$kver; \
		$(DKMS) install $(dkms-module) -k $$kver; \
	done

dkms-uninstall: dkms-forget
	rm -rf $(dkms-src)

endif

.PHONY: dkms-copy dkms-forget dkms-install dkms-uninstall
