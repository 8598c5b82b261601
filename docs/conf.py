# SPDX-License-Identifier: GPL-2.0-only
#
# sphinx-build -W docs build/docs
project = 'dm-ioband'
author = 'dm-ioband developers'
exclude_patterns = ['man/*']
# No source, for Sphinx does not read Markdown, but linked from the first page.
html_extra_path = ['results.md']
html_theme = 'alabaster'
