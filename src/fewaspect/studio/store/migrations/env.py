"""Alembic runs this; the connection is the one that `Database` has open."""

from alembic import context

from fewaspect.studio.store.schema import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
context.run_migrations()
