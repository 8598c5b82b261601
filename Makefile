# SPDX-License-Identifier: GPL-2.0-only
#
#   make			the module and the ioband command
#   make demo			see it work, in a virtual machine
#   make check			all tests that take minutes
#   make check-all		all tests on all kernels, debug kernel included
#   make bench			all figures beside those of other controllers, or
#			CASES="list", "quick" or names of it
#   make bench DEVICE=/dev/VG/SPARE	who gets what of this disk, by the real clock, with
#			OPTIONS="--quick" and others; all on it is lost: docs/bench.rst
#   make lint			static checks
#   make install		[DESTDIR=] [PREFIX=/usr/local] module, command, man pages,
#			udev rules, systemd units, initramfs scripts
#   make uninstall		what install has put there
#   make dkms-install		the module by DKMS, for each new kernel
#   make deb			Debian packages of both, into build/deb/
#   make rpm			the same for Fedora and EL 10, into build/rpm/
#   make clean
#
# KVER=VERSION or KDIR=DIR choose the kernel: the running one if its headers are
# there, else the one that tests run on.

KVER	?= $(shell if test -d /lib/modules/$$(uname -r)/build; then uname -r; \
		   else scripts/kernels 2>/dev/null; fi)
KDIR	?= /lib/modules/$(KVER)/build

# Builds are kept for each kernel, in a directory of its own, without what an earlier
# version had there: kbuild would go by a Kbuild that is left.
module	:= build/module-$(KVER)
source	:= drivers/md/dm-ioband
sources	:= $(wildcard $(addprefix $(source)/,Makefile *.[ch] compat/* sched/*))

all: module tools

module: $(module)/dm-ioband.ko

$(module)/dm-ioband.ko: $(sources)
	$(if $(KVER),,$(error No kernel headers found: give KVER= or KDIR=, or run scripts/deps build))
	@mkdir -p $(module)
	@rm -f $(filter-out $(sources:$(source)/%=$(module)/%),$(wildcard \
		$(addprefix $(module)/,Kbuild Makefile *.[ch] compat/* sched/*.[ch])))
	@cd $(source) && cp -u --parents $(sources:$(source)/%=%) $(CURDIR)/$(module)/
	$(MAKE) -C $(KDIR) M=$(CURDIR)/$(module) modules
	@touch $@

simdisk	:= build/simdisk-$(KVER)

# Tools of the tests: disks, and a crowd of readers.
simdisk: $(simdisk)/simdisk.ko build/perf/crowd

build/perf/crowd: tests/perf/crowd.c
	@mkdir -p $(@D)
	$(CC) -O2 -Wall -Wextra -Werror -o $@ $<

$(simdisk)/simdisk.ko: $(wildcard simdisk/*.[ch]) simdisk/Kbuild
	$(if $(KVER),,$(error No kernel headers found: give KVER= or KDIR=, or run scripts/deps build))
	@mkdir -p $(simdisk)
	@cp -u $^ $(simdisk)/
	$(MAKE) -C $(KDIR) M=$(CURDIR)/$(simdisk) modules
	@touch $@

tools:
	$(MAKE) -C tools

demo:
	@scripts/deps build vm
	@echo "Building the module for Linux $$(scripts/kernels), and the command ..."
	@$(MAKE) -s --no-print-directory module tools KVER=$$(scripts/kernels)
	@demo/run build/module-$$(scripts/kernels)/dm-ioband.ko tools/ioband/ioband

check:
	@tests/check

check-all:
	@tests/check --all

ifdef DEVICE
bench:
	scripts/deps disk
	$(MAKE) -s --no-print-directory module tools KVER=$$(uname -r)
	@mkdir -p build/report
	$(if $(filter-out 0,$(shell id -u)),sudo )tests/perf/bench-disk $(OPTIONS) $(DEVICE)
else
bench:
	scripts/deps build vm bench
	$(MAKE) --no-print-directory module simdisk tools KVER=$$(scripts/kernels)
	tests/perf/bench $(CASES)
endif

lint:
	@scripts/lint --all

# Where /lib is a link to /usr/lib, packages may not have files in /lib.
installed = $(DESTDIR)$(if $(shell test -L /lib && echo merged),/usr)/lib/modules/$(KVER)/updates/dm-ioband.ko

install: module
	$(MAKE) -C tools install
	$(MAKE) -C udev install
	$(MAKE) -C systemd install
	$(MAKE) -C initramfs install
	install -D -m 644 $(module)/dm-ioband.ko $(installed)
	$(if $(DESTDIR),,depmod $(KVER))

uninstall:
	$(MAKE) -C tools uninstall
	$(MAKE) -C udev uninstall
	$(MAKE) -C systemd uninstall
	$(MAKE) -C initramfs uninstall
	rm -f $(installed)
	$(if $(DESTDIR),,depmod $(KVER))

# Packages are built from a copy, to keep the sources clean.
packed = git ls-files -z dkms docs/man drivers initramfs simdisk systemd tools udev \
		COPYING VERSION

deb:
	scripts/deps deb
	rm -rf build/deb
	mkdir -p build/deb/source
	$(packed) debian | xargs -0 cp --parents -t build/deb/source
	cd build/deb/source && dpkg-buildpackage -us -uc -b
	@ls build/deb/*.deb

# With RPMFLAGS=.  What Fedora's rpmbuild knows of systemd, Debian's does not.
rpm: name := dm-ioband-$(file <VERSION)
rpm:
	scripts/deps rpm
	rm -rf build/rpm
	mkdir -p build/rpm
	$(packed) | tar -czf build/rpm/$(name).tar.gz --null -T - --transform 's,^,$(name)/,'
	sed 's/@VERSION@/$(file <VERSION)/' rpm/dm-ioband.spec.in >build/rpm/dm-ioband.spec
	rpmbuild -ba $(RPMFLAGS) --define '_topdir $(CURDIR)/build/rpm' \
		--define '_sourcedir %_topdir' --define '_rpmdir %_topdir' --define '_srcrpmdir %_topdir' \
		--define '_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' \
		$(if $(shell rpm --eval '%{?_unitdir}'),,--load rpm/macros --nodeps) \
		build/rpm/dm-ioband.spec
	@ls build/rpm/*.rpm

clean:
	$(MAKE) -C tools clean
	rm -rf $(wildcard build/module-* build/simdisk-*) build/unit build/simdisk-unit build/proving build/perf build/fuzz build/cli \
		build/deb build/rpm

.PHONY: all module simdisk tools demo check check-all bench lint install uninstall deb rpm clean

include dkms/dkms.mk
