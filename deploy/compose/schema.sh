#!/bin/sh
# Makes the databases of Temporal and of tactus-temporal, and brings Temporal's up to date. It may run again and again.
set -eu
schema="${SCHEMA:-/etc/temporal/schema}/postgresql/v12"

tool() {
  temporal-sql-tool --plugin postgres12 --ep "$POSTGRES_SEEDS" -u "$POSTGRES_USER" -p "${POSTGRES_PORT:-5432}" "$@"
}

tool --db temporal create
tool --db temporal setup-schema -v 0.0
tool --db temporal update-schema -d "$schema"/temporal/versioned
tool --db temporal_visibility create
tool --db temporal_visibility setup-schema -v 0.0
tool --db temporal_visibility update-schema -d "$schema"/visibility/versioned
# The index of runs and the storage make their tables themselves.
tool --db tactus create
