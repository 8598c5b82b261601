# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bash completion for ioband(8)

# Columns of a command, as its --help has them.
_ioband_columns() {
	ioband "$1" --help 2>/dev/null | awk '
		/^Columns of / { in_list = 1; next }
		!NF { in_list = 0 }
		in_list { print $1 == "*" ? $2 : $1 }' | sort -u
}

# What --raw has written, as it is: \xHH stands for what would end a word.
_ioband_plain() {
	local word

	while IFS= read -r word; do
		printf '%b\n' "$word"
	done
}

# Offer those of the lines that begin like the current word, quoted for the shell.
# Never by compgen -W, which would execute a $(command) in the name of a cgroup.
_ioband_offer() {
	local word quoted

	while IFS= read -r word; do
		printf -v quoted %q "$word"
		[[ $word != "$cur"* && $quoted != "$cur"* ]] || COMPREPLY+=("$quoted")
	done
}

# Volumes, by VG/LV if they have one.
_ioband_volumes() {
	ioband list --raw --noheadings -o NAME,LV 2>/dev/null |
		awk '{ print $2 == "-" ? $1 : $2 }' | _ioband_plain
}

# Devices that ioband can be put in or on.
_ioband_devices() {
	lvs --noheadings --separator / -o vg_name,lv_name 2>/dev/null | sed 's/^ *//'
	lsblk --noheadings --raw --paths -o NAME 2>/dev/null | _ioband_plain
}

# Below the path of a unit of the system, which has only slices above it, its name.
_ioband_units() {
	sed -E 'p; s#^(/[^/]*\.slice)*/([^/]*\.(service|slice|scope))$#\2#; t; d'
}

# Groups of a volume, by the path of their cgroup where they have one.
_ioband_groups() {
	ioband status "$1" --raw --noheadings -o GROUP,CGROUP 2>/dev/null |
		awk '{ print $1 == -1 ? "default" : $2 == "-" ? $1 : $2 }' |
		_ioband_plain | _ioband_units
}

# Cgroups that have the io controller.
_ioband_cgroups() {
	(cd /sys/fs/cgroup && find . -mindepth 2 -name io.stat -printf '/%P\n') 2>/dev/null |
		sed 's|/io.stat$||' | _ioband_units
}

_ioband() {
	local commands='create remove resize attach detach enable disable group set show save diff
		apply import list status top metrics follow doctor calibrate
		simulate version help'
	local options='--json --raw --output --noheadings --bytes --quiet --sysroot
		--verbose --help --version'
	local volume_keys='share= type= policy= auto= io_throttle= io_limit= quantum='
	local group_keys='weight= rbps= wbps= bps= riops= wiops= iops= burst= peak=
		min= miniops= latency= class= parent= range-bw= force='
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local words=('') word i choices='' key=''

	COMPREPLY=()
	# bash takes "--sort=N" for three words.
	if [[ $cur == = && $prev == --* ]]; then
		cur=''
	elif [[ $prev == = && ${COMP_WORDS[COMP_CWORD - 2]} == --* ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	# What is before this one, options left out: the command and its words.
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case $word in
		-o | --output | --sysroot | --iterations | --delay | --sort | --time | --plot)
			[[ ${COMP_WORDS[i + 1]} != = ]] || ((i++))
			((i++)) ;;
		-1)	words+=("$word") ;;	# a group
		-*)	;;
		*)	words+=("$word") ;;
		esac
	done
	((${#words[@]} == 1)) || words=("${words[@]:1}")

	# Those of one command come behind it.
	case ${words[0]} in
	create | import | resize | set)
		options+=' --dry-run --force' ;;
	apply)	options+=' --dry-run --check --missing' ;;
	enable)	options+=' --dry-run --follow --force' ;;
	disable) options+=' --dry-run --keep-config' ;;
	'' | remove | attach | detach | group | save)
		options+=' --dry-run' ;;
	follow)	options+=' --once' ;;
	calibrate) options+=' --time' ;;
	simulate) options+=' --check --each --plot' ;;
	top)	options+=' --batch --iterations --delay --sort --active' ;;
	esac

	case $prev in
	--sort)
		mapfile -t COMPREPLY < <(compgen -W "$(_ioband_columns top)" -- "$cur")
		return
		;;
	--iterations | --delay | --time)
		return
		;;
	--plot)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames 2>/dev/null
		return
		;;
	-o | --output)
		if [[ ${words[0]} == metrics ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			compopt -o filenames 2>/dev/null
			return
		fi
		# What is before the last comma stays as it is.
		local first=''
		[[ $cur != +* ]] || first=+
		[[ $cur != *,* ]] || first=${cur%,*},
		mapfile -t COMPREPLY < <(compgen -P "$first" \
			-W "$(_ioband_columns "${words[0]}")" -- "${cur#"$first"}")
		compopt -o nospace 2>/dev/null
		return
		;;
	--sysroot)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		compopt -o filenames 2>/dev/null
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
		return
	fi

	# Likewise "policy=w".
	if [[ $cur == = ]]; then
		cur='' key=$prev
	elif [[ $prev == = ]]; then
		key=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if [[ $key ]]; then
		case $key in
		policy)	choices='auto weight weight-iosize weight-time range-bw limit' ;;
		type)	choices='none user uid gid pid pgrp cgroup ioprio' ;;
		class)	choices='rt be idle' ;;
		follow)	choices='yes no' ;;
		esac
		mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$cur")
		return
	fi

	case ${words[0]}/${#words[@]} in
	/1)
		choices=$commands
		;;
	create/2 | attach/1 | enable/1)
		_ioband_offer < <(_ioband_devices)
		;;
	create/* | attach/* | enable/*)
		# The default group has nobody above it.
		[[ ${words[0]}/${#words[@]} == create/1 ]] ||
			choices="$volume_keys ${group_keys/parent= /}"
		;;
	status/* | list/* | show/* | save/* | diff/* | apply/* | top/* | metrics/* | doctor/* | \
	remove/1 | resize/1 | detach/1 | disable/1 | set/1 | follow/1 | group/2)
		_ioband_offer < <(_ioband_volumes)
		;;
	group/1)
		choices='add del list'
		;;
	group/3)
		if [[ ${words[1]} == list ]]; then
			_ioband_offer < <(_ioband_volumes)
		elif [[ ${words[1]} == del ]]; then
			_ioband_offer < <(_ioband_groups "${words[2]}")
		else
			_ioband_offer < <(_ioband_cgroups)
		fi
		;;
	set/2)
		_ioband_offer < <(_ioband_groups "${words[1]}")
		choices='policy= io_throttle= io_limit= quantum= follow='
		;;
	group/* | set/*)
		choices=$group_keys
		;;
	help/1)
		choices=$commands
		;;
	import/1 | calibrate/1 | simulate/1)
		[[ ${words[0]} != calibrate ]] || _ioband_offer < <(_ioband_devices)
		mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames 2>/dev/null
		return
		;;
	esac
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$choices" -- "$cur")
	[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null
} && complete -F _ioband ioband
