"""Sentences that are not to be offered for labelling again."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "skipped",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.UniqueConstraint("project_id", "identity"),
        sqlite_autoincrement=True,
    )
