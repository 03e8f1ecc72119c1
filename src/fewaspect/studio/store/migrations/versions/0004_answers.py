"""Answers of an audit, and examples whose labels were looked at and kept."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def _columns() -> list[sa.Column | sa.UniqueConstraint]:
    return [
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("aspects", sa.JSON, nullable=False),
        sa.Column("asked", sa.JSON, nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.UniqueConstraint("project_id", "identity"),
    ]


def upgrade() -> None:
    for name in ("audit_answers", "kept_labels"):
        op.create_table(name, *_columns(), sqlite_autoincrement=True)
