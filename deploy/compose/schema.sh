#!/bin/sh
# Makes the databases of Temporal and of tactus-temporal, and brings Temporal's up to date. It may run again and again.
set -eu

tool() {
  temporal-sql-tool --plugin postgres12 --ep "$POSTGRES_SEEDS" -u "$POSTGRES_USER" -p 5432 "$@"
}

tool --db temporal create
tool --db temporal setup-schema -v 0.0
tool --db temporal update-schema -d /etc/temporal/schema/postgresql/v12/temporal/versioned
tool --db temporal_visibility create
tool --db temporal_visibility setup-schema -v 0.0
tool --db temporal_visibility update-schema -d /etc/temporal/schema/postgresql/v12/visibility/versioned
# The index of runs and the storage make their tables themselves.
tool --db tactus create
