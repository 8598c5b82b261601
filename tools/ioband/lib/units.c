// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sizes, in the format of util-linux, where K is 1024 bytes; numbers and times.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "units.h"

/**
 * units_bytes - convert 512-byte sectors to bytes
 *
 * Return: the number of bytes, at most %UINT64_MAX.
 */
uint64_t units_bytes(uint64_t sectors)
{
	return sectors > UINT64_MAX / 512 ? UINT64_MAX : sectors * 512;
}

/**
 * units_size - format a size for people
 * @buf: output buffer
 * @bytes: the size
 *
 * With one decimal, rounded to nearest and omitted if it is 0: 512B, 4K, 1.5G.
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
	/* For the larger units, avoid overflow when multiplying rest by 10. */
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

/* The largest power of @base that divides @value, at most @most. */
static unsigned int divide(uint64_t *value, unsigned int base,
			   unsigned int most)
{
	unsigned int i = 0;

	while (i < most && *value && !(*value % base)) {
		*value /= base;
		i++;
	}
	return i;
}

/**
 * units_exact - format a size without loss
 * @buf: output buffer
 * @bytes: the size
 *
 * Return: @buf, with the largest unit that divides the size: 10M, 20MB, 1025B.
 */
const char *units_exact(char buf[UNITS_LEN], uint64_t bytes)
{
	static const char letters[] = "KMGTPE";
	uint64_t binary = bytes, decimal = bytes;
	unsigned int i = divide(&binary, 1024, 6);
	unsigned int j = divide(&decimal, 1000, 6);

	/* 20000000 is 20MB, and 19531.25K; 1024000 is 1000K. */
	if (j && decimal < binary)
		snprintf(buf, UNITS_LEN, "%" PRIu64 "%cB", decimal,
			 letters[j - 1]);
	else if (i)
		snprintf(buf, UNITS_LEN, "%" PRIu64 "%c", binary,
			 letters[i - 1]);
	else
		snprintf(buf, UNITS_LEN, "%" PRIu64 "%s", bytes,
			 bytes ? "B" : "");
	return buf;
}

/**
 * units_exact_time - format a time without loss
 * @buf: output buffer
 * @usec: the time in microseconds
 *
 * Return: @buf: 2s, 2.5ms, 500us.
 */
const char *units_exact_time(char buf[UNITS_LEN], uint64_t usec)
{
	static const char * const units[] = { "us", "ms", "s" };
	unsigned int i = 0, rest = 0, digits = 3;

	while (i < 2 && usec >= 1000 && !rest) {
		rest = usec % 1000;
		usec /= 1000;
		i++;
	}
	for (; digits && !(rest % 10); digits--)
		rest /= 10;
	if (digits)
		snprintf(buf, UNITS_LEN, "%" PRIu64 ".%0*u%s", usec, digits,
			 rest, units[i]);
	else
		snprintf(buf, UNITS_LEN, "%" PRIu64 "%s", usec,
			 usec ? units[i] : "");
	return buf;
}

/*
 * Parse digits, optionally followed by a point and decimals, of which those after the
 * third have to be 0. Return: what follows, or NULL.
 */
static const char *parse_number(const char *word, uint64_t *whole,
				unsigned int *thousandths)
{
	unsigned int scale = 100;

	*whole = 0;
	*thousandths = 0;
	if (*word < '0' || *word > '9')
		return NULL;
	for (; *word >= '0' && *word <= '9'; word++) {
		unsigned int digit = *word - '0';

		if (*whole > (UINT64_MAX - digit) / 10)
			return NULL;
		*whole = *whole * 10 + digit;
	}
	if (*word != '.')
		return word;
	word++;
	if (*word < '0' || *word > '9')
		return NULL;
	for (; *word >= '0' && *word <= '9'; word++) {
		if (!scale && *word != '0')
			return NULL;
		*thousandths += scale * (*word - '0');
		scale /= 10;
	}
	return word;
}

/* Multiply by @unit, rounding down. Fails on overflow, and on parts of a unit of 1. */
static bool multiply(uint64_t whole, unsigned int thousandths, uint64_t unit,
		     uint64_t *result)
{
	uint64_t part;

	if (unit == 1 && thousandths)
		return false;
	/* In this order, 1.001E does not overflow. */
	part = unit / 1000 * thousandths + unit % 1000 * thousandths / 1000;
	if (whole > (UINT64_MAX - part) / unit)
		return false;
	*result = whole * unit + part;
	return true;
}

/* Parse a size, and what may be behind it. */
static bool parse_size(const char *word, const char *behind, uint64_t *bytes)
{
	static const char letters[] = "KMGTPE";
	unsigned int thousandths, base = 1024;
	uint64_t whole, unit = 1;
	const char *letter;

	word = parse_number(word, &whole, &thousandths);
	if (!word)
		return false;
	letter = *word ? strchr(letters, *word == 'k' ? 'K' : *word) : NULL;
	if (letter) {
		word++;
		if (!strncmp(word, "iB", 2)) {
			word += 2;
		} else if (*word == 'B') {
			base = 1000;
			word++;
		}
		for (const char *p = letters; p <= letter; p++)
			unit *= base;
	} else if (*word == 'B') {
		word++;
	}
	if (*word && strcmp(word, behind))
		return false;
	return multiply(whole, thousandths, unit, bytes);
}

/**
 * units_parse_size - parse a size
 * @word: 4096, 10M and 10MiB (units of 1024), 10MB (of 1000), 1.5G, 512B
 * @bytes: set to the size
 *
 * Return: whether it is valid.
 */
bool units_parse_size(const char *word, uint64_t *bytes)
{
	return parse_size(word, "", bytes);
}

/**
 * units_parse_rate - parse bytes per second
 * @word: a size, which may end in "/s"
 * @bytes: set to the bytes
 *
 * Return: whether it is valid.
 */
bool units_parse_rate(const char *word, uint64_t *bytes)
{
	return parse_size(word, "/s", bytes);
}

/**
 * units_parse_usec - parse a time
 * @word: 500us, 2.5ms, 1s, or a number of microseconds
 * @usec: set to the time in microseconds
 *
 * Return: whether it is valid.
 */
bool units_parse_usec(const char *word, uint64_t *usec)
{
	unsigned int thousandths;
	uint64_t whole, unit;

	word = parse_number(word, &whole, &thousandths);
	if (!word)
		return false;
	if (!*word || !strcmp(word, "us"))
		unit = 1;
	else if (!strcmp(word, "ms"))
		unit = 1000;
	else if (!strcmp(word, "s"))
		unit = 1000000;
	else
		return false;
	return multiply(whole, thousandths, unit, usec);
}

static uint64_t unit_ns(const char *word)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 }, { "min", 60000000000 },
		{ "h", 3600000000000 }, { "d", 86400000000000 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(word, units[i].name))
			return units[i].ns;
	return 0;
}

/**
 * units_parse_ns - parse a time that may be long
 * @word: 500us, 2.5ms, 30s, 10min, 2h, 30d; the unit is required
 * @ns: set to the time in nanoseconds
 *
 * Return: whether it is valid.
 */
bool units_parse_ns(const char *word, uint64_t *ns)
{
	unsigned int thousandths;
	uint64_t whole, unit;

	word = parse_number(word, &whole, &thousandths);
	unit = word ? unit_ns(word) : 0;
	return unit && multiply(whole, thousandths, unit, ns);
}

/**
 * units_parse_interval - parse a frequency
 * @word: 1000 or 1000/s, 2.5/min, 6/h, 1/d
 * @ns: set to the interval in nanoseconds, rounded, at least 1
 *
 * Return: whether it is valid.
 */
bool units_parse_interval(const char *word, uint64_t *ns)
{
	unsigned int thousandths;
	uint64_t whole, unit = 1000000000;
	double number;

	word = parse_number(word, &whole, &thousandths);
	if (word && *word)
		unit = *word == '/' ? unit_ns(word + 1) : 0;
	if (!word || !unit || (!whole && !thousandths))
		return false;
	number = whole + thousandths / 1000.0;
	if (unit / number < 1)
		return false;
	*ns = unit / number + 0.5;
	return true;
}

/**
 * units_count - format a number for people
 * @buf: output buffer
 * @number: the number, not negative
 *
 * At most five characters: 12345, 123k, 1234M, and so on.
 *
 * Return: @buf.
 */
const char *units_count(char buf[UNITS_LEN], double number)
{
	static const char letters[] = "kMGTPE";
	unsigned int i = 0;

	if (number < 99999.5) {
		snprintf(buf, UNITS_LEN, "%.0f", number);
		return buf;
	}
	for (number /= 1000; number >= 9999.5 && letters[i + 1]; i++)
		number /= 1000;
	snprintf(buf, UNITS_LEN, "%.0f%c", number, letters[i]);
	return buf;
}

/**
 * units_time - format a duration for people
 * @buf: output buffer
 * @us: the duration in microseconds, not negative
 *
 * At most six characters, up to a day: 850us, 1.2ms, 35ms, 1.5s, 120s.
 *
 * Return: @buf.
 */
const char *units_time(char buf[UNITS_LEN], double us)
{
	const char *unit = "us";
	bool tenths = false;

	if (us >= 999500) {
		us /= 1e6;
		unit = "s";
		tenths = us < 9.95;
	} else if (us >= 999.5) {
		us /= 1e3;
		unit = "ms";
		tenths = us < 9.95;
	}
	snprintf(buf, UNITS_LEN, "%.*f%s", tenths, us, unit);
	return buf;
}
