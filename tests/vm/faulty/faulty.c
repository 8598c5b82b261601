// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with every fault that the debug kernels have to find: loading it with
 * fault=NAME commits that one.  tests/vm/selftest sees that it is reported.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>

static char *fault = "";
module_param(fault, charp, 0444);

static DEFINE_MUTEX(a);
static DEFINE_MUTEX(b);
static DEFINE_SPINLOCK(lock);

static void use_after_free(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	if (p)
		WRITE_ONCE(p[8], 1);
}

static void lock_order(void)
{
	mutex_lock(&a);
	mutex_lock(&b);
	mutex_unlock(&b);
	mutex_unlock(&a);

	mutex_lock(&b);
	mutex_lock(&a);
	mutex_unlock(&a);
	mutex_unlock(&b);
}

static void sleep_in_atomic(void)
{
	spin_lock(&lock);
	might_sleep();
	spin_unlock(&lock);
}

static void leak(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(p);
}

static void shift_out_of_bounds(void)
{
	int bits = 40;

	OPTIMIZER_HIDE_VAR(bits);
	pr_info("faulty: %d\n", 1 << bits);
}

static unsigned int racy;

static void count_for_a_second(void)
{
	unsigned long end = jiffies + HZ;

	while (time_before(jiffies, end)) {
		racy++;
		barrier();
	}
}

static void race_work(struct work_struct *work)
{
	count_for_a_second();
}

/* Two processors count in one variable. */
static void race(void)
{
	static DECLARE_WORK(work, race_work);

	queue_work(system_unbound_wq, &work);
	count_for_a_second();
	flush_work(&work);
}

static int __init faulty_init(void)
{
	if (!strcmp(fault, "use-after-free"))
		use_after_free();
	else if (!strcmp(fault, "lock-order"))
		lock_order();
	else if (!strcmp(fault, "sleep-in-atomic"))
		sleep_in_atomic();
	else if (!strcmp(fault, "leak"))
		leak();
	else if (!strcmp(fault, "shift"))
		shift_out_of_bounds();
	else if (!strcmp(fault, "race"))
		race();
	return 0;
}

static void __exit faulty_exit(void)
{
}

module_init(faulty_init);
module_exit(faulty_exit);
MODULE_DESCRIPTION("faults for the test harness to find");
MODULE_LICENSE("GPL");
