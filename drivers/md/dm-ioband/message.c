// SPDX-License-Identifier: GPL-2.0-only
/*
 * Carry out messages. Their grammar is in args.c.
 */
#include <linux/sched/mm.h>

#include "ioband.h"

static int iop_message_set(struct ioband_pool *pool, const struct ioband_message *msg,
			   struct ioband_error *err)
{
	struct ioband_share_settings settings = pool->settings;
	u32 * const fields[] = {
		[IOBAND_MSG_TOKEN]	 = &settings.token_base,
		[IOBAND_MSG_CARRYOVER]	 = &settings.carryover,
		[IOBAND_MSG_QUANTUM]	 = &settings.quantum_ms,
		[IOBAND_MSG_IO_THROTTLE] = &settings.io_throttle,
		[IOBAND_MSG_IO_LIMIT]	 = &settings.io_limit,
	};
	bool is_limit = msg->verb == IOBAND_MSG_IO_LIMIT;

	if (msg->verb == IOBAND_MSG_QUANTUM && !pool->sched.policy->by_time)
		return ioband_refuse(err, "Invalid policy parameter",
				     "message 'quantum': has no effect under policy %s",
				     pool->sched.policy->name);
	/* As in 1.14. */
	if (is_limit) {
		settings.token_base = 0;
		settings.carryover = 0;
	}
	*fields[msg->verb] = msg->value;
	if (settings.io_limit && settings.io_throttle > settings.io_limit)
		return ioband_refuse(err, "Invalid io_throttle or io_limit",
				     "%s %u: expected io_throttle (%u) not to exceed io_limit (%u)",
				     is_limit ? "io_limit" : "io_throttle", msg->value,
				     settings.io_throttle, settings.io_limit);
	iop_set(pool, &settings);
	return 0;
}

/* Change what the ids of groups stand for, as long as none is attached. */
static int iov_set_type(struct ioband_volume *volume, enum ioband_type type,
			struct ioband_error *err)
{
	if (type == volume->type)
		return 0;
	if (!xa_empty(&volume->groups) || volume->auto_depth) {
		ioband_refuse(err, "Cannot set ioband group type",
			      volume->auto_depth ?
			      "type: option auto needs type cgroup" :
			      "type: expected no attached group; detach all first");
		return -EBUSY;
	}
	WRITE_ONCE(volume->type, type);
	return 0;
}

static int iov_message_set(struct ioband_volume *volume,
			   const struct ioband_message *msg,
			   struct ioband_error *err)
{
	const struct ioband_policy *policy = volume->pool->sched.policy;
	struct ioband_group *group;
	int r;

	if (msg->verb == IOBAND_MSG_RANGE_BW && !policy->is_range)
		return ioband_refuse(err, "Invalid policy parameter",
				     "message 'range-bw': expected policy range-bw, not %s",
				     policy->name);
	if (msg->verb == IOBAND_MSG_WEIGHT && !policy->has_weights)
		return ioband_refuse(err, "Invalid policy parameter",
				     "message 'weight': has no effect under policy %s",
				     policy->name);
	r = iov_find(volume, &msg->ref, &group, err);
	if (r)
		return r;
	return iov_set(volume, group, &msg->settings, err);
}

static int iov_message(struct ioband_volume *volume,
		       const struct ioband_message *msg,
		       struct list_head *spare, struct ioband_error *err)
{
	static const struct ioband_settings defaults;
	struct ioband_pool *pool = volume->pool;
	struct ioband_group *group = NULL;
	unsigned long id;
	int r;

	switch (msg->verb) {
	case IOBAND_MSG_TYPE:
		return iov_set_type(volume, msg->type, err);
	case IOBAND_MSG_ATTACH:
		return iov_attach(volume, &msg->ref, &defaults, spare, err);
	case IOBAND_MSG_DETACH:
		r = iov_find(volume, &msg->ref, &group, err);
		if (!r)
			iov_remove(volume, group);
		return r;
	case IOBAND_MSG_POLICY:
		iop_set_policy(pool, msg->policy);
		return 0;
	case IOBAND_MSG_WEIGHT:
	case IOBAND_MSG_RANGE_BW:
	case IOBAND_MSG_SET:
		return iov_message_set(volume, msg, err);
	case IOBAND_MSG_TOKEN:
	case IOBAND_MSG_CARRYOVER:
	case IOBAND_MSG_QUANTUM:
	case IOBAND_MSG_IO_THROTTLE:
	case IOBAND_MSG_IO_LIMIT:
		return iop_message_set(pool, msg, err);
	case IOBAND_MSG_RESET:
		while ((group = iov_next(volume, group, &id)))
			iog_reset(group);
		return 0;
	case IOBAND_MSG_STATS:
	case IOBAND_MSG_SHOW:
	case IOBAND_MSG_TABLE:
		break;
	}
	return -EINVAL;
}

/**
 * iot_message - the message hook of the target
 * @ti: the target
 * @argc: number of words
 * @argv: the words
 * @result: buffer for an answer
 * @maxlen: its size
 *
 * Context: process.
 * Return: 0, 1 with an answer in @result, or a negative error with the reason
 * in the kernel log. On error nothing has changed.
 */
int iot_message(struct dm_target *ti, unsigned int argc, char **argv,
		char *result, unsigned int maxlen)
{
	struct ioband_target *iot = ti->private;
	struct ioband_message msg;
	struct ioband_error err;
	unsigned int noio;
	LIST_HEAD(spare);
	int r;

	r = ioband_parse_message(argc, argv, &msg, &err);
	if (r)
		goto refused;

	switch (msg.verb) {
	case IOBAND_MSG_STATS:
		iot_stats(iot, result, maxlen);
		return 1;
	case IOBAND_MSG_SHOW:
		iot_show(iot, result, maxlen);
		return 1;
	case IOBAND_MSG_TABLE:
		iot_table(iot, result, maxlen);
		return 1;
	default:
		break;
	}

	/*
	 * dm holds the table for us. A suspend waits until it is released, and
	 * has stopped all I/O by then, so no allocation here may depend on I/O.
	 */
	noio = memalloc_noio_save();
	/* If this fails, iov_attach() reports it. */
	if (msg.verb == IOBAND_MSG_ATTACH)
		iog_alloc(iot->volume->pool, 1, &spare);
	ioband_cgroup_look_up(&msg.ref);
	mutex_lock(&ioband_mutex);
	r = iov_message(iot->volume, &msg, &spare, &err);
	mutex_unlock(&ioband_mutex);
	iog_free(&spare);
	memalloc_noio_restore(noio);
	if (!r)
		return 0;
refused:
	DMERR("%s: %s", dm_table_device_name(ti->table), err.text);
	return r;
}
