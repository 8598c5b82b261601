# SPDX-License-Identifier: GPL-2.0-only
"""Disks, groups, controllers, jobs and counters for experiments in exact time."""
