// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sizes, written as util-linux does: K is 1024 bytes.
 */
#include <inttypes.h>
#include <stdio.h>

#include "units.h"

/**
 * units_bytes - bytes of a number of 512-byte sectors
 *
 * Return: the product; %UINT64_MAX if it is larger than that.
 */
uint64_t units_bytes(uint64_t sectors)
{
	return sectors > UINT64_MAX / 512 ? UINT64_MAX : sectors * 512;
}

/**
 * units_size - write a size for people
 * @buf: where to
 * @bytes: the size
 *
 * One decimal, rounded to nearest and left out if it is 0: 512B, 4K, 1.5G.
 *
 * Return: @buf.
 */
const char *units_size(char buf[UNITS_LEN], uint64_t bytes)
{
	static const char letters[] = "BKMGTPE";
	unsigned int shift = 0, tenths;
	uint64_t whole, rest;

	while (shift < 60 && bytes >> shift >= 1024)
		shift += 10;

	whole = bytes >> shift;
	rest = bytes - (whole << shift);
	/* Off from 2^60 on rest has no room for a factor of 10. */
	if (shift > 10) {
		rest >>= shift - 10;
		tenths = (rest * 10 + 512) >> 10;
	} else {
		tenths = (rest * 10 + ((1ULL << shift) >> 1)) >> shift;
	}
	if (tenths == 10) {
		tenths = 0;
		whole++;
		if (whole == 1024 && shift < 60) {
			whole = 1;
			shift += 10;
		}
	}

	if (tenths)
		snprintf(buf, UNITS_LEN, "%" PRIu64 ".%u%c", whole, tenths,
			 letters[shift / 10]);
	else
		snprintf(buf, UNITS_LEN, "%" PRIu64 "%c", whole,
			 letters[shift / 10]);
	return buf;
}
