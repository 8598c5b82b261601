# SPDX-License-Identifier: GPL-2.0-only
#
# sphinx-build -W docs build/docs
project = 'dm-ioband'
author = 'dm-ioband developers'
exclude_patterns = ['man/*']
html_theme = 'alabaster'
