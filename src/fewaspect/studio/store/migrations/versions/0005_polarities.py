"""What a person said about an aspect of a sentence, and whether a project tells sentiment: those before do not."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("projects", sa.Column("sentiment", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_table(
        "polarities",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("aspect_id", sa.Integer, sa.ForeignKey("aspects.id", ondelete="CASCADE"), nullable=False),
        sa.Column("polarity", sa.String(8), nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.UniqueConstraint("project_id", "identity", "aspect_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_polarities_aspect_id", "polarities", ["aspect_id"])
