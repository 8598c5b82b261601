// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drives: geometry, seeks, rotation, the choice among commands, the buffers, and
 * the array.
 */
#include "test_disk.h"
#include "hdd-geometry.h"

#define TURN	8333333ULL	/* 7200 rpm */

enum {
	OUTER	= 1391,		/* sectors: 85.5 MB/s, one turn */
	INNER	= 813,
	LINK_4K	= 85000 + 13653,
};

static struct hdd_geometry geo;

static int setup(void **state)
{
	hdd_geometry_init(&geo, &simdisk_hdd.defaults);
	return 0;
}

/* Turn back to the first principles: track by track through the zones. */
static void test_geometry(void **state)
{
	u64 sector = 0, track = 0, tracks = geo.cylinders / HDD_ZONES * geo.heads;
	int zone;

	assert_int_equal(geo.turn_ns, TURN);
	assert_int_equal(geo.zones[0].track_sectors, OUTER);
	assert_int_equal(geo.zones[HDD_ZONES - 1].track_sectors, INNER);
	for (zone = 0; zone < HDD_ZONES; zone++) {
		u32 n = geo.zones[zone].track_sectors;

		assert_int_equal(hdd_track(&geo, sector), track);
		assert_int_equal(hdd_track(&geo, sector + n - 1), track);
		assert_int_equal(hdd_track(&geo, sector + n), track + 1);
		assert_int_equal(hdd_pass_ns(&geo, sector),
				 track * (TURN + 800000));
		assert_int_equal(hdd_passed_ns(&geo, sector + n),
				 track * (TURN + 800000) + TURN);
		sector += tracks * n;
		track += tracks;
	}
	assert_int_equal(geo.sectors, sector);
	assert_true(sector >= simdisk_hdd.defaults.capacity_mib * 2048);
	assert_true(sector < simdisk_hdd.defaults.capacity_mib * 2048 * 1001 / 1000);
}

/* hdd_reached() undoes hdd_pass_ns(), at the borders and between. */
static void test_reached(void **state)
{
	struct prng prng;
	u64 sector, pass;
	int i, zone;

	prng_seed(&prng, 1);
	for (i = 0; i < 100000; i++) {
		zone = prng_below(&prng, HDD_ZONES);
		sector = geo.zones[zone].sector +
			 (i % 2 ? prng_below(&prng, 1000000) :
				  geo.zones[zone].track_sectors * prng_below(&prng, 9));
		pass = hdd_pass_ns(&geo, sector);
		assert_int_equal(hdd_reached(&geo, pass), sector);
		if (!sector)
			continue;
		pass = hdd_passed_ns(&geo, sector);
		assert_int_equal(hdd_reached(&geo, pass), sector);
		assert_int_equal(hdd_reached(&geo, pass - 1), sector - 1);
	}
}

static u64 seek(u64 cylinders)
{
	return hdd_seek_ns(&geo, &simdisk_hdd.defaults, 7 * geo.heads,
			   (7 + cylinders) * geo.heads);
}

static void test_seek_curve(void **state)
{
	u64 d, last = 0;

	assert_int_equal(seek(0), 0);
	assert_int_equal(hdd_seek_ns(&geo, &simdisk_hdd.defaults, 6, 7), 800000);
	assert_int_equal(seek(1), 800000);
	assert_in_range(seek(geo.cylinders / 3), 8490000, 8500000);
	assert_in_range(seek(geo.cylinders / 3 + 1), 8500000, 8501000);
	assert_in_range(seek(geo.cylinders), 16999000, 17000000);
	/* A quarter of the way takes half of the time, as roots do. */
	assert_in_range(seek(geo.cylinders / 12), 4640000, 4651000);
	for (d = 0; d <= geo.cylinders; d++) {
		assert_true(seek(d) >= last);
		last = seek(d);
	}
}

/* Everything off that would save the arm's work. */
static struct simdisk_params bare(void)
{
	struct simdisk_params params = simdisk_hdd.defaults;

	params.segments = 0;
	params.write_cache_kib = 0;
	return params;
}

/* When the heads, in place at a time, have passed a sector: by brute force. */
static u64 rotate(u64 from_ns, u64 sector)
{
	u64 begin = hdd_pass_ns(&geo, sector) % TURN;

	while (begin < from_ns)
		begin += TURN;
	return begin;
}

static void test_lone_reads(void **state)
{
	struct simdisk_params params = bare();
	u64 now = 12345, sector = 0, track = 0, due;
	struct prng prng;
	int i;

	prng_seed(&prng, 5);
	disk_on(&simdisk_hdd, &params);
	for (i = 0; i < IOS; i++) {
		sector = prng_below(&prng, 60000u * 2048);
		submit(i, i % 2 ? SIMDISK_WRITE : SIMDISK_READ, sector, 8, now);
		/* A write crosses the link first, a read last. */
		due = now + (i % 2 ? LINK_4K : 0);
		due += hdd_seek_ns(&geo, &params, track, hdd_track(&geo, sector));
		due = rotate(due, sector) + hdd_passed_ns(&geo, sector + 8) -
		      hdd_pass_ns(&geo, sector);
		due += i % 2 ? 0 : LINK_4K;
		fetch_all(U64_MAX / 2 * (i == IOS - 1) + due);
		assert_int_equal(ios[i]->due_ns, due);
		track = hdd_track(&geo, sector + 7);
		now = due + prng_below(&prng, 20000000) * !(i % 3);
	}
	disk_off();
}

/* Of two on the heads' track the one that comes by first, of whatever age. */
static void test_nearest_first(void **state)
{
	struct simdisk_params params = bare();

	disk_on(&simdisk_hdd, &params);
	submit(0, SIMDISK_READ, 0, 8, 1);		/* missed by 1 ns */
	submit(1, SIMDISK_READ, 1200, 8, 2);
	submit(2, SIMDISK_READ, 600, 8, 3);
	submit(3, SIMDISK_READ, 300, 8, 4);
	fetch_all(U64_MAX - 1);
	/* 0 was alone, so the heads wait for it. The rest come in order of place. */
	assert_int_equal(ios[0]->due_ns, TURN + (8 * TURN + OUTER - 1) / OUTER + LINK_4K);
	assert_int_equal(ios[3]->due_ns, TURN + (308 * TURN + OUTER - 1) / OUTER + LINK_4K);
	assert_int_equal(ios[2]->due_ns, TURN + (608 * TURN + OUTER - 1) / OUTER + LINK_4K);
	assert_int_equal(ios[1]->due_ns, TURN + (1208 * TURN + OUTER - 1) / OUTER + LINK_4K);
	disk_off();
}

static void test_ncq_depth_and_age(void **state)
{
	struct simdisk_params params = bare();

	params.ncq_depth = 1;
	disk_on(&simdisk_hdd, &params);
	submit(0, SIMDISK_READ, 0, 8, 1);
	submit(1, SIMDISK_READ, 1200, 8, 2);
	submit(2, SIMDISK_READ, 600, 8, 3);
	fetch_all(U64_MAX - 1);
	assert_true(ios[0]->due_ns < ios[1]->due_ns);
	assert_true(ios[1]->due_ns < ios[2]->due_ns);
	disk_off();

	params.ncq_depth = 31;
	params.ncq_age_ns = 1000;
	disk_on(&simdisk_hdd, &params);
	submit(0, SIMDISK_READ, 0, 8, 1);
	submit(1, SIMDISK_READ, 1200, 8, 2);
	submit(2, SIMDISK_READ, 600, 8, 3);
	fetch_all(U64_MAX - 1);
	assert_true(ios[1]->due_ns < ios[2]->due_ns);
	disk_off();
}

/* Nobody can get more than the media give, nor much less when reading on. */
static void test_sequential(void **state)
{
	u64 now = 0, sector = 0, first = 0, track_rate;
	int i, round;

	disk_on(&simdisk_hdd, &simdisk_hdd.defaults);
	for (round = 0; round < 200; round++) {
		for (i = 0; i < 4; i++, sector += 256)
			submit(i, SIMDISK_READ, sector, 256, now);
		while (simdisk_next(&disk) != U64_MAX) {
			now = simdisk_next(&disk);
			fetch_all(now);
		}
		if (!round)
			first = now;
	}
	/* All but the first round's sectors, at the rate of a track with its skew. */
	track_rate = (sector - 1024) * (TURN + 800000) / OUTER;
	assert_in_range(now - first, track_rate * 99 / 100, track_rate * 103 / 100);
	disk_off();
}

static void expect_hit(u64 sector, u64 *now, bool hit)
{
	submit(1, SIMDISK_READ, sector, 8, *now);
	fetch_all(*now + 1000000000);
	if (hit)
		assert_int_equal(ios[1]->due_ns, *now + LINK_4K);
	else
		assert_true(ios[1]->due_ns > *now + LINK_4K);
	*now += 1000000000;
}

static void test_read_buffer(void **state)
{
	u64 now = 1000000000;
	int i;

	disk_on(&simdisk_hdd, &simdisk_hdd.defaults);
	submit(0, SIMDISK_READ, 80000, 8, 0);
	fetch_all(now);
	/* Of a segment's 512 KiB, 384 are read ahead, and no more until they are used. */
	expect_hit(80008 + 768, &now, false);
	expect_hit(80000, &now, false);
	expect_hit(80008 + 768 - 8, &now, true);
	for (i = 1; i < 1000; i++)
		expect_hit(80008 + 768 - 8 + 8 * i, &now, true);

	/* What is written is read anew. */
	expect_hit(500000, &now, false);
	expect_hit(500000, &now, true);
	submit(3, SIMDISK_WRITE, 500000, 8, now);
	fetch_all(now += 1000000000);
	expect_hit(500000, &now, false);
	disk_off();
}

static void test_write_cache(void **state)
{
	struct simdisk_params params = simdisk_hdd.defaults;
	u64 now = 0, place = 0;
	int i;

	params.write_cache_kib = 64;
	disk_on(&simdisk_hdd, &params);
	for (i = 0; i < 17; i++)
		submit(i, SIMDISK_WRITE, (place += 1000000), 8, 0);
	for (i = 0; i < 16; i++)
		began[i] = (i + 1) * LINK_4K;
	fetch_all(17 * LINK_4K);
	for (i = 0; i < 16; i++)
		assert_int_equal(ios[i]->due_ns, began[i]);
	/* The seventeenth finds room when one has been written; 20 ms are enough. */
	assert_true(simdisk_next(&disk) > 17 * LINK_4K);
	fetch_all(now = 20000000);
	assert_in_range(ios[16]->due_ns, 17 * LINK_4K, now);

	/* What is in the cache is read from there. */
	submit(0, SIMDISK_READ, place, 8, now);
	fetch_all(now + LINK_4K);
	assert_int_equal(ios[0]->due_ns, now + LINK_4K);

	/* A flush waits for all of it, and writes after it for the flush. */
	now += LINK_4K;
	submit(1, SIMDISK_FLUSH, 0, 0, now);
	submit(2, SIMDISK_WRITE, 16, 8, now);
	fetch_all(now + 300000000);
	assert_true(ios[1]->due_ns > now + 20000000);
	assert_true(ios[2]->due_ns > ios[1]->due_ns - LINK_4K - 1);
	disk_off();
}

static void test_fua(void **state)
{
	disk_on(&simdisk_hdd, &simdisk_hdd.defaults);
	new_io(0);
	ios[0]->op = SIMDISK_WRITE;
	ios[0]->fua = true;
	ios[0]->sector = 0;
	ios[0]->sectors = 8;
	simdisk_submit(&disk, ios[0], 0);
	fetch_all(U64_MAX - 1);
	assert_int_equal(ios[0]->due_ns, TURN + (8 * TURN + OUTER - 1) / OUTER);
	disk_off();
}

/* Random places on five drives at a time, each found where striping puts it. */
static void test_array(void **state)
{
	struct simdisk_params params = simdisk_array.defaults;
	struct simdisk_piece *piece;
	u64 sum, covered, chunk, s;
	struct prng prng;
	int i, n;
	u32 drive;

	prng_seed(&prng, 9);
	disk_on(&simdisk_array, &params);
	for (i = 0; i < IOS; i++) {
		submit(i, SIMDISK_READ, prng_below(&prng, U32_MAX),
		       1 + prng_below(&prng, 2560), 0);
		sum = 0;
		for (n = 0; n < 5; n++) {
			piece = &ios[i]->pieces[n];
			sum += piece->sectors;
		}
		assert_int_equal(sum, ios[i]->sectors);
		covered = 0;
		for (s = ios[i]->sector; s < ios[i]->sector + ios[i]->sectors; s++) {
			chunk = s / 128;
			drive = chunk % 5;
			piece = &ios[i]->pieces[drive];
			chunk = chunk / 5 * 128 + s % 128;
			covered += chunk >= piece->sector &&
				   chunk < piece->sector + piece->sectors;
		}
		assert_int_equal(covered, ios[i]->sectors);
		fetch_all(U64_MAX - 1);
	}
	disk_off();
}

static void test_checks(void **state)
{
	struct simdisk_params params = simdisk_hdd.defaults;

	params.inner_bytes_per_s = params.outer_bytes_per_s + 1;
	assert_non_null(strstr(simdisk_check(&simdisk_hdd, &params), "inner_bytes_per_s"));
	params = simdisk_hdd.defaults;
	params.seek_avg_ns = params.seek_min_ns - 1;
	assert_non_null(strstr(simdisk_check(&simdisk_hdd, &params), "seek_avg_ns"));
	params = simdisk_hdd.defaults;
	params.size_mib = params.capacity_mib + 200;
	assert_non_null(strstr(simdisk_check(&simdisk_hdd, &params), "capacity_mib"));
	params = simdisk_hdd.defaults;
	params.capacity_mib = 1 << 24;
	params.outer_bytes_per_s = 100000;
	params.inner_bytes_per_s = 100000;
	params.rpm = 100000;
	assert_non_null(strstr(simdisk_check(&simdisk_hdd, &params), "capacity_mib"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_geometry),
		cmocka_unit_test(test_reached),
		cmocka_unit_test(test_seek_curve),
		cmocka_unit_test(test_lone_reads),
		cmocka_unit_test(test_nearest_first),
		cmocka_unit_test(test_ncq_depth_and_age),
		cmocka_unit_test(test_sequential),
		cmocka_unit_test(test_read_buffer),
		cmocka_unit_test(test_write_cache),
		cmocka_unit_test(test_fua),
		cmocka_unit_test(test_array),
		cmocka_unit_test(test_checks),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
