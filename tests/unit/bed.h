/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bed for tests of the core: groups, I/O, a clock and a disk, all of them to
 * be moved by hand or left to run. The invariants are asked after each step.
 */
#ifndef _IOBAND_BED_H
#define _IOBAND_BED_H

#include "unit.h"
#include "invariants.h"

/* Virtual time of cost 1 at weight 1; the head of sched/core.c promises it. */
#define UNIT ((u64)1 << 16)

#define MS	((u64)NSEC_PER_MSEC)
#define SEC	((u64)NSEC_PER_SEC)

/* In sectors. */
#define KIB(n)	((n) * 2)

enum {
	BED_GROUPS	= 1200,
	BED_IOS		= 20000,
};

struct bed_io {
	struct ioband_io io;
	struct bed_group *group;
	bool held;
	bool again;		/* its sender wants the like again */
};

struct bed_group {
	struct ioband_node node;
	struct ioband_terms *terms;
	u64 done_ns;		/* when the disk was last done with any */
	u64 cost;		/* all that was sent, by policy */
	u64 ios[IOBAND_DIRS];
	u64 bytes[IOBAND_DIRS];
};

/* What may be said of a group besides its weight. */
struct bed_terms {
	struct ioband_rate limits[IOBAND_LIMITS];
	u64 min_rate;
	bool min_is_ios;
	u64 latency_ns;
};

struct bed_sent {
	const struct bed_group *group;
	u64 at_ns;
	u64 arrival_ns;
	u32 sectors;
	enum ioband_dir dir;
};

struct bed {
	struct ioband_sched sched;
	u64 now_ns;
	struct bed_group *groups[BED_GROUPS];
	unsigned int nr_groups;
	struct bed_io *ios[BED_IOS];
	unsigned int nr_ios;
	struct bed_io *at_disk[BED_IOS];
	unsigned int in_flight;
	struct bed_sent *sent;	/* in order, if @log is set */
	unsigned int nr_sent;
	bool log;
	bool unchecked;		/* no invariants: there are too many groups */
};

extern struct bed bed;

void bed_start(const char *policy, u32 depth);
void bed_stop(void);
void bed_check(void);
struct bed_group *bed_add(struct bed_group *parent, u32 weight);
struct bed_group *bed_add_stream(struct bed_group *group);
void bed_del(struct bed_group *group);
void bed_move(struct bed_group *group, struct bed_group *parent);
void bed_set(struct bed_group *group, const struct bed_terms *terms);
void bed_limit(struct bed_group *group, enum ioband_limit_id id, u64 rate,
	       u64 burst, u64 peak);

struct bed_io *bed_new(struct bed_group *group, enum ioband_dir dir,
		       u32 sectors);
void bed_hold_io(struct bed_io *io);
struct bed_io *bed_hold(struct bed_group *group, u32 sectors);
struct bed_io *bed_hold_write(struct bed_group *group, u32 sectors);
void bed_backlog(struct bed_group *group, enum ioband_dir dir, u32 sectors,
		 unsigned int ios);
void bed_unhold(struct bed_io *io);
void bed_charge(struct bed_group *group, enum ioband_dir dir, u32 sectors);

struct bed_io *bed_next(u32 in_flight);
struct bed_io *bed_next_own(struct bed_group *group, u32 in_flight);
struct bed_group *bed_next_group(void);
void bed_serve(u64 count);
void bed_run(u64 ns, u64 service_ns);
void bed_forget(void);

static inline u64 bed_ios(const struct bed_group *group)
{
	return group->ios[IOBAND_READ] + group->ios[IOBAND_WRITE];
}

static inline u64 bed_bytes(const struct bed_group *group)
{
	return group->bytes[IOBAND_READ] + group->bytes[IOBAND_WRITE];
}

#endif /* _IOBAND_BED_H */
