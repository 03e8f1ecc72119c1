"""Aspects that a person said a sentence is not about, without saying what else it is about."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "rejections",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("aspect_id", sa.Integer, sa.ForeignKey("aspects.id", ondelete="CASCADE"), nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.UniqueConstraint("project_id", "identity", "aspect_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_rejections_aspect_id", "rejections", ["aspect_id"])
