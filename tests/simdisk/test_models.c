// SPDX-License-Identifier: GPL-2.0-only
/*
 * All models: what they have in common, and the formulas of the plain ones.
 */
#include "test_disk.h"

/* Times do not depend on when the caller looks. */
static void random_run(const char *name, u64 seed, bool even, u32 late_ns, u64 *ends)
{
	const struct simdisk_model *model = simdisk_model_find(name);
	struct simdisk_params params = model->defaults;
	u64 now = 0, look = 0, last = 0, sectors;
	struct simdisk_io *io;
	struct prng arrivals, looks;
	u32 i, done = 0;

	params.size_mib = 4096;
	params.seed = 3;
	/* Small enough to be full often. */
	if (params.write_cache_kib)
		params.write_cache_kib = 256;
	if (params.buffer_kib)
		params.buffer_kib = 64;
	if (!even) {
		params.cap_ios_per_s = 900;
		params.cap_bytes_per_s = 300000000;
		params.credit_ns = 20000000;
		params.stall_every_ns = 30000000;
		params.stall_ns = 5000000;
	}
	if (!even && model->bit & SIMDISK_VARIED) {
		params.jitter_percent = 50;
		params.tail_ppm = 20000;
		params.tail_ns = 10000000;
		params.drift_percent = 40;
		params.drift_ns = 100000000;
	}
	disk_on(model, &params);
	prng_seed(&arrivals, seed);
	prng_seed(&looks, seed + late_ns);

	for (i = 0; i < IOS; i++) {
		now += prng_below(&arrivals, 2000000);
		io = new_io(i);
		sectors = 1 + prng_below(&arrivals, 600);
		io->sector = prng_below(&arrivals, 4096 * 2048 - sectors);
		io->sectors = sectors;
		io->op = prng_percent(&arrivals, 40) ? SIMDISK_WRITE : SIMDISK_READ;
		io->fua = prng_percent(&arrivals, 10);
		if (params.write_cache_kib && prng_percent(&arrivals, 5)) {
			io->op = SIMDISK_FLUSH;
			io->sectors = 0;
		}
		if (i && prng_percent(&arrivals, 30)) {	/* goes on */
			io->sector = ios[i - 1]->sector + ios[i - 1]->sectors;
			if (io->sector + io->sectors > 4096 * 2048)
				io->sector = 0;
		}
		began[i] = now;
		/* Fetch what has been done until then, or leave it. */
		while (simdisk_next(&disk) <= now && prng_percent(&looks, 70)) {
			look = max(look, simdisk_next(&disk)) +
			       prng_below(&looks, late_ns + 1);
			look = min(look, now);
			while ((io = simdisk_done(&disk, look))) {
				assert_true(io->due_ns <= look);
				assert_true(io->due_ns >= last);
				last = io->due_ns;
				done++;
			}
		}
		simdisk_submit(&disk, ios[i], now);
		look = now;
	}
	while (simdisk_next(&disk) != U64_MAX) {
		now = max(now, simdisk_next(&disk)) +
		      prng_below(&looks, late_ns + 1);
		while ((io = simdisk_done(&disk, now))) {
			assert_true(io->due_ns >= last);
			last = io->due_ns;
			done++;
		}
	}
	assert_int_equal(done, IOS);
	for (i = 0; i < IOS; i++) {
		assert_true(ios[i]->due_ns >= began[i]);
		ends[i] = ios[i]->due_ns;
	}
	disk_off();
}

static void test_late_caller(void **state)
{
	static const char *const names[] = {
		"flat", "serial", "hdd", "array", "ssd",
	};
	static u64 prompt[IOS], late[IOS];
	u64 seed;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(names); n++) {
		for (seed = 0; seed < 20; seed++) {
			random_run(names[n], seed, seed % 2, 0, prompt);
			random_run(names[n], seed, seed % 2, 3000000, late);
			assert_memory_equal(prompt, late, sizeof(late));
		}
	}
}

static void test_defaults(void **state)
{
	static const char *const names[] = {
		"flat", "serial", "hdd", "array", "ssd",
	};
	const struct simdisk_param *param;
	const struct simdisk_model *model;
	size_t n;
	int place;
	u64 value;

	for (n = 0; n < ARRAY_SIZE(names); n++) {
		model = simdisk_model_find(names[n]);
		assert_non_null(model);
		assert_null(simdisk_check(model, &model->defaults));
		for (place = 0; place < SIMDISK_PARAM_COUNT; place++) {
			param = &simdisk_param_table[place];
			value = simdisk_param_get(&model->defaults, place);
			if (!(param->models & model->bit))
				continue;
			assert_in_range(value, param->least, param->most);
		}
	}
	assert_null(simdisk_model_find("floppy"));
	assert_null(simdisk_model_find(""));
}

static void test_flat_slots(void **state)
{
	struct simdisk_params params = simdisk_flat.defaults;
	int i;

	params.slots = 3;
	params.service_ns = 100;
	disk_on(&simdisk_flat, &params);
	for (i = 0; i < 10; i++)
		submit(i, SIMDISK_READ, 8 * i, 8, 5);
	/* Three at a time, from 5 on, though nobody looks before 1000. */
	assert_int_equal(simdisk_next(&disk), 105);
	fetch_all(1000);
	for (i = 0; i < 10; i++)
		assert_int_equal(ios[i]->due_ns, 5 + 100 * (i / 3 + 1));
	disk_off();
}

static void test_flat_changes(void **state)
{
	struct simdisk_params params = simdisk_flat.defaults;

	params.slots = 1;
	params.service_ns = 100;
	disk_on(&simdisk_flat, &params);
	submit(0, SIMDISK_READ, 0, 8, 0);
	submit(1, SIMDISK_READ, 0, 8, 0);
	submit(2, SIMDISK_READ, 0, 8, 0);
	submit(3, SIMDISK_READ, 0, 8, 0);

	/* What has begun keeps its time. */
	disk.params.service_ns = 10;
	simdisk_changed(&disk, 50);
	assert_int_equal(simdisk_next(&disk), 100);
	fetch_all(105);
	assert_int_equal(ios[0]->due_ns, 100);

	/* A new slot is used at once; one too many ends when it is free. */
	disk.params.slots = 2;
	simdisk_changed(&disk, 105);
	fetch_all(U64_MAX - 1);
	assert_int_equal(ios[1]->due_ns, 110);
	assert_int_equal(ios[2]->due_ns, 115);
	assert_int_equal(ios[3]->due_ns, 120);
	disk_off();
}

static void test_flat_overtaking(void **state)
{
	struct simdisk_params params = simdisk_flat.defaults;

	params.slots = 2;
	params.service_ns = 100;
	disk_on(&simdisk_flat, &params);
	submit(0, SIMDISK_READ, 0, 8, 0);
	disk.params.service_ns = 10;
	submit(1, SIMDISK_READ, 0, 8, 0);
	assert_int_equal(simdisk_next(&disk), 10);
	assert_ptr_equal(simdisk_done(&disk, 10), ios[1]);
	assert_null(simdisk_done(&disk, 99));
	assert_ptr_equal(simdisk_done(&disk, 100), ios[0]);
	assert_int_equal(simdisk_next(&disk), U64_MAX);
	disk_off();
}

static void test_serial(void **state)
{
	disk_on(&simdisk_serial, &simdisk_serial.defaults);
	submit(0, SIMDISK_READ, 1000, 8, 0);
	submit(1, SIMDISK_READ, 1008, 8, 0);
	submit(2, SIMDISK_WRITE, 1016, 128, 0);
	submit(3, SIMDISK_READ, 1016, 8, 0);
	submit(4, SIMDISK_READ, 1024, 1, 0);
	submit(5, SIMDISK_READ, 0, 128, 0);
	fetch_all(U64_MAX - 1);
	assert_int_equal(ios[0]->due_ns, 9000000);
	assert_int_equal(ios[1]->due_ns, 9100000);
	assert_int_equal(ios[2]->due_ns, 9100000 + 16 * 100000);
	assert_int_equal(ios[3]->due_ns, 10700000 + 9000000);
	assert_int_equal(ios[4]->due_ns, 19700000 + 100000);
	assert_int_equal(ios[5]->due_ns, 19800000 + 9000000 + 15 * 100000);
	disk_off();
}

/* 8 sectors at 333 MB/s, and at 3.2 GB/s with the overhead. */
enum {
	BUS_4K	= 12300,
	LINK_4K	= 2000 + 1280,
};

static void test_ssd_reads(void **state)
{
	struct simdisk_params params = simdisk_ssd.defaults;

	disk_on(&simdisk_ssd, &params);
	/* Pages of 16 sectors: 0 and 64 on die 0, 8 on die 8, of channel 0 too. */
	submit(0, SIMDISK_READ, 0, 8, 0);
	submit(1, SIMDISK_READ, 64 * 16, 8, 0);
	submit(2, SIMDISK_READ, 8 * 16, 8, 0);
	submit(3, SIMDISK_READ, 1 * 16, 8, 0);
	fetch_all(U64_MAX - 1);
	assert_int_equal(ios[0]->due_ns, 75000 + BUS_4K + LINK_4K);
	/* The next on the same die begins when the first has left it. */
	assert_int_equal(ios[1]->due_ns, 2 * (75000 + BUS_4K) + LINK_4K);
	/* The bus is the other die's until then; another channel's is free. */
	assert_int_equal(ios[2]->due_ns, 75000 + 2 * BUS_4K + LINK_4K);
	assert_int_equal(ios[3]->due_ns, 75000 + BUS_4K + 2 * LINK_4K);
	disk_off();
}

static void test_ssd_buffer(void **state)
{
	struct simdisk_params params = simdisk_ssd.defaults;
	u64 page = 750000 + 2 * BUS_4K;	/* to send and program it */
	int i;

	params.channels = 1;
	params.dies = 1;
	params.buffer_kib = 32;
	params.gc_valid_percent = 0;
	params.erase_ns = 0;
	params.overhead_ns = 0;
	params.link_bytes_per_s = 100ULL * 1000000000;
	disk_on(&simdisk_ssd, &params);
	for (i = 0; i < 8; i++)
		submit(i, SIMDISK_WRITE, 16 * i, 16, 0);
	fetch_all(U64_MAX - 1);
	/* 8 KiB at 100 GB/s are 81 ns. Four find room, the others page by page. */
	for (i = 0; i < 4; i++)
		assert_int_equal(ios[i]->due_ns, 81 * (i + 1));
	for (; i < 8; i++)
		assert_in_range(ios[i]->due_ns, 81 + (i - 3) * page,
				81 + (i - 3) * page + 8);
	disk_off();
}

/* Of 10 pages 4 are new each time, so every fourth waits for a collection. */
static void test_ssd_garbage(void **state)
{
	struct simdisk_params params = simdisk_ssd.defaults;
	u64 page = 750000 + 2 * BUS_4K, collect = 6 * 825000 + 3800000;
	u64 last = 0;
	int i, stalls = 0;

	params.channels = 1;
	params.dies = 1;
	params.buffer_kib = 8;
	params.block_pages = 10;
	params.gc_valid_percent = 60;
	disk_on(&simdisk_ssd, &params);
	for (i = 0; i < 42; i++)
		submit(i, SIMDISK_WRITE, 16 * i, 16, 0);
	fetch_all(U64_MAX - 1);
	for (i = 1; i < 42; i++) {
		if (i > 1 && ios[i]->due_ns - last > page + 10000) {
			assert_in_range(ios[i]->due_ns - last, collect + page - 10,
					collect + page + 10);
			stalls++;
		}
		last = ios[i]->due_ns;
	}
	assert_int_equal(stalls, 10);
	disk_off();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_late_caller),
		cmocka_unit_test(test_flat_slots),
		cmocka_unit_test(test_flat_changes),
		cmocka_unit_test(test_flat_overtaking),
		cmocka_unit_test(test_serial),
		cmocka_unit_test(test_ssd_reads),
		cmocka_unit_test(test_ssd_buffer),
		cmocka_unit_test(test_ssd_garbage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
