// SPDX-License-Identifier: GPL-2.0-only
/*
 * Storage of configurations.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/replace.h"
#include "lib/util.h"
#include "store.h"

#define SUFFIX ".conf"

enum {
	/* No reasonable file is longer. */
	FILE_LEN_MAX = 1 << 20,
	/* device-mapper's limit, less the prefix of the uuid. */
	NAME_LEN_MAX = 120,
};

/**
 * check_volume_name - whether a word can be the name of a volume
 * @name: the word
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int check_volume_name(const char *name)
{
	/* libdevmapper would mangle any other to \xHH, which changes the name. */
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789#+-.:=@_";
	size_t len = strlen(name);

	if (!len || len > NAME_LEN_MAX || *name == '.' || *name == '-' ||
	    strspn(name, allowed) != len)
		return fail(IOBAND_USAGE,
			    "name '%s': expected 1 to %d letters, digits and #+-.:=@_, and no point or dash first",
			    name, NAME_LEN_MAX);
	return 0;
}

static bool has_suffix(const char *name)
{
	size_t len = strlen(name);

	return *name != '.' && len > sizeof(SUFFIX) - 1 &&
	       !strcmp(name + len - (sizeof(SUFFIX) - 1), SUFFIX);
}

static int is_conf(const struct dirent *entry)
{
	return has_suffix(entry->d_name);
}

/*
 * What keeps a file or directory from being read, by errno. There is no error if nothing
 * has that name; a link that leads nowhere was meant to be read.
 */
static int cannot_read(const struct options *opts, const char *path)
{
	int err = errno;
	char *full = xasprintf("%s%s", opts->sysroot, path);
	struct stat st;
	bool is_none = err == ENOENT && lstat(full, &st);

	free(full);
	if (is_none)
		return 0;
	return fail(err == EACCES ? IOBAND_PERM : IOBAND_USAGE,
		    "cannot read '%s': %s", path,
		    err == ENOENT ? "it is a link to nothing" :
		    err == EILSEQ ? "it is no text" :
		    err == ESPIPE ? "it is a pipe" : strerror(err));
}

/* List the configuration files of a directory, sorted. */
static int list_dir(const struct options *opts, const char *dir,
		    struct names *names)
{
	char *full = xasprintf("%s%s", opts->sysroot, dir);
	struct dirent **entries;
	int nr = scandir(full, &entries, is_conf, alphasort);

	free(full);
	memset(names, 0, sizeof(*names));
	if (nr < 0)
		return cannot_read(opts, dir);
	names->v = xcalloc(nr, sizeof(*names->v));
	for (int i = 0; i < nr; i++) {
		names->v[names->nr++] = xstrdup(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/**
 * store_names - list the volumes that have a configuration
 * @opts: the global options
 * @dir: %STORE_ETC or %STORE_RUN
 * @names: filled in, to be freed by names_free() in any case
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int store_names(const struct options *opts, const char *dir,
		struct names *names)
{
	int status = list_dir(opts, dir, names);

	for (size_t i = 0; i < names->nr; i++)
		names->v[i][strlen(names->v[i]) - (sizeof(SUFFIX) - 1)] = '\0';
	return status;
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->v[i]);
	free(names->v);
	memset(names, 0, sizeof(*names));
}

/* Return: the text, to be freed; NULL with errno set. */
static char *read_file(const char *sysroot, const char *path)
{
	FILE *file = open_below(sysroot, path);
	struct stat st;
	char *text;
	size_t n;

	if (!file)
		return NULL;
	if (!fstat(fileno(file), &st) && S_ISFIFO(st.st_mode)) {
		fclose(file);
		errno = ESPIPE;
		return NULL;
	}
	text = xcalloc(1, FILE_LEN_MAX + 1);
	n = fread(text, 1, FILE_LEN_MAX + 1, file);
	if (ferror(file) || n > FILE_LEN_MAX || memchr(text, '\0', n)) {
		if (!ferror(file))
			errno = n > FILE_LEN_MAX ? EFBIG : EILSEQ;
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

static int merge_file(const struct options *opts, const char *path,
		      struct config *cfg, bool *found)
{
	struct parse_error err;
	struct config more;
	char *text;
	int r;

	text = read_file(opts->sysroot, path);
	if (!text)
		return cannot_read(opts, path);
	*found = true;
	config_init(&more, cfg->name);
	r = conf_parse(&more, text, &err);
	if (!r)
		config_merge(cfg, &more);
	config_free(&more);
	free(text);
	return r ? fail(IOBAND_USAGE, "%s: %s", path, err.text) : 0;
}

/* Refuse what no volume can be made of. */
static int check_config(const char *dir, const char *path,
			const struct config *cfg)
{
	struct parse_error err;

	if (!strcmp(dir, STORE_ETC) && !*cfg->device && !cfg->is_attached)
		return fail(IOBAND_USAGE,
			    "%s: expected device = PATH in [volume]", path);
	if (cfg->quantum_ms && strcmp(cfg->policy, "weight-time"))
		return fail(IOBAND_USAGE,
			    "%s: quantum: needs policy weight-time, not %s",
			    path, cfg->auto_policy ? "auto" : cfg->policy);
	if (config_check(cfg, &err))
		return fail(IOBAND_USAGE, "%s: %s", path, err.text);
	return 0;
}

/**
 * store_load - read the configuration of a volume, drop-ins included
 * @opts: the global options
 * @dir: %STORE_ETC or %STORE_RUN
 * @name: the volume
 * @cfg: initialised and filled in; to be freed by config_free() in any case
 * @found: set to whether there is one
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int store_load(const struct options *opts, const char *dir, const char *name,
	       struct config *cfg, bool *found)
{
	char *path = xasprintf("%s/%s" SUFFIX, dir, name);
	char *sub = xasprintf("%s.d", path);
	struct names dropins = { 0 };
	bool any = false;
	int status;

	*found = false;
	config_init(cfg, name);
	status = merge_file(opts, path, cfg, found);
	if (!status && *found)
		status = list_dir(opts, sub, &dropins);
	for (size_t i = 0; !status && i < dropins.nr; i++) {
		char *file = xasprintf("%s/%s", sub, dropins.v[i]);

		status = merge_file(opts, file, cfg, &any);
		free(file);
	}
	if (!status && *found)
		status = check_config(dir, path, cfg);
	names_free(&dropins);
	free(sub);
	free(path);
	return status;
}

static bool has_file(const struct options *opts, const char *dir,
		     const char *name)
{
	char *path = xasprintf("%s%s/%s" SUFFIX, opts->sysroot, dir, name);
	struct stat st;
	bool has = !lstat(path, &st);

	free(path);
	return has;
}

bool store_has_file(const struct options *opts, const char *name)
{
	return has_file(opts, STORE_ETC, name);
}

bool record_exists(const struct options *opts, const char *name)
{
	return has_file(opts, STORE_RUN, name);
}

bool store_has_dropins(const struct options *opts, const char *name)
{
	char *dir = xasprintf(STORE_ETC "/%s" SUFFIX ".d", name);
	struct names dropins;
	bool has = !list_dir(opts, dir, &dropins) && dropins.nr;

	names_free(&dropins);
	free(dir);
	return has;
}

/* The contents of a file, to be freed. */
static char *make_text(const struct config *cfg)
{
	char *text = NULL;
	size_t size;
	FILE *to;

	to = xmemstream(&text, &size);
	fprintf(to, STORE_HEAD "%s' makes it; see ioband.conf(5).\n", cfg->name);
	conf_print(cfg, to);
	xmemclose(to);
	return text;
}

/* Refuse to write a file that could not be read back. */
static int check_text(const char *dir, const char *path,
		      const struct config *cfg, const char *text)
{
	struct parse_error err;
	struct config again;
	int status;

	config_init(&again, cfg->name);
	if (strlen(text) > FILE_LEN_MAX)
		status = fail(IOBAND_USAGE,
			      "cannot write '%s': expected at most %d bytes, this would be %zu",
			      path, FILE_LEN_MAX, strlen(text));
	else if (conf_parse(&again, text, &err))
		status = fail(IOBAND_USAGE,
			      "cannot write '%s', it could not be read again: %s",
			      path, err.text);
	else
		status = check_config(dir, path, &again);
	config_free(&again);
	return status;
}

/**
 * store_text - get what store_save() would write
 * @cfg: the configuration, for %STORE_ETC
 * @text: set to the contents of the file, to be freed in any case
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int store_text(const struct config *cfg, char **text)
{
	char *path = xasprintf(STORE_ETC "/%s" SUFFIX, cfg->name);
	int status;

	*text = make_text(cfg);
	status = check_text(STORE_ETC, path, cfg, *text);
	free(path);
	return status;
}

/**
 * store_check - whether store_save() would write a configuration
 * @cfg: the configuration, for %STORE_ETC
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int store_check(const struct config *cfg)
{
	char *text;
	int status = store_text(cfg, &text);

	free(text);
	return status;
}

/**
 * store_get - read the file of a volume as it is, without drop-ins
 * @opts: the global options
 * @dir: %STORE_ETC or %STORE_RUN
 * @name: the volume
 *
 * Return: the text, to be freed; %NULL if there is none that can be read.
 */
char *store_get(const struct options *opts, const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s" SUFFIX, dir, name);
	char *text = read_file(opts->sysroot, path);

	free(path);
	return text;
}

/**
 * store_put - write the file of a volume, or take it away
 * @opts: the global options
 * @dir: %STORE_ETC or %STORE_RUN
 * @name: the volume
 * @text: what store_text() or store_get() returned; %NULL to remove the file, and the
 *	directory if nothing else is in it
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int store_put(const struct options *opts, const char *dir, const char *name,
	      const char *text)
{
	char *parent = xasprintf("%s%s", opts->sysroot, dir);
	char *path = xasprintf("%s/%s" SUFFIX, parent, name);
	char *real = text ? realpath(path, NULL) : NULL;
	int r = 0, status = 0;

	if (text) {
		if (mkdir(parent, 0755) && errno != EEXIST)
			r = -errno;
		if (!r)
			r = replace_file(real ? real : path, text, strlen(text),
					 true);
	} else {
		if (unlink(path) && errno != ENOENT)
			r = -errno;
		rmdir(parent);
	}
	if (r)
		status = fail(r == -EACCES || r == -EPERM ? IOBAND_PERM :
			      IOBAND_USAGE, "cannot %s '%s': %s",
			      text ? "write" : "remove", path, strerror(-r));
	free(real);
	free(path);
	free(parent);
	return status;
}

/**
 * store_write - write the file of a volume, with the comments that it has
 * @opts: the global options
 * @name: the volume
 * @text: what store_text() returned
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int store_write(const struct options *opts, const char *name, const char *text)
{
	char *old = store_get(opts, STORE_ETC, name);
	char *all = conf_keep_comments(old ? old : "", text);
	int status = store_put(opts, STORE_ETC, name, all);

	free(all);
	free(old);
	return status;
}

/**
 * store_save - write the configuration of a volume
 * @opts: the global options
 * @dir: %STORE_ETC or %STORE_RUN
 * @cfg: the configuration
 *
 * The file is replaced atomically, and only by one that can be read back. If it is a link,
 * what that leads to is.
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int store_save(const struct options *opts, const char *dir,
	       const struct config *cfg)
{
	char *path = xasprintf("%s%s/%s" SUFFIX, opts->sysroot, dir, cfg->name);
	char *text = make_text(cfg);
	int status;

	status = check_text(dir, path, cfg, text);
	if (!status)
		status = strcmp(dir, STORE_ETC) ?
			 store_put(opts, dir, cfg->name, text) :
			 store_write(opts, cfg->name, text);
	free(text);
	free(path);
	return status;
}

/**
 * record_find - look up the record of a volume
 * @opts: the global options
 * @name: its device-mapper name
 * @uuid: its uuid, to find it even if it has been renamed, or ""
 * @cfg: initialised and filled in; to be freed by config_free() in any case
 *
 * An unreadable record counts as none: records are our own files.
 *
 * Return: whether there is a record.
 */
bool record_find(const struct options *opts, const char *name,
		 const char *uuid, struct config *cfg)
{
	struct names names;
	bool found = false;

	config_init(cfg, name);
	if (store_names(opts, STORE_RUN, &names))
		return false;
	for (size_t i = 0; !found && i < names.nr; i++) {
		bool readable;

		config_free(cfg);
		if (store_load(opts, STORE_RUN, names.v[i], cfg, &readable) ||
		    !readable)
			continue;
		found = *uuid && *cfg->uuid ? !strcmp(cfg->uuid, uuid) :
					      !strcmp(names.v[i], name);
	}
	names_free(&names);
	return found;
}

/**
 * record_remove - remove the record of a volume
 * @opts: the global options
 * @name: the name of the record
 */
void record_remove(const struct options *opts, const char *name)
{
	char *path = xasprintf("%s" STORE_RUN "/%s" SUFFIX, opts->sysroot,
			       name);

	unlink(path);
	free(path);
}
