# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bash completion for ioband(8)

# Columns as ioband --help has them, of one command or of all.
_ioband_columns() {
	ioband --help 2>/dev/null | awk -v command="$1" '
		/^Columns of / { in_list = command == "" || $3 == command; next }
		!NF { in_list = 0 }
		in_list { print $1 == "*" ? $2 : $1 }' | sort -u
}

_ioband() {
	local commands='list status version'
	local options='--json --raw --output --noheadings --bytes --sysroot
		--verbose --help --version'
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command='' word i

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case $word in
		-o | --output | --sysroot)	((i++)) ;;
		-*)				;;
		*)				command=$word; break ;;
		esac
	done

	case $prev in
	-o | --output)
		# What is before the last comma stays as it is.
		local first=''
		[[ $cur != +* ]] || first=+
		[[ $cur != *,* ]] || first=${cur%,*},
		mapfile -t COMPREPLY < <(compgen -P "$first" \
			-W "$(_ioband_columns "$command")" -- "${cur#"$first"}")
		compopt -o nospace 2>/dev/null
		return
		;;
	--sysroot)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		compopt -o filenames 2>/dev/null
		return
		;;
	esac

	case $cur,$command in
	-*)
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
		;;
	*,)
		mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
		;;
	*,status)
		mapfile -t COMPREPLY < <(compgen -W \
			"$(ioband list --raw --noheadings -o NAME 2>/dev/null)" -- "$cur")
		;;
	esac
} && complete -F _ioband ioband
