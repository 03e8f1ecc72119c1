"""How many of the accepted answers of a project must be right."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("projects", sa.Column("target_precision", sa.Float))
