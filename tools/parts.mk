# SPDX-License-Identifier: GPL-2.0-only
#
# What several programs are made of: the scheduling core and the grammar of the module,
# which need no kernel, the simulated disks, and parts of the command. The makefile that
# includes this has set $(top), the top of the tree; the object of $(top)/FILE.c is
# $(obj)/FILE.o. Each part has the flags that its files need.

files		= $(patsubst $(top)/%.c,$(obj)/%.o,$(wildcard $(addprefix $(top)/,$(1))))

module		:= $(top)/drivers/md/dm-ioband
shim		:= $(top)/tools/shim
disks		:= $(top)/simdisk
command		:= $(top)/tools/ioband

core_objects	:= $(call files,drivers/md/dm-ioband/sched/*.c tools/shim/*.c)
grammar_objects	:= $(call files,drivers/md/dm-ioband/args.c drivers/md/dm-ioband/settings.c)
disk_objects	:= $(call files,simdisk/simdisk-model.c simdisk/model-*.c simdisk/hdd-*.c)
sim_objects	:= $(filter-out %/cmd-simulate.o,$(call files,tools/ioband/sim/*.c))
conf_objects	:= $(call files,$(addprefix tools/ioband/,config/conf.c config/config.c \
			config/legacy.c lib/settings.c lib/table.c lib/units.c lib/util.c \
			lib/words.c))

# Callbacks have parameters that they do not use, as in the kernel.
core_flags	:= -include $(shim)/ioband-env.h -I$(shim) -I$(top)/drivers/md \
		   -Wno-unused-parameter
disk_flags	:= $(core_flags) -include $(disks)/user/simdisk-env.h -I$(disks)
sim_flags	:= $(disk_flags) -D_GNU_SOURCE -I$(command)
conf_flags	:= -D_GNU_SOURCE -I$(command) -DIOBAND_VERSION='""'

$(core_objects) $(grammar_objects): part_flags = $(core_flags)
$(disk_objects): part_flags = $(disk_flags)
$(sim_objects): part_flags = $(sim_flags)
$(conf_objects): part_flags = $(conf_flags)
