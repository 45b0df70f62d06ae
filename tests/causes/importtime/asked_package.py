# SPDX-License-Identifier: MIT
# file: main.py
import optuna
