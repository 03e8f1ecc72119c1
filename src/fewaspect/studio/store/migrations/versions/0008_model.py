"""The model that reads the reviews of a project."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("projects", sa.Column("model", sa.String(40)))
